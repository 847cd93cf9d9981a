// Cloth before it moves: its sheets, how scene files say it, and where its vertices are among the grains.
#include "engine/core/setup.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "tests/catch.h"
#include "viewer/renderer_camera.h"
#include "wrong.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

using namespace talus;
using namespace talus_tests;

namespace {

const std::string linen = "[[material]]\nname = \"linen\"\n";
const std::string cloth = linen + "[[cloth]]\nname = \"sail\"\nmaterial = \"linen\"\nposition = [0, 0, 1]\n";
const std::string sheet = cloth + "grid = { size = [1, 1], cells = [10, 10] }\n";

std::size_t count(const ClothSheet& s, ClothLinkKind kind) {
  return static_cast<std::size_t>(std::ranges::count(s.edges, kind, &ClothEdge::kind));
}

double length(const ClothSheet& s, const ClothEdge& e) {
  return glm::distance(s.vertices[e.ends.x], s.vertices[e.ends.y]);
}

double area(const ClothSheet& s) {
  return std::accumulate(s.areas.begin(), s.areas.end(), 0.0);
}

// What the header promises of every sheet.
void is_in_order(const ClothSheet& s) {
  CHECK(s.areas.size() == s.vertices.size());
  const auto triangle = [](const glm::uvec3& t) { return std::tuple(t.x, t.y, t.z); };
  const auto ends = [](const ClothEdge& e) { return std::pair(e.ends.x, e.ends.y); };
  CHECK(std::ranges::is_sorted(s.triangles, {}, triangle));
  CHECK(std::ranges::is_sorted(s.edges, {}, ends));
  CHECK(std::ranges::adjacent_find(s.edges, {}, ends) == s.edges.end());
  for (const ClothEdge& e : s.edges)
    CHECK(e.ends.x < e.ends.y);
  for (const glm::uvec3& t : s.triangles) {
    const glm::dvec3 &a = s.vertices[t.x], &b = s.vertices[t.y], &c = s.vertices[t.z];
    CHECK(glm::distance(b, c) >= std::max(glm::distance(a, b), glm::distance(a, c)));
  }
}

// The same triangles wound the same way, whichever corner is first.
bool same_triangles(const std::vector<glm::uvec3>& a, const std::vector<glm::uvec3>& b) {
  const auto turned = [](const std::vector<glm::uvec3>& all) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> out;
    for (const glm::uvec3& t : all) {
      const int least = t.x < t.y && t.x < t.z ? 0 : t.y < t.z ? 1 : 2;
      out.emplace(t[least], t[(least + 1) % 3], t[(least + 2) % 3]);
    }
    return out;
  };
  return a.size() == b.size() && turned(a) == turned(b);
}

// In the plane z = 0, with a hole of one quad in the middle.
Mesh sheet_with_hole(std::uint32_t cells) {
  Mesh mesh;
  for (std::uint32_t j = 0; j <= cells; ++j)
    for (std::uint32_t i = 0; i <= cells; ++i)
      mesh.vertices.emplace_back(0.1f * static_cast<float>(i), 0.1f * static_cast<float>(j), 0.0f);
  for (std::uint32_t j = 0; j < cells; ++j)
    for (std::uint32_t i = 0; i < cells; ++i) {
      const std::uint32_t a = j * (cells + 1) + i, b = a + 1, c = b + cells + 1, d = a + cells + 1;
      if (i != cells / 2 || j != cells / 2)
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
    }
  return mesh;
}

// Seeds of the vertices of one cloth.
std::vector<Seed> vertices_of(const Population& p, std::size_t k) {
  const std::size_t first = p.initial.size() - p.boundary.size() - p.cloth_vertices + p.cloths[k].first;
  return {p.initial.begin() + static_cast<std::ptrdiff_t>(first),
          p.initial.begin() + static_cast<std::ptrdiff_t>(first + p.cloths[k].sheet.vertices.size())};
}

}  // namespace

