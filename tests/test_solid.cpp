// Solids by formula, against points all over their surfaces.
#include "catch.h"
#include "engine/geometry/solid.h"
#include <cmath>
#include <numbers>
#include <random>

using namespace talus;

namespace {

constexpr double spacing = 0.02;  // of surface points
constexpr double infinity = std::numeric_limits<double>::infinity();

// Points of a surface of revolution around z, along the outline's edges in (distance from the axis, z).
std::vector<glm::dvec3> turned(const std::vector<glm::dvec2>& outline) {
  std::vector<glm::dvec3> points;
  for (std::size_t e = 0; e + 1 < outline.size(); ++e) {
    const int along = std::max(1, static_cast<int>(glm::distance(outline[e], outline[e + 1]) / spacing));
    for (int i = 0; i <= along; ++i) {
      const glm::dvec2 q = glm::mix(outline[e], outline[e + 1], static_cast<double>(i) / along);
      const int around = std::max(1, static_cast<int>(2.0 * std::numbers::pi * q.x / spacing));
      for (int k = 0; k < around; ++k) {
        const double a = 2.0 * std::numbers::pi * k / around;
        points.emplace_back(q.x * std::cos(a), q.x * std::sin(a), q.y);
      }
    }
  }
  return points;
}

std::vector<glm::dvec2> arc(glm::dvec2 centre, double radius, double from, double to) {
  std::vector<glm::dvec2> points;
  for (int i = 0; i <= 60; ++i) {
    const double a = from + (to - from) * i / 60.0;
    points.push_back(centre + radius * glm::dvec2(std::sin(a), std::cos(a)));
  }
  return points;
}

// Points on the surface of a primitive, and whether a point is inside; both in its frame, by other formulas.
struct Known {
  Solid::Primitive primitive;
  std::vector<glm::dvec3> surface;
  bool (*inside)(const glm::dvec3&);
};

std::vector<Known> primitives() {
  constexpr double pi = std::numbers::pi;
  std::vector<glm::dvec3> box;
  for (int i = 0; i <= 40; ++i)
    for (int j = 0; j <= 40; ++j)
      for (const double side : {-1.0, 1.0}) {
        const double u = i / 20.0 - 1.0, v = j / 20.0 - 1.0;
        for (const glm::dvec3& p : {glm::dvec3(side, u, v), glm::dvec3(u, side, v), glm::dvec3(u, v, side)})
          box.push_back(p * glm::dvec3(0.4, 0.3, 0.2));
      }
  std::vector<glm::dvec2> capsule = arc({0.0, 0.25}, 0.2, 0.0, pi / 2.0);
  for (const glm::dvec2& p : arc({0.0, -0.25}, 0.2, pi / 2.0, pi))
    capsule.push_back(p);
  return {
      {Solid::Box{{0.4, 0.3, 0.2}}, box,
       [](const glm::dvec3& p) { return std::abs(p.x) < 0.4 && std::abs(p.y) < 0.3 && std::abs(p.z) < 0.2; }},
      {Solid::Sphere{0.4}, turned(arc({0.0, 0.0}, 0.4, 0.0, pi)),
       [](const glm::dvec3& p) { return glm::dot(p, p) < 0.16; }},
      {Solid::Capsule{0.2, 0.25}, turned(capsule),
       [](const glm::dvec3& p) {
         const double z = std::max(0.0, std::abs(p.z) - 0.25);
         return p.x * p.x + p.y * p.y + z * z < 0.04;
       }},
      {Solid::Cone{0.3, 0.3, 0.2}, turned({{0.0, 0.2}, {0.3, 0.2}, {0.3, -0.2}, {0.0, -0.2}}),
       [](const glm::dvec3& p) { return p.x * p.x + p.y * p.y < 0.09 && std::abs(p.z) < 0.2; }},
      {Solid::Cone{0.3, 0.0, 0.25}, turned({{0.0, 0.25}, {0.3, -0.25}, {0.0, -0.25}}),
       [](const glm::dvec3& p) { return p.z > -0.25 && std::hypot(p.x, p.y) < 0.3 * (0.5 - p.z / 0.5); }},
      {Solid::Cone{0.1, 0.3, 0.25}, turned({{0.0, 0.25}, {0.3, 0.25}, {0.1, -0.25}, {0.0, -0.25}}),
       [](const glm::dvec3& p) { return std::abs(p.z) < 0.25 && std::hypot(p.x, p.y) < 0.2 + 0.4 * p.z; }},
      {Solid::Torus{0.35, 0.1}, turned(arc({0.35, 0.0}, 0.1, 0.0, 2.0 * pi)),
       [](const glm::dvec3& p) {
         const double r = std::hypot(p.x, p.y) - 0.35;
         return r * r + p.z * p.z < 0.01;
       }},
  };
}

const glm::dvec3 position(0.1, -0.2, 0.3);
const glm::dquat rotation = glm::normalize(glm::dquat(0.7, 0.2, -0.5, 0.4));

class Places {
public:
  glm::dvec3 next() {
    const double x = unit(), y = unit();
    return {x, y, unit()};
  }

private:
  std::mt19937 random_{1};
  double unit() { return 2.0 * random_() / 4294967296.0 - 1.0; }
};

double nearest(const std::vector<glm::dvec3>& points, const glm::dvec3& p) {
  double best = infinity;
  for (const glm::dvec3& q : points)
    best = std::min(best, glm::distance(p, q));
  return best;
}

void check_gradient(const Solid& solid, const glm::dvec3& p) {
  constexpr double h = 1e-6;
  const SolidSample s = sample(solid, p);
  CHECK(glm::length(s.gradient) == Approx(1.0));
  for (int a = 0; a < 3; ++a) {
    glm::dvec3 step(0.0);
    step[a] = h;
    const double up = sample(solid, p + step).distance, down = sample(solid, p - step).distance;
    if (std::abs(up + down - 2.0 * s.distance) < 1e-3 * h)  // no ridge in between
      CHECK(s.gradient[a] == Approx((up - down) / (2.0 * h)).margin(1e-4));
  }
}

}  // namespace

