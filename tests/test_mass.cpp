// What dynamic bodies weigh, where they touch, and what scenes say of them.
#include "engine/geometry/box_index.h"
#include "engine/geometry/volume_properties.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include "engine/scene/overlaps.h"
#include "engine/scene/sampling.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

using namespace talus;
using talus_tests::contains;
using talus_tests::error_of;
using talus_tests::Marked;
using talus_tests::pi_;

namespace {

BodySpec solid_of(std::vector<BodyPart> parts) {
  BodySpec body;
  body.name = "b";
  body.density = 1.0;
  body.parts = std::move(parts);
  return body;
}

BodyPart box_part(const glm::dvec3& size, const glm::dvec3& position = {}, const glm::dvec3& rotation = {}) {
  return {BoxPart{size}, position, rotation};
}

BodyPart cylinder(double radius, double height, const glm::dvec3& position = {}) {
  return {ConePart{radius, radius, height}, position};
}

BodyPart without(BodyPart part) {
  part.subtract = true;
  return part;
}

BodyPart part_of(Mesh mesh) {
  MeshPart part;
  part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{std::move(mesh), true, {}});
  return {part};
}

VolumeProperties box_properties(const glm::dvec3& size, const glm::dvec3& position = {},
                                const glm::dquat& rotation = {1.0, 0.0, 0.0, 0.0}) {
  return posed(volume_properties(Solid::Box{size / 2.0}), {position, rotation});
}

// What is left of one that held another.
VolumeProperties less(const VolumeProperties& all, const VolumeProperties& hole) {
  const auto about = [](const VolumeProperties& p, const glm::dvec3& center) {
    const glm::dvec3 d = p.center - center;
    return p.inertia + p.volume * (glm::dmat3(glm::dot(d, d)) - glm::outerProduct(d, d));
  };
  VolumeProperties out;
  out.volume = all.volume - hole.volume;
  out.center = (all.volume * all.center - hole.volume * hole.center) / out.volume;
  out.inertia = about(all, out.center) - about(hole, out.center);
  return out;
}

void check(const MassProperties& is, const VolumeProperties& should, double slack) {
  CHECK(is.mass == Approx(should.volume).epsilon(slack));
  const double trace = should.inertia[0][0] + should.inertia[1][1] + should.inertia[2][2];
  CHECK(glm::distance(is.center, should.center) < slack * std::sqrt(trace / should.volume));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK(std::abs(is.inertia[i][j] - should.inertia[i][j]) < slack * (i == j ? should.inertia[i][i] : trace));
}

}  // namespace

TEST_CASE("Solids of one part have the mass and inertia of the textbook", "[rigid]") {
  BodySpec body = solid_of({box_part({1, 2, 3})});
  body.density.reset();
  body.mass = 12.0;
  MassProperties p = mass_of(body);
  CHECK(p.mass == Approx(12));
  CHECK(glm::length(p.center) < 1e-15);
  CHECK(p.inertia[0][0] == Approx(13));
  CHECK(p.inertia[1][1] == Approx(10));
  CHECK(p.inertia[2][2] == Approx(5));

  p = mass_of(solid_of({{SpherePart{0.5}}}));
  CHECK(p.mass == Approx(pi_ / 6));
  CHECK(p.inertia[1][1] == Approx(0.4 * pi_ / 6 * 0.25));

  p = mass_of(solid_of({cylinder(0.5, 2)}));
  CHECK(p.mass == Approx(pi_ / 2));
  CHECK(p.inertia[2][2] == Approx(pi_ / 2 * 0.125));
  CHECK(p.inertia[0][0] == Approx(pi_ / 2 * (3 * 0.25 + 4) / 12));

  // A cone: its centre a quarter up, 3/10 m r2 and 3/20 m r2 + 3/80 m h2.
  p = mass_of(solid_of({{ConePart{0.5, 0.0, 2.0}}}));
  const double cone = pi_ * 0.25 * 2 / 3;
  CHECK(p.mass == Approx(cone));
  CHECK(p.center.z == Approx(-0.5));
  CHECK(p.inertia[2][2] == Approx(0.3 * cone * 0.25));
  CHECK(p.inertia[0][0] == Approx(cone * (0.15 * 0.25 + 3.0 / 80 * 4)));

  p = mass_of(solid_of({{TorusPart{2.0, 0.5}}}));
  const double torus = 2 * pi_ * pi_ * 2 * 0.25;
  CHECK(p.mass == Approx(torus));
  CHECK(p.inertia[2][2] == Approx(torus * (4 + 0.75 * 0.25)));
  CHECK(p.inertia[1][1] == Approx(torus * (2 + 0.625 * 0.25)));

  // Turned by 90 degrees and moved.
  p = mass_of(solid_of({box_part({1, 2, 3}, {5, 0, 0}, {90, 0, 0})}));
  CHECK(p.center == glm::dvec3(5, 0, 0));
  CHECK(p.inertia[1][1] == Approx(2.5));
  CHECK(p.inertia[2][2] == Approx(5));
}

