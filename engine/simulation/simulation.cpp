#include "engine/core/ranks.h"
#include "engine/executors/gpu_executor.h"
#include "engine/scene/limitations.h"
#include "engine/simulation/cloth_state.h"
#include "engine/simulation/impl.h"
#include "shaders/shared/rest.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace talus {
namespace {

// Of grains around a place. Every grain would be within a radius that is not a number.
void check_radius(double radius) {
  if (!std::isfinite(radius) || radius < 0.0)
    throw std::invalid_argument("the radius around the place must be finite and at least 0 m");
}

std::unique_ptr<Executor> make_shared_executor(const Scene& scene, const Options& options) {
  if (options.verify)
    throw DeviceError("ranks do not compare passes with their references: run --verify without mpirun");
  if (scene.solver.iteration == Iteration::gauss_seidel)
    throw DeviceError("gauss_seidel goes from grain to grain and cannot be shared among ranks: run it without mpirun, "
                      "or with iteration = \"jacobi\" or \"improved_jacobi\"");
  return options.ranks->make_executor(options);
}

std::unique_ptr<Executor> make_executor(const Scene& scene, Options options, std::vector<std::string>& notes) {
  if (options.ranks)
    return make_shared_executor(scene, options);
  if (scene.solver.iteration == Iteration::gauss_seidel) {
    if (options.verify || (options.device != "auto" && options.device != "cpu"))
      throw DeviceError(say(limitation_of(Capability::gauss_seidel, Capability::gpu)));
    options.device = "cpu";
  }
  if (options.device == "auto" && !options.on && !options.verify) {
    if (auto executor = make_real_gpu_executor(options, notes))
      return executor;
    options.device = "cpu";
  }
  std::unique_ptr<Executor> executor =
      options.device == "cpu" ? make_cpu_executor(options.threads, options.lanes) : make_gpu_executor(options, &notes);
  return options.verify ? make_lockstep_executor(std::move(executor), options.threads) : std::move(executor);
}

std::vector<WorldStart> starts_of(const PreparedParts& parts) {
  std::vector<WorldStart> starts{start_of(parts.population)};
  starts.insert(starts.end(), parts.others.begin(), parts.others.end());
  return starts;
}

// The place of a part of the scene among those of its kind.
template <class Spec> std::uint32_t place_of(const std::vector<Spec>& specs, std::string_view name, const char* kind) {
  const auto found = std::ranges::find(specs, name, &Spec::name);
  if (found == specs.end())
    throw std::invalid_argument(fmt::format("the scene has no {} {}", kind, name));
  return static_cast<std::uint32_t>(found - specs.begin());
}

}  // namespace

Simulation::Impl::Impl(const Prepared& prepared, const Options& options, std::unique_ptr<Executor> executor_in)
    : model(prepared, options), memory(model, std::move(executor_in)), run(memory.executor(), model.worlds()),
      commands(model, memory, run), emission(model, memory, run, commands.drives()),
      grains(model, memory, run, emission), planner(model, run, commands, emission, grains),
      worlds(model, memory, run, commands, emission, grains, starts_of(*prepared.parts)),
      evaluation(model, memory, run, commands, grains, planner), checkpoints(model, memory, run, commands, emission),
      soil(model, memory, run, commands),
      batches(model, memory, run, commands, emission, grains, planner, evaluation, soil) {}

Simulation::Impl& Simulation::Impl::idle() {
  if (batches.under_way())
    throw std::logic_error("steps are under way: finish() takes them over first");
  return *this;
}

// The state was checked, so that nothing but a lack of memory stops this half way.
void Simulation::Impl::take_over(CheckedState state) {
  adopt(model.scene(), std::move(state.population), std::move(state.schedules), state.time_zero);
  commands.forget_replaced();
  commands.restore(state.courses, std::move(state.hand));
  each_field(&FieldInfo::saved, [&](FieldId id) {
    const auto& bytes = state.checkpoint.fields[std::string(info(id).name)];
    executor().resize(id, bytes.size() / info(id).stride);
    executor().write(id, bytes);
  });
  if (model.scene().soil)
    model.set_places(static_cast<uint>(executor().size(FieldId::grain_id) / model.worlds()));
  memory.count_rows();
  memory.copy_sleepers();
  memory.put_all_bodies_in_cells();
  run.read_back(state.checkpoint.step);
  if (model.own_slots())
    grains.count_at_start();
}

