// Depth cameras against rays that are cast exactly, in double.
#include "engine/reference/solid.h"
#include "engine/scene/bodies.h"
#include "engine/scene/words.h"
#include "engine/simulation/checkpoint_file.h"
#include "simulate.h"
#include <functional>
#include <limits>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double none = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1e-4;  // of far

// t of a point from + t way: m along the camera's axis.
struct ExactRay {
  glm::dvec3 from, way;
  glm::dvec3 at(double t) const { return from + t * way; }
};

// x and y: place in the image, in pixels from its upper left end.
ExactRay ray_of(const DepthCameraSpec& c, const Pose& body, double x, double y) {
  glm::dvec3 ahead = rotation_of(c.rotation) * glm::dvec3(1, 0, 0), up = rotation_of(c.rotation) * glm::dvec3(0, 0, 1);
  if (c.target) {
    ahead = glm::normalize(*c.target - c.position);
    const glm::dvec3 high = std::abs(ahead.z) < 0.999999 ? glm::dvec3(0, 0, 1) : glm::dvec3(0, 1, 0);
    up = glm::normalize(high - glm::dot(high, ahead) * ahead);
  }
  const glm::dvec3 right = glm::cross(ahead, up);
  const bool perspective = c.projection == Projection::perspective;
  const double pixel = perspective ? 2.0 * std::tan(glm::radians(c.fov) / 2.0) / c.size.y : c.width / c.size.x;
  const glm::dvec3 aside = pixel * ((x - 0.5 * c.size.x) * right - (y - 0.5 * c.size.y) * up);
  const glm::dvec3 from = body.position + body.rotation * (perspective ? c.position : c.position + aside);
  return {from, body.rotation * (perspective ? ahead + aside : ahead)};
}

using Cast = std::function<double(const ExactRay&)>;

double on_ball(const ExactRay& ray, const glm::dvec3& centre, double r, double near) {
  const glm::dvec3 to = centre - ray.from;
  const double a = glm::dot(ray.way, ray.way), b = glm::dot(ray.way, to),
               inside = b * b - a * (glm::dot(to, to) - r * r);
  const double t = (b - std::sqrt(std::max(inside, 0.0))) / a;
  return inside >= 0.0 && t > near ? t : none;
}

// Along a solid's distances, which are never above the truth.
double on_solid(const ExactRay& ray, const Solid& solid, double near, double far) {
  double t = near;
  for (int k = 0; k < 20000 && t < far; ++k) {
    const double d = sample(solid, ray.at(t)).distance;
    if (d < 1e-9 * far)
      return t;
    t += d / glm::length(ray.way);
  }
  return none;
}

// All that is in the scene as it is now.
Cast cast_of(Simulation& simulation, const DepthCameraSpec& c) {
  std::vector<Solid> solids;
  for (std::uint32_t b = 0; b < simulation.scene().bodies.size(); ++b)
    solids.push_back(solid_of(simulation.scene().bodies[b], simulation.body_state(b).pose));
  return [=, grains = simulation.grains(), domain = simulation.scene().domain](const ExactRay& ray) {
    double t = c.far;
    if (domain.axis[2] == Axis::wall && ray.way.z < 0.0 && ray.at(c.near).z > domain.min.z)
      t = std::min(t, (domain.min.z - ray.from.z) / ray.way.z);
    for (const GrainState& g : grains)
      t = std::min(t, on_ball(ray, glm::dvec3(g.position), static_cast<double>(g.radius), c.near));
    for (const Solid& solid : solids)
      t = std::min(t, on_solid(ray, solid, c.near, t));
    return t;
  };
}

Pose frame_of(Simulation& simulation, const DepthCameraSpec& c) {
  return c.body ? simulation.body_state(*c.body).pose : Pose{};
}