TEST_CASE("Formulas and quadrature agree", "[rigid]") {
  const Pose pose{{0.3, -0.2, 1.0}, rotation_of({20, 50, -30})};
  const auto compare = [&](const auto& primitive, double slack = 1e-3) {
    const Solid solid{{{primitive, pose.position, pose.rotation}}};
    const VolumeProperties q = volume_properties(solid, bounds(solid));
    check({q.volume, q.center, q.inertia}, posed(volume_properties(primitive), pose), slack);
  };
  compare(Solid::Box{{0.5, 1.0, 0.25}});
  compare(Solid::Box{{1.0, 1.0, 0.01}}, 2e-3);
  compare(Solid::Sphere{0.7});
  compare(Solid::Capsule{0.2, 0.6});
  compare(Solid::Cone{0.5, 0.2, 0.4});
  compare(Solid::Cone{0.5, 0.0, 0.8});
  compare(Solid::Torus{1.0, 0.15});
}

TEST_CASE("What parts have in common counts once, and what is taken away not at all", "[rigid]") {
  SECTION("a tray, its cut higher than it is") {
    for (const double wall : {0.1, 0.03, 0.01}) {
      const glm::dvec3 hollow(1.0 - 2 * wall, 0.6 - 2 * wall, 0.3 - wall);
      const double above = 0.05;
      const VolumeProperties should = less(box_properties({1, 0.6, 0.3}), box_properties(hollow, {0, 0, wall / 2}));
      check(mass_of(solid_of({box_part({1, 0.6, 0.3}),
                              without(box_part(hollow + glm::dvec3(0, 0, above), {0, 0, wall / 2 + above / 2}))})),
            should, 1e-3);
      // Just as high.
      check(mass_of(solid_of({box_part({1, 0.6, 0.3}), without(box_part(hollow, {0, 0, wall / 2}))})), should, 1e-3);
      // Of a turned part.
      const glm::dvec3 turn(0, 35, 20);
      const glm::dquat q = rotation_of(turn);
      BodyPart cut = without(box_part(hollow, q * glm::dvec3(0, 0, wall / 2), turn));
      check(mass_of(solid_of({box_part({1, 0.6, 0.3}, {}, turn), cut})), posed(should, {{}, q}), 1e-3);
    }
  }
  SECTION("a closed hollow box") {
    check(mass_of(solid_of({box_part({1, 1, 1}), without(box_part({0.9, 0.9, 0.9}))})),
          less(box_properties({1, 1, 1}), box_properties({0.9, 0.9, 0.9})), 1e-3);
  }
  SECTION("two boxes, one through the other") {
    const VolumeProperties all[] = {box_properties({2, 0.4, 0.4}), box_properties({0.4, 2, 0.4})};
    check(mass_of(solid_of({box_part({2, 0.4, 0.4}), box_part({0.4, 2, 0.4})})),
          less(sum_of(all), box_properties({0.4, 0.4, 0.4})), 1e-3);
  }
  SECTION("two boxes, face to face, exact upright and turned") {
    const auto at = [](const glm::dquat& q) {
      const VolumeProperties all[] = {box_properties({1, 1, 1}, q * glm::dvec3(-0.5, 0, 0), q),
                                      box_properties({1, 1, 1}, q * glm::dvec3(0.5, 0, 0), q)};
      return sum_of(all);
    };
    check(mass_of(solid_of({box_part({1, 1, 1}, {-0.5, 0, 0}), box_part({1, 1, 1}, {0.5, 0, 0})})), at({1, 0, 0, 0}),
          1e-14);
    const glm::dvec3 turn(10, 25, 40);
    const glm::dquat q = rotation_of(turn);
    check(mass_of(solid_of({box_part({1, 1, 1}, q * glm::dvec3(-0.5, 0, 0), turn),
                            box_part({1, 1, 1}, q * glm::dvec3(0.5, 0, 0), turn)})),
          at(q), 1e-3);
  }
  SECTION("a bore") {
    check(mass_of(solid_of({cylinder(0.5, 0.3), without(cylinder(0.2, 0.4))})),
          less(volume_properties(Solid::Cone{0.5, 0.5, 0.15}), volume_properties(Solid::Cone{0.2, 0.2, 0.15})), 1e-3);
    check(mass_of(solid_of({cylinder(0.5, 0.3), without(cylinder(0.02, 0.4))})),
          less(volume_properties(Solid::Cone{0.5, 0.5, 0.15}), volume_properties(Solid::Cone{0.02, 0.02, 0.15})), 1e-3);
  }
  SECTION("half a ball, by a plane") {
    BodyPart plane{PlanePart{}};
    plane.subtract = true;
    const MassProperties p = mass_of(solid_of({{SpherePart{0.5}}, plane}));
    CHECK(p.mass == Approx(pi_ / 12).epsilon(1e-3));
    CHECK(p.center.z == Approx(3.0 / 16).epsilon(1e-3));
  }
  SECTION("a gear with and without its own bore") {
    GearSpec gear{.module = 0.01, .teeth = 24, .width = 0.05};
    const Mesh full = talus::gear(gear);
    gear.bore_radius = 0.05;
    const Mesh bored = talus::gear(gear);
    check(mass_of(solid_of({part_of(full)})), volume_properties(full), 1e-14);
    // The bore of the mesh is a polygon, in the cylinder.
    check(mass_of(solid_of({part_of(full), without(cylinder(0.05, 0.1))})), volume_properties(bored), 2e-3);
  }
}

