#include "engine/simulation/impl.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace talus {
namespace {

constexpr std::uint64_t all_substeps = ~0u;

bool many(std::uint32_t empty, std::uint32_t places) {
  constexpr std::uint32_t least = 1024, share = 4;
  return empty >= least && share * empty >= places;
}

}  // namespace

std::uint32_t Simulation::Impl::births_until(std::uint64_t at, std::uint32_t world) const {
  const std::vector<TimedSeed>& poured = *pours[world];
  const auto after = std::ranges::upper_bound(poured, drive.local(at, world), {}, &TimedSeed::step);
  return static_cast<std::uint32_t>(after - poured.begin());
}

std::uint32_t Simulation::Impl::born() const {
  std::uint32_t sum = 0;
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    sum += grains_of[w] + known_worlds[w].born;
  return sum;
}

std::uint32_t Simulation::Impl::gone() const {
  std::uint32_t sum = 0;
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    sum += known_worlds[w].gone;
  return sum;
}

std::uint64_t Simulation::Impl::batch_most() const {
  const std::uint64_t bodies_of_all = std::max<std::uint64_t>(1, scene.worlds * scene.bodies.size());
  return std::clamp<std::uint64_t>(batch_motions_max / bodies_of_all, 1, batch_steps_max);
}

bool Simulation::Impl::lists_are_void() const {
  return std::ranges::any_of(read_worlds(), [](const World& world) { return world.travel >= lists_void; });
}

StepPlan Simulation::Impl::plan_of(std::uint64_t at) const {
  StepPlan plan{};
  plan.grains = places_at(at);
  plan.mends = (settings.options & option_mend) != 0;
  plan.emitters = pours_at(at) ? static_cast<std::uint32_t>(scene.emitters.size()) : 0;
  plan.solver = scene.solver;
  plan.h = static_cast<float>(substep_of(scene));
  plan.worlds = settings.worlds;
  plan.bodies = settings.worlds * settings.bodies;
  plan.sinks = settings.sinks;
  plan.shapes = settings.worlds * settings.shapes;
  plan.cloth = settings.cloth;
  plan.fine = fine_places_at(at);
  plan.fine_births = !fine_first.empty() && fine_first.back() > 0;
  plan.crowding = (settings.options & option_plain_advection) == 0;
  plan.carried = settings.carried;
  plan.rigid = settings.rigid;
  plan.body_points = settings.body_points;
  const bool moves = at == hand.step;
  plan.held = static_cast<std::uint32_t>(hand.held.size());
  plan.hand = vec3(moves ? hand.from : hand.to);
  plan.hand_velocity = moves ? vec3((hand.to - hand.from) / scene.dt) : vec3(0.0f);
  plan.batch = static_cast<std::uint32_t>(step);
  return plan;
}

// How the bodies move in the next steps, for plans of them.
void Simulation::Impl::write_motions(std::uint64_t steps) {
  if (scene.bodies.empty())
    return;
  const Drive::Batch motions = drive.batch(step, steps);
  write_field(*executor, FieldId::body_motions, motions.motions);
  write_field(*executor, FieldId::body_speeds, motions.speeds);
}

// Steps leave the bodies where they stood at the start of the last substep.
void Simulation::Impl::place_bodies() {
  if (scene.bodies.empty())
    return;
  write_motions(1);
  move_bodies(*executor, plan_of(step));
  executor->finish();
}

void Simulation::Impl::make_room_for_lines() {
  if (const std::size_t slots = executor->size(FieldId::contact_partner);
      executor->size(FieldId::contact_lines) != slots)
    executor->resize(FieldId::contact_lines, slots);
}

// On the lists and the sums of the last substep, whatever their age: none of it waits.
void Simulation::Impl::survey() {
  make_room_for_lines();
  write_motions(1);
  const StepPlan plan = plan_of(step);
  pose_bodies(*executor, plan);
  survey_contacts(*executor, plan, listed_at(step));
  executor->submit();
}

void Simulation::Impl::forget_point_contacts() {
  write_field(*executor, FieldId::point_contacts,
              std::vector<PointContact>(executor->size(FieldId::point_contacts), {no_partner, vec3(0.0f)}));
}

Simulation::Impl& Simulation::Impl::idle() {
  if (under_way())
    throw std::logic_error("steps are under way: finish() takes them over first");
  return *this;
}

void Simulation::Impl::advance(std::uint64_t steps) {
  aim(steps);
  go_on();
}

void Simulation::Impl::start(std::uint64_t steps, bool survey) {
  aim(steps);
  surveying = survey;
  if (survey)
    make_room_for_lines();
  begin(std::min(steps, batch_most()), true);
}

