// The laws of places: periodic axes, walls, distance fields on grids, parts put together, and rotations. And those of
// joints, and of how fine grains go with the coarse ones. Each against its definition in double precision.
#include "engine/core/field_life.h"
#include "engine/reference/space.h"
#include "random.h"
#include "tests/catch.h"
#include <bit>
#include <cstring>
#include <numbers>
#include <vector>

namespace talus::reference {
namespace {
#include "shaders/shared/laws/skin.h"
}
}  // namespace talus::reference

using namespace talus;
using namespace talus::shared;
using namespace talus_tests;
namespace laws = talus::reference;
using oracle::vec;

namespace in_glsl {
using std::round;
#include "shaders/shared/laws/sine.h"
}  // namespace in_glsl

namespace {

constexpr unsigned places_tried = 100000;
constexpr double ulp = 0x1p-24;

double d(float x) {
  return static_cast<double>(x);
}

// An axis from `low` on. Every other one is so long that its ends and all of its multiples are exact in floats.
struct Interval {
  float low, high;
  double edge() const { return d(high) - d(low); }
};
Interval axis_of(Random& random) {
  if (random.one_of(2))
    return {static_cast<float>(random.one_of(17)) - 8.0f, 9.0f + static_cast<float>(random.one_of(8))};
  const float low = random.within(-2.0, 2.0);
  return {low, low + random.within(0.05, 4.0)};
}

// The rotation by a vector [rad], by Rodrigues' formula.
glm::dmat3 rodrigues(vec v) {
  const double angle = glm::length(v);
  if (angle == 0.0)
    return glm::dmat3(1.0);
  const vec n = v / angle;
  const glm::dmat3 cross(vec(0, n.z, -n.y), vec(-n.z, 0, n.x), vec(n.y, -n.x, 0));
  return glm::dmat3(1.0) + std::sin(angle) * cross + (1.0 - std::cos(angle)) * cross * cross;
}

// A quaternion's matrix, entry by entry.
glm::dmat3 matrix(vec4 q) {
  const double x = d(q.x), y = d(q.y), z = d(q.z), w = d(q.w);
  return glm::transpose(glm::dmat3(vec(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
                                   vec(2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
                                   vec(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z)));
}

vec4 attitude(Random& random) {
  const vec axis = random.direction();
  const double half = d(random.within(-3.0, 3.0));
  return vec4(std::sin(half) * axis, std::cos(half));
}

}  // namespace

TEST_CASE("What leaves a periodic axis comes back as many lengths of it away", "[laws]") {
  Random random(11);
  Worst place, without_count;
  unsigned outside = 0, miscounted = 0, near_ends = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    const Interval axis = axis_of(random);
    const double low = d(axis.low), edge = axis.edge();
    float x = 0.0f;
    switch (k % 6) {
    case 0:
      x = random.within(low, d(axis.high));
      break;
    case 1:  // just out
      x = random.within(low - 0.2 * edge, d(axis.high) + 0.2 * edge);
      break;
    case 2:  // several lengths
      x = random.within(low - 40.0 * edge, low + 40.0 * edge);
      break;
    case 3:  // at an end, or several lengths from it
      x = static_cast<float>(low + edge * (static_cast<int>(random.one_of(9)) - 4));
      break;
    case 4:  // right beside it
      x = std::nextafter(random.one_of(2) ? axis.low : axis.high, random.one_of(2) ? 1e9f : -1e9f);
      break;
    default:  // far off
      x = random.within(-1e4 * edge, 1e4 * edge);
    }
    int laps = -1;
    const float found = laws::around(x, axis.low, axis.high, laps),
                uncounted = laws::into_period(x, axis.low, axis.high);
    const double exact = (d(x) - low) / edge, whole = std::floor(exact), off = 4.0 * ulp * (std::abs(exact) + 1.0);
    const double size = std::abs(d(x)) + std::abs(low) + edge;
    // Within one rounding of an end either side of it may be found: there the place counts modulo the length.
    const bool near_end =
        exact - whole < off * (std::abs(low) / edge + 1.0) || whole + 1.0 - exact < off * (std::abs(low) / edge + 1.0);
    const bool is_exact =
        std::fmod(low, 1.0) == 0.0 && std::fmod(d(axis.high), 1.0) == 0.0 && std::fmod(d(x), 0x1p-10) == 0.0;
    if (near_end && !is_exact) {
      ++near_ends;
      place.add(std::remainder(d(found) - d(x), edge), 0.0, size);
      without_count.add(std::remainder(d(uncounted) - d(x), edge), 0.0, size);
    } else {
      place.add(d(found), d(x) - whole * edge, size);
      without_count.add(d(uncounted), d(x) - whole * edge, size);
      miscounted += laps != static_cast<int>(whole);
    }
    const double rounding = 2.0 * ulp * size;
    outside += !(d(found) >= low - rounding && found < axis.high) ||
               !(d(uncounted) >= low - rounding && uncounted < axis.high);
  }
  CHECK(place.share() <= 1.0);
  CHECK(without_count.share() <= 1.0);
  CHECK(outside == 0);
  CHECK(miscounted == 0);
  CHECK(near_ends < places_tried / 3);
}

TEST_CASE("More lengths of an axis than can be counted are as many as can be", "[laws]") {
  int laps = 0;
  laws::around(3e9f, 0.0f, 1.0f, laps);
  CHECK(laps >= 1000000);
  CHECK(laps <= 1000001);
  laws::around(-3e9f, 0.0f, 1.0f, laps);
  CHECK(laps <= -1000000);
  CHECK(laps >= -1000001);
}

TEST_CASE("The shortest image of a distance is the shortest of 27", "[laws]") {
  Random random(12);
  Worst shortest, along, whole;
  unsigned moved = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    Settings settings{};
    vec3 from;
    vec edge;
    for (int a = 0; a < 3; ++a) {
      const Interval axis = axis_of(random);
      settings.domain.min[a] = axis.low;
      settings.domain.max[a] = axis.high;
      settings.domain.axis[a] = random.one_of(3) ? axis_periodic : random.one_of(2) ? axis_wall : axis_open;
      edge[a] = axis.edge();
      const float half = 0.5f * (axis.high - axis.low);
      const float edges[] = {0.0f,        half,        -half, std::nextafter(half, 1e9f), -std::nextafter(half, 1e9f),
                             2.0f * half, -2.0f * half};
      from[a] = random.one_of(4) ? random.within(-edge[a], edge[a]) : edges[random.one_of(7)];
    }
    const vec3 found = laws::shortest(from, settings);
    double least = std::numeric_limits<double>::infinity();
    const auto images = [&](int a) { return settings.domain.axis[a] == axis_periodic ? 1 : 0; };
    for (int z = -images(2); z <= images(2); ++z)
      for (int y = -images(1); y <= images(1); ++y)
        for (int x = -images(0); x <= images(0); ++x)
          least = std::min(least, glm::length(vec(from) + edge * vec(x, y, z)));
    shortest.add(glm::length(vec(found)), least, glm::length(edge));
    for (int a = 0; a < 3; ++a) {
      const double step = d(found[a]) - d(from[a]);
      if (images(a))
        whole.add(std::remainder(step, edge[a]), 0.0, edge[a]);
      else
        along.add(step, 0.0, 0.0);
      // No image is shorter than a distance of half a length.
      moved += step != 0.0 && std::abs(d(from[a])) <= 0.5 * d(settings.domain.max[a] - settings.domain.min[a]);
    }
  }
  CHECK(shortest.share() <= 1.0);
  CHECK(whole.share() <= 1.0);
  CHECK(along.share() <= 1.0);
  CHECK(moved == 0);
}