TEST_CASE("What has no mass is refused", "[rigid]") {
  const auto refusal = [](const BodySpec& body) { return error_of([&] { mass_of(body); }); };
  CHECK(contains(refusal(solid_of({{PlanePart{}}})), "body b has a plane, which has no end"));
  CHECK(contains(refusal(solid_of({box_part({1, 1, 1}), without(box_part({2, 2, 2}))})), "body b has no volume"));
  CHECK(contains(refusal(solid_of({box_part({1, 1, 1}), without(box_part({1, 1, 1}))})), "body b has no volume"));
  const Mesh sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  BodyPart open = part_of(sheet);
  auto& mesh = std::get<MeshPart>(open.shape);
  mesh.loaded = std::make_shared<LoadedMesh>(LoadedMesh{sheet, false, {}});
  CHECK(contains(refusal(solid_of({open})), "encloses no volume"));
  mesh.as = MeshAs::particles;
  CHECK(contains(refusal(solid_of({open})), "boundary particles"));
}

namespace {

// Greatest distance of points of the surface from the nearest ball's own surface.
double gap(const std::vector<ContactPoint>& points, const std::vector<glm::dvec3>& surface) {
  double worst = 0.0;
  for (const glm::dvec3& p : surface) {
    double nearest = 1e30;
    for (const ContactPoint& c : points)
      nearest = std::min(nearest, std::abs(glm::distance(p, c.place) - c.radius));
    worst = std::max(worst, nearest);
  }
  return worst;
}

std::size_t count_at(const std::vector<ContactPoint>& points, const glm::dvec3& place) {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const ContactPoint& p) { return glm::distance(p.place, place) < 1e-9; }));
}

}  // namespace