TEST_CASE("A grid of cloth has the size, the triangles and the distances it should", "[cloth]") {
  const glm::dvec2 size = GENERATE(glm::dvec2(1.2, 0.6), glm::dvec2(0.3, 0.3), glm::dvec2(0.1, 3.0));
  const glm::uvec2 cells = GENERATE(glm::uvec2(4, 3), glm::uvec2(1, 1), glm::uvec2(2, 7), glm::uvec2(6, 6));
  CAPTURE(size.x, size.y, cells.x, cells.y);
  const ClothSheet s = cloth_grid(size, cells);
  is_in_order(s);
  const std::size_t n = cells.x, m = cells.y;
  CHECK(s.vertices.size() == (n + 1) * (m + 1));
  CHECK(s.triangles.size() == 2 * n * m);
  CHECK(count(s, ClothLinkKind::stretch) == n * (m + 1) + m * (n + 1));
  CHECK(count(s, ClothLinkKind::shear) == 2 * n * m);
  CHECK(count(s, ClothLinkKind::bend) == (n - 1) * (m + 1) + (m - 1) * (n + 1));
  CHECK(area(s) == Approx(size.x * size.y).epsilon(1e-12));
  CHECK(s.vertices[0] == glm::dvec3(-size / 2.0, 0.0));
  CHECK(s.vertices[n] == glm::dvec3(size.x / 2, -size.y / 2, 0.0));
  CHECK(s.vertices.back() == glm::dvec3(size / 2.0, 0.0));
  const glm::dvec2 cell = size / glm::dvec2(cells);
  for (const ClothEdge& e : s.edges) {
    const glm::dvec2 way = glm::abs(s.vertices[e.ends.y] - s.vertices[e.ends.x]);
    const double stretch = std::min(glm::distance(way, {cell.x, 0.0}), glm::distance(way, {0.0, cell.y}));
    const double bend = std::min(glm::distance(way, {2 * cell.x, 0.0}), glm::distance(way, {0.0, 2 * cell.y}));
    const double off = e.kind == ClothLinkKind::stretch ? stretch
                       : e.kind == ClothLinkKind::shear ? glm::distance(way, cell)
                                                        : bend;
    CHECK(off < 1e-12);
  }
  std::vector<int> facets(s.vertices.size());
  for (const glm::uvec3& t : s.triangles) {
    const glm::dvec3 normal = glm::cross(s.vertices[t.y] - s.vertices[t.x], s.vertices[t.z] - s.vertices[t.x]);
    CHECK(normal.z == Approx(cell.x * cell.y).epsilon(1e-12));  // all seen from above, counterclockwise
    for (int c = 0; c < 3; ++c)
      ++facets[t[c]];
  }
  for (std::size_t v = 0; v < s.vertices.size(); ++v)
    CHECK(s.areas[v] == Approx(facets[v] * cell.x * cell.y / 6).epsilon(1e-12));
  // Cuts alternate: inside, 8 triangles or 4 meet.
  for (std::size_t j = 1; j < m; ++j)
    for (std::size_t i = 1; i < n; ++i)
      CHECK(facets[j * (n + 1) + i] == ((i + j) % 2 == 0 ? 8 : 4));
}

