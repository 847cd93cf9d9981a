// The laws of bodies, of what touches cloth, and of fine grains (shaders/shared/laws) against double precision, by
// other ways than theirs.
#include "engine/reference/rigid.h"
#include "random.h"
#include "tests/catch.h"
#include <vector>

namespace talus::reference {
namespace {
#include "shaders/shared/laws/cloth.h"
}
}  // namespace talus::reference

using namespace talus;
using namespace talus::shared;
using namespace talus_tests;
namespace laws = talus::reference;
using oracle::vec;

namespace {

constexpr unsigned count = 100000;

// Signed distance in a plane from a polygon that goes round counterclockwise.
double from_polygon(glm::dvec2 p, const std::vector<glm::dvec2>& corners) {
  double least = std::numeric_limits<double>::infinity(), turns = 0.0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const glm::dvec2 a = corners[k] - p, b = corners[(k + 1) % corners.size()] - p, side = b - a;
    const double share = std::clamp(-glm::dot(a, side) / glm::dot(side, side), 0.0, 1.0);
    least = std::min(least, glm::length(a + share * side));
    turns += std::atan2(a.x * b.y - a.y * b.x, glm::dot(a, b));
  }
  return turns > 1.0 ? -least : least;
}

// The distance of a triangle from the origin: the least of its plane's and its sides' points that lie in it.
double nearest_in_triangle(const vec (&c)[3]) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const vec side = c[(k + 1) % 3] - c[k];
    least =
        std::min(least, glm::length(c[k] + std::clamp(-glm::dot(c[k], side) / glm::dot(side, side), 0.0, 1.0) * side));
  }
  const vec n = glm::normalize(glm::cross(c[1] - c[0], c[2] - c[0])), foot = glm::dot(c[0], n) * n;
  bool inside = true;
  for (int k = 0; k < 3; ++k)
    inside = inside && glm::dot(glm::cross(c[(k + 1) % 3] - c[k], foot - c[k]), n) >= 0.0;
  return inside ? std::min(least, glm::length(foot)) : least;
}

glm::dmat3 symmetric(Random& random, double size) {
  const glm::dmat3 m(vec(random.inside(1.0f)), vec(random.inside(1.0f)), vec(random.inside(1.0f)));
  return size * (m * glm::transpose(m) + glm::dmat3(0.05));
}

}  // namespace

TEST_CASE("Distances from solids are those of their outlines", "[laws]") {
  Random random(1);
  Worst box, cone, capsule, torus, slope;
  for (unsigned k = 0; k < count; ++k) {
    const vec3 size(random.within(0.01, 1.0), random.within(0.01, 1.0), random.within(0.01, 1.0)),
        p = random.inside(1.5f);
    const vec at(p), s(size);
    const double around = 4.0, across = std::hypot(at.x, at.y);
    // A box: by its nearest point, or inside by its nearest face.
    const vec beyond = glm::max(glm::abs(at) - s, vec(0.0)), depth = s - glm::abs(at);
    const double inside = std::min({depth.x, depth.y, depth.z});
    const vec4 b = laws::from_box(p, size);
    box.add(b.w, inside > 0.0 ? -inside : glm::length(beyond), around);
    // The gradient leads to the surface: for which one may look again from there.
    slope.add(laws::from_box(p - b.w * vec3(b), size).w, 0.0, around);
    const vec4 c = laws::from_cone(p, size);
    cone.add(c.w, from_polygon({across, at.z}, {{-s.x, -s.z}, {s.x, -s.z}, {s.y, s.z}, {-s.y, s.z}}),
             around / std::min(1.0, 4.0 * s.z));
    slope.add(laws::from_cone(p - c.w * vec3(c), size).w, 0.0, around / std::min(1.0, 4.0 * s.z));
    const double above = std::clamp(at.z, -s.z, s.z);
    capsule.add(laws::from_capsule(p, size).w, std::hypot(across, at.z - above) - s.x, around);
    torus.add(laws::from_torus(p, size).w, std::hypot(across - s.x, at.z) - s.y, around);
  }
  CHECK(box.share() <= 1.0);
  CHECK(cone.share() <= 1.0);
  CHECK(capsule.share() <= 1.0);
  CHECK(torus.share() <= 1.0);
  CHECK(slope.share() <= 1.0);
}