// Pixels that differ from the exact ones by more than the tolerance, and from all that is seen next to them: an outline
// may pass by a pixel's middle on either side.
int wrong_pixels(Simulation& simulation, std::uint32_t camera, const Cast& cast) {
  const DepthCameraSpec c = simulation.scene().depth_cameras[camera];
  const Pose frame = frame_of(simulation, c);
  const std::vector<float> image = simulation.depth(camera);
  REQUIRE(image.size() == std::size_t{c.size.x} * c.size.y);
  int wrong = 0, outlines = 0;
  for (std::size_t k = 0; k < image.size(); ++k) {
    const double x = static_cast<double>(k % c.size.x) + 0.5, y = static_cast<double>(k / c.size.x) + 0.5;
    const auto differs = [&](double aside, double down) {
      const double t = cast(ray_of(c, frame, x + aside, y + down));
      return std::abs(static_cast<double>(image[k]) - t) > tolerance * c.far;
    };
    if (!differs(0.0, 0.0))
      continue;
    constexpr double beside = 0.01;  // pixels
    wrong +=
        differs(beside, beside) && differs(-beside, beside) && differs(beside, -beside) && differs(-beside, -beside);
    ++outlines;
  }
  CHECK(outlines <= 3);
  return wrong;
}

// How many pixels see something.
int seeing(Simulation& simulation, std::uint32_t camera) {
  const auto image = simulation.depth(camera);
  const auto far = static_cast<float>(simulation.scene().depth_cameras[camera].far);
  return static_cast<int>(std::ranges::count_if(image, [&](float t) { return t < far; }));
}

DepthCameraSpec camera_of(std::string name, glm::dvec3 position, glm::dvec3 target, glm::uvec2 size) {
  DepthCameraSpec c;
  c.name = std::move(name);
  c.position = position;
  c.target = target;
  c.size = size;
  c.far = 4.0;
  return c;
}