TEST_CASE("A mesh of cloth stretches along its sides and bends across them", "[cloth]") {
  using enum ClothLinkKind;
  SECTION("closed, where many sides have the same corners across") {
    const Mesh octahedron{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    const ClothSheet s = cloth_mesh(octahedron);
    is_in_order(s);
    CHECK(same_triangles(s.triangles, octahedron.triangles));
    CHECK(count(s, stretch) == 12);
    CHECK(count(s, bend) == 3);
    CHECK(count(s, shear) == 0);
    CHECK(area(s) == Approx(4 * std::sqrt(3.0)).epsilon(1e-6));
    for (const ClothEdge& e : s.edges)
      CHECK(length(s, e) == Approx(e.kind == bend ? 2.0 : std::sqrt(2.0)).epsilon(1e-6));
  }
  SECTION("corners across that a side joins already only stretch") {
    const ClothSheet s =
        cloth_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}});
    is_in_order(s);
    CHECK(count(s, stretch) == 6);
    CHECK(s.edges.size() == 6);
  }
  SECTION("three triangles at a side bend two by two") {
    const ClothSheet s =
        cloth_mesh({{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}});
    is_in_order(s);
    CHECK(count(s, stretch) == 7);
    CHECK(count(s, bend) == 3);
  }
  SECTION("open, with a hole") {
    const std::uint32_t n = 5;
    const Mesh mesh = sheet_with_hole(n);
    const ClothSheet s = cloth_mesh(mesh);
    is_in_order(s);
    CHECK(same_triangles(s.triangles, mesh.triangles));
    const std::size_t sides = 3 * n * n + 2 * n - 1, rim = 4 * n + 4;
    CHECK(count(s, stretch) == sides);
    CHECK(count(s, bend) == sides - rim);
    CHECK(area(s) == Approx((n * n - 1) * 0.01).epsilon(1e-6));
  }
  CHECK(cloth_mesh({}).vertices.empty());
}

TEST_CASE("A scene says cloth, and is written as it was read", "[cloth]") {
  const Scratch scratch;
  write_mesh(scratch / "flag.obj", sheet_with_hole(5));
  const std::string file = (scratch / "s.toml").string();
  const Scene scene = parse_scene(
      sheet +
          "rotation = [0, 90, 10]\nvelocity = [1, 0, -2]\ndensity = 0.3\nthickness = 0.02\nstretch = 0.9\nshear = 0.2\n"
          "bend = 0\npins = [[-0.5, -0.5, 0], [0.46, 0.5, 0.01]]\npin_box = { min = [-0.5, 0, 0], max = [-0.4, 0.1, 0] "
          "}\n"
          "self_contact = false\ncolor = [1, 0.5, 0]\n"
          "[[cloth]]\nname = \"flag\"\nmaterial = \"linen\"\nposition = [0, 0, 0.3]\n"
          "mesh = { file = \"flag.obj\", scale = 0.5, up = \"y\" }\n",
      file);
  REQUIRE(scene.cloths.size() == 2);
  const ClothSpec &sail = scene.cloths[0], &flag = scene.cloths[1];
  CHECK(sail.name == "sail");
  CHECK(sail.position == glm::dvec3(0, 0, 1));
  CHECK(sail.rotation == glm::dvec3(0, 90, 10));
  CHECK(sail.velocity == glm::dvec3(1, 0, -2));
  CHECK(std::tuple(sail.density, sail.thickness) == std::tuple(0.3, 0.02));
  CHECK(std::tuple(sail.stretch, sail.shear, sail.bend) == std::tuple(0.9, 0.2, 0.0));
  CHECK(!sail.touches_itself);
  CHECK(sail.color == glm::vec3(1, 0.5, 0));
  std::vector<std::size_t> held;  // (0, 0) and (10, 10); (0, 5), (1, 5), (0, 6) and (1, 6)
  const std::vector<bool> pinned = pinned_of(sail, sheet_of(sail));
  for (std::size_t v = 0; v < pinned.size(); ++v)
    if (pinned[v])
      held.push_back(v);
  CHECK(held == std::vector<std::size_t>{0, 55, 56, 66, 67, 120});

  const ClothSpec defaults;
  CHECK(flag.density == defaults.density);
  CHECK(flag.bend == defaults.bend);
  CHECK(flag.touches_itself);
  CHECK(!flag.color);
  const ClothSheet s = sheet_of(flag);
  CHECK(s.triangles.size() == 48);  // the hole is none to close
  CHECK(std::get<MeshPart>(flag.sheet).loaded->repairs.empty());
  CHECK(area(s) == Approx(0.06).epsilon(1e-6));
  CHECK(flag.thickness == Approx(0.1 * 0.05).epsilon(1e-5));
  const Bounds box = bounds_of(flag, s);
  CHECK(box.max.z - box.min.z == Approx(0.25).epsilon(1e-6));

  const std::string text = to_toml(scene);
  CHECK(to_toml(parse_scene(text, file)) == text);
  const Population one = populate(scene), two = populate(parse_scene(text, file));
  CHECK(std::ranges::equal(one.initial, two.initial, [](const Seed& a, const Seed& b) {
    return a.position == b.position && a.radius == b.radius && a.mass == b.mass && a.fixed == b.fixed;
  }));
}

