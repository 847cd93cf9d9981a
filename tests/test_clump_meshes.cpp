// Clumps that stand for meshes: mass and inertia of the mesh, spheres within it.
#include "engine/geometry/inscribed.h"
#include "engine/scene/clump.h"
#include "engine/scene/text.h"
#include "engine/simulation/model.h"
#include "scratch.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Edges of 1, 2 and 3, from a corner that is not at the origin.
const std::string brick_obj = "v 4 0 0\nv 5 0 0\nv 4 2 0\nv 5 2 0\nv 4 0 3\nv 5 0 3\nv 4 2 3\nv 5 2 3\n"
                              "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
const std::string corner_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

MeshPart mesh_part(const Scratch& scratch, const std::string& text) {
  write_text(scratch / "stone.obj", text);
  MeshPart part;
  part.file = "stone.obj";
  part.loaded = std::make_shared<LoadedMesh>(load_mesh(scratch / "stone.obj"));
  return part;
}

// By points on a grid: the share of a box of these edges, from a corner on, that lies in one of the spheres.
double covered_share(const std::vector<glm::dvec4>& spheres, const glm::dvec3& corner, const glm::dvec3& edges) {
  constexpr int points = 60;
  int within = 0;
  for (int k = 0; k < points * points * points; ++k) {
    const glm::dvec3 p =
        corner + (glm::dvec3(k % points, k / points % points, k / (points * points)) + 0.5) / double(points) * edges;
    within += std::ranges::any_of(spheres, [&](const glm::dvec4& s) { return glm::distance(p, glm::dvec3(s)) < s.w; });
  }
  return within / std::pow(points, 3);
}

std::string mesh_clump_text(const std::string& clump) {
  return "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 1]\n[[material]]\nname = \"sand\"\ndensity = 2000\n"
         "[[grains]]\nmaterial = \"sand\"\nradius = 0.02\nclump = " +
         clump + "\nfill.points = [[0, 0, 0.5]]\n";
}

