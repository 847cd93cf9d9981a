// The declaration of a field decides how it lives: a field that no other line of code names shows it (grain_mark).
#include "engine/gpu/graph.h"
#include "engine/reference/space.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include <map>
#include <numeric>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

std::uint32_t mark_for(std::uint32_t world, std::uint32_t id) {
  return 1 + 2654435761u * (id + 1000003u * world);
}

struct Place {
  std::uint32_t at, mark;
};
using Marks = std::map<std::pair<std::uint32_t, std::uint32_t>, Place>;  // by world and id, of grains that are there

Marks marks_of(Simulation& simulation) {
  Executor& executor = simulation.executor();
  const std::uint32_t places = simulation.grain_places(), each = places / simulation.worlds();
  const auto grains = read_field<Grain>(executor, FieldId::grains, places);
  const auto ids = read_field<uint>(executor, FieldId::grain_id, places);
  const auto marks = read_field<uint>(executor, FieldId::grain_mark, places);
  Marks found;
  for (std::uint32_t i = 0; i < places; ++i)
    if (grains[i].position.w > 0.0f)
      found[{i / each, ids[i]}] = {i, marks[i]};
  return found;
}

void mark_all(Simulation& simulation) {
  auto marks = read_field<uint>(simulation.executor(), FieldId::grain_mark, simulation.grain_places());
  for (const auto& [grain, place] : marks_of(simulation))
    marks[place.at] = mark_for(grain.first, grain.second);
  write_field(simulation.executor(), FieldId::grain_mark, marks);
}

// Grains that `before` has keep their marks, others have none. How many of each.
struct Counts {
  std::size_t kept = 0, fresh = 0, moved = 0;
};
Counts compare(const Marks& before, const Marks& after) {
  Counts counts;
  std::size_t wrong = 0;
  for (const auto& [grain, place] : after) {
    const auto found = before.find(grain);
    ++(found == before.end() ? counts.fresh : counts.kept);
    wrong += place.mark != (found == before.end() ? 0 : found->second.mark);
    counts.moved += found != before.end() && place.at != found->second.at;
  }
  CHECK(wrong == 0);
  return counts;
}

Options with_marks(Options options) {
  options.marks = true;
  return options;
}

// Grains fall past an emitter onto a sieve of sinks that takes most of them, so that places are given up.
Scene coming_and_going() {
  Scene scene = with(box_of(2500), default_solver(Method::dem));
  scene.grains[0].velocity = {0.0, 0.0, -2.0};
  const double edge = scene.domain.max.x;
  SinkSpec sink;
  sink.name = "left";
  sink.parts = {{BoxPart{{0.8 * edge, 2.0, 0.04}}}};
  sink.position = {0.4 * edge, 0.0, 0.02};
  scene.sinks = {sink};
  Emitter spout;
  spout.radius_min = spout.radius_max = 0.3 * scene.grains[0].radius_min;
  spout.velocity = {0.0, 0.0, -1.0};
  spout.shape = CylinderFill{{0.5 * edge, 0.5 * scene.domain.max.y, 0.9 * scene.domain.max.z}, 0.1 * edge, 0.05};
  spout.rate = 2000.0;
  spout.stop = 0.3;
  scene.emitters = {spout};
  return scene;
}