TEST_CASE("Vertices of cloth stand behind particles of shapes and before those of skins", "[cloth]") {
  const Scratch scratch;
  write_mesh(scratch / "flag.obj", sheet_with_hole(5));
  const Scene scene = parse_scene(
      sheet +
          "velocity = [0, 0, -1]\ndensity = 0.5\nthickness = 0.01\nrotation = [90, 0, 0]\npins = [[-0.5, -0.5, 0]]\n"
          "[[cloth]]\nname = \"flag\"\nmaterial = \"linen\"\nposition = [0.3, -0.8, 0.3]\nmesh.file = \"flag.obj\"\n"
          "[[grains]]\nmaterial = \"linen\"\nradius = 0.02\nfill.points = [[0.5, 0.5, 1], [0.6, 0.6, 1]]\n"
          "[[shape_matched_body]]\nname = \"ball\"\nmaterial = \"linen\"\nradius = 0.02\nfill.sphere = { center = "
          "[-0.5, -0.5, "
          "0.3], "
          "radius = 0.1 }\n"
          "[[body]]\nname = \"rag\"\nmaterial = \"linen\"\nposition = [-0.8, 0.3, 0.3]\n"
          "mesh = { file = \"flag.obj\", as = \"particles\" }\n",
      (scratch / "s.toml").string());
  const Population p = populate(scene);
  REQUIRE(p.cloths.size() == 2);
  const std::size_t sail = 11 * 11, flag = 6 * 6;
  CHECK(p.cloth_vertices == sail + flag);
  CHECK(p.shaped.size() > 10);
  CHECK(p.boundary.size() > 10);
  CHECK(p.initial.size() == 2 + p.shaped.size() + p.cloth_vertices + p.boundary.size());
  CHECK(std::tuple(p.cloths[0].cloth, p.cloths[0].first) == std::tuple(0u, 0u));
  CHECK(std::tuple(p.cloths[1].cloth, p.cloths[1].first) == std::tuple(1u, static_cast<std::uint32_t>(sail)));
  const std::size_t k = GENERATE(0u, 1u);
  const ClothSpec& spec = scene.cloths[k];
  const std::vector<Seed> seeds = vertices_of(p, k);
  const Pose pose = pose_of(spec);
  double mass = 0.0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const glm::dvec3 place = (pose * Pose{p.cloths[k].sheet.vertices[i]}).position;
    CHECK(glm::distance(glm::dvec3(seeds[i].position), place) < 1e-6);
    CHECK(seeds[i].radius == static_cast<float>(spec.thickness / 2));
    CHECK(seeds[i].fixed == (k == 0 && i == 0));
    CHECK(seeds[i].velocity == (seeds[i].fixed ? glm::vec3(0.0f) : glm::vec3(spec.velocity)));
    mass += static_cast<double>(seeds[i].mass);
    const float inverse = grain_of(scene, seeds[i]).velocity.w;
    CHECK(inverse == Approx(seeds[i].fixed ? 0.0f : 1.0f / seeds[i].mass));
  }
  CHECK(mass == Approx(spec.density * (k == 0 ? 1.0 : 0.24)).epsilon(1e-6));
  CHECK(radii_of(scene).min == 0.02);  // cloth is no grain to what asks for their sizes
}