TEST_CASE("Walls are the faces of the domain, seen from inside", "[laws]") {
  Random random(13);
  Worst distance, normal, foot;
  for (unsigned k = 0; k < places_tried; ++k) {
    Settings settings{};
    for (int a = 0; a < 3; ++a) {
      const Interval axis = axis_of(random);
      settings.domain.min[a] = axis.low;
      settings.domain.max[a] = random.one_of(20) ? axis.high : axis.low;  // also a domain that is flat
    }
    const vec low(settings.domain.min), high(settings.domain.max);
    // The faces in the order of their numbers, by their corners; the inside is on the left of their first two sides.
    const vec corners[6][3] = {{{low.x, low.y, low.z}, {low.x, high.y + 1, low.z}, {low.x, low.y, high.z + 1}},
                               {{high.x, low.y, low.z}, {high.x, low.y, high.z + 1}, {high.x, high.y + 1, low.z}},
                               {{low.x, low.y, low.z}, {low.x, low.y, high.z + 1}, {high.x + 1, low.y, low.z}},
                               {{low.x, high.y, low.z}, {high.x + 1, high.y, low.z}, {low.x, high.y, high.z + 1}},
                               {{low.x, low.y, low.z}, {high.x + 1, low.y, low.z}, {low.x, high.y + 1, low.z}},
                               {{low.x, low.y, high.z}, {low.x, high.y + 1, high.z}, {high.x + 1, low.y, high.z}}};
    const uint wall = random.one_of(6);
    const vec* const c = corners[wall];
    const vec inwards = glm::normalize(glm::cross(c[1] - c[0], c[2] - c[0]));
    vec3 p;
    for (int a = 0; a < 3; ++a) {
      p[a] = random.within(low[a] - 1.0, high[a] + 1.0);
      if (random.one_of(4) == 0)  // on a face, an edge or a corner
        p[a] = random.one_of(2) ? settings.domain.min[a] : settings.domain.max[a];
    }
    const float found = laws::wall_distance(p, wall, settings);
    const double expected = glm::dot(vec(p) - c[0], inwards);
    distance.add(d(found), expected, std::abs(expected) + 1e-300);
    normal.add(laws::wall_normal(wall), inwards, 1.0);
    foot.add(d(laws::wall_distance(p - found * laws::wall_normal(wall), wall, settings)), 0.0, 20.0);
  }
  CHECK(distance.share() <= 1.0);
  CHECK(normal.share() <= 1.0);
  CHECK(foot.share() <= 1.0);
}

