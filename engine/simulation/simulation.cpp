#include "engine/cloth_state.h"
#include "engine/io/cache.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {

std::vector<RigidState> Simulation::Impl::rigid_states() const {
  return read_field<RigidState>(*executor, FieldId::rigid_states, scene.worlds * dynamics.states.size());
}
std::vector<ShapeMotion> Simulation::Impl::shape_motions() const {
  return read_field<ShapeMotion>(*executor, FieldId::shape_motions, scene.worlds * scene.shapes.size());
}
bool Simulation::Impl::is_dynamic(std::uint32_t body) const {
  return body < scene.worlds * scene.bodies.size() && talus::is_dynamic(spec_of(body));
}
RigidState Simulation::Impl::rigid_state(std::uint32_t body) const {
  std::vector<RigidState> state(1);
  executor->read(FieldId::rigid_states, std::as_writable_bytes(std::span(state)), body * sizeof(RigidState));
  return state[0];
}
const Joint* Simulation::Impl::dynamic_joint(std::uint32_t body) const {
  const Joint* joint = is_dynamic(body) ? std::get_if<Joint>(&spec_of(body).motion) : nullptr;
  return joint && joint->type != JointType::ball ? joint : nullptr;
}
// Once per body: an operator's stick asks for too much in every step.
void Simulation::Impl::note_limit(std::uint32_t body, double speed) {
  const Joint& joint = std::get<Joint>(spec_of(body).motion);
  const std::string who = fmt::format("the joint of body {} is commanded", spec_of(body).name);
  if (std::abs(speed) <= joint.speed ||
      std::ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(who); }))
    return;
  const char* unit = joint.type == JointType::revolute ? "degrees/s" : "m/s";
  notes.push_back(fmt::format("{} to move at {} {}, and reaches {} {}: its speed in the scene is the limit", who, speed,
                              unit, std::copysign(joint.speed, speed), unit));
}

void Simulation::Impl::keep_commands() {
  if (!replaced)
    replaced = {drive.courses(), hand, {}};
}

// Commands to a dynamic body: change(command).
void Simulation::Impl::command(std::uint32_t body, const std::function<void(RigidCommand&)>& change) {
  std::vector<RigidCommand> one(1);
  executor->read(FieldId::rigid_commands, std::as_writable_bytes(std::span(one)), body * sizeof(RigidCommand));
  keep_commands();
  replaced->rigid.emplace(body, one[0]);  // the first of them stays
  change(one[0]);
  executor->write(FieldId::rigid_commands, std::as_bytes(std::span(one)), body * sizeof(RigidCommand));
}

// The fine grains that are there, by number; `material` is that, `id` their number.
std::vector<GrainState> Simulation::Impl::read_fine() {
  const std::uint32_t places = fine_places_at(step);
  const auto grains = read_field<Grain>(*executor, FieldId::fine_grains, places);
  const auto tags = read_field<uint>(*executor, FieldId::fine_tag, places);
  std::vector<GrainState> fine;
  fine.reserve(places);
  for (std::uint32_t i = 0; i < places; ++i)
    if (grains[i].position.w > 0.0f)
      fine.push_back({tags[i] >> fine_tag_shift, vec3(grains[i].position), vec3(grains[i].velocity),
                      grains[i].position.w, tags[i] & tag_material_mask, 0});
  std::ranges::sort(fine, {}, &GrainState::id);
  return fine;
}

Simulation::Impl::State Simulation::Impl::read_state() {
  const std::uint32_t places = places_at(step);
  State s{read_field<Grain>(*executor, FieldId::grains, places),
          read_field<uint>(*executor, FieldId::grain_id, places),
          read_field<uint>(*executor, FieldId::grain_tag, places),
          {},
          settings.places};
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> numbered;  // where the grain of a number is, in one world
  for (std::uint32_t first = 0, end = 0; first < places; first = end) {
    end = first + std::min(settings.places, places - first);
    numbered.clear();
    for (std::uint32_t i = first; i < end; ++i) {
      if (s.grains[i].position.w == 0.0f)
        continue;
      if (s.ids[i] >= numbered.size())
        numbered.resize(s.ids[i] + 1, none);
      numbered[s.ids[i]] = i;
    }
    std::ranges::copy_if(numbered, std::back_inserter(s.by_id), [](std::uint32_t i) { return i != none; });
  }
  return s;
}