// Every shape that has a formula, taken away from each other too, and grains of all sizes among them.
Scene things() {
  Scene scene = scene_of(1.0 / 100, 1, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 1;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.domain.axis = {Axis::wall, Axis::periodic, Axis::wall};
  const ConePart tube{0.09, 0.09, 0.2}, bore{0.07, 0.05, 0.3};
  scene.bodies = {
      body_of("slope", {{PlanePart{}}}, {0.0, 0.0, -0.1}, {12.0, -9.0, 0.0}),
      body_of("tray", {{BoxPart{{0.5, 0.4, 0.2}}}, {BoxPart{{0.46, 0.36, 0.2}}, {0.0, 0.0, 0.05}, {}, true}},
              {0.4, 0.1, 0.4}, {0.0, 15.0, 30.0}),
      body_of("bowl",
              {{SpherePart{0.15}},
               {SpherePart{0.13}, {0.0, 0.0, 0.03}, {}, true},
               {BoxPart{{0.4, 0.4, 0.2}}, {0.0, 0.0, 0.15}, {}, true},
               {SpherePart{0.03}}},
              {-0.3, 0.2, 0.5}, {10.0, -10.0, 0.0}),
      body_of("tube", {{tube}, {bore, {}, {}, true}}, {-0.2, -0.4, 0.4}, {50.0, 20.0, 0.0}),
      body_of("ring", {{TorusPart{0.12, 0.04}}, {CapsulePart{0.02, 0.5}, {}, {80.0, 0.0, 0.0}}}, {0.1, -0.1, 0.8},
              {60.0, 10.0, 0.0}),
      body_of("hat", {{ConePart{0.15, 0.02, 0.25}}}, {0.3, -0.5, 0.3}, {150.0, 20.0, 0.0}),
      body_of("car", {{BoxPart{{0.1, 0.06, 0.04}}}, {SpherePart{0.02}, {0.1, 0.0, 0.0}}}, {-0.7, 0.0, 0.7})};
  scene.bodies[4].spin = {1.0, 2.0, 3.0};
  scene.bodies[6].velocity = {0.3, 0.1, 0.0};
  scene.bodies[6].spin = {0.2, 0.1, 1.0};
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
  for (const double radius : {0.08, 0.03, 0.01, 0.002}) {
    std::vector<glm::dvec3> points;
    for (int k = 0; k < 40; ++k)
      points.push_back({uniform(-0.9, 0.9), uniform(-0.9, 0.9), uniform(0.1, 1.8)});
    add_points(scene, radius, points);
  }
  scene.depth_cameras = {camera_of("eye", {-0.95, -0.7, 1.3}, {0.1, 0.0, 0.4}, {53, 41}),
                         camera_of("map", {0.05, 0.0, 1.9}, {0.05, 0.0, 0.0}, {47, 38}),
                         camera_of("ego", {0.06, 0.0, 0.03}, {}, {36, 36}),
                         camera_of("deck", {-0.02, 0.01, 0.024}, {}, {36, 36})};
  DepthCameraSpec &eye = scene.depth_cameras[0], &map = scene.depth_cameras[1], &ego = scene.depth_cameras[2],
                  &deck = scene.depth_cameras[3];
  eye.fov = 50.0;
  map.projection = Projection::orthographic;
  map.width = 1.9;
  ego.body = 6;
  ego.target.reset();
  ego.rotation = {3.0, 20.0, 5.0};
  ego.fov = 100.0;
  ego.near = 0.15;
  deck.body = 6;  // close above it, so that it is behind the eye, too
  deck.target.reset();
  deck.rotation = {10.0, 20.0, 0.0};
  deck.fov = 120.0;
  deck.near = 0.0;
  return scene;
}

void sees_exactly(const Options& options) {
  Simulation simulation(things(), options);
  simulation.advance(3);
  for (std::uint32_t c = 0; c < simulation.scene().depth_cameras.size(); ++c) {
    const DepthCameraSpec& camera = simulation.scene().depth_cameras[c];
    CAPTURE(camera.name);
    CHECK(wrong_pixels(simulation, c, cast_of(simulation, camera)) == 0);
    CHECK(seeing(simulation, c) > 100);
  }
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

Mesh octahedron(float r) {
  return {{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

MeshPart mesh_of(Mesh mesh, bool closed, MeshAs as) {
  MeshPart part;
  part.as = as;
  part.file = "made here";
  part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{std::move(mesh), closed, {}});
  return part;
}

double on_triangles(const ExactRay& ray, const Mesh& mesh, const Pose& pose) {
  double nearest = none;
  for (const glm::uvec3& corners : mesh.triangles) {
    const auto corner = [&](int k) {
      return pose.position + pose.rotation * glm::dvec3(mesh.vertices[corners[static_cast<int>(k)]]);
    };
    const glm::dvec3 a = corner(0), ab = corner(1) - a, ac = corner(2) - a, p = glm::cross(ray.way, ac);
    const double volume = glm::dot(ab, p);
    const glm::dvec3 to = ray.from - a, q = glm::cross(to, ab);
    const double u = glm::dot(to, p) / volume, v = glm::dot(ray.way, q) / volume, t = glm::dot(ac, q) / volume;
    if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0)
      nearest = std::min(nearest, t);
  }
  return nearest;
}

// A solid as triangles, a sheet, and the solid as a distance field.
Scene meshes() {
  Scene scene = things();
  scene.grains.clear();
  add_points(scene, 0.03, {{0.9, 0.9, 1.9}});
  scene.depth_cameras = {camera_of("eye", {-0.9, -0.7, 1.2}, {0.0, 0.0, 0.4}, {53, 41})};
  const Mesh sheet{{{-0.3f, -0.2f, 0.0f}, {0.3f, -0.2f, 0.0f}, {0.3f, 0.2f, 0.1f}, {-0.3f, 0.2f, 0.0f}},
                   {{0, 1, 2}, {0, 2, 3}}};
  scene.bodies = {
      body_of("solid", {{mesh_of(octahedron(0.3f), true, MeshAs::triangles)}}, {-0.2, 0.3, 0.5}, {10.0, 20.0, 30.0}),
      body_of("sheet", {{mesh_of(sheet, false, MeshAs::triangles)}}, {0.1, -0.4, 0.3}, {0.0, 50.0, 30.0}),
      body_of("field", {{mesh_of(octahedron(0.25f), true, MeshAs::sdf)}}, {0.5, 0.3, 0.7}, {50.0, 20.0, 30.0})};
  return scene;
}

double on_box(const ExactRay& ray, const glm::dvec3& low, const glm::dvec3& high, double near) {
  double from = -none, to = none;
  for (int a = 0; a < 3; ++a) {
    const double s = (low[a] - ray.from[a]) / ray.way[a], t = (high[a] - ray.from[a]) / ray.way[a];
    from = std::max(from, std::min(s, t));
    to = std::min(to, std::max(s, t));
  }
  return from < to && from > near ? from : none;
}

// With the columns of the ground, too: a box each.
Cast with_ground(Simulation& simulation, const DepthCameraSpec& c, Cast rest) {
  const std::vector<SoilSite> site = read_field<SoilSite>(simulation.executor(), FieldId::soil_site, 1);
  const std::size_t count = std::size_t{site[0].count.x} * site[0].count.y;
  const auto columns = read_field<SoilColumn>(simulation.executor(), FieldId::soil_columns, count);
  const auto quantum = read_field<float>(simulation.executor(), FieldId::soil_quantum, count);
  const double floor = simulation.scene().domain.min.z;
  return [=](const ExactRay& ray) {
    double t = rest(ray);
    for (std::size_t k = 0; k < count; ++k) {
      const glm::dvec2 low =
          glm::dvec2(site[0].min) + glm::dvec2(site[0].edge) * glm::dvec2(k % site[0].count.x, k / site[0].count.x);
      const double volume =
          columns[k].mass - columns[k].loose + columns[k].loose * static_cast<double>(columns[k].swell);
      const double height = volume * static_cast<double>(quantum[k]);
      t = std::min(t, on_box(ray, {low, floor}, {low + glm::dvec2(site[0].edge), floor + height}, c.near));
    }
    return t;
  };
}

// Ground with a berm and a trench, and a blade in it.
Scene dug_ground() {
  return parse_scene(R"(
[time]
dt = 0.002
[domain]
min = [-0.2, -0.1, -0.02]
max = [0.2, 0.1, 0.2]
[[material]]
name = "sand"
[soil]
material = "sand"
radius = [0.0045, 0.0055]
height = 0.04
parts = [
  { box.size = [0.1, 0.15, 0.06], position = [0.13, 0.0, 0.02], rotation = [0, 20, 10] },
  { sphere.radius = 0.03, position = [-0.12, 0.05, 0.03], subtract = true },
]
[[body]]
name = "blade"
box.size = [0.01, 0.08, 0.06]
position = [0.0, -0.04, 0.03]
velocity = [0.2, 0.0, 0.0]
[[depth_camera]]
name = "eye"
position = [-0.4, -0.3, 0.3]
target = [0.0, 0.0, 0.0]
size = [61, 47]
fov = 40
far = 2
[[depth_camera]]
name = "map"
position = [0.001, 0.002, 0.5]
rotation = [0, 90, 0]
size = [43, 23]
projection = "orthographic"
width = 0.5
far = 1
[[depth_camera]]
name = "ego"
body = "blade"
position = [0.02, 0.0, 0.02]
rotation = [0, 15, 0]
size = [40, 30]
fov = 80
near = 0.005
far = 1
[[depth_camera]]
name = "below"
position = [0.3, 0.2, -0.2]
target = [0.0, 0.0, 0.0]
size = [31, 31]
far = 2
)",
                     "ground.toml");
}

void sees_the_ground(const Options& options) {
  Simulation simulation(dug_ground(), options);
  simulation.advance(20);
  REQUIRE(simulation.soil()->live_grains > 100);
  for (std::uint32_t c = 0; c < simulation.scene().depth_cameras.size(); ++c) {
    const DepthCameraSpec& camera = simulation.scene().depth_cameras[c];
    CAPTURE(camera.name);
    const Cast cast = cast_of(simulation, camera);
    CHECK(wrong_pixels(simulation, c, with_ground(simulation, camera, cast)) == 0);
    CHECK(seeing(simulation, c) > 100);
  }
}

}  // namespace

TEST_CASE("Depth cameras see the columns of the ground", "[depth][soil]") {
  sees_the_ground(on_cpu);
}
TEST_CASE("Depth cameras see the columns of the ground on the device", "[device][depth][soil][lockstep]") {
  sees_the_ground(in_lockstep());
}

TEST_CASE("A camera within the ground does not see it", "[depth][soil]") {
  Scene scene = dug_ground();
  scene.depth_cameras = {camera_of("mole", {0.0, 0.0, 0.0}, {0.0, 0.1, 0.1}, {1, 1})};
  Simulation simulation(scene, on_cpu);
  CHECK(simulation.depth(0)[0] == 4.0f);
  scene.depth_cameras[0].position = {0.0, 0.0, 0.1};
  scene.depth_cameras[0].target = {0.001, 0.0, 0.0};
  CHECK(Simulation(scene, on_cpu).depth(0)[0] == Approx(0.08).epsilon(0.02));
}

TEST_CASE("Depth cameras see what exact rays hit", "[depth]") {
  sees_exactly(on_cpu);
}
TEST_CASE("Depth cameras see what exact rays hit on the device", "[device][depth]") {
  sees_exactly(on_device());
}

TEST_CASE("Depth cameras see meshes as grains feel them", "[depth]") {
  Scene scene = meshes();
  const BodySpec field = scene.bodies.back();
  scene.bodies.pop_back();
  Simulation triangles(scene, on_cpu);
  const DepthCameraSpec camera = scene.depth_cameras[0];
  const Cast cast = [&](const ExactRay& ray) {
    double t = std::min(camera.far, ray.way.z < 0.0 ? -ray.from.z / ray.way.z : none);
    for (const BodySpec& body : scene.bodies)
      t = std::min(t, on_triangles(ray, std::get<MeshPart>(body.parts[0].shape).loaded->mesh, pose_of(body)));
    return t;
  };
  CHECK(wrong_pixels(triangles, 0, cast) == 0);

  // Of a distance field the first place where it is 0.
  scene.bodies = {field};
  Simulation simulation(scene, on_cpu);
  const auto image = simulation.depth(0);
  const Fields f = fields_of(simulation.executor(), {FieldId::bodies, FieldId::shape_data});
  int seen = 0;
  for (std::size_t k = 0; k < image.size(); ++k) {
    const ExactRay ray = ray_of(camera, {}, static_cast<double>(k % 53) + 0.5, static_cast<double>(k / 53) + 0.5);
    const auto distance = [&](double t) {
      return static_cast<double>(
          reference::from_body(f, 0, vec3(ray.at(t) - glm::dvec3(f.bodies[0].motion.position))).value);
    };
    const double t = static_cast<double>(image[k]), floor = ray.way.z < 0.0 ? -ray.from.z / ray.way.z : none;
    double least = none;
    for (double before = 0.3; before < t - 0.01; before += 0.01)
      least = std::min(least, distance(before));
    REQUIRE(least > 0.0);
    if (std::abs(t - std::min(floor, camera.far)) < tolerance * camera.far)
      continue;
    ++seen;
    CHECK(std::abs(distance(t)) < 0.1 * tolerance * camera.far);
  }
  CHECK(seen > 50);
}

TEST_CASE("A depth camera sees neither what is nearer than near nor what a ray starts in", "[depth]") {
  Scene scene = scene_of(0.01, 1, 1);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  add_points(scene, 0.1, {{0.3, 0.0, 0.0}, {0.6, 0.0, 0.0}});
  scene.bodies = {body_of("hull", {{BoxPart{{0.1, 0.1, 0.1}}}}),
                  body_of("wall", {{BoxPart{{0.2, 5.0, 5.0}}}}, {2.1, 0.0, 0.0})};
  scene.depth_cameras = {camera_of("eye", {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1, 1})};
  const auto depth_with = [&](double near, double far) {
    scene.depth_cameras[0].near = near;
    scene.depth_cameras[0].far = far;
    Simulation simulation(scene, on_cpu);
    return static_cast<double>(simulation.depth(0)[0]);
  };
  CHECK(depth_with(0.0, 5.0) == Approx(0.2).epsilon(1e-5));   // out of the hull
  CHECK(depth_with(0.21, 5.0) == Approx(0.5).epsilon(1e-5));  // out of the first grain
  CHECK(depth_with(0.51, 5.0) == Approx(2.0).epsilon(1e-5));
  CHECK(depth_with(2.05, 5.0) == 5.0);  // out of the wall
  CHECK(depth_with(0.51, 1.9) == Approx(1.9));
}

TEST_CASE("A height map has the heights of what lies highest", "[depth]") {
  Scene scene = scene_of(0.01, 1, 1);
  scene.domain.min.z = -0.5;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  add_points(scene, 0.3, {{0.2, 0.1, 0.4}});
  scene.bodies = {
      body_of("block", {{BoxPart{{0.4, 0.4, 0.4}}}}, {-0.5, -0.5, 0.0}),
      body_of("hats", {{ConePart{0.12, 0.12, 0.5}}, {ConePart{0.1, 0.05, 0.3}, {-1.1, 0.6, 0.0}}}, {0.6, -0.3, 0.0})};
  scene.depth_cameras = {camera_of("map", {0.0, 0.0, 2.0}, {0.0, 0.0, 0.0}, {40, 20})};
  scene.depth_cameras[0].projection = Projection::orthographic;
  scene.depth_cameras[0].width = 2.0;
  scene.depth_cameras[0].values = PixelValue::height;
  const bool floor = GENERATE(true, false);
  CAPTURE(floor);
  scene.domain.axis[2] = floor ? Axis::wall : Axis::open;
  scene.depth_cameras[0].far = floor ? 4.0 : 2.2;
  Simulation simulation(scene, on_cpu);
  const auto heights = simulation.depth(0);
  int on_grain = 0, on_block = 0, on_hats = 0;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double x = -1.0 + 0.05 * (static_cast<double>(k % 40) + 0.5),
                 y = 0.5 - 0.05 * (static_cast<double>(k / 40) + 0.5);
    const double inside = 0.09 - (x - 0.2) * (x - 0.2) - (y - 0.1) * (y - 0.1);
    double height = 0.0;
    if (inside > 0.0) {
      height = 0.9 + std::sqrt(inside);
      ++on_grain;
    } else if (x > -0.7 && x < -0.3 && y < -0.3) {
      height = 0.7;
      ++on_block;
    } else if (const double r = std::hypot(x - 0.6, y + 0.3); r < 0.12) {
      height = 0.75;
      ++on_hats;
    } else if (const double up = std::hypot(x + 0.5, y - 0.3); up < 0.1) {
      height = 0.65 - 6.0 * std::max(up - 0.05, 0.0);
      ++on_hats;
    }
    CHECK(static_cast<double>(heights[k]) == Approx(height).margin(1e-5));
  }
  CHECK(on_grain > 80);
  CHECK(on_block > 20);
  CHECK(on_hats > 20);
}

