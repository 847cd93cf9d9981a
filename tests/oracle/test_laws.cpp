// The laws of contacts (shaders/shared/laws) against the oracle, and plain C++ against lanes.
#include "random.h"
#include "run.h"
#include "tests/catch.h"
#include "tests/lanes.h"
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace talus_tests;
using oracle::vec;
using talus::shared::vec3;

namespace {

constexpr unsigned runs = 16, states_a_run = 6256;  // 100,096 states
constexpr const char* kinds[] = {"deep",      "grazing",  "coincident", "unequal masses",
                                 "one fixed", "sticking", "sliding",    "adhesive"};

Run run_of(unsigned number) {
  Random random(number);
  Run run{};
  run.h = random.spread(1e-4, 4e-3);
  run.fall = run.h * 9.81f;
  run.warm = random.within(0.3, 1.0);
  run.omega = random.within(0.2, 0.6);
  run.beta = random.within(0.0, 1.0);
  run.gamma = random.within(0.2, 1.0);
  run.kv = random.within(0.05, 1.0);
  run.kc = random.within(0.3, 1.0);
  run.one_division = number & 1;
  run.of_material = number & 2;
  run.last = number & 4;
  run.memory = number & 8;
  run.adheres = true;
  run.grains_both = !run.last;
  run.split = number % 3 == 0;
  run.gravity = number % 5 ? 9.81f : 0.0f;
  run.sor = random.within(0.5, 1.6);
  run.over_normal = number & 1 ? talus::shared::weight_over_p2 : talus::shared::weight_over_pbd;
  run.error_reduction = number & 2 ? random.within(0.0, 0.9) : 0.0f;
  run.mass_scaling = number & 4 ? random.within(0.0, 2000.0) : 0.0f;
  run.closes = number % 3 != 1;
  run.after = number % 3 == 1;
  run.accumulated = !run.after && number % 4 != 2;
  run.last_iteration = number & 1;
  run.plain_mean = number & 8;
  return run;
}

State state_of(unsigned kind, Random& random, const Run& run) {
  State s{};
  s.r = random.within(0.004, 0.012);
  s.other_r = random.one_of(2) ? s.r : random.within(0.004, 0.012);
  const float r_min = std::min(s.r, s.other_r);
  s.w = random.spread(100.0, 3000.0);
  s.other_w = random.one_of(2) ? s.w : random.spread(100.0, 3000.0);
  double gap = random.within(-0.05, 0.02) * r_min;
  double speed = random.spread(1e-3, 1.0), slip = random.spread(1e-3, 1.0);
  s.law = {random.within(0.1, 0.9),
           0.0f,
           random.spread(10.0, 1e5),
           random.one_of(2) ? -1.0f : random.spread(1e-4, 1.0),
           0.0f,
           0.0f,
           -1.0f,
           0.0f};
  s.law.friction_kinetic = random.one_of(2) ? s.law.friction_static : s.law.friction_static * random.within(0.3, 1.0);
  s.across = random.one_of(2) ? 1.0f : random.within(0.3, 1.0);
  const std::string name = kinds[kind];
  if (name == "deep")
    gap = -random.within(0.1, 1.5) * r_min;
  else if (name == "grazing")
    gap = random.within(-1e-3, 1e-3) * r_min;
  else if (name == "unequal masses")
    s.other_w = s.w * random.spread(1e-6, 1e6);
  else if (name == "one fixed")
    (random.one_of(2) ? s.w : s.other_w) = 0.0f;
  else if (name == "sticking")
    gap = -random.within(0.01, 0.1) * r_min, slip = 1e-6 * speed, speed = 0.0;
  else if (name == "sliding")
    slip = random.within(1.0, 10.0);
  else if (name == "adhesive") {
    s.law.adhesion = random.spread(10.0, 1e4), speed *= 0.01;
    const double gaps[] = {random.within(-0.02, 0.12) * r_min, -random.within(0.1, 1.5) * r_min,
                           random.within(0.0, 1.0) * run.h * speed};  // the last one has opened in this substep
    gap = gaps[random.one_of(3)];
  }
  vec n = random.direction();
  s.up = random.one_of(2) ? 1.0f : -1.0f;
  s.apart = vec3(n * (s.r + s.other_r + gap));
  if (name == "coincident") {
    n = vec(0.0, 0.0, s.up);
    s.apart = vec3(0.0f);
  }
  const vec tangent = glm::normalize(glm::cross(n, random.direction()));
  const vec relative = (random.one_of(4) ? -speed : speed) * n + slip * tangent;
  s.other_velocity = vec3(random.direction() * static_cast<double>(random.within(0.0, 0.5)));
  s.velocity = s.other_velocity + vec3(relative);
  s.change = vec3(0.1 * random.direction());
  s.fall = vec3(0.0f, 0.0f, -run.fall);
  const double mass = 1.0 / static_cast<double>(s.w + s.other_w);
  s.spring = vec3(random.direction() * static_cast<double>(random.spread(1e-4, 0.1)));
  // Impulses within the friction cone, at the edge of sliding, and at that of sticking.
  const auto adhesion_limit = static_cast<float>(oracle::impulse_adhesion_limit(s.law.adhesion, gap, r_min, run.h));
  s.pressure = static_cast<float>(static_cast<double>(random.spread(1e-3, 1.0)) * mass) - 0.5f * adhesion_limit;
  const float mu[] = {random.within(0.0, 0.99) * s.law.friction_static, s.law.friction_kinetic, s.law.friction_static};
  const vec turned = glm::normalize(tangent + 0.05 * random.direction());
  s.friction_impulse =
      vec3((random.one_of(2) ? 1.0 : -1.0) * turned) * (mu[random.one_of(3)] * (s.pressure + adhesion_limit));
  s.last_friction = vec3(0.1 * mass * random.direction());
  s.last_pressure = static_cast<float>(0.1 * mass) * random.within(-1.0, 1.0);
  s.shear = vec3(random.direction() * static_cast<double>(random.spread(1e-7, 1e-4)));
  s.own_load = static_cast<float>(1 + random.one_of(16));
  s.other_load = static_cast<float>(1 + random.one_of(16));
  // Corrections of the size of the gap and the way, within the friction cone and at its edges; one in four is not
  // active.
  const double size = std::abs(gap) + static_cast<double>(run.h) * (std::abs(speed) + slip);
  s.down = vec3(random.direction());
  s.sum_pressure = random.one_of(4) ? static_cast<float>(size) * random.within(0.0, 2.0) : talus::shared::not_active;
  s.kept_adhesion_limit = s.law.adhesion > 0.0f ? static_cast<float>(size) * random.spread(1e-2, 2.0) : 0.0f;
  const float cone = mu[random.one_of(3)] * std::max(s.sum_pressure, 0.0f) + s.kept_adhesion_limit;
  s.sum_friction = vec3((random.one_of(2) ? 1.0 : -1.0) * turned) * cone;
  s.sum_friction -=
      glm::dot(s.sum_friction, vec3(n)) * vec3(n) - s.kept_adhesion_limit * random.within(0.0, 1.0) * vec3(n);
  s.slipped =
      vec3((random.one_of(2) ? tangent : random.direction()) * (static_cast<double>(random.spread(1e-3, 2.0)) * size));
  s.overlap_share = random.within(0.0, 1.0);
  s.approach_share = random.within(0.0, 1.0f - s.overlap_share);
  s.weights = static_cast<float>(mass) * random.spread(0.1, 10.0);
  s.other_weights = static_cast<float>(mass) * random.spread(0.1, 10.0);
  return s;
}

// What rounding allows: a law takes up to `roundings` operations, each of which errs by 2^-24 of the terms that it
// adds.
constexpr double roundings = 24.0;

class Comparison {
public:
  // size: the sum of the magnitudes that the value was added up from.
  void near(const char* what, double value, double expected, double size) {
    Worst& worst = worst_[what];
    ++worst.compared;
    const double error = std::abs(value - expected), allowed = roundings * 0x1p-24 * size;
    if (!(error <= worst.share * allowed) || std::isnan(value)) {
      worst.share = allowed > 0.0 && std::isfinite(value) ? error / allowed : std::numeric_limits<double>::infinity();
      worst.state = where_ + ": " + std::to_string(value) + ", " + std::to_string(expected);
    }
  }
  void near(const char* what, vec3 value, vec expected, double size) {
    for (int a = 0; a < 3; ++a)
      near(what, static_cast<double>(value[a]), expected[a], size);
  }
  void same(const char* what, bool value, bool expected) { near(what, value ? 1.0 : 0.0, expected ? 1.0 : 0.0, 1.0); }
  // Was a decision too near to call? Counted, since a test that leaves much out shows nothing.
  bool undecided(const char* what, const oracle::Edges& edges) {
    const bool near_edge = edges.nearest() < 2e-6;  // some 32 roundings
    decided_[what].first += near_edge;
    decided_[what].second += 1;
    return near_edge;
  }
  void at(unsigned run, unsigned state) {
    where_ = std::string("run ") + std::to_string(run) + ", state " + std::to_string(state) + ", " + kinds[state % 8];
  }
  void report() const {
    for (const auto& [what, worst] : worst_) {
      INFO(what << ", " << worst.compared << " compared, worst at " << worst.state);
      CHECK(worst.share <= 1.0);
      CHECK(worst.compared > 20000);
    }
    for (const auto& [what, count] : decided_) {
      INFO(what << ": " << count.first << " of " << count.second << " too near an edge to call");
      CHECK(count.first < count.second / 50);
    }
  }

private:
  struct Worst {
    double share = 0.0;
    unsigned compared = 0;
    std::string state;
  };
  std::string where_;
  std::map<std::string, Worst> worst_;
  std::map<std::string, std::pair<unsigned, unsigned>> decided_;
};

void compare(Comparison& c, const State& s, const Run& run, const Outcome& o) {
  const auto d = [](float x) { return static_cast<double>(x); };
  const double reach = glm::length(vec(s.apart)) + d(s.r) + d(s.other_r);
  const oracle::Geometry g = oracle::geometry(vec(s.apart), d(s.r), d(s.other_r), d(s.up));
  c.near("normal", o.normal, g.normal, 1.0);
  c.near("gap", d(o.gap), g.gap, reach);

  // From here on with the geometry that was found.
  const vec u = vec(s.velocity) - vec(s.other_velocity);
  oracle::Pair pair{vec(o.normal), d(o.gap), u, d(s.w), d(s.other_w), std::min(d(s.r), d(s.other_r)),
                    d(s.across),   d(run.h)};
  const double D = 1.0 / pair.mass(), h = pair.h,
               speeds = glm::length(vec(s.velocity)) + glm::length(vec(s.other_velocity));
  const oracle::Friction mu{d(s.law.friction_static), d(s.law.friction_kinetic)};

  const double share = oracle::dem_share(d(s.w), d(s.r), d(s.other_w), d(s.other_r));
  c.near("dem_share", d(o.share), share, share);
  const oracle::Spring material{d(s.law.stiffness), d(s.law.damping)};
  const oracle::Spring spring = oracle::dem_spring(share, pair.mass(), h, run.of_material ? &material : nullptr);
  const double kappa = spring.stiffness * h * h * D, damping = spring.damping * h * D;
  c.near("dem_spring", d(o.kappa), kappa, kappa);
  c.near("dem_spring", d(o.damping), damping, damping);
  {
    oracle::Edges edges;
    const vec v = vec(s.velocity) + vec(s.change) + vec(s.fall) - vec(s.other_velocity);
    const double ahead = glm::dot(run.last ? v : u, pair.normal);
    const oracle::DemResult r = oracle::dem(edges, pair, spring, d(s.law.adhesion), ahead, mu, vec(s.spring));
    if (!c.undecided("dem", edges)) {
      const double faster = speeds + glm::length(vec(s.change)) + glm::length(vec(s.fall));
      const double deep = std::abs(pair.gap) + pair.r_min, all = faster + deep / h + r.adhesion_limit;
      c.near("dem hold", d(o.adhesion_limit), r.adhesion_limit, r.adhesion_limit);
      c.near("dem reach", d(o.reach), r.reach, r.reach);
      c.near("dem brake", d(o.speculative), r.speculative, faster + deep / h);
      c.same("dem touches", o.touches == 1.0f, r.touches);
      c.near("dem response", o.response, r.change, all + glm::length(vec(s.spring)));
      c.near("dem spring", o.spring, r.spring, all + glm::length(vec(s.spring)));
    }
    const double pushed = std::max(-spring.stiffness * pair.gap - spring.damping * pair.normal_speed(), 0.0);
    c.near("dem_force", d(o.force), pushed, spring.stiffness * std::abs(pair.gap) + spring.damping * speeds);
  }

  const double adhesion_limit = oracle::impulse_adhesion_limit(d(s.law.adhesion), pair.gap, pair.r_min, h);
  c.near("impulse_adhesion_limit", d(o.impulse_adhesion_limit), adhesion_limit,
         3.0 * h * d(s.law.adhesion) * 3.2 * pair.r_min * pair.r_min);
  {
    oracle::Edges edges;
    const bool near = oracle::impulse_near(edges, pair, d(run.fall));
    if (!c.undecided("impulse_near", edges))
      c.same("impulse_near", o.is_near == 1.0f, near);
  }
  const double rate = oracle::impulse_rate(d(s.w), d(s.other_w), d(s.own_load), d(s.other_load), run.grains_both,
                                           run.split, d(run.omega));
  c.near("impulse_rate", d(o.rate), rate, rate);
  const oracle::Memory before{vec(s.friction_impulse), d(s.pressure), vec(s.shear)},
      last{vec(s.last_friction), d(s.last_pressure), vec(0.0)};
  const double impulses =
      glm::length(before.friction_impulse) + std::abs(before.pressure) + 3.0 * d(o.impulse_adhesion_limit);
  {
    oracle::Edges edges;
    const oracle::Memory m =
        oracle::impulse_warm_start(edges, pair, before, d(o.impulse_adhesion_limit), mu, d(run.warm), run.memory);
    if (!c.undecided("impulse_warm_start", edges)) {
      c.near("impulse_warm_start friction", d(o.friction), m.friction, m.friction);
      c.near("impulse_warm_start drag", o.remembered_drag, m.friction_impulse, impulses);
      c.near("impulse_warm_start pressure", d(o.remembered_pressure), m.pressure, impulses);
      if (run.memory)
        c.near("impulse_warm_start shear", o.remembered_shear, m.slipped, glm::length(before.slipped) + h * speeds);
    }
  }
  const double residual = oracle::vts_residual(pair, d(run.gamma));
  c.near("vts_residual", d(o.vts_residual), residual, speeds + std::abs(pair.gap) / h);
  c.near("sp_residual", d(o.sp_residual), oracle::sp_residual(pair, d(run.kv), d(run.kc)),
         speeds + std::abs(pair.gap) / h);
  {
    oracle::Edges edges;
    const double beta = oracle::impulse_beta(edges, pair, residual, last, mu, d(run.beta));
    const oracle::Memory m = oracle::impulse_iterate(edges, pair, d(o.vts_residual), before, last,
                                                     d(o.impulse_adhesion_limit), d(o.rate), beta, mu);
    if (!c.undecided("impulse_iterate", edges)) {
      c.near("impulse_beta", d(o.beta), beta, beta);
      const double size = impulses + glm::length(last.friction_impulse) + std::abs(last.pressure) +
                          d(o.rate) * (speeds + std::abs(d(o.vts_residual)));
      c.near("impulse_iterate pressure", d(o.pressure), m.pressure, size);
      c.near("impulse_iterate drag", o.friction_impulse, m.friction_impulse, size);
    }
  }
}

void compare_positions(Comparison& c, const State& s, const Run& run, const Outcome& o) {
  const auto d = [](float x) { return static_cast<double>(x); };
  oracle::Pair pair{vec(o.normal), d(o.gap),     vec(s.velocity) - vec(s.other_velocity),
                    d(s.w),        d(s.other_w), std::min(d(s.r), d(s.other_r)),
                    d(s.across),   d(run.h)};
  const double D = 1.0 / pair.mass(), reach = d(s.r) + d(s.other_r), adhesion_limit = d(s.kept_adhesion_limit),
               gravity = d(run.gravity);
  const double ways = pair.h * (glm::length(vec(s.velocity)) + glm::length(vec(s.other_velocity)));
  const double pressed = std::max(d(s.sum_pressure), 0.0), overlap = std::max(-pair.gap, 0.0);
  const oracle::Friction mu{d(s.law.friction_static), d(s.law.friction_kinetic)};

  bool holds = false, decided = true;
  {
    oracle::Edges edges;
    const double held = oracle::p2_adhesion_limit(edges, pair, (pair.gap + reach) * pair.normal, reach,
                                                  d(s.law.adhesion), !run.grains_both);
    if (!c.undecided("p2_adhesion_limit", edges))
      c.near("p2_adhesion_limit", d(o.p2_adhesion_limit), held,
             pair.h * pair.h * D * d(s.law.adhesion) * 6.3 * pair.r_min * (reach + ways + std::abs(pair.gap)));
    else
      decided = false;
    holds = held > 0.0;
  }
  if (decided)
    c.same("p2_active", o.p2_active == 1.0f, s.sum_pressure >= 0.0f || o.gap <= 0.0f || holds);

  const double W = oracle::weight(pair, pressed + overlap + adhesion_limit, gravity);
  c.near("contact_weight", d(o.weight), W, W);
  const double new_here = run.closes && s.sum_pressure <= 0.0f ? d(o.weight) : 0.0;
  const oracle::Parts parts = oracle::parts(pair, d(o.weight), d(s.weights) + new_here, d(s.other_weights) + new_here,
                                            run.grains_both, {d(run.over_normal) * d(run.sor), d(run.sor)});
  if (o.weight == 0.0f || W > 1e-20) {
    c.near("share_normal", d(o.share_normal), parts.along, parts.along);
    c.near("share_tangential", d(o.share_tangential), parts.across, parts.across);
  }
  const double split = d(s.w) * d(s.own_load) + d(s.other_w) * d(s.other_load);
  c.near("w_of_parts", d(o.w_of_parts), split, split);
  {
    oracle::Edges edges;
    const bool counts = edges.less(pair.gap, 1e-3 * reach, reach);
    if (!c.undecided("takes_part", edges))
      c.same("takes_part", o.takes_part == 1.0f, counts || s.sum_pressure > 0.0f || adhesion_limit > 0.0);
  }

  const oracle::Parts applied{d(o.share_normal), d(o.share_tangential)};
  const oracle::Correction now{vec(s.sum_friction), pressed, vec(0.0)};
  const vec slipped(s.slipped);
  // A slip that is turned into a plane that it hardly lies in keeps its length, with the error of its direction.
  const double flat = glm::length(slipped - glm::dot(slipped, pair.normal) * pair.normal);
  const double turned = glm::length(slipped) * glm::length(slipped) / flat;
  const double sums = glm::length(now.friction_impulse) + pressed + adhesion_limit + std::abs(pair.gap) + ways;
  {
    oracle::Edges edges;
    const oracle::Correction next = oracle::p2_iterate(edges, pair, now, {d(s.overlap_share), d(s.approach_share)},
                                                       applied, adhesion_limit, mu, run.memory ? &slipped : nullptr);
    if (!c.undecided("p2_iterate", edges)) {
      const double size = sums + (run.memory ? turned : 0.0);
      c.near("p2_iterate pressure", d(o.p2_pressure), next.pressure, sums);
      c.near("p2_iterate drag", o.p2_friction, next.friction_impulse, size);
      c.near("p2_iterate change", o.p2_change, next.change, size);
    }
  }
  if (s.other_w > 0.0f) {
    const double up = -glm::dot(pair.normal, vec(s.down)), eps = d(run.error_reduction);
    const double part = s.w > 0.0f ? oracle::p2_part(d(s.w), d(s.other_w), up, eps) : 0.0;
    c.near("p2_part", d(o.p2_part), part, part * 2.0 / (1.0 - eps));
    const double mass = s.w > 0.0f ? d(o.p2_part) / d(s.w) : 1.0 / d(s.other_w);
    c.near("p2_mass", d(o.p2_mass), mass, mass);
  } else
    c.near("p2_part", d(o.p2_part), 1.0, 1.0);
  {
    oracle::Edges edges;
    const vec after = oracle::p2_slipped(edges, pair, slipped, pressed, adhesion_limit, mu);
    if (!c.undecided("p2_slipped", edges))
      c.near("p2_slipped", o.p2_slipped, after, (turned + ways + pressed + adhesion_limit) / pair.ease);
  }

  const bool once = run.after && run.last_iteration;
  {
    oracle::Edges edges;
    const bool overlaps = edges.less(pair.gap, -1e-5 * pair.r_min, 1e-5 * pair.r_min);
    if (!c.undecided("pbd_touches", edges))
      c.same("pbd_touches", o.pbd_touches == 1.0f, overlaps || (once && pressed > 0.0));
  }
  const double rise =
      std::clamp(d(run.mass_scaling) * glm::dot(vec(s.down), (pair.gap + reach) * pair.normal), -60.0, 60.0);
  c.near("pbd_scaled", d(o.pbd_scaled), d(s.other_w) * std::exp(rise),
         d(s.other_w) * std::exp(rise) * (1.0 + d(run.mass_scaling) * (std::abs(pair.gap) + 2.0 * reach)));
  c.near("pbd_bears", d(o.pbd_bears), once && pressed > 0.0 ? pressed : pressed + overlap, pressed + overlap);
  {
    oracle::Edges edges;
    const oracle::Bound bound = run.after         ? (run.last_iteration ? oracle::Bound::weight : oracle::Bound::none)
                                : run.accumulated ? oracle::Bound::sums
                                                  : oracle::Bound::iteration;
    const oracle::Correction next = oracle::pbd_iterate(
        edges, pair,
        {now.friction_impulse - glm::dot(now.friction_impulse, pair.normal) * pair.normal, pressed, vec(0.0)}, applied,
        mu, bound, gravity);
    if (!c.undecided("pbd_iterate", edges)) {
      const double size = sums + gravity * pair.h * pair.h;
      c.near("pbd_iterate pressure", d(o.pbd_pressure), next.pressure, size);
      c.near("pbd_iterate drag", o.pbd_friction, next.friction_impulse, size);
      c.near("pbd_iterate change", o.pbd_change, next.change, size);
    }
  }
  // Stabilization: out of each other by inverse masses, in a mean that the mass at the contact weighs.
  if (s.w > 0.0f) {
    const double mass = 1.0 / (d(s.w) + d(s.other_w > 0.0f ? s.other_w : s.w)), way = -pair.gap * d(s.w) / D;
    c.near("pbd_apart", d(o.pbd_weight), run.plain_mean ? 1.0 : mass, run.plain_mean ? 1.0 : mass);
    c.near("pbd_apart", o.pbd_apart, (run.plain_mean ? 1.0 : mass) * way * pair.normal,
           (run.plain_mean ? 1.0 : mass) * std::abs(way));
  }

  // Sleep, and the relaxation, which have no lanes.
  {
    oracle::Edges edges;
    const double speed = glm::length(vec(s.velocity)), gained = glm::length(vec(s.change));
    const vec3 start = s.velocity - s.change * run.warm;
    const double added = glm::length(vec(s.velocity) - vec(start)), rest = 0.1 * gravity * pair.h * 300.0;
    const float h = run.h * 300.0f;  // so that both happen
    const bool slow = edges.less(speed, 0.3, speed + 0.3), idle = !edges.less(rest, added, speed + gained + rest);
    if (!c.undecided("p2_sleeps", edges))
      c.same("p2_sleeps", talus::reference::p2_sleeps(s.velocity, start, 0.3f, h, run.gravity), slow && idle);
  }
  const float n = static_cast<float>(1 + static_cast<int>(s.own_load) * 3);
  const talus::shared::PairLaw law{0.0f, 0.0f, s.law.stiffness, std::max(s.law.damping, 0.0f), 0.0f};
  const talus::reference::Relaxation relax = talus::reference::relaxation(law, s.w + s.other_w, run.h, n);
  const oracle::Taken taken = oracle::p2_taken(pair, {d(law.stiffness), d(law.damping)}, d(n));
  c.near("relaxation", d(relax.overlap), taken.overlap, taken.overlap);
  c.near("relaxation", d(relax.approach), taken.approach, taken.approach);
}

std::vector<State> states_of(unsigned number, const Run& run) {
  Random random(1000 + number);
  std::vector<State> states;
  for (unsigned k = 0; k < states_a_run; ++k)
    states.push_back(state_of(k % 8, random, run));
  return states;
}

// Each state of each run, as `compares` does it.
void compare_all(void (*compares)(Comparison&, const State&, const Run&, const Outcome&)) {
  Comparison comparison;
  for (unsigned number = 0; number < runs; ++number) {
    const Run run = run_of(number);
    const std::vector<State> states = states_of(number, run);
    for (unsigned k = 0; k < states_a_run; ++k) {
      comparison.at(number, k);
      compares(comparison, states[k], run, talus::reference::run_laws(states[k], run));
    }
  }
  comparison.report();
}

}  // namespace