// A new simulation holds nothing back: others may record on a device that they share.
Simulation::Simulation(Scene scene, const Options& options) {
  auto executor = make_executor(scene, options);  // first: it says at once what is missing
  impl_ = std::make_unique<Impl>(prepare(std::move(scene)), options, std::move(executor));
  impl_->executor->submit();
}
Simulation::Simulation(Prepared prepared, const Options& options) {
  auto executor = make_executor(prepared.scene, options);
  impl_ = std::make_unique<Impl>(std::move(prepared), options, std::move(executor));
  impl_->executor->submit();
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::advance(std::uint64_t steps) {
  impl_->idle().advance(steps);
}
void Simulation::start(std::uint64_t steps, bool survey) {
  impl_->idle().start(steps, survey);
}
bool Simulation::ready() {
  return !under_way() || impl_->ready();
}
void Simulation::finish() {
  if (!under_way())
    throw std::logic_error("nothing is under way: start() begins steps");
  impl_->finish();
}
bool Simulation::under_way() const {
  return impl_->under_way();
}
void Simulation::change(const Scene& changed) {
  impl_->idle().change(changed);
}
std::uint32_t Simulation::grab(const glm::dvec3& at, double radius) {
  return impl_->idle().grab(at, radius);
}
void Simulation::move_hand(const glm::dvec3& at) {
  impl_->idle().move_hand(at);
}
void Simulation::release() {
  impl_->idle().keep_commands();
  impl_->hold({});
}
const std::vector<std::string>& Simulation::warnings() const {
  return impl_->warnings;
}
const std::vector<std::string>& Simulation::notes() const {
  return impl_->notes;
}
const Scene& Simulation::scene() const {
  return impl_->scene;
}
std::uint64_t Simulation::step() const {
  return impl_->step;
}
double Simulation::time(std::uint32_t world) const {
  impl_->check_worlds(std::span(&world, 1));
  return impl_->drive.time(impl_->step, world);
}
std::uint32_t Simulation::grain_count() const {
  return impl_->alive() - impl_->settings.cloth;
}
std::uint32_t Simulation::grain_places() const {
  return impl_->places_at(impl_->step + impl_->started);
}
std::uint32_t Simulation::grains_born() const {
  return impl_->born() - impl_->settings.cloth;
}
std::vector<std::uint32_t> Simulation::sink_counts() const {
  return read_field<uint>(*impl_->idle().executor, FieldId::sink_counts,
                          impl_->scene.worlds * impl_->scene.sinks.size());
}
std::vector<EmitterCounts> Simulation::emitter_counts() const {
  const Impl& s = impl_->idle();
  const std::size_t emitters = s.scene.emitters.size();
  const auto made = read_field<uint>(*s.executor, FieldId::births_made, s.scene.worlds * emitters);
  std::vector<EmitterCounts> counts;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto world = static_cast<std::uint32_t>(k / emitters);
    const std::uint64_t now = s.drive.local(s.step, world);
    const std::vector<std::uint64_t>& steps = s.due[world][k % emitters];
    const auto rest = static_cast<std::uint32_t>(std::ranges::upper_bound(steps, now) - steps.begin()) - made[k];
    const bool over = stopped(s.scene.emitters[k % emitters], now + 1, s.scene.dt, s.time_zero);
    counts.push_back({made[k], over ? 0 : rest, over ? rest : 0});
  }
  return counts;
}
std::array<SeamCrossings, 3> Simulation::seam_crossings() const {
  const auto of = [&](int axis) -> SeamCrossings { return {impl_->known.seam_up[axis], impl_->known.seam_down[axis]}; };
  return {of(0), of(1), of(2)};
}
std::vector<PassTime> Simulation::pass_times() const {
  return impl_->idle().executor->pass_times();
}
DeviceSummary Simulation::device() const {
  return impl_->executor->device();
}
std::uint64_t Simulation::rebuilds() const {
  return impl_->idle().read_status().rebuilds;
}
std::uint64_t Simulation::mends() const {
  return impl_->idle().read_status().mends;
}
std::uint64_t Simulation::fast() const {
  return impl_->idle().read_status().fast;
}
std::uint64_t Simulation::cloth_uncounted() const {
  return impl_->idle().read_status().cloth_uncounted;
}
Executor& Simulation::executor() {
  return *impl_->idle().executor;
}
gpu::Device* Simulation::gpu_device() {
  return impl_->executor->gpu_device();
}
gpu::Buffer* Simulation::grain_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grains);
}
gpu::Buffer* Simulation::tag_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grain_tag);
}
gpu::Buffer* Simulation::id_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grain_id);
}
std::uint32_t Simulation::fine_count() const {
  return impl_->fine_alive();
}
std::uint32_t Simulation::fine_places() const {
  return impl_->fine_places_at(impl_->step + impl_->started);
}
std::vector<GrainState> Simulation::fine_grains() {
  return impl_->idle().read_fine();
}
gpu::Buffer* Simulation::fine_buffer() {
  return impl_->executor->gpu_buffer(FieldId::fine_grains);
}
gpu::Buffer* Simulation::fine_tag_buffer() {
  return impl_->executor->gpu_buffer(FieldId::fine_tag);
}
std::array<std::uint32_t, 2> Simulation::coarse_without_fine() const {
  return {impl_->settings.shaped_first, impl_->settings.births_first};
}
std::uint32_t Simulation::cloth_first() const {
  return impl_->settings.cloth_first;
}
gpu::Buffer* Simulation::shape_buffer() {
  return impl_->executor->gpu_buffer(FieldId::shape_motions);
}
void Simulation::survey() {
  impl_->idle().survey();
}
gpu::Buffer* Simulation::measure_buffer() {
  return impl_->executor->gpu_buffer(FieldId::measures);
}
gpu::Buffer* Simulation::line_buffer() {
  return impl_->executor->gpu_buffer(FieldId::contact_lines);
}
std::uint32_t Simulation::line_places() const {
  const auto places = static_cast<std::uint32_t>(impl_->executor->size(FieldId::contact_lines));
  return under_way() || impl_->own_places() ? places : std::min(impl_->known.slots, places);
}
gpu::Buffer* Simulation::body_buffer() {
  if (!under_way())  // its steps leave them posed
    impl_->place_bodies();
  return impl_->executor->gpu_buffer(FieldId::bodies);
}

