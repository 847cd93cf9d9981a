// What a live view asks of a simulation: steps without waiting, and other settings on the way.
#include "engine/gpu/graph.h"
#include "engine/scene/text.h"
#include "engine/scene/words.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <future>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

// Grains of an emitter on a body that moves, in a world that some leave.
Scene busy() {
  Scene scene = pouring(2, 3, 2.0);
  scene.bodies = {body_of("table", {{BoxPart{{0.3, 0.3, 0.02}}}}, {0.0, 0.0, 0.15})};
  scene.bodies[0].velocity = {0.02, 0.0, 0.0};
  scene.bodies[0].spin = {0.0, 0.0, 3.0};
  scene.sinks.push_back({.name = "drain", .position = {0.0, 0.0, 0.05}, .parts = {{BoxPart{{2.0, 2.0, 0.1}}}}});
  return scene;
}

void starts_as_it_advances(const Scene& scene, const Options& options) {
  Simulation waiting(scene, options), live(scene, options);
  for (int i = 0; i < 10; ++i) {
    waiting.advance(5);
    live.start(5);
    CHECK(live.under_way());
    live.finish();
    CHECK_FALSE(live.under_way());
  }
  CHECK(live.step() == 50);
  CHECK(live.grain_count() == waiting.grain_count());
  CHECK(live.load_history().size() == waiting.load_history().size());
  CHECK(live.body_loads()[0].force == waiting.body_loads()[0].force);
  CHECK(live.state_hash() == waiting.state_hash());
  CHECK(complaints(live) == std::vector<std::string>{});
}

// No room for contacts at first: the steps stop in their midst.
void grows_at_the_finish(const Options& options) {
  Options narrow = options;
  narrow.contact_slots = 16;
  Simulation wide(box_of(100), options), live(box_of(100), narrow);
  wide.advance(40);
  live.start(40);
  live.finish();
  CHECK(live.step() == 40);
  CHECK(live.state_hash() == wide.state_hash());
}

void falls_back_at_the_finish(const Options& options) {
  Scene scene = box_of(20);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  Simulation simulation(scene, options);
  simulation.advance(5);
  const std::uint64_t before = simulation.state_hash();
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  simulation.start(3);
  REQUIRE_THROWS_AS(simulation.finish(), StateError);
  CHECK_FALSE(simulation.under_way());
  CHECK(simulation.step() == 5);
  CHECK(simulation.state_hash() == before);
}

double mean_height(Simulation& simulation) {
  double sum = 0.0;
  const auto grains = simulation.grains();
  for (const GrainState& g : grains)
    sum += static_cast<double>(g.position.z);
  return sum / static_cast<double>(grains.size());
}