TEST_CASE("Looking changes nothing, and is the same for any number of threads", "[depth]") {
  Simulation looked(things(), on_cpu), serial(things(), {.device = "cpu", .threads = 1}), not_looked(things(), on_cpu);
  for (int i = 0; i < 3; ++i) {
    looked.advance(2);
    serial.advance(2);
    for (std::uint32_t c = 0; c < 3; ++c)
      CHECK(looked.depth(c) == serial.depth(c));
  }
  not_looked.advance(6);
  CHECK(looked.state_hash() == not_looked.state_hash());
}

TEST_CASE("Depth cameras change while a simulation goes on, and checkpoints do not have them", "[depth]") {
  Scene scene = things();
  Simulation simulation(scene, on_cpu);
  simulation.advance(2);
  CHECK(simulation.depth_camera("map") == 1);
  CHECK_THROWS_AS(simulation.depth_camera("mop"), std::invalid_argument);
  const auto map = simulation.depth(1);
  scene.depth_cameras = {scene.depth_cameras[1], scene.depth_cameras[2], scene.depth_cameras[0],
                         scene.depth_cameras[1]};
  scene.depth_cameras[3].name = "map again";
  simulation.change(scene);
  CHECK(simulation.depth(0) == map);
  CHECK(simulation.depth(3) == map);
  CHECK_THROWS_AS(simulation.depth(4), std::out_of_range);
  const Checkpoint checkpoint = simulation.checkpoint();
  Scene without = scene;
  without.depth_cameras.clear();
  Simulation blind(without, on_cpu);
  CHECK_NOTHROW(blind.resume(checkpoint));
  CHECK(blind.state_hash() == simulation.state_hash());
}

TEST_CASE("Passes of depth cameras agree with their references", "[device][lockstep][depth]") {
  Scene scene = GENERATE(0, 1) == 0 ? things() : meshes();
  scene.depth_cameras[0].size = {160, 120};  // grains of many pixels
  scene.depth_cameras[0].values = PixelValue::height;
  scene.depth_cameras.push_back(scene.depth_cameras[0]);
  scene.depth_cameras.back().position = {0.0, 0.0, 0.9};  // amid grains
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(2));
  for (std::uint32_t c = 0; c < scene.depth_cameras.size(); ++c) {
    REQUIRE_NOTHROW(simulation.depth(c));
    CHECK(seeing(simulation, c) > 0);
  }
}

TEST_CASE("What a device's buffer has is what depth() gives", "[device][depth]") {
  Simulation simulation(things(), on_device());
  simulation.advance(1);
  std::vector<float> each;
  for (std::uint32_t c = 0; c < 3; ++c)
    for (const float t : simulation.depth(c))
      each.push_back(t);
  simulation.advance(0);
  CHECK(simulation.depth_buffer() != nullptr);
  CHECK(read_field<float>(simulation.executor(), FieldId::depth_bits, each.size()) == each);
}