std::vector<BodyLoad> Simulation::body_loads() const {
  return read_field<BodyLoad>(*impl_->idle().executor, FieldId::body_load,
                              impl_->scene.worlds * impl_->scene.bodies.size());
}
const std::vector<BodyLoad>& Simulation::load_history() const {
  return impl_->idle().loads;
}

std::uint64_t Simulation::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t f = 0; f < field_count; ++f)
    for (const Copy copy : copies)
      if (has_copy(field_infos[f], copy))
        bytes += impl_->idle().executor->size(static_cast<FieldId>(f)) * field_infos[f].stride;
  return bytes;
}

std::vector<GrainState> Simulation::grains() {
  const Impl::State s = impl_->idle().read_state();
  std::vector<GrainState> grains;
  grains.reserve(s.by_id.size());
  for (const std::uint32_t i : s.by_id)
    if (!impl_->is_vertex(s.ids[i]))
      grains.push_back({s.ids[i], vec3(s.grains[i].position), vec3(s.grains[i].velocity), s.grains[i].position.w,
                        s.tags[i] & tag_material_mask, s.world_of(i)});
  return grains;
}

std::uint32_t Simulation::body(std::string_view name, std::uint32_t world) const {
  impl_->check_worlds(std::span(&world, 1));
  const std::vector<BodySpec>& bodies = impl_->scene.bodies;
  const auto found = std::ranges::find(bodies, name, &BodySpec::name);
  if (found == bodies.end())
    throw std::invalid_argument(fmt::format("the scene has no body {}", name));
  return static_cast<std::uint32_t>(world * bodies.size() + static_cast<std::size_t>(found - bodies.begin()));
}
BodyState Simulation::body_state(std::uint32_t body) const {
  if (impl_->idle().is_dynamic(body)) {
    const BodyMotion m = impl_->rigid_state(body).motion;
    return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, {glm::dvec3(m.velocity), glm::dvec3(m.spin)}};
  }
  return impl_->drive.call(&Drive::body_state, impl_->step, body);
}
std::uint32_t Simulation::shape(std::string_view name, std::uint32_t world) const {
  impl_->check_worlds(std::span(&world, 1));
  const std::vector<ShapeSpec>& shapes = impl_->scene.shapes;
  const auto found = std::ranges::find(shapes, name, &ShapeSpec::name);
  if (found == shapes.end())
    throw std::invalid_argument(fmt::format("the scene has no shape {}", name));
  return static_cast<std::uint32_t>(world * shapes.size()) + static_cast<std::uint32_t>(found - shapes.begin());
}
ShapeState Simulation::shape_state(std::uint32_t shape) const {
  const ShapeMotion m = impl_->idle().shape_motions().at(shape);
  return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, glm::dvec3(m.velocity)};
}
std::uint32_t Simulation::cloth(std::string_view name) const {
  const std::vector<ClothSpec>& cloths = impl_->scene.cloths;
  const auto found = std::ranges::find(cloths, name, &ClothSpec::name);
  if (found == cloths.end())
    throw std::invalid_argument(fmt::format("the scene has no cloth {}", name));
  return static_cast<std::uint32_t>(found - cloths.begin());
}
ClothState Simulation::cloth_state(std::uint32_t cloth) const {
  const ClothPlace& place = impl_->idle().population.cloths.at(cloth);
  const Impl::State s = impl_->read_state();
  const uint first = impl_->settings.cloth_first + place.first;
  auto at = std::ranges::lower_bound(s.by_id, first, {}, [&](std::uint32_t i) { return s.ids[i]; });
  std::vector<Grain> vertices;
  for (std::size_t k = 0; k < place.sheet.vertices.size(); ++k)
    vertices.push_back(s.grains[*at++]);
  return cloth_state_of(place.sheet, vertices, impl_->settings);
}
void Simulation::move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits) {
  impl_->idle().keep_commands();
  impl_->drive.call(&Drive::move_body, impl_->step, body, target, limits);
}
void Simulation::drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits) {
  impl_->idle().keep_commands();
  impl_->drive.call(&Drive::drive_body, impl_->step, body, target, limits);
}
JointState Simulation::joint_state(std::uint32_t body) const {
  if (const Joint* joint = impl_->idle().dynamic_joint(body)) {
    const RigidState state = impl_->rigid_state(body);
    const vec3 along = joint->type == JointType::revolute ? state.motion.spin : state.motion.velocity;
    const double unit = unit_of(joint->type);
    return {state.value / unit, glm::dot(along, impl_->dynamics.rigid[body % impl_->scene.bodies.size()].axis) / unit};
  }
  return impl_->drive.call(&Drive::joint_state, impl_->step, body);
}
void Simulation::push_body(std::uint32_t body, const Wrench& wrench) {
  if (!impl_->idle().is_dynamic(body))
    throw std::invalid_argument(fmt::format("body {} has no mass: nothing pushes it", body));
  const auto finite = [](const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  if (!finite(wrench.force) || !finite(wrench.torque))
    throw std::invalid_argument("force and torque must be finite");
  impl_->command(body, [&](RigidCommand& c) {
    c.force = vec3(wrench.force);
    c.torque = vec3(wrench.torque);
  });
}
void Simulation::move_joint(std::uint32_t body, double value) {
  impl_->idle().keep_commands();
  impl_->drive.call(&Drive::move_joint, impl_->step, body, value);
}
void Simulation::drive_joint(std::uint32_t body, double speed) {
  constexpr double fastest = 1e6;  // degrees/s or m/s, as a motor in a scene
  if (!(std::abs(speed) <= fastest))
    throw std::invalid_argument(fmt::format(
        "the speed to reach must be finite and from {} to {} (degrees/s or m/s), not {}", -fastest, fastest, speed));
  if (const Joint* joint = impl_->idle().dynamic_joint(body)) {
    if (!joint->motor)
      throw std::invalid_argument(fmt::format("the joint of body {} has no motor", impl_->spec_of(body).name));
    impl_->command(body, [&](RigidCommand& c) { c.motor_speed = static_cast<float>(unit_of(joint->type) * speed); });
    return;
  }
  impl_->keep_commands();
  impl_->drive.call(&Drive::drive_joint, impl_->step, body, speed);
  impl_->note_limit(body, speed);
}

Measure Simulation::measure() {
  return impl_->idle().measure({});
}
Measure Simulation::measure(std::uint32_t world) {
  impl_->check_worlds(std::span(&world, 1));
  return impl_->idle().measure(world);
}

// Of one world, or of all.
Measure Simulation::Impl::measure(std::optional<std::uint32_t> world) {
  Measure m;
  if (alive() == 0)
    return m;
  // At the start, and after a fall back, there are no lists of these positions yet. The next step would build the same.
  // Steps that find contacts without lists leave those of an earlier measure behind.
  const Detection detection = scene.solver.detection;
  bool stale = detection == Detection::one_loop || detection == Detection::two_loops;
  write_motions(1);
  while (stale || lists_are_void()) {
    build_lists(*executor, plan_of(step));
    stale = false;
    if (const Status status = read_status(); status.halt == halt_slots)
      grow(status);
  }
  if (settings.bodies > 0)
    move_bodies(*executor, plan_of(step));
  Args args{};
  args.grains = places_at(step);
  args.h = static_cast<float>(substep_of(scene));
  executor->run(Pass::measure, {args.grains}, args);
  const auto parts = read_field<GrainMeasure>(*executor, FieldId::measures, args.grains);
  const State state = read_state();
  std::uint64_t contacts = 0;
  double penetration = 0.0;
  // By id, not in memory order: equal states have equal sums.
  std::uint32_t counted = 0;
  for (const std::uint32_t i : state.by_id) {
    if (world && state.world_of(i) != *world)
      continue;
    ++counted;
    const GrainMeasure& part = parts[i];
    contacts += part.contacts;
    penetration += part.penetration_sum;
    m.contacts_max = std::max(m.contacts_max, part.contacts);
    m.penetration_max = std::max(m.penetration_max, static_cast<double>(part.penetration_max));
    m.kinetic_energy += part.kinetic_energy;
    const Grain& g = state.grains[i];
    const glm::dvec3 velocity{vec3(g.velocity)};
    if (g.velocity.w > 0.0f)
      m.momentum += velocity / static_cast<double>(g.velocity.w);
    m.speed_max = std::max(m.speed_max, glm::length(velocity));
    m.height = std::max(m.height, static_cast<double>(g.position.z) + g.position.w - scene.domain.min.z);
  }
  m.grains = counted - settings.cloth;
  m.contacts_mean = counted ? static_cast<double>(contacts) / counted : 0.0;
  m.penetration_mean = contacts ? penetration / static_cast<double>(contacts) : 0.0;
  return m;
}

std::uint64_t Simulation::state_hash() {
  return impl_->idle().state_hash({});
}
std::uint64_t Simulation::state_hash(std::uint32_t world) {
  impl_->check_worlds(std::span(&world, 1));
  return impl_->idle().state_hash(world);
}

// Of one world, or of all: of the fields that declare it what they declare, grains by their numbers, then fine grains
// by theirs, then what does not follow either.
std::uint64_t Simulation::Impl::state_hash(std::optional<std::uint32_t> world) {
  const State s = read_state();
  std::uint64_t sum = checksum_of_nothing;
  const auto add = [&](const auto& value) { sum = checksum(std::as_bytes(std::span(&value, 1)), sum); };
  // Fields, and their elements so far.
  const auto read = [&](Follows what, std::size_t elements) {
    std::vector<std::pair<FieldId, std::vector<std::byte>>> fields;
    each_follower(what, [&](FieldId id) {
      if (const std::size_t count = std::min(executor->size(id), elements); info(id).hashed > 0 && count > 0)
        executor->read(id, fields.emplace_back(id, std::vector<std::byte>(count * info(id).stride)).second);
    });
    return fields;
  };
  const auto add_element = [&](FieldId id, std::span<const std::byte> of_all, std::size_t i) {
    sum = checksum(of_all.subspan(i * info(id).stride, info(id).hashed), sum);
  };
  const auto of_grains = read(Follows::grains, s.ids.size());
  for (const std::uint32_t i : s.by_id) {
    if (world && s.world_of(i) != *world)
      continue;
    for (const auto& [id, bytes] : of_grains) {
      if (id == FieldId::grain_id)
        add(number_alone(s.world_of(i), s.ids[i]));
      else
        add_element(id, bytes, i);
    }
  }
  for (const GrainState& fine : read_fine()) {  // without how loose they are
    add(fine.id);
    add(fine.position);
    add(fine.velocity);
    add(fine.radius);
    add(fine.material);
  }
  // Those of a world are as many as of any other.
  for (const auto& [id, bytes] : read(Follows::nothing, ~std::size_t{0})) {
    const std::size_t all = bytes.size() / info(id).stride, each = all / scene.worlds;
    const std::size_t first = world.value_or(0) * each, end = world ? first + each : all;
    for (std::size_t k = first; k < end; ++k)
      add_element(id, bytes, k);
  }
  return sum;
}

}  // namespace talus