TEST_CASE("Fills leave room for cloth", "[cloth]") {
  const std::string fill =
      "[[grains]]\nmaterial = \"linen\"\nradius = 0.02\nfill.box = { min = [-0.4, -0.4, 0.6], max = "
      "[0.4, 0.4, 1.4] }\n";
  const Scene scene = parse_scene(sheet + "rotation = [20, -30, 0]\nthickness = 0.03\n" + fill, "s.toml");
  const Population p = populate(scene);
  const std::size_t grains = p.initial.size() - p.cloth_vertices;
  CHECK(grains > 2000);
  const Pose pose = pose_of(scene.cloths[0]);
  double nearest = 1.0;
  for (std::size_t i = 0; i < grains; ++i) {
    const glm::dvec3 place = glm::inverse(pose.rotation) * (glm::dvec3(p.initial[i].position) - pose.position);
    if (std::abs(place.x) < 0.5 && std::abs(place.y) < 0.5)
      nearest = std::min(nearest, std::abs(place.z));
  }
  CHECK(nearest > 0.035 - 1e-5);
  CHECK(nearest < 0.036);
  // And the same grains as ever where there is none.
  CHECK(populate(parse_scene(linen + fill, "s.toml")).initial.size() > grains);
}

TEST_CASE("Cloth decides about substeps", "[cloth]") {
  const auto with = [](const std::string& solver, const std::string& more) {
    return parse_scene("[time]\ndt = 0.016\n[solver]\n" + solver + linen +
                           "[[cloth]]\nname = \"sail\"\nmaterial = \"linen\"\nposition = [0, 0, 1.9]\n"
                           "grid = { size = [1, 1], cells = [50, 50] }\n" +
                           more,
                       "s.toml");
  };
  const double side = 0.02;
  const std::string stiff = "method = \"sp\"\niterations = 20\ncloth_iterations = 5\n";
  // To the floor, and from pins as far as the cloth is long.
  for (const auto& [more, speed] : {std::pair<std::string, double>{"", std::sqrt(2 * g * 1.9)},
                                    {"velocity = [0, 3, 0]\n", std::sqrt(2 * g * 1.9 + 9)},
                                    {"pins = [[-0.5, -0.5, 0]]\n", std::sqrt(2 * g * std::sqrt(2.0))}}) {
    const Scene scene = with(stiff, more);
    CHECK(pace_of(scene).sides == Approx(speed / side).epsilon(1e-9));
    CHECK(choose_substeps(scene).substeps == std::ceil(0.016 * speed / (0.5 * side)));
    CHECK(advise(scene).empty());
  }
  // The weight of 50 rows over so many iterations, within 2 %.
  const Scene soft = with("method = \"sp\"\niterations = 1\n", "");
  CHECK(choose_substeps(soft).substeps == std::ceil(0.016 * std::sqrt(50 * g / (0.02 * side))));
  CHECK(contains(choose_substeps(soft).why, "cloth hangs 0.0"));
  // A number that is too small is named, with one that does.
  Scene few = with(stiff, "");
  few.solver.substeps = 2;
  REQUIRE(advise(few).size() == 1);
  CHECK(contains(advise(few)[0], "a vertex of cloth"));
  CHECK(contains(advise(few)[0], "solver.substeps to 10"));
  few = with("method = \"sp\"\niterations = 1\nsubsteps = 5\n", "");
  REQUIRE(advise(few).size() == 2);
  CHECK(contains(advise(few)[1], "longer than it is"));
  // Grains have their say beside it.
  const std::string grain = "[[grains]]\nmaterial = \"linen\"\nradius = RADIUS\nfill.points = [[0.2, 0.2, 1]]\n";
  const auto grains = [&](const std::string& radius) {
    std::string text = grain;
    return choose_substeps(with(stiff, text.replace(text.find("RADIUS"), 6, radius)));
  };
  CHECK(grains("0.001").substeps > choose_substeps(with(stiff, "")).substeps);
  CHECK(grains("0.1").substeps == choose_substeps(with(stiff, "")).substeps);
  CHECK(contains(grains("0.1").why, "the cloth decided"));
  CHECK(choose_substeps(parse_scene(linen, "s.toml")).substeps == 1);
}