TEST_CASE("Round parts touch with balls, others with points all over them", "[rigid]") {
  SECTION("sphere") {
    const auto points = contact_points(solid_of({{SpherePart{0.5}, {1, 2, 3}}}), 0.1);
    REQUIRE(points.size() == 1);
    CHECK(points[0].place == glm::dvec3(1, 2, 3));
    CHECK(points[0].radius == 0.5);
  }
  SECTION("capsule") {
    const auto points = contact_points(solid_of({{CapsulePart{0.1, 1.2}}}), 0.25);
    REQUIRE(points.size() == 5);
    CHECK(points.front().place.z == Approx(-0.5));
    CHECK(points.back().place.z == Approx(0.5));
    CHECK(contact_points(solid_of({{CapsulePart{0.5, 1.0}}}), 0.25).size() == 1);
  }
  SECTION("torus") {
    const auto points = contact_points(solid_of({{TorusPart{1.0, 0.2}}}), 0.25);
    CHECK(points.size() == 63);
    for (const ContactPoint& p : points) {
      CHECK(glm::length(p.place) == Approx(1));
      CHECK(p.radius == 0.2);
    }
  }
  SECTION("box") {
    const glm::dvec3 size(1, 0.6, 0.3);
    const auto points = contact_points(solid_of({box_part(size)}), 0.1);
    for (int k = 0; k < 8; ++k)
      CHECK(count_at(points, size / 2.0 * glm::dvec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)) == 1);
    for (const ContactPoint& p : points) {
      CHECK(p.radius == 0.0);
      CHECK(count_at(points, p.place) == 1);
    }
    CHECK(points.size() == 11 * 7 * 4 - 9 * 5 * 2);  // a shell
  }
  SECTION("cylinder") {
    const auto points = contact_points(solid_of({cylinder(0.5, 0.4)}), 0.1);
    const auto rim = [&](double z) {
      return std::ranges::count_if(points, [&](const ContactPoint& p) {
        return std::abs(p.place.z - z) < 1e-9 && std::abs(std::hypot(p.place.x, p.place.y) - 0.5) < 1e-9;
      });
    };
    const auto n = rim(0.2);
    CHECK(n == rim(-0.2));
    CHECK(n >= 24);
    CHECK(0.5 * (1 - std::cos(pi_ / static_cast<double>(n))) <= 0.02 * 0.1);
    CHECK(contact_points(solid_of({cylinder(0.01, 0.4)}), 0.5).size() >= 48);
    // A cone has one apex.
    CHECK(count_at(contact_points(solid_of({{ConePart{0.5, 0.0, 1.0}}}), 0.1), {0, 0, 0.5}) == 1);
  }
  SECTION("gear") {
    const Mesh mesh = talus::gear({.module = 0.01, .teeth = 24, .width = 0.05});
    const auto points = contact_points(solid_of({part_of(mesh)}), 0.02);
    std::vector<glm::dvec3> surface;
    for (const glm::uvec3& t : mesh.triangles)
      surface.push_back(glm::dvec3(mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3.0);
    CHECK(gap(points, surface) < 0.02);
    // The corners of all teeth, at both ends.
    double tip = 0.0;
    for (const glm::vec3& v : mesh.vertices)
      tip = std::max(tip, static_cast<double>(std::hypot(v.x, v.y)));
    CHECK(std::ranges::count_if(points, [&](const ContactPoint& p) {
            return std::hypot(p.place.x, p.place.y) > tip * (1 - 1e-6);
          }) >= 48);
  }
}

TEST_CASE("All contact points lie on the surface, and all over it", "[rigid]") {
  BodyPart plane{PlanePart{}};
  plane.subtract = true;
  const std::vector<std::pair<BodySpec, double>> bodies{
      {solid_of({box_part({1, 0.6, 0.3}), without(box_part({0.9, 0.5, 0.3}, {0, 0, 0.05}))}), 0.1},
      {solid_of({cylinder(0.5, 0.3), without(cylinder(0.2, 0.4))}), 0.1},
      {solid_of({{SpherePart{0.5}}, without({SpherePart{0.4}}), plane}), 0.1},
      {solid_of({{CapsulePart{0.1, 1.0}}, {SpherePart{0.3}, {0, 0, 0.5}}, box_part({0.4, 0.4, 0.4}, {0, 0, -0.5})}),
       0.1},
      {solid_of({box_part({1, 1, 0.1}), box_part({0.1, 1, 0.5}, {0.45, 0, 0.3})}), 0.1},
      {solid_of({{TorusPart{0.5, 0.1}}, without(box_part({2, 0.5, 0.5}, {0, 0.5, 0}))}), 0.08}};
  for (const auto& [body, spacing] : bodies) {
    const auto points = contact_points(body, spacing);
    INFO(points.size());
    const Solid solid = solid_of(body, {});
    for (const ContactPoint& p : points)
      CHECK(std::abs(sample(solid, p.place).distance + p.radius) < 2e-5);
    // Rays from all around meet the solid near a point.
    std::vector<glm::dvec3> surface;
    Random random(1, 1);
    for (int n = 0; n < 2000; ++n) {
      const glm::dvec3 way = glm::normalize(2.0 * random.vec() - 1.0), from = 2.0 * random.vec() - 1.0;
      glm::dvec3 at = from - 3.0 * way;
      double d = 1.0;
      for (double t = 0.0; t < 6.0 && d > 1e-6; t += d)
        at = from + (t - 3.0) * way, d = sample(solid, at).distance;
      if (d <= 1e-6)
        surface.push_back(at);
    }
    REQUIRE(surface.size() > 100);
    CHECK(gap(points, surface) < 1.05 * spacing);
  }
  // The rim of the cut, which is no part's own: the upper inner corners of the tray.
  const auto tray = contact_points(bodies[0].first, 0.1);
  for (const double x : {-0.45, 0.45})
    for (const double y : {-0.25, 0.25})
      CHECK(std::ranges::any_of(
          tray, [&](const ContactPoint& p) { return glm::distance(p.place, glm::dvec3(x, y, 0.15)) < 1e-3; }));
  // None between the two plates that meet.
  for (const ContactPoint& p : contact_points(bodies[4].first, 0.1))
    CHECK(
        !(std::abs(p.place.z - 0.05) < 1e-9 && p.place.x > 0.401 && p.place.x < 0.499 && std::abs(p.place.y) < 0.499));
}