std::string mesh_clump_error(const Scratch& scratch, const std::string& clump) {
  try {
    parse_scene(mesh_clump_text(clump), (scratch / "s.toml").string());
  } catch (const SceneError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A clump of a mesh has the mass and the inertia of the mesh", "[clumps]") {
  const Scratch scratch;
  const Clump brick(mesh_part(scratch, brick_obj), 6);
  const double unit = std::cbrt(6.0 / (4.0 / 3 * pi_));
  const ClumpShape& shape = brick.shape();
  CHECK(shape.volume == Approx(4.0 / 3 * pi_).epsilon(1e-6));
  CHECK(shape.inertia.x == Approx((1.0 + 4.0) / 12 / (unit * unit)).epsilon(1e-6));
  CHECK(shape.inertia.y == Approx((1.0 + 9.0) / 12 / (unit * unit)).epsilon(1e-6));
  CHECK(shape.inertia.z == Approx((4.0 + 9.0) / 12 / (unit * unit)).epsilon(1e-6));
  // In the frame of the principal axes, the longest edge is along the first.
  for (const glm::dvec4& s : shape.spheres)
    for (int a = 0; a < 3; ++a)
      CHECK(std::abs(s[a]) + s.w <= 0.5 * (3 - a) / unit + 1e-6);
  // A tetrahedron with a right corner: of the square of its edge, the mean of x x about its centre is 3/80 and that of
  // x y is -1/80.
  const Clump corner(mesh_part(scratch, corner_obj), 4);
  const double square = std::pow(4.0 / 3 * pi_ / (1.0 / 6), 2.0 / 3);  // of the edge, in radii of the grain
  const double own = 3.0 / 80, product = -1.0 / 80;                    // of x x and of x y
  CHECK(corner.shape().inertia.x == Approx(square * (2 * own + product)).epsilon(1e-6));
  CHECK(corner.shape().inertia.y == Approx(square * (2 * own + product)).epsilon(1e-6));
  CHECK(corner.shape().inertia.z == Approx(square * (2 * own - 2 * product)).epsilon(1e-6));
  // A simulated clump has the mass of the ball of that radius.
  Simulation simulation(
      parse_scene(mesh_clump_text("{ mesh = \"stone.obj\", spheres = 4 }"), (scratch / "s.toml").string()), on_cpu);
  REQUIRE(simulation.clumps().size() == 1);
  CHECK(simulation.clumps()[0].spheres == 4);
  CHECK(simulation.clumps()[0].mass == Approx(2000 * 4.0 / 3 * pi_ * std::pow(0.02, 3)).epsilon(1e-6));
  CHECK(simulation.clumps()[0].pose.position.z == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("Spheres lie within their mesh, and more of them fill more of it", "[clumps]") {
  const Scratch scratch;
  const Mesh brick = mesh_part(scratch, brick_obj).loaded->mesh, corner = mesh_part(scratch, corner_obj).loaded->mesh;
  CHECK(inscribed_spheres(brick, 1)[0].w == Approx(0.5).epsilon(1e-4));
  CHECK(inscribed_spheres(corner, 1)[0].w == Approx(1.0 / (3.0 + std::sqrt(3.0))).epsilon(1e-4));
  double before = 0.0;
  for (const std::size_t count : {1u, 2u, 4u, 6u, 8u}) {
    const std::vector<glm::dvec4> spheres = inscribed_spheres(brick, count);
    REQUIRE(spheres.size() == count);
    for (const glm::dvec4& s : spheres) {
      CHECK((s.x - 4.0 >= s.w - 1e-6 && 5.0 - s.x >= s.w - 1e-6));
      CHECK((s.y >= s.w - 1e-6 && 2.0 - s.y >= s.w - 1e-6));
      CHECK((s.z >= s.w - 1e-6 && 3.0 - s.z >= s.w - 1e-6));
    }
    const double now = covered_share(spheres, {4.0, 0.0, 0.0}, {1.0, 2.0, 3.0});
    CHECK(now > before);
    before = now;
  }
  CHECK(before > 0.5);
  for (const glm::dvec4& s : inscribed_spheres(corner, 8)) {
    CHECK(std::min({s.x, s.y, s.z}) >= s.w - 1e-6);
    CHECK((1.0 - s.x - s.y - s.z) / std::sqrt(3.0) >= s.w - 1e-6);
  }
}

TEST_CASE("Wrong clumps of meshes are errors that name the place", "[clumps]") {
  const Scratch scratch;
  write_text(scratch / "brick.obj", brick_obj);
  write_text(scratch / "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n");
  CHECK(mesh_clump_error(scratch, "{ mesh = \"brick.obj\" }").empty());
  const std::string place = (scratch / "s.toml").string() + ":10:";
  const std::string open = mesh_clump_error(scratch, "{ mesh = \"open.obj\" }");
  CHECK_THAT(open, Catch::StartsWith(place) && Catch::Contains("grains.0.clump.mesh cannot be used") &&
                       Catch::Contains("open.obj"));
  CHECK_THAT(mesh_clump_error(scratch, "{ mesh = \"none.obj\" }"),
             Catch::StartsWith(place) && Catch::Contains("none.obj"));
  for (const char* count : {"1", "9"})
    CHECK_THAT(mesh_clump_error(scratch, std::string("{ mesh = \"brick.obj\", spheres = ") + count + " }"),
               Catch::StartsWith(place) && Catch::Contains("an integer from 2 to 8"));
  CHECK_THAT(mesh_clump_error(scratch, "{ mesh = \"brick.obj\", spheres = [[0, 0, 0, 1], [1, 0, 0, 1]] }"),
             Catch::StartsWith(place) && Catch::Contains("clump.spheres must be an integer from 2 to 8"));
  CHECK_THAT(mesh_clump_error(scratch, "{ spheres = 4 }"), Catch::StartsWith(place) && Catch::Contains("mesh"));
  CHECK_THAT(mesh_clump_error(scratch, "{ mesh = \"brick.obj\", scale = 4 }"), Catch::Contains("scale"));
}

TEST_CASE("The text of a scene has the meshes of its clumps, and its physics tells them apart", "[clumps]") {
  const Scratch scratch;
  write_text(scratch / "stone.obj", brick_obj);
  const std::string name = (scratch / "s.toml").string();
  const Scene scene = parse_scene(mesh_clump_text("{ mesh = \"stone.obj\", spheres = 5 }"), name);
  const Scene read = parse_scene(to_toml(scene), name);
  REQUIRE(read.grains[0].clump->mesh().has_value());
  CHECK(read.grains[0].clump->mesh()->file == "stone.obj");
  CHECK(read.grains[0].clump->spheres() == scene.grains[0].clump->spheres());
  write_text(scratch / "stone.obj", corner_obj);
  CHECK(physics_of(parse_scene(to_toml(scene), name)) != physics_of(scene));
}