TEST_CASE("Cloth that starts in a body is warned of, but for its pins", "[cloth]") {
  const auto warnings = [](const std::string& more) {
    return advise(parse_scene(sheet + more +
                                  "[[body]]\nname = \"post\"\nbox.size = [0.3, 0.3, 0.5]\n"
                                  "position = [0.5, 0.5, 0.8]\n",
                              "s.toml"));
  };
  // Vertices reach 0.05 m below its top, and three times as far in from its sides.
  CHECK(warnings("") ==
        std::vector<std::string>{
            "s.toml: cloth sail starts 0.05 m deep in body post, which pushes it out: place it beside that body"});
  CHECK(
      advise(parse_scene(sheet + "[[body]]\nname = \"post\"\nbox.size = [0.3, 0.3, 0.5]\nposition = [0.5, 0.5, 0.74]\n",
                         "s.toml"))
          .empty());
  CHECK(warnings("pin_box = { min = [0.3, 0.3, 0], max = [0.5, 0.5, 0] }\n").empty());
}

TEST_CASE("The camera sees cloth where it starts, hangs and falls", "[cloth]") {
  const auto seen = [](const std::string& more) {
    return content(parse_scene("[domain]\nmin = [-9, -9, -9]\nmax = [9, 9, 9]\n" + sheet + more, "s.toml"));
  };
  CHECK(seen("").min == glm::vec3(-0.5f, -0.5f, -9.0f));
  CHECK(seen("").max == glm::vec3(0.5f, 0.5f, 1.0f));
  CHECK(seen("pins = [[0.5, 0.5, 0]]\n").min.z == Approx(1.0 - std::sqrt(2.0)).epsilon(1e-6));
}

TEST_CASE("Cloth out of place is refused by those who make scenes themselves, too", "[cloth]") {
  Scene scene = parse_scene("[domain]\nx = \"periodic\"\ny = \"open\"\n" + sheet, "s.toml");
  CHECK(populate(scene).cloth_vertices == 121);  // half of the axis is allowed
  scene.cloths[0].position.y = 5.0;
  CHECK(populate(scene).cloth_vertices == 121);
  scene.cloths[0].position.z = 3.0;
  CHECK(error_of([&] { populate(scene); }) ==
        "s.toml: cloth sail reaches from 3 to 3 m in z, outside the domain: allowed is 0 to 2 m");
  scene.cloths[0].position.z = 1.0;
  scene.cloths[0].sheet = ClothGrid{{1.1, 1.0}, {10, 10}};
  CHECK(contains(error_of([&] { populate(scene); }), "too long for a periodic axis: allowed is half of it, 1 m"));
}