TEST_CASE("Contact points are as many as asked for at most, and always the same", "[rigid]") {
  const BodySpec tray = solid_of({box_part({1, 0.6, 0.3}), without(box_part({0.9, 0.5, 0.3}, {0, 0, 0.05}))});
  for (const std::size_t most : {4096u, 500u, 100u, 10u, 1u}) {
    const auto points = contact_points(tray, 1e-3, most);
    CHECK(points.size() <= most);
    CHECK(points.size() > most / 3);
  }
  const Mesh mesh = talus::gear({.module = 0.01, .teeth = 100, .helix_angle = 20, .width = 0.05});
  const BodySpec gear = solid_of({part_of(mesh)});
  for (const std::size_t most : {4096u, 100u}) {
    const auto points = contact_points(gear, 1e-4, most), again = contact_points(gear, 1e-4, most);
    CHECK(points.size() <= most);
    CHECK(points.size() > most / 3);
    CHECK(std::ranges::equal(points, again, [](const ContactPoint& a, const ContactPoint& b) {
      return a.place == b.place && a.radius == b.radius;
    }));
  }
}

namespace {

const std::string crate = "[[body]]\nname = \"crate\"\nbox.size = [1, 1, 1]\nposition = [0, 0, 1]\n";

Scene with_crate(const std::string& keys) {
  return parse_scene(crate + keys + "\n", "s.toml");
}

}  // namespace

TEST_CASE("A scene says what a dynamic body weighs and how it starts", "[rigid]") {
  const Scene heavy = with_crate("mass = 3\nvelocity = [1, 0, 0]\nspin = [0, 0, 2]");
  CHECK(is_dynamic(heavy.bodies[0]));
  CHECK(heavy.bodies[0].mass == 3.0);
  CHECK(mass_of(heavy.bodies[0]).inertia[0][0] == Approx(0.5));
  CHECK(mass_of(with_crate("density = 500").bodies[0]).mass == Approx(500));
  CHECK_FALSE(is_dynamic(with_crate("").bodies[0]));

  const Scene door =
      with_crate("mass = 3\njoint = { type = \"revolute\", axis = [0, 0, 1], origin = [-0.5, 0, 1], min = -90, "
                 "max = 90, value = 30, start_speed = -20, friction = 0.5, motor = { speed = 60, strength = 8 } }");
  const Joint& hinge = std::get<Joint>(door.bodies[0].motion);
  CHECK(std::get<double>(hinge.value) == 30);
  CHECK(hinge.start_speed == -20);
  CHECK(hinge.friction == 0.5);
  REQUIRE(hinge.motor);
  CHECK(std::get<double>(hinge.motor->speed) == 60);
  CHECK(hinge.motor->strength == 8);

  const Scene lamp =
      with_crate("density = 100\njoint = { type = \"ball\", origin = [0, 0, 2], axis = [0, 0, -1], max = 40, "
                 "friction = 0.1 }");
  CHECK(std::get<Joint>(lamp.bodies[0].motion).type == JointType::ball);
  CHECK(std::get<Joint>(lamp.bodies[0].motion).max == 40);
  CHECK(initial_poses(lamp)[0].position == glm::dvec3(0, 0, 3));

  const Scene slider = with_crate("mass = 2\njoint = { type = \"prismatic\", axis = [1, 0, 0], start_speed = 0.3 }");
  for (const Scene& scene : {heavy, door, lamp, slider}) {
    const std::string text = to_toml(scene);
    INFO(text);
    CHECK(to_toml(parse_scene(text, "again")) == text);
  }
  const Scene again = parse_scene(to_toml(door), "again");
  CHECK(std::get<Joint>(again.bodies[0].motion).start_speed == -20);
  CHECK(std::get<Joint>(again.bodies[0].motion).motor->strength == 8);
}