TEST_CASE("A distance field on a grid is trilinear in each cell, and far off outside", "[laws]") {
  Random random(14);
  Worst value, slope, beyond, way;
  unsigned flat = 0, left_out = 0;
  Fields f;
  constexpr uint room = 6 * 6 * 6;
  f.resize(FieldId::shape_data, room);
  for (unsigned k = 0; k < places_tried; ++k) {
    SolidPart part{};
    part.kind = solid_grid;
    const glm::uvec3 nodes(2 + random.one_of(5), 2 + random.one_of(5), 2 + random.one_of(5));
    part.size = vec3(nodes);
    const bool exact = random.one_of(2);  // places at nodes and sides of cells are met exactly
    part.cell = exact ? 0x1p-6f : random.within(0.005, 0.02);
    part.far = random.within(0.01, 0.1);
    const bool level = random.one_of(10) == 0;  // no gradient
    std::vector<double> field(nodes.x * nodes.y * nodes.z);
    const float constant = random.within(-0.1, 0.1);
    for (uint n = 0; n < field.size(); ++n) {
      const float v = level ? constant : random.within(-0.1, 0.1);
      f.shape_data[n] = std::bit_cast<uint>(v);
      field[n] = d(v);
    }
    // A place in cells from the first node: inside, on a side or an edge of a cell or at a node, or outside.
    vec3 p;
    bool outside = false;
    for (int a = 0; a < 3; ++a) {
      const auto last = static_cast<double>(nodes[a] - 1);
      double cells = d(random.within(0.0, last));
      if (exact && random.one_of(3) == 0)
        cells = static_cast<double>(random.one_of(nodes[a]));
      if (k % 4 == 3 && random.one_of(2)) {
        cells = random.one_of(2) ? -d(random.within(0.01, 3.0)) : last + d(random.within(0.01, 3.0));
        outside = true;
      }
      p[a] = static_cast<float>(cells * d(part.cell));
    }
    const laws::Distance found = laws::from_grid(f, part, p);
    const vec at = vec(p) / d(part.cell);
    if (outside) {
      const vec nearest = glm::clamp(at, vec(0.0), vec(nodes) - 1.0), off = (at - nearest) * d(part.cell);
      beyond.add(d(found.value), d(part.far) + glm::length(off), d(part.far) + 10.0 * d(part.cell));
      way.add(found.gradient, glm::normalize(off), 2.0 + 8.0 * d(part.cell) / glm::length(off));
      continue;
    }
    // The sum over the nodes of their values times the product of three tents, and its derivatives in the cell that
    // begins at the place; at the far end of an axis in the last one.
    double sum = 0.0;
    vec gradient(0.0), cell;
    bool near_side = false;
    for (int a = 0; a < 3; ++a) {
      cell[a] = std::min(std::floor(at[a]), static_cast<double>(nodes[a]) - 2.0);
      near_side |= !exact && std::abs(at[a] - std::round(at[a])) < 1e-5;
    }
    for (uint n = 0; n < field.size(); ++n) {
      const vec node(n % nodes.x, n / nodes.x % nodes.y, n / (nodes.x * nodes.y));
      const vec away = at - node;
      vec tent = glm::max(vec(0.0), 1.0 - glm::abs(away)), rise(0.0);
      for (int a = 0; a < 3; ++a)
        rise[a] = node[a] == cell[a] ? -1.0 : node[a] == cell[a] + 1.0 ? 1.0 : 0.0;
      sum += field[n] * tent.x * tent.y * tent.z;
      gradient += field[n] * vec(rise.x * tent.y * tent.z, tent.x * rise.y * tent.z, tent.x * tent.y * rise.z);
    }
    value.add(d(found.value), sum, 1.0);
    const double steep = glm::length(gradient);
    if (level) {
      ++flat;
      slope.add(found.gradient, vec(0, 0, 1), 0.0);
    } else if (near_side || steep < 0.005)
      ++left_out;
    else
      slope.add(found.gradient, gradient / steep, 2.0 * 0.2 / steep);
  }
  CHECK(value.share() <= 1.0);
  CHECK(slope.share() <= 1.0);
  CHECK(beyond.share() <= 1.0);
  CHECK(way.share() <= 1.0);
  CHECK(flat > places_tried / 50);
  CHECK(left_out < places_tried / 50);
}