TEST_CASE("The point of a triangle that is nearest is the nearest", "[laws]") {
  Random random(2);
  Worst nearest, sum, point, upright;
  for (unsigned k = 0; k < count; ++k) {
    laws::Triangle t;
    t.at = {random.one_of(1000), 1000 + random.one_of(1000), 2000 + random.one_of(1000)};
    vec corners[3];
    for (int c = 0; c < 3; ++c)
      corners[c] = vec(t.corner[c] = random.inside(1.0f));
    if (k % 2) {  // from a place right beside a side
      const float along = random.within(0.1, 0.9), near = 1e-4f;
      const vec3 place = t.corner[0] + along * (t.corner[1] - t.corner[0]) + near * vec3(random.direction());
      for (int c = 0; c < 3; ++c)
        corners[c] = vec(t.corner[c] -= place);
    }
    const vec across = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (glm::length(across) < 0.1)  // thin ones lose digits
      continue;
    const laws::NearestPoint found = laws::nearest_point(t);
    nearest.add(std::sqrt(static_cast<double>(found.distance2)), nearest_in_triangle(corners), 40.0);
    sum.add(found.weights.x + found.weights.y + found.weights.z, 1.0, 1.0);
    if (found.weights.z == 0.0f && found.weights.x > 0.0f && found.weights.y > 0.0f) {
      // Across the side, as near as it may be.
      const vec side = corners[1] - corners[0];
      upright.add(glm::dot(vec(found.point), side), 0.0, glm::length(vec(found.point)) * glm::length(side));
    }
    point.add(found.weights.x * t.corner[0] + found.weights.y * t.corner[1] + found.weights.z * t.corner[2],
              vec(found.point), 40.0);
  }
  CHECK(nearest.share() <= 1.0);
  CHECK(sum.share() <= 1.0);
  CHECK(point.share() <= 1.0);
  CHECK(upright.share() <= 1.0);
}

TEST_CASE("A contact moves a body as its mass and inertia say", "[laws]") {
  Random random(3);
  Worst along, across;
  for (unsigned k = 0; k < count; ++k) {
    const glm::dmat3 mass = symmetric(random, 1.0), inertia = symmetric(random, 10.0);
    const vec3 pivot = random.inside(0.1f), point = random.inside(0.5f), n(random.direction());
    const float split = 1.0f + static_cast<float>(random.one_of(8));
    // The velocity at the point that a unit impulse gives: 1/M p + (I^-1 (r x p)) x r.
    const vec r = vec(point) - vec(pivot);
    const auto answer = [&](vec p) { return mass * p + glm::cross(inertia * glm::cross(r, p), r); };
    const vec normal(n),
        side = glm::normalize(glm::cross(normal, std::abs(normal.x) < 0.5 ? vec(1, 0, 0) : vec(0, 1, 0))),
        other = glm::cross(normal, side);
    const double l = glm::dot(normal, answer(normal));
    const double s = glm::dot(side, answer(side)) + glm::dot(other, answer(other));
    const vec2 ease = laws::body_mobility(split, pivot, mat3(mass), mat3(inertia), point, n);
    const double size = static_cast<double>(split) * (4.0 + 40.0 * 4.0);
    along.add(ease.x, static_cast<double>(split) * l, size);
    across.add(ease.y, static_cast<double>(split) * s, size);
  }
  CHECK(along.share() <= 1.0);
  CHECK(across.share() <= 1.0);
}

