#include "oracle.h"
#include <numbers>

namespace talus_tests::oracle {
namespace {

constexpr double pi = std::numbers::pi;

// Into that plane at its old length, but no more than twice of what is left.
vec turned(vec v, vec n) {
  const vec flat = across(v, n);
  const double left = glm::length(flat);
  return left == 0.0 ? vec(0.0) : flat * std::min(glm::length(v) / left, 2.0);
}

}  // namespace

vec coulomb(Edges& edges, vec force, double pressure, Friction mu, double size) {
  const double pull = glm::length(force);
  return edges.less(mu.at_rest * pressure, pull, size) ? force / pull * (mu.in_motion * pressure) : force;
}

Geometry geometry(vec apart, double r, double other_r, double up) {
  const double distance = glm::length(apart);
  return {distance == 0.0 ? vec(0.0, 0.0, up) : apart / distance, distance - r - other_r};
}

double dem_share(double w, double r, double other_w, double other_r) {
  // A grain of radius r has about ((r + r_j) / 2 r_j)^2 times the neighbours of one among its like.
  const double here = std::pow((r + other_r) / (2.0 * other_r), 2), there = std::pow((r + other_r) / (2.0 * r), 2);
  const double neighbours = (here * w + there * other_w) / (w + other_w);
  const double alike = 1.0 - 0.5 * std::abs(w - other_w) / (w + other_w);
  return neighbours > 1.0 ? alike / neighbours : alike;
}

Spring dem_spring(double share, double mass, double h, const Spring* material) {
  const double greatest = 0.5 * mass / (h * h);
  if (!material)
    return {share * greatest, share * 2.0 * 0.11 * std::sqrt(greatest * mass)};
  const double k = std::min(material->stiffness, share * greatest);
  return {k, material->damping < 0.0 ? 2.0 * 0.11 * std::sqrt(k * mass) : std::min(material->damping, 0.4 * mass / h)};
}

DemResult dem(Edges& edges, const Pair& pair, Spring law, double adhesion, double ahead, Friction mu, vec spring,
              Across across_normal) {
  const double mass = pair.mass(), h = pair.h, held = adhesion * pi * pair.r_min * pair.r_min;  // N
  DemResult result;
  result.adhesion_limit = h * held / mass;
  result.reach = held > 0.0 ? std::min(4.0 * held / law.stiffness, 0.1 * pair.r_min) : 0.0;
  // The rest of the way to half a radius deep may be gone in this substep.
  const double left = std::max(pair.gap + pair.r_min / 2.0, 0.0) / h;
  result.speculative = -ahead - left;
  const double size = std::abs(ahead) + left;
  const bool near = edges.less(pair.gap, result.reach, pair.r_min);
  const bool too_fast = edges.less(0.0, result.speculative, size);
  result.touches = near || too_fast;

  double force = 0.0;  // N, pushing
  if (near)
    force = std::max(-law.stiffness * pair.gap - law.damping * pair.normal_speed(), -held);
  const bool brakes = edges.less(h * force / mass, result.speculative, size + h * std::abs(force) / mass);
  const double normal_impulse = brakes ? result.speculative * mass : h * force,
               friction_limit = brakes ? 0.0 : normal_impulse + h * held;  // N s

  // Tangential spring and dashpot, whose force is h f / mass as a speed.
  const vec slip = pair.ease * pair.slip();
  const vec elastic = across(spring, pair.normal) * mass - h * h * across_normal.stiffness * law.stiffness * slip;
  const vec pull = elastic - h * across_normal.damping * law.damping * slip;
  const vec friction_impulse = coulomb(edges, pull, friction_limit, mu, glm::length(pull) + friction_limit);
  result.spring = (glm::length(pull) > mu.at_rest * friction_limit ? friction_impulse : elastic) / mass;
  result.change = (normal_impulse * pair.normal + friction_impulse) / mass;
  return result;
}

double impulse_adhesion_limit(double adhesion, double gap, double r_min, double h) {
  const double ends = 0.02 * r_min, fades = 0.01 * r_min;
  const double share = gap <= fades ? 1.0 : gap >= ends ? 0.0 : (ends - gap) / (ends - fades);
  return share * h * adhesion * pi * r_min * r_min;
}

bool impulse_near(Edges& edges, const Pair& pair, double fall) {
  const double way = pair.h * (glm::length(pair.velocity) + fall);
  return edges.less(pair.gap, std::max(way, 0.05 * pair.r_min), pair.r_min);
}

double impulse_rate(double w, double other_w, double load, double other_load, bool grains, bool split, double omega) {
  const double parts = w * load + other_w * other_load;
  if (split)
    return omega / parts;
  const double even = grains ? 1.0 - 0.5 * std::abs(w - other_w) / (w + other_w) : 1.0;
  return omega * even / std::max(w + other_w, parts / 8.0);
}

Memory impulse_warm_start(Edges& edges, const Pair& pair, Memory memory, double adhesion_limit, Friction mu,
                          double warm, bool remembers) {
  const double friction_limit = memory.pressure + adhesion_limit;
  Memory start;
  start.friction = mu.at_rest;
  start.slipped = vec(0.0);
  if (remembers && edges.less(1e-3 * adhesion_limit, friction_limit, std::abs(memory.pressure) + adhesion_limit)) {
    const double pull = glm::length(memory.friction_impulse), way = glm::dot(memory.friction_impulse, pair.slip());
    const double size = std::abs(memory.pressure) + adhesion_limit;
    const bool in_motion =
        !edges.less(1e-4 * mu.in_motion * friction_limit, std::abs(pull - mu.in_motion * friction_limit), size);
    const bool at_rest = !edges.less(pull, (1.0 - 1e-4) * mu.at_rest * friction_limit, size);
    const bool turned_back = edges.less(1e-3 * pull * pull / pair.mass(), way,
                                        pull * glm::length(pair.slip()) + 1e-3 * pull * pull / pair.mass());
    if ((in_motion || at_rest) && !turned_back)
      start.friction = mu.in_motion;
    // A spring of k = 0.2 / (D h^2): it slides where it pulls with mu lambda_n / h.
    const double stiffness = 0.2 * pair.ease * pair.mass() / (pair.h * pair.h);
    const double most = start.friction * friction_limit / pair.h / stiffness;
    const vec slipped = turned(memory.slipped, pair.normal) + pair.h * pair.slip();
    start.slipped = glm::length(slipped) > most ? slipped / glm::length(slipped) * most : slipped;
  }
  start.pressure = std::max(warm * memory.pressure, -adhesion_limit);
  const double most = start.friction * (start.pressure + adhesion_limit);
  start.friction_impulse = warm * turned(memory.friction_impulse, pair.normal);
  if (glm::length(start.friction_impulse) > most)
    start.friction_impulse *= most / glm::length(start.friction_impulse);
  return start;
}

double vts_residual(const Pair& pair, double gamma) {
  return pair.normal_speed() + (pair.gap < 0.0 ? gamma * pair.gap : pair.gap) / pair.h;
}

double sp_residual(const Pair& pair, double kv, double kc) {
  return kv * pair.normal_speed() + kc * pair.gap / pair.h;
}

double impulse_beta(Edges& edges, const Pair& pair, double residual, const Memory& last, Friction mu, double beta) {
  if (mu.at_rest == mu.in_motion)
    return beta;
  const double along = residual * last.pressure, side = glm::dot(pair.slip(), last.friction_impulse);
  const double size = std::abs(along) + glm::length(pair.slip()) * glm::length(last.friction_impulse);
  return edges.less(0.0, along + side, size) ? 0.0 : beta;
}

Memory impulse_iterate(Edges& edges, const Pair& pair, double residual, const Memory& now, const Memory& last,
                       double adhesion_limit, double rate, double beta, Friction mu) {
  Memory next;
  next.slipped = vec(0.0);
  next.pressure = std::max(now.pressure - rate * residual + beta * last.pressure, -adhesion_limit);
  const vec free =
      across(now.friction_impulse + beta * last.friction_impulse, pair.normal) - rate * pair.ease * pair.slip();
  const double friction_limit = next.pressure + adhesion_limit;
  next.friction_impulse = coulomb(edges, free, friction_limit, mu, glm::length(free) + friction_limit);
  return next;
}

}  // namespace talus_tests::oracle