namespace {

// A part as a set of points and their distance from its surface.
struct Primitive {
  uint kind;
  vec size, position;
  glm::dmat3 turn;
  bool subtracts;

  vec within(vec p) const { return glm::transpose(turn) * (p - position); }
  bool has(vec p) const {
    const vec q = within(p);
    return kind == solid_sphere ? glm::dot(q, q) < size.x * size.x
           : kind == solid_box  ? std::abs(q.x) < size.x && std::abs(q.y) < size.y && std::abs(q.z) < size.z
                                : q.x * q.x + q.y * q.y < size.x * size.x && std::abs(q.z) < size.z;
  }
  double distance(vec p) const {
    const vec q = within(p);
    if (kind == solid_sphere)
      return glm::length(q) - size.x;
    if (kind == solid_box) {
      double inside = std::numeric_limits<double>::infinity();
      for (int a = 0; a < 3; ++a)
        inside = std::min({inside, size[a] - q[a], size[a] + q[a]});
      return inside > 0.0 ? -inside : glm::length(q - glm::clamp(q, -size, size));
    }
    const glm::dvec2 at(std::hypot(q.x, q.y), q.z), nearest(std::min(at.x, size.x), std::clamp(at.y, -size.z, size.z));
    return at == nearest ? -std::min({size.x - at.x, size.z - q.z, size.z + q.z}) : glm::length(at - nearest);
  }
};

// Parts put together and taken away in their order, as a set, and by the greatest and least of distances.
struct Composition {
  std::vector<Primitive> parts;

  bool has(vec p) const {
    bool inside = false;
    for (const Primitive& part : parts)
      inside = part.subtracts ? inside && !part.has(p) : inside || part.has(p);
    return inside;
  }
  // second: how far the next part is from deciding.
  double distance(vec p, std::size_t& decides, double& second) const {
    double value = std::numeric_limits<double>::infinity();
    second = value;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const double own = parts[k].distance(p), there = parts[k].subtracts ? -own : own;
      const bool takes = k == 0 || (parts[k].subtracts ? there > value : there < value);
      if (k > 0)
        second = std::min(second, std::abs(there - value));
      if (takes) {
        value = there;
        decides = k;
      }
    }
    return value;
  }
  double distance(vec p) const {
    std::size_t decides;
    double second;
    return distance(p, decides, second);
  }
};

}  // namespace

TEST_CASE("Parts put together and taken away are the set that they leave", "[laws]") {
  Random random(15);
  Worst value, slope;
  unsigned differs = 0, wrong_part = 0, tied = 0, bent = 0, inside = 0, taken = 0;
  Fields f;
  f.resize(FieldId::shape_data, 4 * part_words);
  for (unsigned k = 0; k < places_tried; ++k) {
    Composition all;
    const uint parts = 1 + random.one_of(4);
    for (uint n = 0; n < parts; ++n) {
      const uint kinds[] = {solid_sphere, solid_box, solid_cone};
      SolidPart part{};
      part.kind = kinds[random.one_of(3)];
      part.size = {random.within(0.2, 0.6), random.within(0.2, 0.6), random.within(0.2, 0.6)};
      if (part.kind == solid_cone)
        part.size.y = part.size.x;
      part.position = random.inside(0.4f);
      part.rotation = random.one_of(3) ? attitude(random) : vec4(0, 0, 0, 1);
      const bool subtracts = n > 0 && random.one_of(2);
      all.parts.push_back({part.kind, vec(part.size), vec(part.position), matrix(part.rotation), subtracts});
      part.kind |= subtracts ? solid_subtracts : 0u;
      std::memcpy(&f.shape_data[part_words * n], &part, sizeof part);
    }
    vec3 p = random.inside(1.0f);
    if (k % 3 == 0) {  // near a surface: along the distance to it
      const double e = 1e-6, here = all.distance(vec(p));
      const vec up(all.distance(vec(p) + vec(e, 0, 0)) - here, all.distance(vec(p) + vec(0, e, 0)) - here,
                   all.distance(vec(p) + vec(0, 0, e)) - here);
      p = vec3(vec(p) - here * up / e + 1e-3 * random.direction());
    }
    const laws::NearestSurface found = laws::from_parts(f, 0, parts, p);
    std::size_t decides = 0;
    double second = 0.0;
    const double here = all.distance(vec(p), decides, second);
    value.add(d(found.value), here, 4.0);
    const double rounding = 32.0 * ulp * 4.0;
    differs += std::abs(d(found.value)) > rounding && all.has(vec(p)) != (found.value < 0.0f);
    inside += all.has(vec(p));
    if (second < 4.0 * rounding) {
      ++tied;
      continue;
    }
    wrong_part += found.surface / part_surfaces != decides;
    taken += all.parts[decides].subtracts;
    // The gradient, where there is one: both quotients of differences agree.
    constexpr double e = 2e-6;
    vec gradient;
    bool kink = false;
    double curvature = 0.0;
    for (int a = 0; a < 3; ++a) {
      vec step(0.0);
      step[a] = e;
      const double above = all.distance(vec(p) + step), below = all.distance(vec(p) - step);
      gradient[a] = (above - below) / (2.0 * e);
      const double bend = std::abs(above - 2.0 * here + below);
      kink |= bend > 0.01 * e;
      curvature += bend / (e * e);
    }
    // Beside the rim of a cone its side and its end are equally near but for rounding, which turns the direction by up
    // to the root of 2^-23.
    const Primitive& part = all.parts[decides];
    const vec q = part.within(vec(p));
    kink |= part.kind == solid_cone && std::min(std::abs(std::abs(q.z) - part.size.z),
                                                std::abs(std::hypot(q.x, q.y) - part.size.x)) < 1e-3 * std::abs(here);
    if (kink)
      ++bent;
    else
      // A direction is as exact as the way to the surface is long, of a cone even where it is flat.
      slope.add(found.gradient, gradient, 6.0 * (1.0 + curvature + 1.0 / std::abs(here)));
  }
  CHECK(value.share() <= 1.0);
  CHECK(slope.share() <= 1.0);
  CHECK(differs == 0);
  CHECK(wrong_part == 0);
  CHECK(tied < places_tried / 50);
  CHECK(bent < places_tried / 50);
  CHECK(inside > places_tried / 10);
  CHECK(taken > places_tried / 50);
}