bool Simulation::Impl::ready() {
  if (work.wait_for(std::chrono::seconds(0)) != std::future_status::ready || !executor->done())
    return false;
  if (rest.step == rest.end)
    return true;
  measure_slice();
  hand_over(slice);
  return false;
}

void Simulation::Impl::finish() {
  complete();
  const std::uint64_t then = step;
  go_on();
  if (surveying && step > then)
    survey();
}

void Simulation::Impl::aim(std::uint64_t steps) {
  end = step + steps;
  loads.clear();
  loads_step = step;
}

void Simulation::Impl::go_on() {
  while (step < end) {
    const auto before = std::chrono::steady_clock::now();
    begin(std::min({batch, batch_most(), end - step}), false);
    complete();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    batch = seconds < 0.5 * batch_seconds   ? std::min(2 * batch, batch_most())
            : seconds > 2.0 * batch_seconds ? std::max<std::uint64_t>(batch / 2, 1)
                                            : batch;
  }
}

// live: does not wait, and a device leaves the bodies where they are to be drawn.
void Simulation::Impl::begin(std::uint64_t steps, bool live) {
  if (substep == 0) {
    free_places();
    each_field(&FieldInfo::rolled_back, [&](FieldId id) { executor->copy(id, {id, Copy::valid}); });
    valid_step = step;
    valid_status = known;
    valid_worlds = known_worlds;
    takes_back = replaced.has_value();
    valid_commands = takes_back ? std::move(*replaced) : Commands{drive.courses(), hand, {}};
    replaced.reset();
  }
  write_motions(live ? steps + 1 : steps);
  write_pours(steps);
  const auto policy = live && !on_device ? std::launch::async : std::launch::deferred;
  const bool survey = live && surveying;
  work = std::async(policy, [=, this] { run(steps, live && on_device, survey); });
  started = steps;
  if (policy == std::launch::deferred)
    work.wait();  // runs it; what it throws waits for complete()
}

void Simulation::Impl::run(std::uint64_t steps, bool live, bool survey) {
  rest = {step, step + steps, substep, live || survey, survey};
  hand_over(live ? slice : all_substeps);
}

// How many of the steps that the device does not have yet have the plan of the first one.
std::uint64_t Simulation::Impl::steps_alike() const {
  const StepPlan plan = plan_of(rest.step);
  std::uint64_t end = rest.step + 1;
  while (end < rest.end && plan_of(end) == plan)
    ++end;
  return end - rest.step;
}

// So many substeps of what the device does not have yet, and after the last what is read of them.
void Simulation::Impl::hand_over(std::uint64_t count) {
  const auto substeps = static_cast<std::uint32_t>(scene.solver.substeps);
  const bool all = count == all_substeps;
  while (count > 0 && rest.step < rest.end) {
    if (const std::uint64_t alike = all && rest.substep == 0 ? steps_alike() : 1; alike > 1) {
      const StepPlan plan = plan_of(rest.step);
      executor->repeat(static_cast<std::uint32_t>(alike), [&] { talus::step(*executor, plan); });
      sliced += alike * substeps;
      rest.step += alike;
      continue;
    }
    const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(substeps, rest.substep + count));
    talus::step(*executor, plan_of(rest.step), rest.substep, to);
    count -= to - rest.substep;
    sliced += to - rest.substep;
    rest.substep = to % substeps;
    rest.step += to == substeps;
  }
  if (rest.step == rest.end) {
    if (rest.posed)
      pose_bodies(*executor, plan_of(rest.end));
    if (rest.surveyed)  // not of lists that had no room
      survey_contacts(*executor, plan_of(rest.end), listed_at(rest.end), gate_grains);
    executor->keep(FieldId::status, 1);
    executor->keep(FieldId::worlds, scene.worlds);
    executor->keep(FieldId::body_loads, (rest.end - step) * settings.worlds * scene.bodies.size());
  }
  executor->submit();
}

// By the device's own clock. One without a clock is handed all at once.
void Simulation::Impl::measure_slice() {
  double ms = 0.0;
  for (const PassTime& pass : executor->pass_times())
    ms += pass.ms;
  const double each = (ms - device_ms) / static_cast<double>(std::max<std::uint64_t>(sliced, 1));
  const double fit = each > 0.0 ? 1e3 * options.slice / each : static_cast<double>(all_substeps);
  slice = static_cast<std::uint64_t>(std::clamp(fit, 1.0, static_cast<double>(all_substeps)));
  device_ms = ms;
  sliced = 0;
}

