// Triangles of bodies, for drawing, against geometry.
#include "engine/geometry/crease.h"
#include "engine/geometry/gear.h"
#include "engine/scene/bodies.h"
#include "engine/scene/surface.h"
#include "simulate.h"
#include <array>
#include <map>
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double chord_error = 1e-4;

struct Measured {
  double volume, area;
  double off = 0.0;      // m, of a vertex from the surface, at most
  double agrees = 0.0;   // share of the area whose normals are the gradient above; where parts meet it is not
  double to_face = 1.0;  // cosine of a normal and its triangle's, at least
};

Measured measure(const BodySpec& body) {
  const Surface surface = surface_of(body, chord_error, 10.0);
  const Solid solid = solid_of(body, pose_of(body));
  Mesh mesh;
  mesh.triangles = surface.triangles;
  Measured m{};
  for (const shared::DrawVertex& v : surface.vertices) {
    mesh.vertices.push_back(v.position);
    m.off = std::max(m.off, std::abs(sample(solid, v.position).distance));
  }
  for (const glm::uvec3& t : surface.triangles) {
    const auto &a = surface.vertices[t.x], &b = surface.vertices[t.y], &c = surface.vertices[t.z];
    const glm::dvec3 across = glm::cross(glm::dvec3(b.position - a.position), glm::dvec3(c.position - a.position));
    const double longest = std::max({glm::distance(a.position, b.position), glm::distance(b.position, c.position),
                                     glm::distance(c.position, a.position)});
    if (glm::length(across) < 1e-4 * longest)
      continue;  // a sliver, whose direction is rounding
    const glm::dvec3 mean = glm::normalize(glm::dvec3(a.normal + b.normal + c.normal));
    m.to_face = std::min(m.to_face, glm::dot(mean, glm::normalize(across)));
    const glm::dvec3 middle = glm::dvec3(a.position + b.position + c.position) / 3.0;
    const SolidSample above = sample(solid, middle + 1e-3 * mean);
    if (glm::distance(mean, above.gradient) < 0.03)
      m.agrees += 0.5 * glm::length(across);
  }
  m.volume = volume(mesh);
  m.area = area(mesh);
  m.agrees /= m.area;
  return m;
}

}  // namespace

TEST_CASE("The triangles of a solid have its volume and area", "[renderer][surface]") {
  constexpr double pi = std::numbers::pi;
  const double cap_height = 1.0 - std::sqrt(0.75);  // of a ball of radius 1 over a hole of radius 0.5
  const double cap = pi * cap_height * cap_height * (3.0 - cap_height) / 3.0;
  struct Case {
    const char* name;
    std::vector<BodyPart> parts;
    double volume, area;
  };
  const Case cases[] = {
      {"box", {{BoxPart{{1.0, 2.0, 3.0}}}}, 6.0, 22.0},
      {"ball", {{SpherePart{1.0}}}, 4.0 / 3.0 * pi, 4.0 * pi},
      {"capsule", {{CapsulePart{0.5, 3.0}}}, pi * 0.25 * 2.0 + pi / 6.0, 2.0 * pi + pi},
      {"cylinder", {{ConePart{0.5, 0.5, 2.0}}}, pi * 0.5, pi * 2.5},
      {"cone", {{ConePart{3.0, 0.0, 4.0}}}, pi * 12.0, pi * 9.0 + pi * 15.0},
      {"truncated cone", {{ConePart{3.0, 1.5, 2.0}}}, pi * 10.5, pi * 11.25 + pi * 4.5 * 2.5},
      {"torus", {{TorusPart{1.0, 0.25}}}, 2.0 * pi * pi * 0.0625, 4.0 * pi * pi * 0.25},
      {"box with a ball taken off a corner",
       {{BoxPart{{2.0, 2.0, 2.0}}}, {SpherePart{1.0}, {1.0, 1.0, 1.0}, {}, true}},
       8.0 - pi / 6.0,
       24.0 - 3.0 * pi / 4.0 + pi / 2.0},
      {"ball on a box",
       {{BoxPart{{2.0, 2.0, 2.0}}}, {SpherePart{0.5}, {0.0, 0.0, 1.0}}},
       8.0 + pi / 12.0,
       24.0 + pi / 4.0},
      {"open cup, flush above",
       {{ConePart{1.0, 1.0, 2.0}}, {ConePart{0.5, 0.5, 1.5}, {0.0, 0.0, 0.25}, {}, true}},
       2.0 * pi - 0.375 * pi,
       2.0 * pi + 4.0 * pi + 1.5 * pi},
      {"pierced ball",
       {{SpherePart{1.0}}, {ConePart{0.5, 0.5, 3.0}, {}, {}, true}},
       4.0 / 3.0 * pi - 2.0 * cap - 0.25 * pi * 2.0 * std::sqrt(0.75),
       4.0 * pi - 2.0 * 2.0 * pi * cap_height + pi * 2.0 * std::sqrt(0.75)},
      {"half a ball", {{SpherePart{1.0}}, {PlanePart{}, {}, {}, true}}, 2.0 / 3.0 * pi, 3.0 * pi},
      {"two halves of a box that overlap",
       {{BoxPart{{1.0, 1.0, 1.0}}}, {BoxPart{{1.0, 1.0, 1.0}}, {0.5, 0.0, 0.0}}},
       1.5,
       -1.0},  // what is flush is there twice
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Measured m = measure(body_of("body", c.parts, {}, {}));
    CHECK(m.off < 3.0 * chord_error);
    CHECK(m.agrees > 0.98);
    CHECK(m.to_face > 0.999);
    if (c.area > 0.0) {
      CHECK(m.volume == Approx(c.volume).epsilon(1e-3));
      CHECK(m.area == Approx(c.area).epsilon(1e-3));
    }
  }
}