TEST_CASE("Primitives give exact distances, gradients and bounds in any pose", "[solid]") {
  for (const Known& known : primitives()) {
    CAPTURE(known.primitive.index());
    const Solid solid{{{known.primitive, position, rotation}}};
    std::vector<glm::dvec3> surface;
    Bounds box{glm::dvec3(infinity), glm::dvec3(-infinity)};
    for (const glm::dvec3& p : known.surface) {
      surface.push_back(position + rotation * p);
      box = {glm::min(box.min, surface.back()), glm::max(box.max, surface.back())};
    }
    Places places;
    for (int i = 0; i < 300; ++i) {
      const glm::dvec3 p = places.next();
      CAPTURE(p.x, p.y, p.z);
      const SolidSample s = sample(solid, p);
      CHECK((s.distance < 0.0) == known.inside(glm::conjugate(rotation) * (p - position)));
      const double least = nearest(surface, p);  // of points that lie `spacing` apart
      CHECK(std::abs(s.distance) <= least + 1e-4);
      CHECK(std::abs(s.distance) >= std::sqrt(std::max(0.0, least * least - spacing * spacing)) - 1e-3);
      // The way along the gradient leads to the surface.
      CHECK(std::abs(sample(solid, p - s.distance * s.gradient).distance) < 1e-9);
      check_gradient(solid, p);
    }
    const Bounds b = bounds(solid);
    for (int a = 0; a < 3; ++a) {
      CHECK(b.min[a] <= box.min[a] + 1e-9);
      CHECK(b.max[a] >= box.max[a] - 1e-9);
      CHECK(b.min[a] == Approx(box.min[a]).margin(1.5e-3));
      CHECK(b.max[a] == Approx(box.max[a]).margin(1.5e-3));
    }
  }
}

TEST_CASE("A plane is all that lies below it", "[solid]") {
  const Solid solid{{{Solid::Plane{}, {0.0, 0.0, 1.0}, glm::angleAxis(std::numbers::pi / 2.0, glm::dvec3(0, 1, 0))}}};
  CHECK(sample(solid, {0.5, 3.0, 4.0}).distance == Approx(0.5));
  CHECK(sample(solid, {-2.0, 3.0, 4.0}).distance == Approx(-2.0));
  CHECK(glm::distance(sample(solid, {0.5, 3.0, 4.0}).gradient, {1.0, 0.0, 0.0}) < 1e-12);
  CHECK(bounds(solid).max.x == infinity);
}