TEST_CASE("The surfaces of a part taken away are the planes and the cone that bound it", "[laws]") {
  Random random(16);
  Worst value, slope;
  unsigned not_nearest = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    const vec3 size(random.within(0.1, 1.0), random.within(0.1, 1.0), random.within(0.1, 1.0));
    const vec s(size);
    const vec3 p = random.inside(1.5f);
    const vec at(p);
    // A box: six faces, each by its centre and the direction from there to the middle, which is into the hole.
    const vec faces[6] = {{-s.x, 0, 0}, {s.x, 0, 0}, {0, -s.y, 0}, {0, s.y, 0}, {0, 0, -s.z}, {0, 0, s.z}};
    for (uint face = 0; face < 6; ++face) {
      const vec n = -glm::normalize(faces[face]);
      const vec4 found = laws::from_surface_of_box(face, p, size);
      value.add(d(found.w), glm::dot(at - faces[face], n), 3.0);
      slope.add(vec3(found), n, 1.0);
    }
    // A truncated cone: its ends, and the line of its side in the half plane of p.
    const double across = std::hypot(at.x, at.y);
    const glm::dvec2 lower(s.x, -s.z), upper(s.y, s.z), side = glm::normalize(upper - lower);
    const glm::dvec2 to(across - lower.x, at.z - lower.y);
    const vec out = across > 0.0 ? vec(at.x, at.y, 0.0) / across : vec(1, 0, 0);
    const vec4 found = laws::from_surface_of_cone(0, p, size);
    value.add(d(found.w), side.x * to.y - side.y * to.x, 8.0);
    slope.add(vec3(found), -side.y * out + vec(0, 0, side.x), 4.0);
    const vec4 low = laws::from_surface_of_cone(1, p, size), high = laws::from_surface_of_cone(2, p, size);
    value.add(d(low.w), at.z + s.z, 3.0);
    value.add(d(high.w), s.z - at.z, 3.0);
    slope.add(vec3(low), vec(0, 0, 1), 0.0);
    slope.add(vec3(high), vec(0, 0, -1), 0.0);
    // From inside, the surface that the gradient of the part tells is the nearest one.
    const auto excess = [&](auto from, uint surfaces, uint told) {
      double least = std::numeric_limits<double>::infinity();
      for (uint n = 0; n < surfaces; ++n)
        least = std::min(least, d(from(n).w));
      return d(from(told).w) - least;
    };
    if (glm::all(glm::lessThan(glm::abs(p), size)))
      not_nearest += excess([&](uint n) { return laws::from_surface_of_box(n, p, size); }, 6,
                            laws::surface_of_box(vec3(laws::from_box(p, size)))) > 1e-6;
    if (found.w > 0.0f && low.w > 0.0f && high.w > 0.0f)
      not_nearest += excess([&](uint n) { return laws::from_surface_of_cone(n, p, size); }, 3,
                            laws::surface_of_cone(vec3(laws::from_cone(p, size)))) > 1e-6;
  }
  // On the axis of a cone every direction leads out.
  const vec4 middle = laws::from_surface_of_cone(0, vec3(0.0f, 0.0f, 0.1f), vec3(0.5f, 0.5f, 1.0f));
  CHECK(middle.w == 0.5f);
  CHECK(glm::length(vec3(middle)) == 1.0f);
  CHECK(value.share() <= 1.0);
  CHECK(slope.share() <= 1.0);
  CHECK(not_nearest == 0);
}