TEST_CASE("Dynamic bodies stand where they start until something moves them", "[rigid]") {
  const Scene scene = with_crate("mass = 3\nvelocity = [3, 0, 4]\nspin = [0, 0, 2]");
  const Kinematics kinematics(scene);
  CHECK(kinematics.constant());
  CHECK(kinematics.in_world(2.0, 0.1)[0].end.position == glm::dvec3(0, 0, 1));
  // The corner of a crate that flies at 5 m/s and spins at 2 rad/s.
  CHECK(check_motions(scene) == Approx(5 + 2 * std::sqrt(0.75)));
  const Scene door =
      with_crate("mass = 3\njoint = { type = \"revolute\", axis = [1, 0, 0], origin = [-0.5, 0, 1], value = 90, "
                 "start_speed = 90, motor = { speed = -180, strength = 1 } }");
  const glm::dvec3 at = initial_poses(door)[0].position;
  CHECK(glm::distance(at, glm::dvec3(-0.5, -1, 1)) < 1e-12);
  CHECK(check_motions(door) == Approx(pi_ * (1 + std::sqrt(0.75))));
}

TEST_CASE("Every wrong key of a dynamic body is named with its place", "[rigid]") {
  const auto joint = [](const std::string& keys) { return "mass = 1\njoint = { " + keys + " }"; };
  const std::string hinge = "type = \"revolute\", ";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"mass = @0", "must be a number from 1e-09 to 1000000000000 kg, not 0"},
      {"density = @-1", "kg/m3"},
      {"mass = 1\ndensity = @2", "body.crate.density and body.crate.mass exclude each other"},
      {"mass = 1\nparent = @\"b\"", "body.crate.parent needs a joint beside it"},
      {"mass = 1\nkeyframes = @[{ time = 0, position = [0, 0, 0] }]", "allowed: velocity and spin"},
      {"density = 1\nmotion = @{ position = [\"t\", 0, 0] }", "or a joint"},
      {"mass = 1\nvelocity = [1, 0, 0]\njoint = @{ type = \"revolute\" }", "exclude each other"},
      {joint("type = @\"fixed\""), "allowed: revolute, prismatic, ball"},
      {joint(hinge + "speed = @3"), "allowed: start_speed, friction and motor"},
      {joint(hinge + "acceleration = @3"), "which nothing commands"},
      {joint(hinge + "value = @\"t\""), "must be a number, from where"},
      {joint(hinge + "value = @[[0, 1], [1, 2]]"), "must be a number, from where"},
      {joint(hinge + "value = @50, max = 40"), "its limits are -inf and 40 degrees"},
      {joint(hinge + "friction = @-1"), "from 0 to 1000000000000 N m"},
      {joint("type = \"prismatic\", friction = @-1"), "1000000000000 N, not"},
      {joint(hinge + "start_speed = @1e7"), "degrees/s"},
      {joint(hinge + "motor = @{ speed = 1 }"), "lacks the key strength"},
      {joint(hinge + "motor = { speed = 1, strength = @-1 }"), "N m"},
      {joint("type = \"ball\", max = @190"), "from 0 to 180 degrees"},
      {joint("type = \"ball\", min = @-10"), "has no meaning for a ball joint; allowed: axis"},
      {joint("type = \"ball\", value = @10"), "for a ball joint"},
      {joint("type = \"ball\", start_speed = @10"), "for a ball joint"},
      {joint("type = \"ball\", motor = @{ speed = 1, strength = 1 }"), "for a ball joint"},
      {"joint = { type = @\"ball\" }", "is for a body with mass or density"},
      {"joint = { type = \"revolute\", friction = @1 }", "without mass or density"},
      {"joint = { type = \"revolute\", start_speed = @1 }", "without mass or density"},
      {"joint = { type = \"revolute\", motor = @{ speed = 1, strength = 1 } }", "without mass or density"},
      {"mass = 1\n[[body]]\nname = \"child\"\nsphere.radius = 1\nparent = @\"crate\"",
       "is a dynamic body, which cannot carry a body that moves as it is told"},
      {"[[body]]\nname = \"ground\"\nplane = {}\nmass = @1", "body ground has a plane, which has no end"},
      {"[[body]]\nname = \"none\"\ndensity = @1\nparts = [{ box.size = [1, 1, 1] }, { box.size = [2, 2, 2], subtract = "
       "true }]",
       "body none has no volume"},
  };
  for (const auto& [keys, says] : wrong) {
    const Marked scene(crate + keys + "\n");
    INFO(keys << "\n" << scene.error);
    CHECK(scene.error.starts_with(scene.place));
    CHECK(contains(scene.error, says));
  }
  // Of a scene that no file made.
  Scene scene = with_crate("mass = 1");
  scene.bodies[0].density = 1.0;
  CHECK_THROWS_AS(check_motions(scene), SceneError);
  scene = with_crate("mass = 1");
  scene.bodies[0].motion = Keyframes{};
  CHECK_THROWS_AS(check_motions(scene), SceneError);
}