// A bed at rest stays so, whatever method it goes on with.
void rests_with_every_method(const Options& options, const std::vector<Method>& methods) {
  Scene scene = scene_of(1.0 / 240, 8, 8);
  const double radius = 0.01;
  add_bed(scene, 0.05, 0.3, radius, 0.1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.materials[0].rolling_friction = 0.1;  // without it some would go on to spin where they are
  Simulation simulation(scene, options);
  simulation.advance(360);
  double height = mean_height(simulation);
  REQUIRE(simulation.measure().kinetic_energy < 1e-7);
  // What all grains gain by falling a hundredth of a radius.
  const double weight = static_cast<double>(simulation.grain_count()) * 9.81 * 1600.0 * 4.18879 * std::pow(radius, 3);
  for (const Method method : methods) {
    CAPTURE(static_cast<int>(method));
    scene.solver = default_solver(method);
    scene.solver.substeps = 8;
    if (method == Method::p2)
      scene.materials[0].stiffness = 1e4;
    simulation.change(scene);
    CHECK(simulation.scene().solver.method == method);
    double most = 0.0;
    for (int i = 0; i < 12; ++i) {
      simulation.advance(5);
      most = std::max(most, simulation.measure().kinetic_energy);
    }
    CHECK(most < 0.01 * radius * weight);
    CHECK(mean_height(simulation) == Approx(height).margin(0.2 * radius));
    height = mean_height(simulation);
  }
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

// Twice the grains from then on, each with a number of its own and a place of its own.
void pours_twice_as_fast(const Options& options) {
  Scene scene = pouring(2, 3, 2.0);
  scene.emitters[0].rate = 200.0;
  scene.emitters[0].velocity = {0.0, 0.0, -1.0};
  Simulation simulation(scene, options);
  simulation.advance(30);
  const std::uint32_t before = simulation.grains_born();
  CHECK(before == Approx(50).margin(2));
  scene.emitters[0].rate = 400.0;
  simulation.change(scene);
  CHECK(simulation.grains_born() == before);
  double overlap = 0.0;  // m, of grains where they are born
  for (int i = 0; i < 30; ++i) {
    const std::uint32_t there = simulation.grains_born();
    simulation.advance(1);
    const auto grains = simulation.grains();
    for (std::size_t a = there; a < grains.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        overlap = std::max<double>(overlap, grains[a].radius + grains[b].radius -
                                                glm::distance(grains[a].position, grains[b].position));
  }
  CHECK(simulation.grains_born() - before == Approx(100).margin(3));
  CHECK(overlap < 1e-4);
  std::set<std::uint32_t> ids;
  for (const GrainState& g : simulation.grains())
    ids.insert(g.id);
  CHECK(ids.size() == simulation.grain_count());
  CHECK(*ids.rbegin() + 1 == simulation.grains_born());
}

// An emitter that comes to a scene without any pours by its rate, where it is and where it is moved to, and is resumed.
void pours_where_it_is_moved(const Options& options) {
  constexpr std::uint32_t at_first = 60;
  Scene scene = box_of(at_first);  // 4 cm wide
  Simulation simulation(scene, options);
  simulation.advance(20);
  scene.emitters.resize(1);
  Emitter& emitter = scene.emitters[0];
  emitter.radius_min = scene.grains[0].radius_min;
  emitter.radius_max = scene.grains[0].radius_max;
  emitter.velocity = {0.0, 0.0, -1.0};
  emitter.rate = 100.0;
  std::uint32_t before = at_first;
  for (const double x : {0.01, 0.03}) {
    CAPTURE(x);
    emitter.shape = SphereFill{{x, 0.02, 0.5}, 0.01};
    emitter.start = simulation.time();
    emitter.stop = emitter.start + 0.2;
    scene.end = std::max(scene.end, emitter.stop);
    REQUIRE(needs_restart(simulation.scene(), scene) == std::nullopt);
    simulation.change(scene);
    CHECK(simulation.grains_born() == before);
    simulation.advance(24);
    for (const GrainState& g : simulation.grains())
      if (g.id >= before) {
        CHECK(std::abs(static_cast<double>(g.position.x) - x) < 0.011);
        CHECK(g.position.z < 0.51f);
      }
    simulation.advance(48);  // 0.1 s longer than it pours
    CHECK(simulation.grains_born() - before == Approx(20).margin(1));
    before = simulation.grains_born();
  }
  CHECK(complaints(simulation) == std::vector<std::string>{});
  Scratch scratch;
  simulation.save(scratch / "state.talus");
  Simulation resumed(scene, options);
  resumed.resume(scratch / "state.talus");
  resumed.advance(10);
  simulation.advance(10);
  CHECK(resumed.grains_born() == simulation.grains_born());
  CHECK(resumed.state_hash() == simulation.state_hash());
}

BodyPart ball_hole(double radius, const glm::dvec3& at) {
  return {.shape = SpherePart{radius}, .position = at, .subtract = true, .after_fill = true};
}

// Saved after a change, and gone on with in a simulation of the changed scene.
void resumes_after_a_change(const Options& options) {
  Scratch scratch;
  Scene scene = busy();
  Simulation first(scene, options);
  first.advance(20);
  scene.emitters[0].rate = 600.0;
  scene.dt *= 0.8;
  scene.domain.gravity.x = 1.0;
  scene.bodies[0].parts.push_back(ball_hole(0.05, {0.1, 0.0, 0.0}));
  first.change(scene);
  first.advance(10);
  first.save(scratch / "state.talus");
  Simulation second(scene, options);
  second.resume(scratch / "state.talus");
  CHECK(second.time() == first.time());
  first.advance(10);
  second.advance(10);
  CHECK(second.grains_born() == first.grains_born());
  CHECK(second.state_hash() == first.state_hash());
}

// A bed on a table, which is closed all around, and room for it below.
Scene bed_on_a_table() {
  Scene scene = scene_of(1.0 / 240, 8, 1);
  add_bed(scene, 0.1, 0.5, 0.01, 0.08);
  std::get<BoxFill>(scene.grains[0].shape).min.z += 0.2;
  std::get<BoxFill>(scene.grains[0].shape).max.z += 0.2;
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.solver.sleep = true;
  scene.materials[0].rolling_friction = 0.1;
  scene.bodies = {body_of("table", {{BoxPart{{0.4, 0.4, 0.04}}}}, {0.0, 0.0, 0.18})};
  scene.sinks.push_back({.name = "elsewhere", .position = {0.0, 0.0, 0.45}, .parts = {{BoxPart{{0.1, 0.1, 0.02}}}}});
  return scene;
}

std::size_t grains_below(Simulation& simulation, float height) {
  const auto grains = simulation.grains();
  return static_cast<std::size_t>(
      std::ranges::count_if(grains, [&](const GrainState& g) { return g.position.z < height; }));
}

// Under a bed that sleeps; closed again, it lets no more through.
void opens_a_hole(const Options& options) {
  Scene scene = bed_on_a_table();
  Simulation simulation(scene, options);
  simulation.advance(200);
  CHECK(grains_below(simulation, 0.19f) == 0);
  CHECK(simulation.awake().value() < simulation.grain_count() / 10);
  const std::vector<BodyPart> whole = scene.bodies[0].parts;
  scene.bodies[0].parts.push_back(ball_hole(0.07, {0.02, 0.0, 0.0}));
  simulation.change(scene);
  simulation.advance(72);
  CHECK(grains_below(simulation, 0.15f) > 50);
  scene.bodies[0].parts = whole;
  simulation.change(scene);
  simulation.advance(40);  // those that were in the hole have left it
  const std::size_t through = grains_below(simulation, 0.19f);
  CHECK(through < simulation.grain_count() - 20);
  simulation.advance(60);
  CHECK(grains_below(simulation, 0.19f) == through);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

// From the start on, with sinks, shapes and cloth, whose records in memory come after those of bodies.
void is_as_if_it_had_been_so(const Scene& scene, const Scene& changed, const Options& options) {
  Simulation first(scene, options), second(changed, options);
  first.change(changed);
  CHECK(first.state_hash() == second.state_hash());
  first.advance(40);
  second.advance(40);
  CHECK(first.state_hash() == second.state_hash());
  Simulation never(scene, options);
  never.advance(40);
  CHECK(never.state_hash() != second.state_hash());
}

// Out of a bed: what is held follows the hand, without ringing, and falls when let go.
void lifts_a_handful(const Options& options, const Solver& solver) {
  Scene scene = with(scene_of(1.0 / 240, 8, 5), solver);
  add_bed(scene, 0.05, 0.5, 0.01, 0.08);
  Simulation simulation(scene, options);
  simulation.advance(120);
  const glm::dvec3 from{0.0, 0.0, 0.035}, to{0.0, 0.0, 0.25};
  const std::uint32_t count = simulation.grab(from, 0.025);
  REQUIRE(count > 5);
  CHECK(count < 40);
  for (int i = 1; i <= 120; ++i) {  // 0.4 m/s
    simulation.move_hand(glm::mix(from, to, i / 120.0));
    simulation.advance(1);
  }
  simulation.advance(60);
  std::uint32_t up = 0;
  float fastest = 0.0f;
  for (const GrainState& g : simulation.grains())
    if (glm::distance(glm::dvec3(g.position), to) < 0.03) {
      ++up;
      fastest = std::max(fastest, glm::length(g.velocity));
    }
  CHECK(up >= count);  // a few lie on them
  CHECK(fastest < 0.02f);
  simulation.release();
  simulation.advance(24);
  for (const GrainState& g : simulation.grains())
    CHECK(glm::distance(glm::dvec3(g.position), to) > 0.01);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

// Steps with a hand are those of any other run with it, and go on from a checkpoint.
void holds_over_a_checkpoint(const Options& options) {
  Scratch scratch;
  Scene scene = busy();
  Simulation whole(scene, options), first(scene, options), second(scene, options);
  for (Simulation* s : {&whole, &first}) {
    s->advance(20);
    CHECK(s->grab({0.0, 0.0, 0.2}, 0.06) > 3);
    s->move_hand({0.05, 0.0, 0.3});
  }
  first.save(scratch / "state.talus");
  second.resume(scratch / "state.talus");
  whole.advance(20);
  second.advance(7);
  second.advance(13);
  CHECK(second.state_hash() == whole.state_hash());
  second.release();
  second.advance(1);
  whole.advance(1);
  CHECK(second.state_hash() != whole.state_hash());
}

// A stack at rest: each grain feels, at its lowest contact, the weight of all from itself up.
void feels_its_weight(const Options& options, const Variant& variant) {
  CAPTURE(variant.name);
  Scene scene = with(scene_of(1.0 / 240, 8, 10), variant.solver);
  const double radius = 0.02;
  const unsigned layers = 4;
  std::vector<glm::dvec3> points;
  for (unsigned k = 0; k < layers; ++k)
    points.push_back({0.0, 0.0, radius * (1.0 + 2.0 * k)});
  add_points(scene, radius, points);
  Simulation simulation(scene, options);
  simulation.advance(120);
  simulation.evaluate_contacts();
  const double weight = 1600.0 * 4.18879 * std::pow(radius, 3) * 9.81;
  const auto ids = read_field<uint>(simulation.executor(), FieldId::grain_id, layers);
  const auto measures = read_field<GrainMeasure>(simulation.executor(), FieldId::measures, layers);
  for (unsigned i = 0; i < layers; ++i) {
    CAPTURE(ids[i]);
    CHECK(static_cast<double>(measures[i].force_max) == Approx((layers - ids[i]) * weight).epsilon(0.05));
    CHECK(measures[i].contacts <= 2);
  }
  // Each contact is one line, from centre to centre or to the floor.
  std::vector<double> lines;
  for (const ContactLine& line :
       read_field<ContactLine>(simulation.executor(), FieldId::contact_lines, simulation.line_places()))
    if (line.force > 0.0f) {
      lines.push_back(static_cast<double>(line.force) / weight);
      const double length = static_cast<double>(glm::distance(line.from, line.to));
      CHECK(length == Approx(line.to.z < 0.25f * static_cast<float>(radius) ? radius : 2.0 * radius).epsilon(0.05));
    }
  std::ranges::sort(lines);
  REQUIRE(lines.size() == layers);
  for (unsigned k = 0; k < layers; ++k)
    CHECK(lines[k] == Approx(k + 1.0).epsilon(0.05));
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

bool same(const std::vector<ContactLine>& a, const std::vector<ContactLine>& b) {
  return std::ranges::equal(a, b, [](const ContactLine& p, const ContactLine& q) {
    return p.from == q.from && p.to == q.to && p.force == q.force;
  });
}

// Steps that end with a survey know what a survey() after them does, where grains are born and lists grow on the way.
void evaluates_at_the_end(const Options& options) {
  Options narrow = options;
  narrow.contact_slots = 16;
  Simulation live(busy(), narrow), waiting(busy(), options);
  for (int i = 0; i < 3; ++i) {
    live.start(15, true);
    CHECK(live.under_way());
    live.finish();
    waiting.advance(15);
    waiting.evaluate_contacts();
    const auto lines = [](Simulation& s) {
      return read_field<ContactLine>(s.executor(), FieldId::contact_lines, s.line_places());
    };
    const auto pressed = [](Simulation& s) {
      std::vector<std::pair<uint, float>> contacts;  // and the greatest force
      for (const GrainMeasure& m : read_field<GrainMeasure>(s.executor(), FieldId::measures, s.grain_places()))
        contacts.emplace_back(m.contacts, m.force_max);
      return contacts;
    };
    CHECK(pressed(live) == pressed(waiting));
    CHECK(same(lines(live), lines(waiting)));
    CHECK((i < 2 || std::ranges::any_of(lines(live), [](const ContactLine& line) { return line.force > 0.0f; })));
  }
  CHECK(live.state_hash() == waiting.state_hash());
  CHECK(complaints(live) == std::vector<std::string>{});
}

template <class T> std::vector<T> on_the_device(Simulation& simulation, gpu::Buffer& buffer, std::size_t count) {
  gpu::Graph graph(*simulation.gpu_device());
  std::vector<T> data(count);
  graph.download(buffer, std::as_writable_bytes(std::span(data)));
  return data;
}

}  // namespace

TEST_CASE("Steps that are not waited for have the same bits", "[live]") {
  starts_as_it_advances(busy(), on_cpu);
}

TEST_CASE("Steps that are not waited for have the same bits on a device", "[device][live]") {
  starts_as_it_advances(busy(), on_one_device());
}

TEST_CASE("Slots that run out in steps not waited for grow at the finish", "[live]") {
  grows_at_the_finish(on_cpu);
}

TEST_CASE("An invalid state on the way is found at the finish", "[live]") {
  falls_back_at_the_finish(on_cpu);
}

TEST_CASE("Halts in steps not waited for are dealt with on a device", "[device][live]") {
  grows_at_the_finish(on_one_device());
  falls_back_at_the_finish(on_device());
}

TEST_CASE("More steps than a submission holds are done at the finish", "[live]") {
  Simulation simulation(box_of(5), on_cpu), other(box_of(5), on_cpu);
  simulation.start(300);
  while (!simulation.ready())
    ;
  simulation.finish();
  other.advance(300);
  CHECK(simulation.step() == 300);
  CHECK(simulation.state_hash() == other.state_hash());
}

TEST_CASE("What steps under way leave to draw is that of their end", "[device][live]") {
  Simulation live(busy(), on_device());
  live.advance(50);
  const std::uint32_t before = live.grain_places();
  live.start(20);
  const std::uint32_t places = live.grain_places();
  CHECK(places > before);
  while (!live.ready())  // all is sent
    ;
  const auto bodies = on_the_device<Body>(live, *live.body_buffer(), 1);
  const auto grains = on_the_device<Grain>(live, *live.grain_buffer(), places);
  live.finish();
  CHECK(live.grain_places() == places);
  const BodyState state = live.body_state(0);
  CHECK(glm::distance(glm::dvec3(bodies[0].motion.position), state.pose.position) < 1e-6);
  const auto after = read_field<Grain>(live.executor(), FieldId::grains, places);
  CHECK(std::ranges::equal(std::as_bytes(std::span(grains)), std::as_bytes(std::span(after))));
  CHECK(std::ranges::count_if(grains, [](const Grain& g) { return g.position.w > 0.0f; }) == live.grain_count());
  CHECK(complaints(live) == std::vector<std::string>{});
}

TEST_CASE("Steps are handed to a device in slices, to the same bits", "[device][live]") {
  const Options options = on_one_device();
  Options thin = options, thick = options;
  thin.slice = 1e-9;
  thick.slice = 1e9;
  starts_as_it_advances(busy(), thin);
  grows_at_the_finish(thin);
  falls_back_at_the_finish(thin);
  Simulation slices(busy(), thin), at_once(busy(), thick);
  const auto submissions = [](Simulation& simulation) {
    simulation.start(4);  // the time of a substep gets known
    simulation.finish();
    const gpu::Ticket before = simulation.gpu_device()->last_ticket();
    simulation.start(4);
    while (!simulation.ready())
      ;
    const gpu::Ticket after = simulation.gpu_device()->last_ticket();
    simulation.finish();
    return after - before;
  };
  if (slices.gpu_device()->info().timestamps)
    CHECK(submissions(slices) >= 4 * static_cast<std::uint64_t>(slices.scene().solver.substeps));
  else  // without times there is nothing to slice by
    CHECK(submissions(slices) <= 2);
  CHECK(submissions(at_once) <= 2);
  CHECK(slices.state_hash() == at_once.state_hash());
}

TEST_CASE("Steps that are recorded once have the bits of those recorded each", "[device][live]") {
  const Options each = on_one_device();
  Options once = each;
  once.timing = false;
  for (const int substeps : {3, 4}) {  // grains and grains_next change places in a step, or do not
    Scene scene = busy();
    scene.solver.substeps = substeps;
    Simulation a(scene, once), b(scene, each);
    for (const std::uint64_t steps : {1, 2, 5, 33}) {
      a.advance(steps);
      b.advance(steps);
      CHECK(a.state_hash() == b.state_hash());
    }
    CHECK(a.load_history().size() == b.load_history().size());
    CHECK(a.body_loads()[0].force == b.body_loads()[0].force);
    CHECK(complaints(a) == std::vector<std::string>{});
  }
  grows_at_the_finish(once);
  falls_back_at_the_finish(once);
}

TEST_CASE("While steps are under way nothing else may be asked", "[live]") {
  Simulation simulation(box_of(50), on_cpu);
  CHECK_THROWS_AS(simulation.finish(), std::logic_error);
  CHECK(simulation.ready());
  simulation.start(2);
  CHECK_THROWS_AS(simulation.advance(1), std::logic_error);
  CHECK_THROWS_AS(simulation.start(1), std::logic_error);
  CHECK_THROWS_AS(simulation.grains(), std::logic_error);
  CHECK_THROWS_AS(simulation.measure(), std::logic_error);
  CHECK_THROWS_AS(simulation.save("nowhere"), std::logic_error);
  simulation.finish();
  CHECK(simulation.step() == 2);
  simulation.start(100);  // its destructor waits
}

TEST_CASE("A change to an equal scene changes nothing", "[live]") {
  Scene scene = busy();
  Simulation changed(scene, on_cpu), left_alone(scene, on_cpu);
  changed.advance(20);
  scene.camera.fov = 10.0;
  scene.output.color_by = ColorBy::speed;
  scene.materials[0].color = {1.0f, 0.0f, 0.0f};
  changed.change(scene);
  CHECK(changed.scene().camera.fov == 10.0);
  changed.advance(20);
  left_alone.advance(40);
  CHECK(changed.state_hash() == left_alone.state_hash());
}

TEST_CASE("A change says which key needs a new simulation", "[live]") {
  Scene scene = jumble_with_bodies(40);
  scene.emitters = pouring(1, 1, 1.0).emitters;
  Scene other = scene;
  other.dt = 0.01;
  other.solver = default_solver(Method::sp);
  other.domain.gravity = {1.0, 2.0, 3.0};
  other.domain.friction_static = other.domain.friction_kinetic = 0.1;
  other.materials[0].density = 1000.0;
  other.materials[1].adhesion = 2.0;
  other.emitters[0].count = 7;
  other.camera.fov = 20.0;
  other.output.level = Level::both;
  other.bodies[0].color = glm::vec3(1.0f);
  CHECK(needs_restart(scene, other) == std::nullopt);
  const auto key_of = [&](auto&& edit) {
    Scene edited = scene;
    edit(edited);
    return needs_restart(scene, edited).value_or("none");
  };
  CHECK(key_of([](Scene& s) { s.seed = 7; }) == "scene.seed");
  CHECK(key_of([](Scene& s) { s.domain.max.z = 9.0; }) == "domain.max");
  CHECK(key_of([](Scene& s) { s.grains[1].radius_min = s.grains[1].radius_max = 0.02; }) == "grains.1.radius");
  CHECK(key_of([](Scene& s) { s.emitters[0].radius_max = 0.02; }) == "emitter.0.radius");
  CHECK(key_of([](Scene& s) { s.emitters.push_back(s.emitters[0]); }) == "none");
  CHECK(key_of([](Scene& s) {
          s.emitters.push_back(s.emitters[0]);
          s.emitters[1].radius_max *= 2.0;  // larger than all that there are
        }) == "emitter.1");
  CHECK(key_of([](Scene& s) { s.emitters.pop_back(); }) == "emitter.0");
  CHECK(key_of([](Scene& s) { s.bodies[2].parts.push_back(ball_hole(0.1, {})); }) == "none");
  CHECK(key_of([](Scene& s) { s.bodies[2].parts.push_back({SpherePart{0.1}}); }) == "body.2.parts");
  CHECK(key_of([](Scene& s) { s.bodies[2].velocity.x = 9.0; }) == "body.2.velocity");
  CHECK(key_of([](Scene& s) { s.bodies.pop_back(); }) == "body.4");
  CHECK(key_of([](Scene& s) { s.materials.push_back({.name = "clay"}); }) == "material.2");
  CHECK(key_of([](Scene& s) { s.solver.iteration = Iteration::gauss_seidel; }) == "solver.iteration");

  Simulation simulation(scene, on_cpu);
  other.domain.max.z = 9.0;
  CHECK(error_of([&] { simulation.change(other); }) ==
        "test: domain.max cannot change while a simulation goes on: start it anew");
  CHECK(simulation.scene().solver.method == Method::p2);
}

TEST_CASE("What is at rest falls where gravity turns to", "[live]") {
  Scene scene = box_of(40);
  Simulation simulation(scene, on_cpu);
  simulation.advance(200);
  scene.domain.gravity = {0.0, 0.0, 9.81};
  simulation.change(scene);
  const double before = mean_height(simulation);
  simulation.advance(48);
  CHECK(mean_height(simulation) - before == Approx(0.5 * 9.81 * 0.04).epsilon(0.1));
}

TEST_CASE("What sticks slides where friction is taken away", "[live]") {
  for (const Method method : {Method::p2, Method::vts, Method::dem}) {
    CAPTURE(static_cast<int>(method));
    Scene scene = with(scene_of(1.0 / 240, 4, 5), default_solver(method));
    Simulation simulation(on_incline(scene, 20.0, 0.6, 0.6), on_cpu);
    simulation.advance(240);
    CHECK(glm::length(simulation.grains()[0].velocity) < 1e-3f);
    Scene slippery = simulation.scene();
    slippery.domain.friction_static = slippery.domain.friction_kinetic = 0.1;
    simulation.change(slippery);
    simulation.advance(240);
    CHECK(static_cast<double>(simulation.grains()[0].velocity.x) == Approx(sliding(20.0, 0.1)).epsilon(0.03));
  }
}

TEST_CASE("A bed at rest stays at rest when the method changes", "[live]") {
  rests_with_every_method(on_cpu, {Method::p2, Method::vts, Method::dem, Method::sp, Method::pbd, Method::vts});
}

TEST_CASE("A bed on a device stays at rest when the method changes", "[device][live]") {
  rests_with_every_method(on_device(), {Method::vts, Method::dem});
}

TEST_CASE("A rate that doubles pours twice the grains", "[live]") {
  pours_twice_as_fast(on_cpu);
}

TEST_CASE("A rate that doubles pours twice the grains on a device, and what was changed is resumed", "[device][live]") {
  pours_twice_as_fast(on_device());
  resumes_after_a_change(on_one_device());
}

TEST_CASE("A hole in a body lets grains through until it is closed", "[live]") {
  opens_a_hole(on_cpu);
}

TEST_CASE("A hole in a body lets grains through until it is closed, on a device", "[device][live]") {
  opens_a_hole(on_device());
}

TEST_CASE("A body whose parts change is as if it had had them from the start on", "[live]") {
  Scene scene = busy();
  Scene changed = scene;
  changed.bodies[0].parts.push_back(ball_hole(0.1, {0.1, 0.0, 0.0}));
  changed.bodies[0].parts.push_back(ball_hole(0.05, {-0.1, 0.0, 0.0}));
  is_as_if_it_had_been_so(scene, changed, on_cpu);

  scene.worlds = changed.worlds = 3;  // each has records of its bodies
  is_as_if_it_had_been_so(scene, changed, on_cpu);

  // What contacts need of shapes and of cloth lies in memory behind the parts of bodies and sinks.
  const auto with_parts = [](const std::string& parts) {
    return parse_scene(R"(
[time]
dt = 0.004
end = 1
[domain]
min = [-0.3, -0.3, 0]
max = [0.3, 0.3, 1]
[solver]
method = "vts"
substeps = 4
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
fill.box = { min = [-0.1, -0.1, 0.22], max = [0.1, 0.1, 0.4] }
[[shape]]
name = "block"
material = "sand"
radius = 0.02
fill.box = { size = [0.16, 0.16, 0.16], position = [0.15, 0.15, 0.3] }
[[cloth]]
name = "sheet"
material = "sand"
grid = { size = [0.3, 0.3], cells = [6, 6] }
position = [0, 0, 0.18]
thickness = 0.02
[[sink]]
name = "drain"
position = [0, 0, 0.04]
parts = [ { box = { size = [0.2, 0.2, 0.08] } } ]
[[body]]
name = "post"
position = [0, 0, 0.1]
parts = [ )" + parts + " ]\n",
                       "parts.toml");
  };
  is_as_if_it_had_been_so(with_parts("{ box = { size = [0.1, 0.1, 0.1] } }"),
                          with_parts("{ box = { size = [0.1, 0.1, 0.1] } }, { sphere = { radius = 0.04 }, position = "
                                     "[0.05, 0, 0.05], subtract = true, after_fill = true }"),
                          on_cpu);
}

// Fills without a count leave bodies out, and so do fine grains: neither are other ones where a hole is cut.
TEST_CASE("A body that fills lie around is cut, and what was saved after it is resumed", "[live]") {
  Scene scene = bed_on_a_table();
  std::get<BoxFill>(scene.grains[0].shape).min.z = 0.1;  // the table is in it
  scene.upsampling.emplace();
  scene.upsampling->radius_min = scene.upsampling->radius_max = 0.004;
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  const std::uint32_t grains = simulation.grain_count(), fine = simulation.fine_count();
  scene.bodies[0].parts.push_back(ball_hole(0.07, {0.02, 0.0, 0.0}));
  simulation.change(scene);
  CHECK(simulation.scene().bodies[0].parts.size() == 2);
  simulation.advance(10);
  Scratch scratch;
  simulation.save(scratch / "state.talus");
  Simulation resumed(parse_scene(to_toml(scene), "cut.toml"), on_cpu);
  CHECK(resumed.grain_count() == grains);
  CHECK(resumed.fine_count() == fine);
  resumed.resume(scratch / "state.talus");
  simulation.advance(10);
  resumed.advance(10);
  CHECK(simulation.state_hash() == resumed.state_hash());

  // Closed again, contacts name no surface of the hole.
  scene.bodies[0].parts.pop_back();
  simulation.change(scene);
  simulation.save(scratch / "closed.talus");
  Simulation closed(scene, on_cpu);
  closed.resume(scratch / "closed.talus");
  CHECK(closed.state_hash() == simulation.state_hash());
}

TEST_CASE("Holes of a file come last and are subtracted", "[live]") {
  const auto told = [](const std::string& parts) {
    return error_of([&] {
      parse_scene("[[body]]\nname = \"wall\"\nparts = [ { box = { size = [1, 1, 1] } }, " + parts + " ]\n",
                  "wall.toml");
    });
  };
  CHECK_THAT(told("{ sphere = { radius = 0.1 }, after_fill = true }"),
             Catch::Contains("give subtract = true beside it"));
  CHECK_THAT(told("{ sphere = { radius = 0.1 }, subtract = true, after_fill = true }, { sphere = { radius = 0.2 } }"),
             Catch::Contains("after_fill = true: give those last"));
}

TEST_CASE("Bodies that weigh by their parts, and those in soil, keep them", "[live]") {
  Scene scene = bed_on_a_table();
  scene.bodies.push_back(body_of("block", {{BoxPart{{0.02, 0.02, 0.02}}}}, {0.0, 0.0, 0.4}));
  scene.bodies[1].density = 1000.0;
  Simulation simulation(scene, on_cpu);
  Scene changed = scene;
  changed.bodies[1].parts.push_back(ball_hole(0.005, {}));
  CHECK(needs_restart(scene, changed) == "body.1.parts");
  CHECK_THAT(error_of([&] { simulation.change(changed); }), Catch::Contains("body.1.parts cannot change"));
  CHECK(simulation.scene().bodies[1].parts.size() == 1);

  Scene ground = bed_on_a_table();
  ground.soil.emplace();
  Scene cut = ground;
  cut.bodies[0].parts.push_back(ball_hole(0.05, {}));
  CHECK(needs_restart(ground, cut) == "body.0.parts");
}

TEST_CASE("What was changed is resumed", "[live]") {
  resumes_after_a_change(on_cpu);
}

TEST_CASE("An emitter that comes to a scene pours where it is moved", "[live]") {
  pours_where_it_is_moved(on_cpu);
}

TEST_CASE("An emitter that comes to a scene pours where it is moved on a device in lockstep",
          "[device][live][lockstep]") {
  pours_where_it_is_moved(in_lockstep());
}

TEST_CASE("A count of an emitter that is raised lets it pour on", "[live]") {
  Scene scene = pouring(2, 3, 2.0);
  scene.emitters[0].count = 20;
  Simulation simulation(scene, on_cpu);
  simulation.advance(30);
  CHECK(simulation.grains_born() == 20);
  scene.emitters[0].count = 60;
  simulation.change(scene);
  simulation.advance(60);
  CHECK(simulation.grains_born() == 60);
}

TEST_CASE("Density that changes is the weight of what is there", "[live]") {
  Scene scene = with(scene_of(1.0 / 240, 4, 5), default_solver(Method::dem));
  add_points(scene, 0.05, {{0.0, 0.0, 0.151}});
  scene.bodies = {body_of("scales", {{BoxPart{{0.4, 0.4, 0.1}}}}, {0.0, 0.0, 0.05})};
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  const double before = static_cast<double>(simulation.body_loads()[0].force_filtered.z);
  scene.materials[0].density *= 3.0;
  simulation.change(scene);
  simulation.advance(240);
  CHECK(static_cast<double>(simulation.body_loads()[0].force_filtered.z) == Approx(3.0 * before).epsilon(0.01));
}

TEST_CASE("Time goes on from where it is when the step changes", "[live]") {
  Scene scene = scene_of(0.01, 2, 2);
  scene.domain.min.z = -10.0;
  add_points(scene, 0.05, {{0.0, 0.0, 0.0}});
  scene.bodies = {body_of("mover", {{SpherePart{0.1}}}, {0.0, 0.5, 0.0})};
  scene.bodies[0].velocity = {0.5, 0.0, 0.0};
  Simulation simulation(scene, on_cpu);
  simulation.advance(50);
  scene.dt = 0.004;
  simulation.change(scene);
  CHECK(simulation.time() == Approx(0.5));
  CHECK(simulation.body_state(0).pose.position.x == Approx(0.25));
  simulation.advance(50);
  CHECK(simulation.time() == Approx(0.7));
  CHECK(simulation.body_state(0).pose.position.x == Approx(0.35));
  CHECK(static_cast<double>(simulation.grains()[0].position.z) == Approx(-0.5 * 9.81 * 0.49).epsilon(0.02));
}

TEST_CASE("A hand lifts grains out of a bed, with every method", "[live]") {
  for (const Method method : {Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem}) {
    CAPTURE(static_cast<int>(method));
    lifts_a_handful(on_cpu, default_solver(method));
  }
}

TEST_CASE("A hand holds over a checkpoint", "[live]") {
  holds_over_a_checkpoint(on_cpu);
}

TEST_CASE("A hand holds over a checkpoint on a device", "[device][live]") {
  holds_over_a_checkpoint(on_device());
}

TEST_CASE("A hand follows in free fall within its acceleration, and across a periodic seam", "[live]") {
  Scene scene = scene_of(1.0 / 240, 4, 5);
  scene.domain.axis = {Axis::periodic, Axis::open, Axis::open};
  add_points(scene, 0.01, {{0.98, 0.0, 1.0}, {-0.97, 0.0, 1.0}, {0.5, 0.0, 1.0}});
  Simulation simulation(scene, on_cpu);
  CHECK(simulation.grab({1.0, 0.0, 1.0}, 0.05) == 2);
  simulation.advance(240);
  auto grains = simulation.grains();
  CHECK(static_cast<double>(grains[0].position.z) == Approx(1.0).margin(1e-4));  // its weight is borne
  CHECK(static_cast<double>(grains[1].position.x) == Approx(-0.97).margin(1e-4));
  CHECK(static_cast<double>(grains[2].position.z) < -3.0);
  simulation.move_hand({1.0, 5.0, 1.0});  // at once
  simulation.advance(24);
  CHECK(static_cast<double>(simulation.grains()[0].velocity.y) == Approx(60.0 * 0.1).epsilon(0.02));
  simulation.advance(240);
  grains = simulation.grains();
  CHECK(static_cast<double>(grains[0].position.y) == Approx(5.0).margin(0.05));
  CHECK(simulation.grab({9.0, 9.0, 9.0}, 0.05) == 0);
}

TEST_CASE("What was prepared on another thread is the same simulation, more than once", "[live]") {
  Scene scene = jumble_with_bodies(200);
  scene.solver.substeps = 0;
  const Prepared prepared = std::async(std::launch::async, prepare, scene).get();
  CHECK(prepared.scene.solver.substeps > 0);
  Simulation plain(scene, on_cpu), first(prepared, on_cpu), second(prepared, on_cpu);
  for (Simulation* s : {&plain, &first, &second})
    s->advance(3);
  CHECK(first.state_hash() == plain.state_hash());
  CHECK(second.state_hash() == plain.state_hash());
  CHECK(first.notes() == plain.notes());
  CHECK(first.warnings() == plain.warnings());
}

TEST_CASE("Grains of a stack feel the weight above them", "[live]") {
  for (const Method method : {Method::dem, Method::vts, Method::sp})
    feels_its_weight(on_cpu, {std::string(word(method)), default_solver(method)});
}

TEST_CASE("Methods that correct positions tell more force below than above", "[live]") {
  for (const Method method : {Method::p2, Method::pbd}) {
    CAPTURE(static_cast<int>(method));
    Scene scene = with(scene_of(1.0 / 240, 8, 20), default_solver(method));
    add_points(scene, 0.02, {{0.0, 0.0, 0.02}, {0.0, 0.0, 0.06}, {0.0, 0.0, 0.1}});
    scene.materials[0].stiffness = 1e5;
    Simulation simulation(scene, on_cpu);
    simulation.advance(240);
    simulation.evaluate_contacts();
    const double weight = 1600.0 * 4.18879 * std::pow(0.02, 3) * 9.81;
    std::array<double, 3> shares{};  // of the weight that each bears
    const auto ids = read_field<uint>(simulation.executor(), FieldId::grain_id, 3);
    const auto measures = read_field<GrainMeasure>(simulation.executor(), FieldId::measures, 3);
    for (std::size_t i = 0; i < 3; ++i)
      shares[ids[i]] = static_cast<double>(measures[i].force_max) / ((3.0 - ids[i]) * weight);
    for (const double share : shares) {
      CHECK(share > 0.4);
      CHECK(share < 1.1);
    }
    CHECK(3.0 * shares[0] > 2.0 * shares[1]);
    CHECK(2.0 * shares[1] > shares[2]);
  }
}

TEST_CASE("Grains on a device feel the weight above them", "[device][live]") {
  feels_its_weight(on_device(), {"dem", default_solver(Method::dem)});
}

TEST_CASE("What grains feel waits for nothing and changes nothing", "[live]") {
  Simulation contacts_evaluated(busy(), on_cpu), left_alone(busy(), on_cpu);
  contacts_evaluated.evaluate_contacts();
  CHECK(contacts_evaluated.line_places() == 0);
  for (int i = 0; i < 5; ++i) {
    contacts_evaluated.advance(4);
    contacts_evaluated.evaluate_contacts();
  }
  left_alone.advance(20);
  CHECK(contacts_evaluated.state_hash() == left_alone.state_hash());
  CHECK(contacts_evaluated.line_places() > 0);
}

TEST_CASE("Steps survey what grains feel at their end", "[live]") {
  evaluates_at_the_end(on_cpu);
}

TEST_CASE("Steps on a device survey what grains feel at their end", "[device][live]") {
  evaluates_at_the_end(on_one_device());
}