TEST_CASE("Cut surfaces have no gaps beyond the tolerance", "[renderer][surface]") {
  // Every edge has a partner in the other direction, as near as the tolerance says.
  const Surface surface = surface_of(
      body_of("body", {{BoxPart{{1.0, 1.0, 1.0}}}, {SpherePart{0.45}, {0.5, 0.4, 0.3}, {}, true}}), chord_error, 1.0);
  std::map<std::array<float, 3>, std::uint32_t> numbers;  // of places
  const auto number = [&](std::uint32_t v) {
    const glm::vec3 p = surface.vertices[v].position;
    return numbers.try_emplace({p.x, p.y, p.z}, v).first->second;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const glm::uvec3& t : surface.triangles)
    for (int i = 0; i < 3; ++i)
      ++edges[{number(t[i]), number(t[(i + 1) % 3])}];
  // Borders of the pieces lie on the box's edges or where ball and box meet.
  std::size_t borders = 0;
  for (const auto& [edge, count] : edges) {
    if (edge.first == edge.second || edges.contains({edge.second, edge.first}))
      continue;
    ++borders;
    for (const std::uint32_t v : {edge.first, edge.second}) {
      const glm::dvec3 p(surface.vertices[v].position), side = glm::abs(p);
      const int on = (side.x > 0.5 - 2e-4) + (side.y > 0.5 - 2e-4) + (side.z > 0.5 - 2e-4);
      const double ball = glm::distance(p, glm::dvec3(0.5, 0.4, 0.3)) - 0.45;
      CHECK((on >= 2 || (on == 1 && std::abs(ball) < 2.0 * chord_error)));
    }
  }
  CHECK(borders > 100);
  CHECK(surface.triangles.size() < 60000);
}

TEST_CASE("A plane is drawn as a square", "[renderer][surface]") {
  const Surface surface = surface_of(body_of("floor", {{PlanePart{}, {1.0, 2.0, 3.0}}}), chord_error, 10.0);
  REQUIRE(surface.triangles.size() == 2);
  for (const shared::DrawVertex& v : surface.vertices) {
    CHECK(glm::abs(v.position - glm::vec3(1, 2, 3)) == glm::vec3(10, 10, 0));
    CHECK(v.normal == glm::vec3(0, 0, 1));
  }
}

TEST_CASE("Normals of meshes are smooth but for sharp edges", "[renderer][surface]") {
  const Surface round = surface_of(body_of("ball", {{SpherePart{1.0}}}), chord_error, 1.0);
  Mesh ball;
  ball.triangles = round.triangles;
  for (const shared::DrawVertex& v : round.vertices)
    ball.vertices.push_back(v.position);
  for (const Triangles::Vertex& v : creased(ball).vertices)
    CHECK(glm::dot(v.normal, glm::normalize(v.position)) > 0.999);

  // 20 teeth of 4 edges along the axis with flanks of one segment: a corner of the outline has a normal for either
  // side and one for the end.
  const GearSpec spec{.module = 0.1, .teeth = 20, .width = 0.3, .samples = 1};
  const Mesh mesh = gear(spec);
  const Triangles toothed = creased(mesh);
  REQUIRE(toothed.corners.size() == mesh.triangles.size());
  std::size_t ends = 0;
  for (const Triangles::Vertex& v : toothed.vertices)
    ends += std::abs(v.normal.z) > 0.999;
  CHECK(ends == Approx(2 * gear_outline(spec).size()).margin(4));  // triangles without area have any normal
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::uvec3 c = toothed.corners[t];
    const glm::dvec3 a = toothed.vertices[c.x].position;
    const glm::dvec3 face =
        glm::normalize(glm::cross(toothed.vertices[c.y].position - a, toothed.vertices[c.z].position - a));
    for (int i = 0; i < 3; ++i) {
      CHECK(toothed.vertices[c[i]].position == glm::dvec3(mesh.vertices[mesh.triangles[t][i]]));
      CHECK(glm::dot(toothed.vertices[c[i]].normal, face) > std::cos(glm::radians(40.0)));
    }
  }
}