void Simulation::Impl::complete() {
  const std::uint64_t steps = std::exchange(started, 0);
  work.get();
  if (rest.step < rest.end)
    hand_over(all_substeps);
  executor->finish();
  if (rest.posed && on_device)
    measure_slice();
  const Status status = known = kept_field<Status>(*executor, FieldId::status, 1)[0];
  std::ranges::copy(kept_field<World>(*executor, FieldId::worlds, scene.worlds), known_worlds.begin());
  add_loads(status.step - static_cast<uint>(step));
  if (status.halt == halt_invalid)
    fall_back(status);
  if (status.halt == halt_slots)
    grow(status);
  else
    finish_steps(steps), substep = 0;
}

// Where many grains are gone, the others move up, in their order, so that the places are not gone through for ever.
// When that happens does not matter: void lists are made anew from any places in this order, and fine grains may lie
// in any order.
void Simulation::Impl::free_places() {
  const std::uint32_t places = places_at(step), fine_places = fine_places_at(step);
  const bool coarse = !own_places() && many(gone() - known.freed, places),
             fine = many(known.fine_gone - known.fine_freed, fine_places);
  if (!coarse && !fine)
    return;
  Status status = read_status();
  if (coarse && lists_are_void()) {
    move_up(Follows::grains, places);
    status.freed = gone();
  }
  if (fine) {
    move_up(Follows::fine_grains, fine_places);
    status.fine_freed = status.fine_gone;
  }
  write_status(status);
  known = status;
}

// Places of fields that follow these grains.
void Simulation::Impl::move_up(Follows what, std::uint32_t places) {
  const auto grains =
      read_field<Grain>(*executor, what == Follows::grains ? FieldId::grains : FieldId::fine_grains, places);
  each_follower(what, [&](FieldId id) {
    if (executor->size(id) == 0)
      return;
    const std::size_t stride = info(id).stride;
    std::vector<std::byte> bytes(places * stride);
    executor->read(id, bytes);
    std::size_t to = 0;
    for (std::size_t i = 0; i < places; ++i)
      if (grains[i].position.w > 0.0f)
        std::memmove(&bytes[stride * to++], &bytes[stride * i], stride);
    executor->write(id, std::span(bytes).first(to * stride));
    start_anew(id, to, places - to);  // or they would be drawn
  });
}

// Places of a field that follows grains as they are where none ever was.
void Simulation::Impl::start_anew(FieldId id, std::size_t first, std::size_t count) {
  if (executor->size(id) == 0)
    return;
  const std::size_t words = info(id).stride / sizeof(uint);
  std::vector<uint> data(count * words, info(id).start == Start::none ? ~0u : 0u);
  for (std::size_t k = 0; k < data.size() && info(id).start == Start::place; ++k)
    data[k] = static_cast<uint>(first + k / words) % settings.places;  // the only world has them all: ~0
  executor->write(id, std::as_bytes(std::span(data)), first * info(id).stride);
}

void Simulation::Impl::finish_steps(std::uint64_t count) {
  drive.advance(count);
  step += count;
}

// Loads of the batch's first steps join those of advance().
void Simulation::Impl::add_loads(std::uint32_t steps) {
  if (scene.bodies.empty())
    return;
  const std::size_t bodies_of_all = scene.worlds * scene.bodies.size();
  const auto fresh = kept_field<BodyLoad>(*executor, FieldId::body_loads, steps * bodies_of_all);
  loads.insert(loads.end(), fresh.begin(), fresh.end());
  const std::size_t most = load_steps_most * bodies_of_all;
  if (loads.size() > most) {
    loads_step += (loads.size() - most) / bodies_of_all;
    loads.erase(loads.begin(), loads.end() - static_cast<std::ptrdiff_t>(most));
  }
}

// Each world has room for so many rows of slots from now on, no fewer than before.
void Simulation::Impl::resize_slots(std::size_t rows) {
  for (std::size_t f = 0; f < field_count; ++f) {
    const auto id = static_cast<FieldId>(f);
    const std::size_t elements = rows * slice_grains * slot_components(field_infos[f].extent);
    if (elements == 0 || !wants_field(id, settings))
      continue;
    const std::size_t before = share_of(id), after = elements * field_infos[f].stride;
    executor->resize(id, scene.worlds * elements);
    for (std::size_t w = scene.worlds; w-- > 1;)
      move_right(id, w * before, w * after, before);
  }
  settings.rows = static_cast<uint>(rows);
  size_fields();
  write_field(*executor, FieldId::settings, std::vector{settings});
}

// As Executor::copy_part within a field, where the two may overlap.
void Simulation::Impl::move_right(FieldId id, std::size_t from, std::size_t to, std::size_t bytes) {
  const std::size_t piece = to - from;
  for (std::size_t end = bytes; end > 0 && piece > 0;) {
    const std::size_t begin = end > piece ? end - piece : 0;
    executor->copy_part(id, from + begin, id, to + begin, end - begin);
    end = begin;
  }
}