// A new simulation holds nothing back: others may record on a device that they share.
void Simulation::Impl::begin(std::vector<std::string> notes) {
  for (std::string& note : notes)
    model.add_note(std::move(note));
  executor().submit();
}

Simulation::Simulation(Scene scene, const Options& options) {
  std::vector<std::string> notes;
  auto executor = make_executor(scene, options, notes);  // first: it says at once what is missing
  impl_ = std::make_unique<Impl>(prepare(std::move(scene)), options, std::move(executor));
  impl_->begin(std::move(notes));
}
Simulation::Simulation(Prepared prepared, const Options& options) {
  std::vector<std::string> notes;
  auto executor = make_executor(prepared.scene, options, notes);
  impl_ = std::make_unique<Impl>(prepared, options, std::move(executor));
  impl_->begin(std::move(notes));
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::advance(std::uint64_t steps, const std::function<bool()>& goes_on) {
  impl_->idle().batches.advance(steps, goes_on);
}
void Simulation::start(std::uint64_t steps, bool evaluate_contacts) {
  impl_->idle().batches.start(steps, evaluate_contacts);
}
bool Simulation::ready() {
  return !under_way() || impl_->batches.ready();
}
void Simulation::finish() {
  if (!under_way())
    throw std::logic_error("nothing is under way: start() begins steps");
  impl_->batches.finish();
}
bool Simulation::under_way() const {
  return impl_->batches.under_way();
}
void Simulation::change(const Scene& changed) {
  impl_->idle().change(changed);
}
std::uint32_t Simulation::grab(const glm::dvec3& at, double radius) {
  check_radius(radius);
  Impl& s = impl_->idle();
  s.commands.grab(at, s.grains.within(at, radius));
  s.run.disturb(0);  // what it holds wakes without a word to the sleepers beside it
  return static_cast<std::uint32_t>(s.commands.hand().held.size());
}
void Simulation::move_hand(const glm::dvec3& at) {
  impl_->idle().commands.move_hand(at);
}
void Simulation::release() {
  impl_->idle().commands.release();
}
// Sand below the middle gives way upwards alone: pushed straight away, with 60 m/s2 a grain, a packed bed stays as it
// is.
std::uint32_t Simulation::push_grains(const glm::dvec3& at, double radius) {
  check_radius(radius);
  Impl& s = impl_->idle();
  const glm::dvec3 gravity = scene().domain.gravity;
  const vec3 up(glm::length(gravity) > 0.0 ? -glm::normalize(gravity) : glm::dvec3(0.0, 0.0, 1.0));
  std::vector<HandGrain> held = s.grains.within(at, radius);
  for (HandGrain& grain : held) {
    vec3 way = grain.place;
    if (gravity != glm::dvec3(0.0))
      way -= 2.0f * std::min(glm::dot(way, up), 0.0f) * up;
    const float far = glm::length(way);
    grain.place = static_cast<float>(radius) * (far > 0.0f ? way / far : up);
  }
  const auto count = static_cast<std::uint32_t>(held.size());
  s.commands.grab(at, std::move(held));
  s.run.disturb(0);
  return count;
}
std::uint32_t Simulation::remove_grains(const glm::dvec3& at, double radius) {
  if (!std::isfinite(at.x + at.y + at.z))
    throw std::invalid_argument("the place where grains are removed must be finite");
  check_radius(radius);
  return impl_->idle().grains.remove(at, radius);
}
std::uint32_t Simulation::removed_grains() const {
  const auto counts = sink_counts();
  return impl_->grains.gone() - std::accumulate(counts.begin(), counts.end(), 0u);
}
const std::vector<std::string>& Simulation::warnings() const {
  return impl_->model.warnings();
}
const std::vector<std::string>& Simulation::notes() const {
  return impl_->model.notes();
}
const Scene& Simulation::scene() const {
  return impl_->model.scene();
}
std::uint64_t Simulation::step() const {
  return impl_->run.step();
}
double Simulation::time(std::uint32_t world) const {
  impl_->model.check_worlds(std::span(&world, 1));
  return impl_->commands.drives().time(impl_->run.step(), world);
}
std::uint32_t Simulation::grain_count() const {
  return impl_->grains.alive() - impl_->model.vertices_of_all();
}
std::uint32_t Simulation::grain_places() const {
  return impl_->grains.slots_at(impl_->batches.planned_step());
}
std::uint32_t Simulation::grains_born() const {
  return impl_->grains.born() - impl_->model.vertices_of_all();
}
std::vector<std::uint32_t> Simulation::sink_counts() const {
  const Scene& scene = impl_->idle().model.scene();
  return read_field<uint>(impl_->executor(), FieldId::sink_counts, scene.worlds * scene.sinks.size());
}
std::vector<EmitterCounts> Simulation::emitter_counts() const {
  return impl_->idle().emission.counts();
}
std::array<SeamCrossings, 3> Simulation::periodic_crossings() const {
  std::array<SeamCrossings, 3> crossings{};
  for (const World& world : impl_->run.worlds())
    for (int axis = 0; axis < 3; ++axis) {
      crossings[static_cast<std::size_t>(axis)].up += world.periodic.up[axis];
      crossings[static_cast<std::size_t>(axis)].down += world.periodic.down[axis];
    }
  return crossings;
}
SoilHeights Simulation::soil_heights(std::uint32_t world) const {
  const Impl& s = impl_->idle();
  s.model.check_worlds(std::span(&world, 1));
  return s.model.scene().soil ? s.soil.heights(world) : SoilHeights{};
}
std::vector<GrainState> Simulation::soil_surface(std::uint32_t world) {
  std::vector<GrainState> grains;
  const auto& soil = impl_->model.scene().soil;
  impl_->model.check_worlds(std::span(&world, 1));
  if (soil)
    for (const SoilSurfaceGrain& g : impl_->soil.surface(world, under_way()))
      grains.push_back({g.number, vec3(g.sphere), vec3(0.0f), g.sphere.w, g.material, world});
  return grains;
}
std::optional<SoilSummary> Simulation::soil() const {
  const Impl& s = impl_->idle();
  return s.model.scene().soil ? std::optional(s.soil.summary()) : std::nullopt;
}
std::vector<PassTime> Simulation::pass_times() const {
  return impl_->idle().executor().pass_times();
}
DeviceSummary Simulation::device() const {
  return impl_->executor().device();
}
std::vector<RankSummary> Simulation::ranks() const {
  return impl_->idle().executor().ranks();
}
std::uint64_t Simulation::rebuilds() const {
  return impl_->idle().run.read_status().lists.rebuilds;
}
std::uint64_t Simulation::incremental_rebuilds() const {
  return impl_->idle().run.read_status().lists.incremental_rebuilds;
}
std::uint64_t Simulation::cfl_violations() const {
  std::uint64_t sum = 0;
  for (const World& world : impl_->idle().run.worlds())
    sum += world.motion.cfl_violations;
  return sum;
}
std::uint64_t Simulation::cloth_uncounted() const {
  return impl_->idle().run.read_status().cloth_uncounted;
}
Executor& Simulation::executor() {
  return impl_->idle().executor();
}
gpu::Device* Simulation::gpu_device() {
  return impl_->executor().gpu_device();
}
gpu::Buffer* Simulation::grain_buffer() {
  return impl_->executor().gpu_buffer(FieldId::grains);
}
gpu::Buffer* Simulation::tag_buffer() {
  return impl_->executor().gpu_buffer(FieldId::grain_tag);
}
gpu::Buffer* Simulation::id_buffer() {
  return impl_->executor().gpu_buffer(FieldId::grain_id);
}
gpu::Buffer* Simulation::activity_buffer() {
  Executor& executor = impl_->executor();
  return executor.size(FieldId::slice_activity) > 0 ? executor.gpu_buffer(FieldId::slice_activity) : nullptr;
}
gpu::Buffer* Simulation::spin_buffer() {
  return impl_->model.scene().solver.rotation ? impl_->executor().gpu_buffer(FieldId::grain_spin) : nullptr;
}
std::uint32_t Simulation::ids_end() const {
  const Settings& settings = impl_->model.settings();
  return impl_->model.own_slots()
             ? settings.worlds.places
             : settings.emission.first + static_cast<std::uint32_t>(impl_->emission.schedules()[0]->size());
}
std::uint32_t Simulation::fine_count() const {
  return impl_->grains.fine_alive();
}
std::uint32_t Simulation::fine_places() const {
  return impl_->grains.fine_slots_at(impl_->batches.planned_step());
}
std::optional<std::uint32_t> Simulation::awake() {
  const Impl& s = impl_->idle();
  if (s.model.settings().sleep.window == 0)
    return std::nullopt;
  const GrainsRead state = s.grains.read();
  const auto rest = read_field<GrainRest>(s.memory.executor(), FieldId::grain_rest, state.grains.size());
  return static_cast<std::uint32_t>(std::ranges::count_if(
      state.by_id, [&](std::uint32_t i) { return state.grains[i].velocity.w > 0.0f && !is_asleep(rest[i].state); }));
}
std::optional<std::uint64_t> Simulation::grain_updates() {
  Impl& s = impl_->idle();
  if (s.model.settings().sleep.window == 0)
    return std::nullopt;
  const ActivityStatus activity = s.run.read_status().activity;
  return slice_grains * (std::uint64_t{activity.slices_high} << 32 | activity.slices_low);
}
std::vector<ClumpState> Simulation::clumps() {
  return impl_->idle().grains.read_clumps();
}
std::vector<GrainState> Simulation::fine_grains() {
  return impl_->idle().grains.read_fine();
}
gpu::Buffer* Simulation::fine_buffer() {
  return impl_->executor().gpu_buffer(FieldId::fine_grains);
}
gpu::Buffer* Simulation::fine_tag_buffer() {
  return impl_->executor().gpu_buffer(FieldId::fine_tag);
}
std::array<std::uint32_t, 2> Simulation::coarse_without_fine() const {
  return {impl_->model.settings().shapes.first, impl_->model.settings().emission.first};
}
std::uint32_t Simulation::cloth_first() const {
  return impl_->model.settings().cloth.first;
}
gpu::Buffer* Simulation::shape_buffer() {
  return impl_->executor().gpu_buffer(FieldId::shape_motions);
}
void Simulation::evaluate_contacts() {
  impl_->idle().evaluation.evaluate_contacts();
}
gpu::Buffer* Simulation::measure_buffer() {
  return impl_->executor().gpu_buffer(FieldId::measures);
}
gpu::Buffer* Simulation::line_buffer() {
  return impl_->executor().gpu_buffer(FieldId::contact_lines);
}
std::uint32_t Simulation::line_places() const {
  const auto places = static_cast<std::uint32_t>(impl_->executor().size(FieldId::contact_lines));
  return under_way() || impl_->model.own_slots() ? places : std::min(impl_->run.status().lists.slots, places);
}
gpu::Buffer* Simulation::body_buffer() {
  if (!under_way())  // its steps leave them posed
    impl_->evaluation.pose_bodies();
  return impl_->executor().gpu_buffer(FieldId::bodies);
}

std::vector<BodyLoad> Simulation::body_loads() const {
  return read_field<BodyLoad>(impl_->idle().executor(), FieldId::body_load, impl_->model.bodies_of_all());
}
const std::vector<BodyLoad>& Simulation::load_history() const {
  return impl_->idle().batches.loads();
}

std::uint64_t Simulation::memory_bytes() const {
  return impl_->idle().memory.bytes();
}

std::vector<GrainState> Simulation::grains() {
  return impl_->idle().grains.read_all();
}

std::uint32_t Simulation::body(std::string_view name, std::uint32_t world) const {
  impl_->model.check_worlds(std::span(&world, 1));
  const std::vector<BodySpec>& bodies = impl_->model.scene().bodies;
  return static_cast<std::uint32_t>(world * bodies.size()) + place_of(bodies, name, "body");
}
BodyState Simulation::body_state(std::uint32_t body) const {
  return impl_->idle().commands.body_state(body);
}
std::uint32_t Simulation::shape(std::string_view name, std::uint32_t world) const {
  impl_->model.check_worlds(std::span(&world, 1));
  const std::vector<ShapeSpec>& shapes = impl_->model.scene().shapes;
  return static_cast<std::uint32_t>(world * shapes.size()) + place_of(shapes, name, "shape");
}
ShapeState Simulation::shape_state(std::uint32_t shape) const {
  const Scene& scene = impl_->idle().model.scene();
  const auto motions =
      read_field<ShapeMotion>(impl_->executor(), FieldId::shape_motions, scene.worlds * scene.shapes.size());
  const ShapeMotion& m = motions.at(shape);
  return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, glm::dvec3(m.velocity)};
}
std::uint32_t Simulation::cloth(std::string_view name, std::uint32_t world) const {
  impl_->model.check_worlds(std::span(&world, 1));
  const std::vector<ClothSpec>& cloths = impl_->model.scene().cloths;
  return static_cast<std::uint32_t>(world * cloths.size()) + place_of(cloths, name, "cloth");
}
ClothState Simulation::cloth_state(std::uint32_t cloth) const {
  const Model& model = impl_->idle().model;
  const std::vector<ClothPlace>& places = model.population().cloths;
  if (cloth >= model.worlds() * places.size())
    throw std::out_of_range(
        fmt::format("there is no cloth {}: the simulation has {}", cloth, model.worlds() * places.size()));
  const std::size_t world = cloth / places.size();
  const ClothPlace& place = places[cloth % places.size()];
  const GrainsRead s = impl_->grains.read();
  const uint first = model.settings().cloth.first + place.first;
  auto at = std::ranges::lower_bound(s.by_id, std::pair(world, first), {}, [&](std::uint32_t i) {
    return std::pair<std::size_t, uint>(s.world_of(i), s.ids[i]);
  });
  std::vector<Grain> vertices;
  for (std::size_t k = 0; k < place.sheet.vertices.size(); ++k)
    vertices.push_back(s.grains[*at++]);
  return cloth_state_of(place.sheet, vertices, model.settings());
}
void Simulation::place_body(std::uint32_t body, const Pose& at) {
  impl_->idle().place_body(body, at);
}
void Simulation::move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits) {
  impl_->idle().commands.move_body(body, target, limits);
}
void Simulation::drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits) {
  impl_->idle().commands.drive_body(body, target, limits);
}
JointState Simulation::joint_state(std::uint32_t body) const {
  return impl_->idle().commands.joint_state(body);
}
std::optional<JointLoad> Simulation::joint_load(std::uint32_t body) const {
  return impl_->idle().commands.joint_load(body);
}
void Simulation::push_joint(std::uint32_t body, double torque) {
  impl_->idle().commands.push_joint(body, torque);
}
void Simulation::push_body(std::uint32_t body, const Wrench& wrench) {
  impl_->idle().commands.push_body(body, wrench);
}
void Simulation::move_joint(std::uint32_t body, double value) {
  impl_->idle().commands.move_joint(body, value);
}
void Simulation::drive_joint(std::uint32_t body, double speed) {
  impl_->idle().commands.drive_joint(body, speed);
}

