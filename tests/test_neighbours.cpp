// Contact lists against brute force over all pairs.
#include "engine/passes.h"
#include "simulate.h"
#include <map>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

using Lists = std::map<uint, std::multiset<uint>>;  // partners by id; walls as they are

Lists lists_of(Simulation& simulation) {
  Executor& e = simulation.executor();
  const uint n = simulation.grain_count();
  const auto ids = read_field<uint>(e, FieldId::grain_id, n);
  const auto counts = read_field<uint>(e, FieldId::contact_count, n);
  const auto start = read_field<uint>(e, FieldId::slice_start, e.size(FieldId::slice_start));
  const auto partners = read_field<uint>(e, FieldId::contact_partner, e.size(FieldId::contact_partner));
  Lists lists;
  for (uint i = 0; i < n; ++i) {
    auto& mine = lists[ids[i]];
    for (uint k = 0; k < counts[i]; ++k) {
      const uint partner = partners[(start[i / 16] + k) * 16 + i % 16];
      mine.insert(partner >= wall_partner ? partner : ids.at(partner));
    }
  }
  return lists;
}

// After one step of one substep the lists are those of the start.
void check_against_brute_force(Scene scene, const Options& options) {
  scene.solver.substeps = 1;
  Simulation before(scene, options), simulation(scene, options);
  const std::vector<GrainState> grains = before.grains();
  simulation.advance(1);
  const Lists lists = lists_of(simulation);
  const double margin = read_field<Status>(simulation.executor(), FieldId::status, 1)[0].margin;
  REQUIRE(margin > 0.0);
  const glm::dvec3 edge = scene.domain.max - scene.domain.min;
  std::size_t pairs = 0, wrong = 0;
  for (const GrainState& a : grains) {
    const auto& mine = lists.at(a.id);
    for (const GrainState& b : grains) {
      if (a.id == b.id) {
        wrong += mine.count(b.id);
        continue;
      }
      glm::dvec3 d = glm::dvec3(a.position) - glm::dvec3(b.position);
      for (int axis = 0; axis < 3; ++axis)
        if (scene.domain.axis[static_cast<std::size_t>(axis)] == Axis::periodic)
          d[axis] -= edge[axis] * std::round(d[axis] / edge[axis]);
      const double gap = glm::length(d) - (static_cast<double>(a.radius) + b.radius + margin);
      if (std::abs(gap) < 1e-6)
        continue;  // either is right in float
      pairs += gap < 0.0;
      wrong += mine.count(b.id) != (gap < 0.0 ? 1u : 0u);
    }
    for (int side = 0; side < 2; ++side) {
      const double gap = (side == 0 ? a.position.z - scene.domain.min.z : scene.domain.max.z - a.position.z) - a.radius;
      const uint wall = wall_partner + 4 + static_cast<uint>(side);
      if (gap < 0.9 * margin)
        wrong += mine.count(wall) != 1;
      if (gap > margin + 2.0 * scene.dt * 3.0 * glm::length(a.velocity) + 1e-6)
        wrong += mine.count(wall) != 0;
    }
  }
  CHECK(pairs > grains.size() / 4);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("Contact lists are those of brute force on the CPU path", "[neighbours]") {
  const unsigned n = GENERATE(13u, 127u, 1000u, 3000u);
  CAPTURE(n);
  check_against_brute_force(jumble(n), on_cpu);
}

TEST_CASE("Contact lists are those of brute force on the device", "[device][neighbours]") {
  const unsigned n = GENERATE(13u, 1000u);
  CAPTURE(n);
  check_against_brute_force(jumble(n), on_device());
}

TEST_CASE("A contact is found across a short periodic axis once", "[neighbours]") {
  Scene scene = scene_of(0.001, 1, 1);
  scene.domain.axis = {Axis::periodic, Axis::open, Axis::open};
  scene.domain.min = {0.0, -1.0, -1.0};
  scene.domain.max = {0.3, 1.0, 1.0};
  add_points(scene, 0.05, {{0.01, 0.0, 0.0}, {0.29, 0.0, 0.0}, {0.15, 0.0, 0.0}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(1);
  const Lists lists = lists_of(simulation);
  CHECK(lists.at(0) == std::multiset<uint>{1});
  CHECK(lists.at(1) == std::multiset<uint>{0});
  CHECK(lists.at(2).empty());
}