TEST_CASE("Where the gradient is not unique, it still has length 1 and leads to the surface", "[solid]") {
  for (const Solid::Primitive& primitive :
       {Solid::Primitive(Solid::Box{{0.4, 0.4, 0.4}}), Solid::Primitive(Solid::Sphere{0.4}),
        Solid::Primitive(Solid::Capsule{0.2, 0.3}), Solid::Primitive(Solid::Cone{0.3, 0.3, 0.3}),
        Solid::Primitive(Solid::Cone{0.3, 0.0, 0.25}), Solid::Primitive(Solid::Torus{0.3, 0.1})}) {
    CAPTURE(primitive.index());
    const Solid solid{{{primitive}}};
    for (const glm::dvec3& p :
         {glm::dvec3(0, 0, 0), glm::dvec3(0, 0, 0.1), glm::dvec3(0.3, 0, 0), glm::dvec3(0, 0, 0.5),
          glm::dvec3(0.4, 0.4, 0.4), glm::dvec3(0.3, 0, 0.3), glm::dvec3(0, 0, -2)}) {
      const SolidSample s = sample(solid, p);
      CHECK(glm::length(s.gradient) == Approx(1.0));
      CHECK(std::abs(sample(solid, p - s.distance * s.gradient).distance) < 1e-9);
    }
  }
}

TEST_CASE("Unions and subtractions have the right sign, and no distance above the truth", "[solid]") {
  // A bowl with a foot: a sphere without a smaller one and without its upper half, and a cylinder below.
  const Solid bowl{{{Solid::Sphere{0.5}},
                    {Solid::Sphere{0.4}, {}, {1, 0, 0, 0}, true},
                    {Solid::Box{{1.0, 1.0, 0.5}}, {0.0, 0.0, 0.5}, {1, 0, 0, 0}, true},
                    {Solid::Cone{0.2, 0.2, 0.1}, {0.0, 0.0, -0.55}}}};
  const auto inside = [](const glm::dvec3& p) {
    const double r = glm::length(p);
    return (r < 0.5 && r > 0.4 && p.z < 0.0) || (std::hypot(p.x, p.y) < 0.2 && std::abs(p.z + 0.55) < 0.1);
  };
  std::vector<glm::dvec3> surface;  // places next to which both sides are
  for (int z = -36; z <= 4; ++z)
    for (int y = -28; y <= 28; ++y)
      for (int x = -28; x <= 28; ++x) {
        const glm::dvec3 p = 0.02 * glm::dvec3(x + 0.37, y + 0.21, z + 0.43);
        for (const glm::dvec3& step : {glm::dvec3(0.02, 0, 0), glm::dvec3(0, 0.02, 0), glm::dvec3(0, 0, 0.02)})
          if (inside(p) != inside(p + step))
            surface.push_back(p + 0.5 * step);
      }
  Places places;
  for (int i = 0; i < 1000; ++i) {
    const glm::dvec3 p = 0.8 * places.next();
    CAPTURE(p.x, p.y, p.z);
    const SolidSample s = sample(bowl, p);
    CHECK((s.distance < 0.0) == inside(p));
    CHECK(std::abs(s.distance) < nearest(surface, p) + 0.02);
    check_gradient(bowl, p);
  }
  const Bounds b = bounds(bowl);
  CHECK(glm::distance(b.min, glm::dvec3(-0.5, -0.5, -0.65)) < 1e-12);
  CHECK(glm::distance(b.max, glm::dvec3(0.5)) < 1e-12);

  CHECK(sample(Solid{}, {}).distance == infinity);
  CHECK(sample(Solid{{{Solid::Sphere{1.0}, {}, {1, 0, 0, 0}, true}}}, {}).distance == infinity);
  CHECK(bounds(Solid{}).max == glm::dvec3(0.0));
}