// The device stopped in substep status.substep of step status.step for want of contact slots, or of room in the stash,
// before anything moved. Goes on from there with more. Exchanges of grains and grains_next recorded after that need no
// undoing: contact_check has made the two equal.
void Simulation::Impl::grow(Status status) {
  finish_steps(status.step - static_cast<uint>(step));
  substep = status.substep;
  status.halt = halt_none;
  write_status(status);
  const uint rows = settings.rows, stash = settings.stash, slots = rows * slice_grains;
  if (status.stashed > stash)
    settings.stash = status.stashed + status.stashed / 4;
  try {
    resize_slots(status.slots > slots ? (status.slots + status.slots / 4) / slice_grains : rows);
  } catch (const ResourceError& e) {
    settings.stash = stash;
    throw ResourceError(
        fmt::format("step {}: {} contact slots are needed and {} in the stash, {} and {} are there, and "
                    "more do not fit: {}",
                    step, status.slots, status.stashed, slots, stash, e.what()));
  }
}

// What World::invalid stands for.
std::string Simulation::Impl::name_of(std::uint32_t world, uint grain) const {
  if (scene.worlds > 1)
    return fmt::format("{} of world {}", name_of_own(grain), world);
  return name_of_own(grain);
}
std::string Simulation::Impl::name_of_own(uint grain) const {
  if (grain >= body_partner)
    return "body " + scene.bodies[grain - body_partner].name;
  if (!is_vertex(grain))
    return fmt::format("grain {}", grain);
  const uint vertex = grain - settings.cloth_first;
  const auto place = std::ranges::upper_bound(population.cloths, vertex, {}, &ClothPlace::first) - 1;
  return fmt::format("vertex {} of cloth {}", vertex - place->first, scene.cloths[place->cloth].name);
}

void Simulation::Impl::fall_back(Status status) {
  const std::uint64_t bad_step = step + (status.step - static_cast<uint>(step));
  const auto bad = std::ranges::find_if(known_worlds, [](const World& w) { return w.invalid != ~0u; });
  const std::string name = name_of(static_cast<std::uint32_t>(bad - known_worlds.begin()), bad->invalid);
  each_field(&FieldInfo::rolled_back, [&](FieldId id) { executor->copy({id, Copy::valid}, id); });
  each_field([](const FieldInfo& field) { return field.follows != Follows::nothing && !field.rolled_back; },
             [&](FieldId id) { start_anew(id, 0, executor->size(id)); });
  // What contacts remember is of a later state, and what they did to bodies.
  write_field(*executor, FieldId::body_sums, std::vector<uint>(executor->size(FieldId::body_sums), 0u));
  loads.resize((valid_step - std::min(valid_step, loads_step)) * scene.worlds * scene.bodies.size());
  write_field(*executor, FieldId::contact_count, std::vector<uint>(executor->size(FieldId::contact_count), 0u));
  forget_point_contacts();
  step = valid_step;
  drive.set(valid_commands.courses);
  hold(valid_commands.hand);
  for (const auto& [body, command] : valid_commands.rigid)
    executor->write(FieldId::rigid_commands, std::as_bytes(std::span(&command, 1)), body * sizeof(RigidCommand));
  substep = 0;
  status.halt = halt_none;
  status.step = static_cast<uint>(step);
  status.substep = 0;
  status.fine_born = valid_status.fine_born;
  status.fine_gone = valid_status.fine_gone;
  status.fine_time = valid_status.fine_time;
  status.fine_travel = valid_status.fine_travel;
  status.fine_drift = status.body_way = lists_void;
  status.seam_up = valid_status.seam_up;
  status.seam_down = valid_status.seam_down;
  known = status;
  const auto grains = read_field<Grain>(*executor, FieldId::grains, places_at(step));
  std::vector<World> worlds = valid_worlds;
  for (std::uint32_t w = 0; w < scene.worlds; ++w) {
    World& world = worlds[w];
    world.gone_before = world.gone;
    world.speed = 0.0f;
    const std::size_t each = grains.size() / scene.worlds;
    for (std::size_t i = w * each; i < (w + 1) * each; ++i)
      world.speed = std::max(world.speed, glm::length(vec3(grains[i].velocity)));
    world.travel = lists_void;
  }
  known_worlds = worlds;
  worlds.resize(scene.worlds);
  write_field(*executor, FieldId::worlds, worlds);
  write_status(status);
  executor->finish();
  throw StateError(fmt::format(
      "{} has no finite position and velocity any more in step {} ({:.6g} s); the state is that of step {} again{}",
      name, bad_step, drive.time(bad_step), step, takes_back ? ", without what was commanded then" : ""));
}

}  // namespace talus