TEST_CASE("Rotations by quaternions are those of Rodrigues' matrices", "[laws]") {
  Random random(17);
  Worst turn, product, back, sine;
  for (unsigned k = 0; k < places_tried; ++k) {
    const float sizes[] = {0.0f, 1e-30f, 1e-6f, 1e-3f, static_cast<float>(std::numbers::pi)};
    const float angle = random.one_of(4) ? random.within(0.0, 20.0) : sizes[random.one_of(5)];
    const vec3 v = random.one_of(8) ? vec3(random.direction() * d(angle)) : vec3(0.0f, 0.0f, angle);
    const float time = random.within(-1.0, 1.0);
    const vec3 x = random.inside(1.0f);
    // An angle in floats is as exact as its size allows.
    const double size = 4.0 + 2.0 * d(angle);
    turn.add(laws::rotated(laws::turn_by(v), x), rodrigues(vec(v)) * vec(x), size);
    turn.add(laws::rotated(laws::turn_for(v, time), x), rodrigues(d(time) * vec(v)) * vec(x), size);
    const vec4 q = attitude(random), by = laws::turn_by(v);
    product.add(laws::rotated(laws::then_turned(q, by), x), rodrigues(vec(v)) * (matrix(q) * vec(x)), size);
    back.add(laws::rotated_back(q, laws::rotated(q, x)), vec(x), 8.0);
    back.add(laws::matrix_of(q) * x, matrix(q) * vec(x), 8.0);
    const float half = random.one_of(2) ? 0.5f * angle : -0.5f * angle;
    // Beyond a quarter turn, multiples of pi in floats are taken away.
    const double reduced = std::abs(half) < 1.57f ? 0.1 : 0.25 * (1.0 + std::abs(d(half)));
    sine.add(d(in_glsl::sine(half)), std::sin(d(half)), reduced);
    sine.add(d(in_glsl::cosine(half)), std::cos(d(half)), reduced);
  }
  CHECK(turn.share() <= 1.0);
  CHECK(product.share() <= 1.0);
  CHECK(back.share() <= 1.0);
  CHECK(sine.share() <= 1.0);
}

