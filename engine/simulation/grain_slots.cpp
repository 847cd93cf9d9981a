#include "engine/simulation/grain_slots.h"
#include <algorithm>
#include <cstring>

namespace talus {
namespace {

constexpr std::uint64_t free_period = 32;  // steps

constexpr std::uint32_t empty_least = 1024;

bool many(std::uint32_t empty, std::uint32_t slots) {
  constexpr std::uint32_t share = 4;
  return empty >= empty_least && share * empty >= slots;
}

}  // namespace

GrainSlots::GrainSlots(const Model& model, FieldMemory& memory, RunState& run, const Emission& emission)
    : model_(model), memory_(memory), run_(run), emission_(emission), at_start_(model.worlds()) {
  Status status{};
  if (has_fine(model_.population())) {
    const FineGrains fine = fine_grains_of(model_.population());
    write_field(memory_.executor(), FieldId::fine_grains, fine.grains);
    write_field(memory_.executor(), FieldId::fine_tag, fine.tags);
    status.fine.drift = lists_invalid;
  }
  run_.set_status(status);
}

std::uint32_t GrainSlots::slots_at(std::uint64_t at) const {
  if (model_.own_slots())
    return model_.worlds() * model_.settings().worlds.places;
  const auto filled = static_cast<std::uint32_t>(model_.population().initial.size()) + emission_.emitted_until(at);
  TALUS_ASSERT(run_.status().freed <= filled, run_.status().freed, filled);
  return filled - run_.status().freed;
}

std::uint32_t GrainSlots::fine_slots_at(std::uint64_t at) const {
  const Population& population = model_.population();
  if (!has_fine(population))
    return 0;
  const std::uint32_t emitted = emission_.emitted_until(at);
  TALUS_ASSERT(emitted < population.fine_first.size(), emitted, population.fine_first.size());
  const std::uint32_t filled = static_cast<std::uint32_t>(population.fine.size()) + population.fine_first[emitted];
  TALUS_ASSERT(run_.status().fine.freed <= filled, run_.status().fine.freed, filled);
  return filled - run_.status().fine.freed;
}

std::uint32_t GrainSlots::born() const {
  std::uint32_t sum = 0;
  for (std::uint32_t w = 0; w < model_.worlds(); ++w)
    sum += at_start_[w] + run_.worlds()[w].population.born;
  return sum;
}

std::uint32_t GrainSlots::gone() const {
  std::uint32_t sum = 0;
  for (const World& world : run_.worlds())
    sum += world.population.gone;
  return sum;
}

std::uint32_t GrainSlots::alive() const {
  TALUS_ASSERT(run_.status().freed <= gone(), run_.status().freed, gone());
  std::uint32_t soil = 0;
  for (const World& world : run_.worlds())
    soil += world.soil.made - world.soil.taken;
  return born() - gone() + soil;
}

std::uint32_t GrainSlots::fine_alive() const {
  const Status& status = run_.status();
  TALUS_ASSERT(status.fine.freed <= status.fine.gone, status.fine.freed, status.fine.gone);
  TALUS_ASSERT(status.fine.gone <= model_.population().fine.size() + status.fine.born, status.fine.gone,
               status.fine.born);
  return static_cast<std::uint32_t>(model_.population().fine.size()) + status.fine.born - status.fine.gone;
}

std::uint32_t GrainSlots::number_alone(std::uint32_t world, uint id) const {
  TALUS_ASSERT(world < at_start_.size(), world, at_start_.size());
  TALUS_ASSERT(!model_.own_slots() || at_start_[world] <= model_.settings().emission.first, at_start_[world]);
  const uint gap = model_.own_slots() ? model_.settings().emission.first - at_start_[world] : 0;
  return id < model_.settings().shapes.first ? id : id - gap;
}

GrainsRead GrainSlots::read() const {
  const std::uint32_t slots = slots_at(run_.step()), slots_of_world = model_.settings().worlds.places;
  Executor& executor = memory_.executor();
  TALUS_ASSERT(slots <= executor.size(FieldId::grains), slots, executor.size(FieldId::grains));
  GrainsRead out{read_field<Grain>(executor, FieldId::grains, slots),
                 read_field<uint>(executor, FieldId::grain_id, slots),
                 read_field<uint>(executor, FieldId::grain_tag, slots),
                 read_field<vec4>(executor, FieldId::grain_spin, model_.scene().solver.rotation ? slots : 0),
                 {},
                 slots_of_world};
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> slot_of_id;  // in one world
  for (std::uint32_t first = 0, end = 0; first < slots; first = end) {
    end = first + std::min(slots_of_world, slots - first);
    slot_of_id.clear();
    for (std::uint32_t i = first; i < end; ++i) {
      if (out.grains[i].position.w == 0.0f)
        continue;
      TALUS_ASSERT(out.ids[i] != no_grain, i);
      if (out.ids[i] >= slot_of_id.size())
        slot_of_id.resize(out.ids[i] + 1, none);
      TALUS_ASSERT(slot_of_id[out.ids[i]] == none, out.ids[i], i);  // no two grains of a world have one id
      slot_of_id[out.ids[i]] = i;
    }
    std::ranges::copy_if(slot_of_id, std::back_inserter(out.by_id), [](std::uint32_t i) { return i != none; });
  }
  return out;
}

std::vector<GrainState> GrainSlots::read_all() const {
  const GrainsRead s = read();
  std::vector<GrainState> grains;
  grains.reserve(s.by_id.size());
  for (const std::uint32_t i : s.by_id)
    if (!model_.is_vertex(s.ids[i]))
      grains.push_back({s.ids[i], vec3(s.grains[i].position), vec3(s.grains[i].velocity), s.grains[i].position.w,
                        s.tags[i] & tag_material_mask, s.world_of(i), s.spin_of(i)});
  return grains;
}

std::vector<ClumpState> GrainSlots::read_clumps() const {
  const std::vector<ClumpKind> kinds = clump_kinds_of(model_.scene());
  std::vector<ClumpState> clumps;
  if (kinds.empty())
    return clumps;
  const GrainsRead s = read();
  const auto motions = read_field<ClumpMotion>(memory_.executor(), FieldId::clump_motions, s.grains.size());
  for (const std::uint32_t i : s.by_id) {
    if ((s.tags[i] >> tag_sphere_shift & tag_sphere_mask) != 1 || s.grains[i].velocity.w == 0.0f)
      continue;
    const ClumpKind& kind = kinds[s.tags[i] >> tag_kind_shift];
    const ClumpMotion& motion = motions[i];
    const double size = s.grains[i].position.w, mass = static_cast<double>(kind.weight[0]) / s.grains[i].velocity.w;
    const Pose pose{glm::dvec3(motion.position), glm::normalize(quaternion_of(motion.rotation))};
    const glm::dvec3 momentum(motion.momentum),
        inertia = size * size * glm::dvec3(kind.inertia),
        spin = pose.rotation * ((glm::conjugate(pose.rotation) * momentum) / inertia);
    clumps.push_back({s.ids[i], kind.spheres, s.tags[i] & tag_material_mask, s.world_of(i), mass, pose,
                      glm::dvec3(motion.velocity), spin, mass * momentum});
  }
  return clumps;
}

std::vector<GrainState> GrainSlots::read_fine() const {
  const std::uint32_t slots = fine_slots_at(run_.step());
  TALUS_ASSERT(slots <= memory_.executor().size(FieldId::fine_grains), slots);
  const auto grains = read_field<Grain>(memory_.executor(), FieldId::fine_grains, slots);
  const auto tags = read_field<uint>(memory_.executor(), FieldId::fine_tag, slots);
  std::vector<GrainState> fine;
  fine.reserve(slots);
  for (std::uint32_t i = 0; i < slots; ++i)
    if (grains[i].position.w > 0.0f)
      fine.push_back({tags[i] >> fine_tag_shift, vec3(grains[i].position), vec3(grains[i].velocity),
                      grains[i].position.w, tags[i] & tag_material_mask, 0});
  std::ranges::sort(fine, {}, &GrainState::id);
  return fine;
}

glm::dvec3 GrainSlots::offset_of(const vec3& grain, const glm::dvec3& from) const {
  return nearest_image(model_.scene().domain, glm::dvec3(grain), from) - from;
}

bool GrainSlots::can_be_taken(const GrainsRead& s, std::uint32_t i) const {
  return s.world_of(i) == 0 && s.grains[i].velocity.w > 0.0f && !model_.is_vertex(s.ids[i]);
}

std::vector<HandGrain> GrainSlots::within(const glm::dvec3& at, double radius) const {
  std::vector<HandGrain> out;
  const GrainsRead s = read();
  for (const std::uint32_t i : s.by_id)
    if (can_be_taken(s, i))
      if (const glm::dvec3 offset = offset_of(s.grains[i].position, at); glm::length(offset) <= radius)
        out.push_back({s.ids[i], vec3(offset)});
  return out;
}

// The spheres of a clump have numbers one after another: the first one says whether they all go.
std::uint32_t GrainSlots::remove(const glm::dvec3& at, double radius) {
  Executor& executor = memory_.executor();
  GrainsRead s = read();
  const auto clumps = read_field<ClumpMotion>(executor, FieldId::clump_motions,
                                              std::min(s.grains.size(), executor.size(FieldId::clump_motions)));
  std::uint32_t removed = 0;
  vec3 center(0.0f);
  for (const std::uint32_t i : s.by_id) {
    Grain& grain = s.grains[i];
    if (!can_be_taken(s, i))
      continue;
    const uint sphere = s.tags[i] >> tag_sphere_shift & tag_sphere_mask;
    if (sphere <= 1)
      center = sphere == 1 ? clumps[i].position : vec3(grain.position);
    if (glm::length(offset_of(center, at)) > radius)
      continue;
    grain = {vec4(vec3(grain.position), 0.0f), vec4(0.0f)};
    ++removed;
  }
  if (has_fine(model_.population()))
    remove_fine(at, radius);
  if (removed == 0)
    return 0;
  write_field(executor, FieldId::grains, s.grains);
  World world = read_field<World>(executor, FieldId::worlds, model_.worlds())[0];
  world.population.gone += removed;
  world.population.gone_before = world.population.gone;
  run_.set_world(0, world);
  run_.invalidate_lists(0);
  return removed;
}

void GrainSlots::remove_fine(const glm::dvec3& at, double radius) {
  Executor& executor = memory_.executor();
  auto grains = read_field<Grain>(executor, FieldId::fine_grains, fine_slots_at(run_.step()));
  std::uint32_t removed = 0;
  for (Grain& grain : grains)
    if (grain.position.w > 0.0f && glm::length(offset_of(grain.position, at)) <= radius) {
      grain = {vec4(vec3(grain.position), 0.0f), vec4(0.0f)};
      ++removed;
    }
  if (removed == 0)
    return;
  write_field(executor, FieldId::fine_grains, grains);
  Status status = run_.read_status();
  status.fine.gone += removed;
  run_.set_status(status);
}

void GrainSlots::count_at_start() {
  std::vector<std::uint32_t> there(model_.worlds());
  const GrainsRead s = read();
  for (const std::uint32_t i : s.by_id)
    ++there[s.world_of(i)];
  for (std::uint32_t w = 0; w < model_.worlds(); ++w) {
    const World& world = run_.worlds()[w];
    const std::uint32_t left = world.population.born + world.soil.made, lost = world.population.gone + world.soil.taken;
    TALUS_ASSERT(left <= there[w] + lost, left, there[w], lost);
    at_start_[w] = there[w] + lost - left;
  }
}

// When this happens does not matter to the bits: lists that are invalid are built anew, and come out the same from any
// slots in this order; fine grains may lie in any order.
void GrainSlots::free_slots() {
  const std::uint32_t slots = slots_at(run_.step()), fine_slots = fine_slots_at(run_.step());
  TALUS_ASSERT(run_.substep() == 0, run_.substep());  // passes of a step count on the slots of its start
  TALUS_ASSERT(slots <= memory_.executor().size(FieldId::grains), slots);
  TALUS_ASSERT(fine_slots <= memory_.executor().size(FieldId::fine_grains), fine_slots);
  TALUS_ASSERT(alive() <= slots, alive(), slots);
  TALUS_ASSERT(!has_fine(model_.population()) || fine_alive() <= fine_slots, fine_alive(), fine_slots);
  if (run_.step() % free_period != 0)
    return;
  const bool coarse = !model_.own_slots() && many(gone() - run_.status().freed, slots),
             fine = many(run_.status().fine.gone - run_.status().fine.freed, fine_slots);
  if (!coarse && !fine)
    return;
  Status status = run_.read_status();
  if (coarse && run_.lists_are_invalid()) {
    move_up(Follows::grains, slots);
    memory_.forget_slices();
    status.freed = gone();
  }
  if (fine) {
    move_up(Follows::fine_grains, fine_slots);
    status.fine.freed = status.fine.gone;
  }
  run_.set_status(status);
}

std::uint64_t GrainSlots::steps_until_free() const {
  const Status& status = run_.status();
  const std::uint64_t steps = free_period - run_.step() % free_period, then = run_.step() + steps;
  const bool some_go = !model_.scene().sinks.empty() || gone() > status.freed || status.fine.gone > status.fine.freed;
  const bool may_be_many = (!model_.own_slots() && slots_at(then) >= empty_least) || fine_slots_at(then) >= empty_least;
  return some_go && may_be_many ? steps : ~std::uint64_t{0};
}

void GrainSlots::move_up(Follows what, std::uint32_t slots) {
  TALUS_ASSERT(!model_.own_slots());
  Executor& executor = memory_.executor();
  const auto grains =
      read_field<Grain>(executor, what == Follows::grains ? FieldId::grains : FieldId::fine_grains, slots);
  each_follower(what, [&](FieldId id) {
    if (executor.size(id) == 0)
      return;
    TALUS_ASSERT(slots <= executor.size(id), slots, executor.size(id), id);
    const std::size_t stride = info(id).stride;
    std::vector<std::byte> bytes(slots * stride);
    executor.read(id, bytes);
    std::size_t to = 0;
    for (std::size_t i = 0; i < slots; ++i)
      if (grains[i].position.w > 0.0f)
        std::memmove(&bytes[stride * to++], &bytes[stride * i], stride);
    executor.write(id, std::span(bytes).first(to * stride));
    memory_.clear_slots(id, to, slots - to);  // otherwise they would be drawn
  });
}

}  // namespace talus
