// The laws of contacts (shaders/shared/laws) against the oracle, and plain C++ against lanes.
#include "oracle.h"
#include "run.h"
#include "tests/catch.h"
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace talus_tests;
using oracle::vec;
using talus::shared::vec3;

namespace {

constexpr unsigned runs = 16, states_a_run = 6256;  // 100,096 states
constexpr const char* kinds[] = {"deep",      "grazing",  "coincident", "unequal masses",
                                 "one fixed", "sticking", "sliding",    "adhesive"};

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  float within(double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(engine_));
  }
  float spread(double low, double high) {  // every order of magnitude alike
    return static_cast<float>(std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine_)));
  }
  vec direction() {
    std::normal_distribution<double> normal;
    return glm::normalize(vec(normal(engine_), normal(engine_), normal(engine_)));
  }
  unsigned one_of(unsigned count) { return static_cast<unsigned>(engine_() % count); }

private:
  std::mt19937 engine_;
};

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
  s.law = {random.within(0.1, 0.9), 0.0f, random.spread(10.0, 1e5), random.one_of(2) ? -1.0f : random.spread(1e-4, 1.0),
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
  else if (name == "adhesive")
    s.law.adhesion = random.spread(10.0, 1e4), gap = random.within(-0.02, 0.12) * r_min, speed *= 0.01;
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
  const auto hold = static_cast<float>(oracle::impulse_hold(s.law.adhesion, gap, r_min, run.h));
  s.pressure = static_cast<float>(static_cast<double>(random.spread(1e-3, 1.0)) * mass) - 0.5f * hold;
  const float mu[] = {random.within(0.0, 0.99) * s.law.friction_static, s.law.friction_kinetic, s.law.friction_static};
  const vec turned = glm::normalize(tangent + 0.05 * random.direction());
  s.drag = vec3((random.one_of(2) ? 1.0 : -1.0) * turned) * (mu[random.one_of(3)] * (s.pressure + hold));
  s.last_drag = vec3(0.1 * mass * random.direction());
  s.last_pressure = static_cast<float>(0.1 * mass) * random.within(-1.0, 1.0);
  s.shear = vec3(random.direction() * static_cast<double>(random.spread(1e-7, 1e-4)));
  s.own_load = static_cast<float>(1 + random.one_of(16));
  s.other_load = static_cast<float>(1 + random.one_of(16));
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
      const double deep = std::abs(pair.gap) + pair.r_min, all = faster + deep / h + r.hold;
      c.near("dem hold", d(o.hold), r.hold, r.hold);
      c.near("dem reach", d(o.reach), r.reach, r.reach);
      c.near("dem brake", d(o.brake), r.brake, faster + deep / h);
      c.same("dem touches", o.touches == 1.0f, r.touches);
      c.near("dem response", o.response, r.change, all + glm::length(vec(s.spring)));
      c.near("dem spring", o.spring, r.spring, all + glm::length(vec(s.spring)));
    }
    const double pushed = std::max(-spring.stiffness * pair.gap - spring.damping * pair.normal_speed(), 0.0);
    c.near("dem_force", d(o.force), pushed, spring.stiffness * std::abs(pair.gap) + spring.damping * speeds);
  }

  const double hold = oracle::impulse_hold(d(s.law.adhesion), pair.gap, pair.r_min, h);
  c.near("impulse_hold", d(o.impulse_hold), hold, 3.0 * h * d(s.law.adhesion) * 3.2 * pair.r_min * pair.r_min);
  {
    oracle::Edges edges;
    const bool near = oracle::impulse_near(edges, pair, d(run.fall));
    if (!c.undecided("impulse_near", edges))
      c.same("impulse_near", o.is_near == 1.0f, near);
  }
  const double rate = oracle::impulse_rate(d(s.w), d(s.other_w), d(s.own_load), d(s.other_load), run.grains_both,
                                           run.split, d(run.omega));
  c.near("impulse_rate", d(o.rate), rate, rate);
  const oracle::Memory before{vec(s.drag), d(s.pressure), vec(s.shear)},
      last{vec(s.last_drag), d(s.last_pressure), vec(0.0)};
  const double impulses = glm::length(before.drag) + std::abs(before.pressure) + 3.0 * d(o.impulse_hold);
  {
    oracle::Edges edges;
    const oracle::Memory m =
        oracle::impulse_recall(edges, pair, before, d(o.impulse_hold), mu, d(run.warm), run.memory);
    if (!c.undecided("impulse_recall", edges)) {
      c.near("impulse_recall friction", d(o.friction), m.friction, m.friction);
      c.near("impulse_recall drag", o.recalled_drag, m.drag, impulses);
      c.near("impulse_recall pressure", d(o.recalled_pressure), m.pressure, impulses);
      if (run.memory)
        c.near("impulse_recall shear", o.recalled_shear, m.slipped, glm::length(before.slipped) + h * speeds);
    }
  }
  const double residual = oracle::vts_residual(pair, d(run.gamma));
  c.near("vts_residual", d(o.vts_residual), residual, speeds + std::abs(pair.gap) / h);
  c.near("sp_residual", d(o.sp_residual), oracle::sp_residual(pair, d(run.kv), d(run.kc)),
         speeds + std::abs(pair.gap) / h);
  {
    oracle::Edges edges;
    const double beta = oracle::impulse_beta(edges, pair, residual, last, mu, d(run.beta));
    const oracle::Memory m =
        oracle::impulse_iterate(edges, pair, d(o.vts_residual), before, last, d(o.impulse_hold), d(o.rate), beta, mu);
    if (!c.undecided("impulse_iterate", edges)) {
      c.near("impulse_beta", d(o.beta), beta, beta);
      const double size = impulses + glm::length(last.drag) + std::abs(last.pressure) +
                          d(o.rate) * (speeds + std::abs(d(o.vts_residual)));
      c.near("impulse_iterate pressure", d(o.pressure), m.pressure, size);
      c.near("impulse_iterate drag", o.drag, m.drag, size);
    }
  }
}

std::vector<State> states_of(unsigned number, const Run& run) {
  Random random(1000 + number);
  std::vector<State> states;
  for (unsigned k = 0; k < states_a_run; ++k)
    states.push_back(state_of(k % 8, random, run));
  return states;
}

}  // namespace

TEST_CASE("The laws of contacts of dem, vts and sp are those of the papers", "[laws]") {
  Comparison comparison;
  for (unsigned number = 0; number < runs; ++number) {
    const Run run = run_of(number);
    const std::vector<State> states = states_of(number, run);
    for (unsigned k = 0; k < states_a_run; ++k) {
      comparison.at(number, k);
      compare(comparison, states[k], run, talus::reference::run_laws(states[k], run));
    }
  }
  comparison.report();
}

#ifdef __GNUC__  // others have no lanes
TEST_CASE("The laws of contacts give the same bits in plain C++ and with lanes", "[laws]") {
  const bool wide = GENERATE(false, true);
  if (wide && !talus::cpu::runs_wide())
    return;
  unsigned differ = 0;
  for (unsigned number = 0; number < runs; ++number) {
    const Run run = run_of(number);
    const std::vector<State> states = states_of(number, run);
    std::vector<Outcome> with_lanes(states_a_run);
    (wide ? run_lanes_16 : run_lanes_8)(states.data(), with_lanes.data(), states_a_run, run);
    for (unsigned k = 0; k < states_a_run; ++k) {
      const Outcome plain = talus::reference::run_laws(states[k], run);
      differ += std::memcmp(&plain, &with_lanes[k], sizeof plain) != 0;
    }
  }
  CHECK(differ == 0);
}
#endif