TEST_CASE("A body that has been read weighs what one made in code does, also after a change", "[rigid]") {
  const Scene scene =
      with_crate("mass = 1\n[[body]]\nname = \"cup\"\ndensity = 500\nparts = [{ cylinder = { radius = 0.2, height "
                 "= 0.4 } }, { sphere.radius = 0.15, position = [0, 0, 0.1], subtract = true }]");
  BodySpec read = scene.bodies.at(1);
  REQUIRE(read.weighed);
  const auto same_as_new = [&] {
    BodySpec made = read;
    made.weighed.reset();
    const MassProperties a = mass_of(read), b = mass_of(made);
    return a.mass == b.mass && a.center == b.center && a.inertia == b.inertia;
  };
  CHECK(same_as_new());
  const double before = mass_of(read).mass;
  read.density = 1000.0;
  CHECK(mass_of(read).mass == 2.0 * before);
  std::get<SpherePart>(read.parts[1].shape).radius = 0.1;
  CHECK(same_as_new());
  CHECK(mass_of(read).mass > 2.0 * before);
}

TEST_CASE("Which boxes meet another is found by looking at few", "[rigid][bodies]") {
  // 8000 boxes 0.6 m wide, 1 m apart, one long one and one without end.
  std::vector<Bounds> boxes;
  for (int k = 0; k < 8000; ++k) {
    const glm::dvec3 at(k % 20, k / 20 % 20, k / 400);
    boxes.push_back({at - 0.3, at + 0.3});
  }
  boxes.push_back({{-1.0, 4.9, 4.9}, {21.0, 5.1, 5.1}});
  boxes.push_back({glm::dvec3(-1e30) * 1e300, {1e300, 1e300, -5.0}});
  const double period = GENERATE(0.0, 20.0);
  const BoxIndex index(boxes, {period, 0.0, 0.0});
  std::size_t looks = 0;
  for (std::size_t i = 0; i < 8000; i += 7)
    for (const glm::dvec3& way : {glm::dvec3(0.0), glm::dvec3(period + 0.7, 0.0, 0.0), glm::dvec3(0.0, 0.0, -0.7)}) {
      const Bounds box{boxes[i].min + way, boxes[i].max + way};
      std::set<std::size_t> found, expected;
      index.any(box, [&](std::size_t other) {
        ++looks;
        found.insert(other);
        return false;
      });
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        const glm::dvec3 sum = (box.max - box.min + boxes[k].max - boxes[k].min) / 2.0;
        glm::dvec3 apart = (box.max + box.min - boxes[k].max - boxes[k].min) / 2.0;
        if (period > 0.0)
          apart.x = std::remainder(apart.x, period);
        if (k == 8001 || glm::all(glm::lessThanEqual(glm::abs(apart), sum)))
          expected.insert(k);
      }
      REQUIRE(std::ranges::includes(found, expected));
    }
  CHECK(looks < 8000 / 7 * 3 * 60);
}