TEST_CASE("A motor and friction are in balance with what moves a joint", "[laws]") {
  Random random(4);
  Worst worst;
  for (unsigned k = 0; k < count; ++k) {
    const float speed = random.within(-2, 2), target = random.one_of(4) ? random.within(-1, 1) : 0.0f;
    const float strength = random.within(0, 1), friction = random.within(0, 1);
    // v + friction sign(v) + strength sign(v - target) grows with v: where it is `speed`.
    double low = -5.0, high = 5.0;
    for (int n = 0; n < 60; ++n) {
      const double v = 0.5 * (low + high), t = static_cast<double>(target);
      const double taken = v + static_cast<double>(friction) * (v > 0.0 ? 1.0 : -1.0) +
                           static_cast<double>(strength) * (v > t ? 1.0 : -1.0);
      (taken > static_cast<double>(speed) ? high : low) = v;
    }
    worst.add(laws::driven(speed, target, strength, friction), high, 4.0);
  }
  CHECK(worst.share() <= 1.0);
}

TEST_CASE("A body turns freely with its angular momentum", "[laws]") {
  // A body of three different moments for a second, in steps that are made smaller: energy and momentum stay, and the
  // attitude is that of Euler's equations in double precision (Runge and Kutta of order 4).
  Rigid rigid{};
  const vec moments(0.7, 1.1, 1.9);
  rigid.inertia = mat3(glm::dmat3(vec(moments.x, 0, 0), vec(0, moments.y, 0), vec(0, 0, moments.z)));
  rigid.inverse_inertia =
      mat3(glm::dmat3(vec(1 / moments.x, 0, 0), vec(0, 1 / moments.y, 0), vec(0, 0, 1 / moments.z)));
  rigid.turning_least = vec4(1, 0, 0, 1 / moments.x - 1 / moments.y);
  rigid.turning_greatest = vec4(0, 0, 1, 1 / moments.z - 1 / moments.y);
  rigid.turning_middle = static_cast<float>(1 / moments.y);
  vec4 rotation(0, 0, 0, 1);
  vec3 spin(1.0f, 3.0f, -0.7f);
  glm::dmat3 turn(1.0);
  const vec momentum = vec(spin) * moments;
  constexpr int steps = 4000;
  const double h = 1.0 / steps;
  const auto rate = [&](const glm::dmat3& q) {
    const vec w = q * ((glm::transpose(q) * momentum) / moments);
    return glm::dmat3(glm::cross(w, q[0]), glm::cross(w, q[1]), glm::cross(w, q[2]));
  };
  for (int k = 0; k < steps; ++k) {
    laws::turn_freely(rigid, static_cast<float>(h), rotation, spin);
    const glm::dmat3 a = rate(turn), b = rate(turn + 0.5 * h * a), c = rate(turn + 0.5 * h * b), d = rate(turn + h * c);
    turn += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  // Each step errs by some 32 roundings, of either sign.
  const double allowed = 32.0 * 0x1p-24 * std::sqrt(static_cast<double>(steps));
  const glm::dmat3 found(laws::matrix_of(rotation));
  for (int c = 0; c < 3; ++c)
    CHECK(glm::length(found[c] - turn[c]) < allowed);
  CHECK(glm::length(found * (moments * (glm::transpose(found) * vec(spin))) - momentum) <
        allowed * glm::length(momentum));
}

TEST_CASE("Points of bodies push as springs and dampers do", "[laws]") {
  Random random(5);
  Worst worst, spring;
  unsigned left_out = 0;
  for (unsigned k = 0; k < count; ++k) {
    const vec3 n(random.direction()), v = random.inside(1.0f);
    const float gap = random.within(-0.01, 0.002), radius = 0.01f, h = random.within(1e-4, 1e-3);
    const vec2 ease(random.within(1, 100), random.within(1, 100));
    const PairLaw law{.friction_static = 0.6f, .friction_kinetic = random.one_of(2) ? 0.6f : 0.4f};
    const vec3 before = random.inside(0.05f);
    const float ahead = glm::dot(v, n) - h * 9.81f, speculative = laws::point_brake(gap, ahead, radius, h);
    vec3 shear = before;
    const vec3 impulse = laws::point_impulse(gap, n, v, speculative, ease, law, h, shear);
    // In SI units, with the mass that the normal sees; the damping ratio of bodies is .4.
    const double w = static_cast<double>(ease.x), step = static_cast<double>(h), mass = 1.0 / w;
    const oracle::Pair pair{
        vec(n), static_cast<double>(gap), vec(v), w, 0.0, static_cast<double>(radius), w / static_cast<double>(ease.y),
        step};
    oracle::Edges edges;
    const oracle::Spring k_and_c{0.6 * mass / (step * step), 2.0 * 0.4 * std::sqrt(0.6) * mass / step};
    const oracle::DemResult r =
        oracle::dem(edges, pair, k_and_c, 0.0, static_cast<double>(ahead),
                    {0.6, static_cast<double>(law.friction_kinetic)}, vec(before), {0.285, 0.5});
    // Bodies do not pull; without adhesion grains do not either.
    if (!r.touches)
      continue;
    if (edges.nearest() < 1e-5) {
      ++left_out;
      continue;
    }
    const double size = (4.0 * (1.0 + pair.ease) + (0.02 + std::abs(static_cast<double>(gap))) / step + 0.1) * mass;
    worst.add(impulse, r.change * mass, size);
    spring.add(shear, r.spring, size * w);
  }
  CHECK(worst.share() <= 1.0);
  CHECK(spring.share() <= 1.0);
  CHECK(left_out < count / 50);
}

TEST_CASE("Links of cloth and what touches it follow their residuals", "[laws]") {
  Random random(7);
  Worst link, normal_impulse, friction_impulse, slipped;
  double least = 10.0, most = 0.0;
  unsigned left_out = 0;
  for (unsigned k = 0; k < count; ++k) {
    const auto d = [](float x) { return static_cast<double>(x); };
    // Links: omega of what would take the residual out, of a link that yields to its own impulse by its compliance.
    const vec3 way = random.inside(0.1f), relative = random.inside(1.0f);
    const float h = random.within(1e-3, 1e-2), stiffness = random.within(0.05, 1.0), rest = random.within(0.0, 0.1);
    const float w_sum = random.within(1, 100), w_split = w_sum * random.within(1, 8), omega = random.within(0.2, 1),
                beta = random.within(0, 1);
    const ClothPull pull{random.within(-1e-2, 1e-2), random.within(-1e-2, 1e-2)};
    const laws::Link along = laws::link_along(way);
    const float residual = laws::link_residual(along, relative, rest, 0.1f, 1.0f, h);
    const double stretch = glm::length(vec(way)) - d(rest), parting = glm::dot(vec(relative), glm::normalize(vec(way)));
    link.add(residual, d(0.1f) * parting + stretch / d(h), 0.4 / d(h));
    const double compliance = (1.0 / d(stiffness) - 1.0) * d(w_sum), error = d(residual) + compliance * d(pull.sum);
    const double expected = d(pull.sum) + d(beta) * d(pull.change) - d(omega) * error / (d(w_split) + compliance);
    link.add(laws::link_relaxed(pull, stiffness, residual, w_sum, w_split, omega, beta), expected,
             0.1 + std::abs(d(residual)));
    const glm::dmat3 m = symmetric(random, 1.0);
    vec e(1.0, 0.9, 0.8);
    for (int n = 0; n < 200 && k % 50 == 0; ++n)
      e = glm::normalize(m * e);
    if (k % 50 == 0) {
      const double share = d(laws::greatest_eigenvalue(mat3(m))) / glm::length(m * e);
      least = std::min(least, share), most = std::max(most, share);
    }
    // Contacts: those of velocity time stepping by the whole residual, with a fifth of an overlap of half a radius at
    // most.
    const vec3 n(random.direction());
    const float r = 0.01f, gap = random.within(-0.01, 0.002);
    const PairLaw law{.friction_static = 0.6f, .friction_kinetic = random.one_of(2) ? 0.6f : 0.4f};
    const vec t = glm::normalize(glm::cross(vec(n), random.direction()));
    const vec3 shear = vec3(t * d(random.within(0, 1e-3))), before = vec3(t * d(random.within(-1e-2, 1e-2)));
    const float pressed = random.within(0, 2e-2);
    float now = pressed;
    vec3 drawn = before;
    const float approach = glm::dot(relative, n);
    laws::cloth_iterate(gap, r, approach, relative - approach * n, w_sum, w_sum, law, shear, h, now, drawn);
    oracle::Pair pair{vec(n), d(gap), vec(relative) + 0.2 / d(h) * vec(shear), d(w_sum), 0.0, d(r), 1.0, d(h)};
    const double error_in_gap = gap < 0.0f ? 0.2 * std::max(d(gap), -0.5 * d(r)) : d(gap);
    oracle::Edges edges;
    const oracle::Memory next = oracle::impulse_iterate(
        edges, pair, glm::dot(vec(relative), vec(n)) + error_in_gap / d(h), {vec(before), d(pressed), vec(0.0)},
        {vec(0.0), 0.0, vec(0.0)}, 0.0, 1.0 / d(w_sum), 0.0, {0.6, d(law.friction_kinetic)});
    if (edges.nearest() < 1e-5) {
      ++left_out;
      continue;
    }
    const double size = 0.05 + (6.0 + 0.01 / d(h)) / d(w_sum);
    normal_impulse.add(now, next.pressure, size);
    friction_impulse.add(drawn, next.friction_impulse, size);
    const vec all = vec(shear) + d(h) * vec(relative);
    const double limit = 0.6 * d(now) * d(w_sum) * d(h) / 0.2;
    slipped.add(laws::cloth_slipped(shear, relative, now, w_sum, h, law),
                glm::length(all) > limit ? limit / glm::length(all) * all : all, 0.02);
  }
  CHECK(link.share() <= 1.0);
  CHECK(least > 0.999999);
  CHECK(most < 1.15);
  CHECK(normal_impulse.share() <= 1.0);
  CHECK(friction_impulse.share() <= 1.0);
  CHECK(slipped.share() <= 1.0);
  CHECK(left_out < count / 50);
}

TEST_CASE("Fine grains go with the mean of the coarse ones, and leave surfaces with Coulomb's friction", "[laws]") {
  Random random(6);
  Worst sums, mean, stir, speed;
  for (unsigned k = 0; k < count / 10; ++k) {
    laws::FlowSums flow{};
    const vec3 own = random.inside(1.0f);
    const double R = 0.01;
    double weights = 0.0, squares = 0.0;
    vec way(0.0);
    std::vector<std::pair<double, vec>> seen;
    for (unsigned j = 0; j < 8; ++j) {
      const vec3 d = 0.01f * random.inside(1.7f), v = random.inside(1.0f);
      const double distance2 = glm::dot(vec(d), vec(d));
      laws::add_to_flow(d, static_cast<float>(distance2 / (9.0 * R * R)), v - own, flow);
      const double w = std::pow(std::max(0.0, 1.0 - distance2 / (9.0 * R * R)), 3);
      seen.emplace_back(w, vec(v));
      weights += w;
      way += w * vec(v);
    }
    for (const auto& [w, v] : seen)
      squares += w * glm::dot(v - way / weights, v - way / weights);
    sums.add(flow.sum, weights, 8.0);
    mean.add(own + flow.way / flow.sum, way / weights, 8.0 * 8.0 / weights);
    // The square root of a difference: to half the digits.
    stir.add(laws::stir_of(flow) * laws::stir_of(flow), squares / weights, 100.0 / weights);

    const vec3 n(random.direction()), surface = random.inside(1.0f);
    laws::FineGrain grain{random.inside(1.0f), random.inside(1.0f), 0.001f, random.one_of(2) ? 1.0f : 0.0f};
    const float friction = random.within(0.0, 1.0);
    const vec relative = vec(grain.velocity) - vec(surface), normal(n);
    const double inwards = std::max(0.0, -glm::dot(relative, normal));
    const vec slip = relative - glm::dot(relative, normal) * normal;
    vec after = relative + inwards * normal;
    if (inwards > 0.0 && grain.loose > 0.0f)
      after = slip - slip * std::min(1.0, static_cast<double>(friction) * inwards / glm::length(slip));
    laws::leave(grain, n, 0.0f, surface, friction);
    speed.add(grain.velocity, after + vec(surface), 16.0);
  }
  CHECK(sums.share() <= 1.0);
  CHECK(mean.share() <= 1.0);
  CHECK(stir.share() <= 1.0);
  CHECK(speed.share() <= 1.0);
}