std::uint32_t Simulation::worlds() const {
  return impl_->model.worlds();
}
void Simulation::reset_worlds(std::span<const std::uint32_t> worlds, std::span<const std::uint64_t> seeds) {
  impl_->idle().worlds.reset(worlds, seeds);
}
void Simulation::fork_world(std::uint32_t from, std::span<const std::uint32_t> to) {
  impl_->idle().worlds.fork(from, to);
}
void Simulation::save_world(std::uint32_t world, std::uint32_t shelf) {
  impl_->idle().worlds.save(world, shelf);
}
void Simulation::restore_world(std::uint32_t shelf, std::span<const std::uint32_t> worlds) {
  impl_->idle().worlds.restore(shelf, worlds);
}

Checkpoint Simulation::checkpoint() {
  return impl_->idle().checkpoints.save();
}
void Simulation::save(const std::filesystem::path& file) {
  write_checkpoint(file, checkpoint());
}
void Simulation::resume(const std::filesystem::path& file) {
  Checkpoint checkpoint = read_checkpoint(file);
  try {
    resume(std::move(checkpoint));
  } catch (const CheckpointError& e) {
    throw CheckpointError(fmt::format("{}: {}", file.string(), e.what()));
  }
}
void Simulation::resume(Checkpoint checkpoint) {
  Impl& s = impl_->idle();
  s.take_over(s.checkpoints.check(std::move(checkpoint)));
}

std::uint32_t Simulation::depth_camera(std::string_view name) const {
  return place_of(impl_->model.scene().depth_cameras, name, "depth camera");
}
std::vector<float> Simulation::depth(std::uint32_t camera) {
  return impl_->idle().evaluation.depth(camera);
}
gpu::Buffer* Simulation::depth_buffer() {
  Impl& s = impl_->idle();
  s.evaluation.see_depth(0, static_cast<std::uint32_t>(s.model.scene().depth_cameras.size()));
  return s.executor().gpu_buffer(FieldId::depth_bits);
}

Measure Simulation::measure() {
  return impl_->idle().evaluation.measure({});
}
Measure Simulation::measure(std::uint32_t world) {
  impl_->model.check_worlds(std::span(&world, 1));
  return impl_->idle().evaluation.measure(world);
}

std::uint64_t Simulation::state_hash() {
  const Impl& s = impl_->idle();
  return hash_of(s.model, s.memory, s.grains, {});
}
std::uint64_t Simulation::state_hash(std::uint32_t world) {
  impl_->model.check_worlds(std::span(&world, 1));
  const Impl& s = impl_->idle();
  return hash_of(s.model, s.memory, s.grains, world);
}

}  // namespace talus