TEST_CASE("A joint leaves its own motion, slowed by friction, driven by a motor and held by its limits", "[laws]") {
  Random random(18);
  Worst velocity, spin;
  unsigned stopped = 0, leaned = 0, near_limit = 0, held = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    Rigid rigid{};
    rigid.joint = k % 4 == 0 ? joint_free : k % 4 == 1 ? joint_revolute : k % 4 == 2 ? joint_prismatic : joint_ball;
    // A ball joint whose body leans nowhere has no direction in which to turn it back.
    const bool upright = rigid.joint == joint_ball && random.one_of(8) == 0;
    rigid.axis = upright ? vec3(0, 0, 1) : vec3(random.direction());
    const vec4 rotation = upright ? vec4(0, 0, 0, 1) : attitude(random);
    const glm::dmat3 turn = matrix(rotation);
    const float h = random.within(1e-4, 1e-2);
    const double step = d(h);
    // Moments of inertia of a body and its inverse in the world; and mass.
    const vec moments(d(random.within(0.5, 2.0)), d(random.within(0.5, 2.0)), d(random.within(0.5, 2.0)));
    rigid.inertia = mat3(glm::dmat3(vec(moments.x, 0, 0), vec(0, moments.y, 0), vec(0, 0, moments.z)));
    const bool blocked = rigid.joint != joint_ball && random.one_of(20) == 0;  // a direction in which nothing moves it
    const glm::dmat3 body_inverse(vec(1 / moments.x, 0, 0), vec(0, 1 / moments.y, 0), vec(0, 0, 1 / moments.z));
    const mat3 inverse_inertia(blocked ? glm::dmat3(0.0) : turn * body_inverse * glm::transpose(turn));
    const mat3 inverse_mass(blocked ? glm::dmat3(0.0) : glm::dmat3(d(random.within(0.5, 2.0))));
    RigidCommand command{};
    command.motor_speed = random.one_of(3) ? random.within(-2.0, 2.0) : 0.0f;
    command.motor_strength = random.one_of(3) ? random.within(0.0, 2.0 / step) : 0.0f;
    rigid.along.friction = random.one_of(3) ? random.within(0.0, 2.0 / step) : 0.0f;
    const float value = random.within(-1.0, 1.0);
    const double room = 4.0 * step;  // what it may go in a substep
    rigid.along.low = random.one_of(3) ? -1e6f : value - static_cast<float>(d(random.within(-0.1, 1.0)) * room);
    rigid.along.high = random.one_of(3)
                           ? 1e6f
                           : std::max(rigid.along.low, value + static_cast<float>(d(random.within(-0.1, 1.0)) * room));
    vec3 v = random.inside(2.0f), w = random.inside(2.0f);
    const vec before(v), spun(w), axis(rigid.axis);
    const double friction = step * d(rigid.along.friction);
    vec expected = before, turned = spun;
    double size = 8.0, spin_size = 16.0;
    if (rigid.joint == joint_ball) {
      rigid.along.low = random.within(-0.9, 0.9);  // the cosine of how far it may lean
      const glm::dmat3 inverse(inverse_inertia);
      // It leans anywhere, or about as far as it may.
      const vec side = glm::normalize(glm::cross(axis, random.direction()));
      const double lean = random.one_of(2) ? d(random.within(0.2, 2.9))
                                           : std::acos(d(rigid.along.low)) + step * d(random.within(-2.0, 2.0));
      rigid.lean = upright ? rigid.axis : vec3(glm::transpose(turn) * (rodrigues(lean * side) * axis));
      laws::joint_motion(rigid, command, value, rotation, inverse_mass, inverse_inertia, h, v, w);
      // Friction takes a part of the angular momentum away, and no more than there is.
      const double momentum = glm::length(turn * (moments * (glm::transpose(turn) * spun)));
      stopped += momentum <= friction;
      turned = momentum > friction ? spun * (1.0 - friction / momentum) : vec(0.0);
      // The cosine of the lean after the substep, axis . (l + h w x l), is no less than its limit; an impulse along the
      // gradient of that sees to it.
      const vec leaning = turn * vec(rigid.lean), gradient = step * glm::cross(leaning, axis);
      const double after = glm::dot(axis, leaning) + glm::dot(gradient, turned);
      const double answer = glm::dot(gradient, inverse * gradient);
      near_limit += std::abs(after - d(rigid.along.low)) < 1e-3;
      if (after < d(rigid.along.low)) {
        ++leaned;
        turned += inverse * gradient * ((d(rigid.along.low) - after) / answer);
      }
      const double sine = glm::length(glm::cross(axis, leaning));
      spin_size = 40.0 + 8.0 * friction + (upright ? 0.0 : 32.0 / (step * sine));
    } else {
      laws::joint_motion(rigid, command, value, rotation, inverse_mass, inverse_inertia, h, v, w);
      if (rigid.joint != joint_free) {
        const bool turns = rigid.joint == joint_revolute;
        const double ease = glm::dot(axis, glm::dmat3(turns ? inverse_inertia : inverse_mass) * axis);
        const double along = glm::dot(axis, turns ? spun : before), t = d(command.motor_speed);
        // The speed at which motor and friction, impulses of no more than h times their strength, are in balance with
        // the one that the joint would have: the sum of all three grows with the speed.
        double low = -50.0, high = 50.0;
        for (int n = 0; n < 70; ++n) {
          const double s = 0.5 * (low + high);
          const double taken = s + ease * friction * (s > 0.0 ? 1.0 : -1.0) +
                               ease * step * d(command.motor_strength) * (s > t ? 1.0 : -1.0);
          (taken > along ? high : low) = s;
        }
        const double least = (d(rigid.along.low) - d(value)) / step, most = (d(rigid.along.high) - d(value)) / step;
        const double speed = std::min(std::max(high, least), most);
        held += speed != high;
        (turns ? turned : expected) = speed * axis;
        size = spin_size = 16.0 + 4.0 * ease * (friction + step * d(command.motor_strength));
      }
    }
    velocity.add(v, expected, size);
    spin.add(w, turned, spin_size);
  }
  CHECK(velocity.share() <= 1.0);
  CHECK(spin.share() <= 1.0);
  CHECK(stopped > 200);
  CHECK(leaned > 2000);
  CHECK(near_limit > 2000);
  CHECK(held > 2000);
}