TEST_CASE("Every wrong cloth is named with its place", "[cloth]") {
  const Scratch scratch;
  write_mesh(scratch / "flag.obj", sheet_with_hole(5));
  // The mark @ stands where the message must point to and is taken out before reading.
  const std::vector<std::pair<std::string, std::string>> wrong{
      {linen + "@[[cloth]]\nmaterial = \"linen\"\n", "lacks the key name"},
      {linen + "@[[cloth]]\nname = \"sail\"\n", "lacks the key material"},
      {linen + "[[cloth]]\nname = @\"\"\nmaterial = \"linen\"\n", "must not be empty"},
      {sheet + "[[cloth]]\nname = @\"sail\"\nmaterial = \"linen\"\n", "\"sail\" is taken by another cloth"},
      {"[[cloth]]\nname = \"sail\"\nmaterial = @\"linen\"\n", "is not a material of this scene; it has none"},
      {sheet + "@thicknes = 0.01\n", "did you mean thickness?"},
      {linen + "@[[cloth]]\nname = \"sail\"\nmaterial = \"linen\"\n", "has no sheet: give grid = "},
      {sheet + "mesh = @{ file = \"flag.obj\" }\n", "and a grid beside it exclude each other"},
      {cloth + "grid = @{ cells = [2, 2] }\n", "lacks the key size"},
      {cloth + "grid = { size = @[1, 1, 1], cells = [2, 2] }\n", "must be [x, y] with two lengths, not an array of 3"},
      {cloth + "grid = { size = @1, cells = [2, 2] }\n", "must be [x, y] with two lengths, not 1"},
      {cloth + "grid = { size = [1, @0], cells = [2, 2] }\n", "must be a number from 1e-06 to 1000000 m, not 0"},
      {cloth + "grid = { size = [1, 1], cells = [2, @0] }\n", "must be an integer from 1 to 2000, not 0"},
      {cloth + "grid = { size = [1, 1], cells = [@2001, 1] }\n", "must be an integer from 1 to 2000, not 2001"},
      {cloth + "grid = { size = [1, 1], cells = [@2.5, 1] }\n", "must be an integer"},
      {cloth + "grid = @{ size = [1, 1], cells = [1000, 1000] }\n", "1002001 vertices of cloth: the limit is 1000000"},
      {cloth + "mesh = { file = @\"none.obj\" }\n", "cannot be used"},
      {cloth + "mesh = { file = \"flag.obj\", @as = \"sdf\" }\n", "unknown key"},
      {cloth + "mesh = { file = \"flag.obj\" }\nshear = @0.5\n", "whose sides brace each other: allowed with grid"},
      {sheet + "thickness = @0.051\n", "a side of 0.1 m: allowed is half of it, 0.05 m"},
      {sheet + "thickness = @0\n", "must be a number from 1e-06"},
      {sheet + "density = @0\n", "must be a number from 1e-06 to 1000000 kg/m2"},
      {sheet + "stretch = @1.1\n", "must be a number from 0 to 1"},
      {sheet + "shear = @-0.1\n", "must be a number from 0 to 1"},
      {sheet + "bend = @2\n", "must be a number from 0 to 1"},
      {sheet + "self_contact = @1\n", "must be true or false"},
      {sheet + "color = @[1, 1]\n", "must be [x, y, z]"},
      {sheet + "pins = [[-0.5, -0.5, 0], @[0.7, 0, 0]]\n",
       "the nearest vertex, [0.5, 0, 0], is 0.2 m away; allowed is up to the longest side of a triangle, 0.1414 m"},
      {sheet + "pins = [@0.5, 0.5, 0]\n", "must be [x, y, z]"},
      {sheet + "pin_box = { min = [0, 0, 0], max = @[1, -1, 0] }\n", "each of its max must be at least its min"},
      {sheet + "pin_box = @{ min = [0, 0, 0.1], max = [1, 1, 1] }\n", "it holds no vertex"},
      {sheet + "pin_box = @{ min = [0, 0, 0.1] }\n", "lacks the key max"},
      {linen + "[[cloth]]\nname = \"sail\"\nmaterial = \"linen\"\nposition = @[0.6, 0, 1]\ngrid = { size = [1, 1], "
               "cells = [2, 2] }\n",
       "reaches from 0.1 to 1.1 m in x, outside the domain: allowed is -1 to 1 m"},
      {"[domain]\nz = \"periodic\"\n" + linen +
           "[[cloth]]\nname = \"sail\"\nmaterial = \"linen\"\nposition = @[0, 0, 1]\nrotation = [90, 0, 0]\ngrid = { "
           "size = [1, 1.2], cells = [2, 2] }\n",
       "is 1.2 m long in z, too long for a periodic axis: allowed is half of it, 1 m"},
      {"[solver]\ncloth_iterations = @0\n", "must be an integer from 1 to 100"}};
  for (const auto& [marked, says] : wrong) {
    const std::size_t at = marked.find('@');
    REQUIRE(at != marked.npos);
    const std::string before = marked.substr(0, at);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    const std::string file = (scratch / "s.toml").string();
    const std::string error = error_of([&] { parse_scene(before + marked.substr(at + 1), file); });
    INFO(marked << "\nwant " << says << "\ngot  " << error);
    CHECK(error.starts_with(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": "));
    CHECK(contains(error, says));
  }
}