TEST_CASE("The laws of contacts of dem, vts and sp are those of the papers", "[laws]") {
  compare_all(compare);
}

TEST_CASE("The laws of contacts of p2 and pbd are those of the papers", "[laws]") {
  compare_all(compare_positions);
}

namespace in_glsl {
using std::exp;
using std::log;
#include "shaders/shared/laws/series.h"
}  // namespace in_glsl

TEST_CASE("Logarithms and exponentials are found without cancellation", "[laws]") {
  Random random(1);
  double log_error = 0.0, exp_error = 0.0;
  for (unsigned k = 0; k < 100000; ++k) {
    const float x = random.spread(1e-8, 1e3);
    const double expected = std::log1p(static_cast<double>(x)), share = -std::expm1(-static_cast<double>(x));
    log_error = std::max(log_error, std::abs(static_cast<double>(in_glsl::log_1p(x)) / expected - 1.0));
    exp_error = std::max(exp_error, std::abs(static_cast<double>(in_glsl::one_minus_exp(x)) / share - 1.0));
  }
  CHECK(log_error < 5.0 * 0x1p-24);
  CHECK(exp_error < 3.0 * 0x1p-24);
}

#ifdef __GNUC__  // others have no lanes
TEST_CASE("The laws of contacts give the same bits in plain C++ and with lanes", "[laws]") {
  const int lanes = each_lanes();
  CAPTURE(lanes);
  unsigned differ = 0;
  for (unsigned number = 0; number < runs; ++number) {
    Run run = run_of(number);
    std::vector<State> states = states_of(number, run);
    run.rebounds = number % 2 == 1;
    Random random(2000 + number);
    for (State& state : states)
      if (run.rebounds && random.one_of(2) == 0) {
        state.law.restitution = random.within(0.05, 1.0);
        state.law.rebound_ratio = random.within(0.0, 1.0);
        state.law.rebound_kappa = random.within(0.1, 1.25);
        state.law.tangential = random.within(0.6, 1.0);
      }
    std::vector<Outcome> with_lanes(states_a_run);
    (lanes == 16  ? run_lanes_16
     : lanes == 8 ? run_lanes_8
                  : run_lanes_4)(states.data(), with_lanes.data(), states_a_run, run);
    for (unsigned k = 0; k < states_a_run; ++k) {
      const Outcome plain = talus::reference::run_laws(states[k], run);
      differ += std::memcmp(&plain, &with_lanes[k], sizeof plain) != 0;
    }
  }
  CHECK(differ == 0);
}
#endif