TEST_CASE("Fine grains are loose where no coarse ones carry them, and aim at the density around them", "[laws]") {
  Random random(19);
  Worst loose, aim, share;
  unsigned undecided = 0, carried = 0, partly = 0, alone = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    laws::FlowSums flow{};
    // Sums of weights of up to a few grains, the greatest of which is at most 1; at the edges of the decisions, too.
    const float weights[] = {0.0f, 1.0f, static_cast<float>(512.0 / 729.0), 0.5f};
    flow.most = random.one_of(4) ? random.within(0.0, 1.0) : weights[random.one_of(4)];
    flow.sum = random.one_of(4) ? flow.most + random.within(0.0, 1.5) : random.one_of(2) ? 1.0f : flow.most;
    flow.most = std::min(flow.most, flow.sum);
    if (random.one_of(20) == 0)
      flow.sum = flow.most = 0.0f;
    const bool plain = random.one_of(2);
    const double sum = d(flow.sum), most = d(flow.most);
    oracle::Edges edges;
    const bool inside = edges.less(std::pow(8.0 / 9.0, 3), most, 1.0);
    const bool among_many = edges.less(most, 0.6 * sum, 1.0);
    const bool covered = !plain && sum >= 1.0;
    if (edges.nearest() < 4.0 * ulp && !covered && sum > 0.0) {
      ++undecided;
    } else {
      const double expected = sum == 0.0 ? 1.0 : covered || (inside && among_many) ? 0.0 : 1.0 - most;
      loose.add(d(laws::looseness(flow, plain)), expected, 1.0);
      alone += sum == 0.0;
      carried += expected == 0.0;
      partly += expected > 0.0 && expected < 1.0;
    }
    // The aim goes from the density amidst coarse grains, by their weights and at least 0.3, to 1 where they lie to one
    // side: from an eighth of the reach 3 R that their weighted mean is away to three eighths.
    if (flow.sum == 0.0f)
      continue;
    const float radius = random.within(0.005, 0.05), per_sum = random.within(0.05, 1.5);
    const double away[] = {0.0, 0.125, 0.375, d(random.within(0.0, 0.6)), d(random.within(0.125, 0.375))};
    const double lean = away[random.one_of(5)];
    flow.lean = vec3(random.direction() * (lean * sum * 3.0 * d(radius)));
    const double density = d(per_sum) * sum, amidst = density < 0.3 ? 0.3 : density > 1.0 ? 1.0 : density;
    const double expected = lean <= 0.125   ? amidst
                            : lean >= 0.375 ? 1.0
                                            : (amidst * (0.375 - lean) + 1.0 * (lean - 0.125)) / 0.25;
    aim.add(d(laws::aim_of(flow, radius, per_sum)), expected, 4.0);
    // The part of a tent 1 - |s| in front of a flat surface: the integral up to there, exact by Simpson's rule.
    const float until = random.one_of(8) ? random.within(-1.5, 1.5) : static_cast<float>(random.one_of(3)) - 1.0f;
    const auto tent = [](double s) { return std::max(0.0, 1.0 - std::abs(s)); };
    const auto simpson = [&](double a, double b) {
      return b > a ? (b - a) / 6.0 * (tent(a) + 4.0 * tent(0.5 * (a + b)) + tent(b)) : 0.0;
    };
    const double end = std::clamp(d(until), -1.0, 1.0);
    share.add(d(laws::free_share(until)), simpson(-1.0, std::min(end, 0.0)) + simpson(0.0, end), 1.0);
  }
  CHECK(loose.share() <= 1.0);
  CHECK(aim.share() <= 1.0);
  CHECK(share.share() <= 1.0);
  CHECK(undecided < places_tried / 5);
  CHECK(carried > places_tried / 5);
  CHECK(partly > places_tried / 5);
  CHECK(alone > places_tried / 50);
}

TEST_CASE("The skin of neighbour lists follows the motion, and cells fit into their axis", "[laws]") {
  Random random(20);
  Worst boundary, of_new;
  unsigned too_many = 0, too_few = 0;
  for (unsigned k = 0; k < places_tried; ++k) {
    const float radius = random.within(0.001, 0.1);
    const laws::Motion motion{random.one_of(10) ? radius * random.spread(1e-5, 1.0) : 0.0f,
                              radius * random.spread(1e-5, 1.0)};
    const float reach = random.one_of(2) ? 0.0f : 0.1f * radius;
    // docs/numerics.md: 24 h v, at most 0.8 R; in slow motion at least max(sqrt(19 h v R), 0.05 R) + 2 more, up to 0.3
    // R.
    const double R = d(radius), steady = d(motion.steady), more = d(motion.more);
    const double slow = std::min(0.3 * R, 2.0 * more + std::max(std::sqrt(19.0 * steady * R), 0.05 * R));
    const double expected = std::min(std::max(24.0 * steady, slow), 0.8 * R);
    boundary.add(d(laws::skin_for(motion, radius)), expected, 4.0 * R);
    // Never less than the next substep needs with a tenth to spare, up to 2 R.
    const double needed = std::min(2.2 * (steady + more) + d(reach), 2.0 * R);
    of_new.add(d(laws::margin_of_new(motion, radius, reach)), std::max(expected + d(reach), needed), 4.0 * R);
    const int n = 1 + static_cast<int>(random.one_of(500));
    // A whole number of cells, or by one rounding less, which the quotient may not tell.
    const float cell = random.within(0.01, 0.1), whole = static_cast<float>(n) * cell;
    const float edges[] = {whole, std::nextafter(whole, 0.0f), random.within(0.1, 10.0)};
    const float edge = edges[random.one_of(3)];
    const int cells = laws::cells_along(edge, cell);
    too_many += static_cast<float>(cells) * cell > edge;
    too_few += static_cast<float>(cells + 1) * cell <= edge;
  }
  CHECK(boundary.share() <= 1.0);
  CHECK(of_new.share() <= 1.0);
  CHECK(too_many == 0);
  CHECK(too_few == 0);
}