void stays_with_its_grain(const Options& options, int steps) {
  Simulation simulation(coming_and_going(), with_marks(options));
  mark_all(simulation);
  const Marks start = marks_of(simulation);
  std::size_t most_moved = 0, most_fresh = 0;
  for (int i = 0; i < steps; i += 10) {
    simulation.advance(10);
    const Counts counts = compare(start, marks_of(simulation));
    most_moved = std::max(most_moved, counts.moved);
    most_fresh = std::max(most_fresh, counts.fresh);
  }
  CHECK(most_moved > 1000);  // sorted
  CHECK(most_fresh > 20);    // born
  CHECK(simulation.grain_count() + 1500 < simulation.grains_born());
  CHECK(simulation.grain_places() < simulation.grains_born());  // moved up
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

void comes_back(const Options& options) {
  Scene scene = with(box_of(300), default_solver(Method::dem));
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  Options marked = with_marks(options);
  marked.contact_slots = 100'000;  // to make more, the host would write the settings, too
  Simulation simulation(scene, marked);
  simulation.advance(5);
  mark_all(simulation);
  const Marks before = marks_of(simulation);
  const std::uint64_t hash = simulation.state_hash();
  // The batch that fails sorts the grains in its first step: they lie elsewhere, and the lists are void.
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
  for (Grain& grain : grains)
    grain.position.x = -grain.position.x;
  write_field(simulation.executor(), FieldId::grains, grains);
  auto worlds = read_field<World>(simulation.executor(), FieldId::worlds, 1);
  worlds[0].lists.travel = lists_invalid;
  write_field(simulation.executor(), FieldId::worlds, worlds);
  const std::uint64_t mirrored = simulation.state_hash(), rebuilds = simulation.rebuilds();
  CHECK(mirrored != hash);
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  REQUIRE_THROWS_AS(simulation.advance(1), StateError);
  CHECK(simulation.rebuilds() > rebuilds);
  CHECK(compare(before, marks_of(simulation)).kept == 300);
  CHECK(simulation.state_hash() == mirrored);
}

void goes_on_in_worlds(const Options& options) {
  Scene scene = jumble_with_bodies(300);
  scene.worlds = 3;
  Options marked = with_marks(options);
  marked.shelves = 1;
  Simulation simulation(scene, marked);
  simulation.advance(2);
  mark_all(simulation);
  const Marks start = marks_of(simulation);
  const std::uint32_t from = 2, to = 0, second = 1;
  simulation.save_world(second, 0);
  simulation.fork_world(from, std::span(&to, 1));
  simulation.reset_worlds(std::span(&second, 1));
  simulation.advance(2);
  // World 0 has the marks of world 2, and world 1 has none again.
  std::size_t wrong = 0, count = 0;
  const auto check = [&](std::uint32_t world, auto expected) {
    for (const auto& [grain, place] : marks_of(simulation))
      if (grain.first == world)
        ++count, wrong += place.mark != expected(grain.second);
  };
  check(0, [](std::uint32_t id) { return mark_for(2, id); });
  check(1, [](std::uint32_t) { return 0u; });
  check(2, [](std::uint32_t id) { return mark_for(2, id); });
  CHECK(wrong == 0);
  CHECK(count == start.size());
  CHECK(simulation.state_hash(0) == simulation.state_hash(2));
  simulation.restore_world(0, std::span(&to, 1));
  check(0, [](std::uint32_t id) { return mark_for(1, id); });
  CHECK(wrong == 0);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("A field that follows grains stays with them while these are sorted, born, taken and moved up", "[fields]") {
  stays_with_its_grain(on_cpu, 80);
}
TEST_CASE("A field that follows grains stays with them on the device, in lockstep", "[device][lockstep][fields]") {
  stays_with_its_grain(in_lockstep(), 80);
}

TEST_CASE("A field that follows grains comes back with the last valid state", "[fields]") {
  comes_back(on_cpu);
}
TEST_CASE("A field that follows grains comes back on the device", "[device][fields]") {
  comes_back(on_device());
}

TEST_CASE("A field that follows grains is part of a world", "[fields][worlds]") {
  goes_on_in_worlds(on_cpu);
}
TEST_CASE("A field that follows grains is part of a world on the device, in lockstep",
          "[device][lockstep][fields][worlds]") {
  goes_on_in_worlds(in_lockstep());
}

TEST_CASE("A field that follows grains is part of a checkpoint and of the state's hash", "[fields][io]") {
  Scratch scratch;
  const Scene scene = coming_and_going();
  const Options marked = with_marks(on_cpu);
  Simulation first(scene, marked), second(scene, marked), plain(scene, on_cpu);
  const std::uint64_t unmarked = first.state_hash();
  mark_all(first);
  CHECK(first.state_hash() != unmarked);
  first.advance(30);
  first.save(scratch / "state.talus");
  second.resume(scratch / "state.talus");
  CHECK(compare(marks_of(first), marks_of(second)).kept == first.grain_count());
  CHECK(second.state_hash() == first.state_hash());
  first.advance(10);
  second.advance(10);
  CHECK(compare(marks_of(first), marks_of(second)).kept == first.grain_count());
  CHECK(second.state_hash() == first.state_hash());
  // A file of a time when there was no such field has none to read where it is wanted.
  plain.advance(3);
  Checkpoint old = plain.checkpoint();
  old.fields.erase("grain_mark");
  Simulation again(scene, on_cpu);
  again.resume(old);
  CHECK(again.state_hash() == plain.state_hash());
  CHECK_THROWS_WITH(second.resume(old), Catch::Contains("grain_mark"));
}

TEST_CASE("Lockstep finds a difference in a field that follows grains", "[device][lockstep][fields]") {
  Simulation simulation(jumble(127), with_marks(in_lockstep()));
  gpu::Graph graph(*simulation.gpu_device());
  const std::uint32_t other = 7;  // on the device alone
  graph.upload(*simulation.executor().gpu_buffer(FieldId::grain_mark), std::as_bytes(std::span(&other, 1)), 0);
  graph.finish();
  REQUIRE_THROWS_WITH(simulation.advance(1), Catch::Contains("pass grid_gather: grain_mark_next["));
}

TEST_CASE("A field that is not wanted has no elements", "[fields]") {
  Simulation simulation(jumble(127), on_cpu);
  CHECK(simulation.executor().size(FieldId::grain_mark) == 0);
}

TEST_CASE("A field behind another one shares its buffer and is sized, written and read by itself", "[device][fields]") {
  Scene scene = jumble(20);
  scene.materials = {{.name = "a", .friction_static = 0.9}, {.name = "b"}, {.name = "c"}};
  Simulation simulation(scene, on_device()), reference(scene, on_cpu);
  Executor& executor = simulation.executor();
  const std::size_t laws = executor.size(FieldId::pair_laws);
  CHECK(laws == 16);
  CHECK(executor.gpu_buffer(FieldId::pair_laws) == executor.gpu_buffer(FieldId::settings));
  const auto words_of = [&](Executor& of, FieldId id, std::size_t bytes) {
    std::vector<uint> words(bytes / sizeof(uint));
    of.read(id, std::as_writable_bytes(std::span(words)));
    return words;
  };
  const auto settings = words_of(executor, FieldId::settings, sizeof(Settings));
  CHECK(settings == words_of(reference.executor(), FieldId::settings, sizeof(Settings)));
  CHECK(words_of(executor, FieldId::pair_laws, laws * sizeof(PairLaw)) ==
        words_of(reference.executor(), FieldId::pair_laws, laws * sizeof(PairLaw)));
  std::vector<PairLaw> more(25, PairLaw{0.5f, 0.25f, 1.0f, 2.0f, 3.0f});
  executor.resize(FieldId::pair_laws, more.size());
  write_field(executor, FieldId::pair_laws, more);
  CHECK(words_of(executor, FieldId::settings, sizeof(Settings)) == settings);
  CHECK(read_field<PairLaw>(executor, FieldId::pair_laws, 25)[24].damping == more[24].damping);
  executor.keep(FieldId::pair_laws, 1);
  executor.finish();
  CHECK(std::ranges::equal(executor.kept(FieldId::pair_laws).first(sizeof(PairLaw)),
                           std::as_bytes(std::span(more).first(1))));
}

TEST_CASE("The state of a contact has the members that the method needs and no others", "[fields]") {
  const auto components = [](Method method, auto... changes) {
    Solver solver = default_solver(method);
    (changes(solver), ...);
    Simulation simulation(with(jumble(127), solver), on_cpu);
    Executor& e = simulation.executor();
    const auto contacts = read_field<Settings>(e, FieldId::settings, 1)[0].contacts;
    CHECK(e.size(FieldId::contact_state) == contacts.state_words * e.size(FieldId::contact_partner));
    return contacts.state_words;
  };
  const auto forgets = [](Solver& s) { s.contact_memory = false; };
  const auto with_momentum = [](Solver& s) { s.iteration = Iteration::improved_jacobi; };
  const auto splits = [](Solver& s) { s.iteration = Iteration::mass_splitting; };
  CHECK(components(Method::dem) == 3);                            // shear
  CHECK(components(Method::pbd) == 4);                            // sum
  CHECK(components(Method::p2, forgets) == 4);                    // sum
  CHECK(components(Method::p2) == 4 + 3);                         // sum, shear
  CHECK(components(Method::vts, splits) == 4 + 3 + 1);            // sum, shear, friction
  CHECK(components(Method::sp, with_momentum) == 4 + 3 + 4 + 1);  // and change
  CHECK(components(Method::sp, with_momentum, forgets) == 4 + 4);
}

TEST_CASE("Contacts keep their history where another iteration lays their state out anew", "[fields]") {
  Solver solver = default_solver(Method::vts);
  solver.iteration = Iteration::mass_splitting;
  Scene scene = with(jumble(300), solver);
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  const auto histories = [&] {
    const Fields f = fields_of(simulation.executor(), {FieldId::settings, FieldId::contact_state});
    std::vector<vec4> sums;
    std::vector<vec3> shears;
    for (std::size_t slot = 0; slot < simulation.executor().size(FieldId::contact_partner); ++slot) {
      sums.push_back(reference::vec4_at(f.contact_state, reference::sum_at(f, slot)));
      shears.push_back(reference::vec3_at(f.contact_state, reference::shear_at(f, slot)));
    }
    return std::pair(sums, shears);
  };
  const auto before = histories();
  CHECK(std::ranges::count_if(before.first, [](const vec4& sum) { return sum.w > 0.0f; }) > 100);
  scene.solver.iteration = Iteration::improved_jacobi;
  scene.solver.omega = 0.5;
  simulation.change(scene);
  CHECK(histories() == before);
  simulation.advance(5);
  scene.solver = solver;
  simulation.change(scene);
  CHECK(std::ranges::count_if(histories().first, [](const vec4& sum) { return sum.w > 0.0f; }) > 100);
}