TEST_CASE("Thousands of dynamic bodies in a periodic box are checked pair by near pair", "[rigid]") {
  // Each of 27^3 with each other would be 2 10^8 pairs of spheres.
  Scene scene = with_crate("");
  scene.domain = {};
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {27.2, 27.2, 27.2};
  scene.domain.axis = {Axis::periodic, Axis::periodic, Axis::periodic};
  scene.bodies.clear();
  for (int k = 0; k < 27 * 27 * 27; ++k) {
    BodySpec ball;
    ball.name = std::to_string(k);
    ball.mass = 1.0;
    ball.parts = {{SpherePart{0.45}}};
    ball.position = glm::dvec3(k % 27, k / 27 % 27, k / 729) + 0.1;  // the first ones reach across the ends
    if (k > 0)
      ball.ignores = {"0"};
    scene.bodies.push_back(ball);
  }
  CHECK(overlaps_at_start(scene).empty());
  scene.bodies[19].position.x = 26.9;  // into ball 26, and across the end into ball 0, which it ignores
  const std::vector<std::string> all = overlaps_at_start(scene);
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "body 19 starts"));
  CHECK(contains(all[0], "in body 26"));
}

TEST_CASE("A dynamic body without room at the start is told of", "[rigid]") {
  const auto second = [](double z) {
    return fmt::format("mass = 1\n[[body]]\nname = \"ball\"\nsphere.radius = 0.2\nposition = [0, 0, {}]\n", z);
  };
  CHECK(overlaps_at_start(with_crate("")).empty());
  CHECK(overlaps_at_start(with_crate("mass = 1")).empty());
  CHECK(overlaps_at_start(with_crate(second(1.7))).empty());
  std::vector<std::string> all = overlaps_at_start(with_crate(second(1.6)));
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "s.toml: body crate starts 0.1 m deep in body ball"));
  all = overlaps_at_start(with_crate(second(1.6) + "density = 2"));
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "0.1 m deep"));
  all = advise(parse_scene(crate + "mass = 1\n", "s.toml", {"body.crate.position=[0,0,0.4]"}));
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "body crate starts 0.1 m deep in a wall"));
}

TEST_CASE("A body in the place of another is told of", "[rigid]") {
  const auto twin = [](const std::string& size) {
    return "mass = 1\n[[body]]\nname = \"twin\"\nmass = 1\nbox.size = " + size + "\nposition = [0, 0, 1]\n";
  };
  const std::vector<std::string> all = overlaps_at_start(with_crate(twin("[1, 1, 1]")));
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "body crate starts 0.5 m deep in body twin"));
  // A box in the hollow of another is not.
  const std::string hollow = "[[body]]\nname = \"case\"\nmass = 1\nposition = [0, 0, 1]\n"
                             "parts = [{ box.size = [1, 1, 1] }, { box.size = [0.8, 0.8, 0.8], subtract = true }]\n";
  CHECK(overlaps_at_start(parse_scene(hollow + "[[body]]\nname = \"in\"\nmass = 1\nbox.size = [0.7, 0.7, 0.7]\n"
                                               "position = [0, 0, 1]\n",
                                      "s.toml"))
            .empty());
}

TEST_CASE("Two links whose edges alone meet at their hinge are told of", "[rigid]") {
  // Corners lie on each other's faces: only points along the edges, an eighth of the reach apart, are inside.
  const auto arm = [](const std::string& keys) {
    return parse_scene("[[body]]\nname = \"upper\"\nmass = 1\nbox.size = [0.02, 0.02, 0.3]\nposition = [0, 0, 0.85]\n"
                       "joint = { type = \"revolute\", axis = [0, 1, 0], origin = [0, 0, 0.15] }\n"
                       "[[body]]\nname = \"lower\"\nmass = 1\nbox.size = [0.02, 0.02, 0.3]\nposition = [0, 0, -0.15]\n"
                       "parent = \"upper\"\n"
                       "joint = { type = \"revolute\", axis = [0, 1, 0], origin = [0, 0, -0.15], value = 90 }\n" +
                           keys,
                       "s.toml");
  };
  const std::vector<std::string> all = overlaps_at_start(arm(""));
  REQUIRE(all.size() == 1);
  CHECK(contains(all[0], "body upper starts 0.01 m deep in body lower"));
  CHECK(contains(all[0], "`ignores`"));
  CHECK(overlaps_at_start(arm("ignores = [\"upper\"]\n")).empty());
}
