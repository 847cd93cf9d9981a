#include "engine/simulation/field_memory.h"
#include "engine/core/depth_cameras.h"
#include "shaders/shared/fine.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr std::uint64_t batch_steps_max = 256, batch_motions_max = 65536;

}  // namespace

FieldMemory::FieldMemory(Model& model, std::unique_ptr<Executor> executor)
    : model_(model), executor_(std::move(executor)) {
  specialize();
  resize_all();
  write_settings();
  write_constants();
}

void FieldMemory::specialize() {
  executor_->specialize(model_.features());
}

std::uint64_t FieldMemory::batch_most() const {
  const std::uint64_t bodies = std::max<std::uint64_t>(1, model_.bodies_of_all());
  return std::clamp<std::uint64_t>(batch_motions_max / bodies, 1, batch_steps_max);
}

Wants FieldMemory::wants_of(const Settings& of) const {
  return {model_.scene().solver,        of.grid.incremental != 0,
          model_.options().marks,       of.solver.rotation == rotation_rolling,
          of.contacts.restitution != 0, of.clumps.kinds > 0,
          of.sleep.window > 0,          model_.scene().soil.has_value(),
          model_.ground_places() > 0};
}

bool FieldMemory::has_field(FieldId id, const Settings& of) const {
  const Wants wants = wants_of(of);
  const auto& conditions = info(id).conditions;
  return !conditions.front() || std::ranges::any_of(conditions, [&](Condition holds) { return holds && holds(wants); });
}

std::size_t FieldMemory::elements_of(FieldId id, const Settings& settings, const Population& population) const {
  const Extent extent = info(id).extent;
  if (!has_field(id, settings))
    return 0;
  if (extent == Extent::lines || extent == Extent::shelves || extent == Extent::held)
    return executor_->size(id);  // others resize these fields
  return elements_of(extent, settings, population) * (of_each_world(extent) ? model_.worlds() : 1);
}

std::size_t FieldMemory::elements_of(Extent extent, const Settings& settings, const Population& population) const {
  const Scene& scene = model_.scene();
  const Bodies& bodies = model_.bodies();
  const Cloth& cloth = model_.cloth();
  const Dynamics& dynamics = model_.dynamics();
  const std::size_t worlds = scene.worlds;
  const std::size_t slots = std::size_t{settings.worlds.rows} * slice_grains;
  const std::size_t grains = settings.worlds.places != no_grain
                                 ? settings.worlds.places
                                 : population.initial.size() + population.scheduled.size();
  const std::size_t cells = grid_cells(settings.grid.bits);
  const std::size_t slices = (grains + slice_grains - 1) / slice_grains;
  const std::size_t fine = has_fine(population) ? population.fine.size() + population.fine_first.back() : 0;
  const std::size_t materials = scene.materials.size();
  switch (extent) {
  case Extent::one:
    return 1;
  case Extent::worlds:
    return 1;
  case Extent::world_steps:
    return worlds * (batch_most() + 1);
  case Extent::gates:
    return gates_total;
  case Extent::pairs:
    return (materials + 1) * (materials + 1);
  case Extent::emitted:
    return settings.worlds.places != no_grain ? model_.emission_room(settings) : population.scheduled.size();
  case Extent::emissions_due:
    return worlds * scene.emitters.size() * (batch_most() + 1);
  case Extent::emitters:
    return scene.emitters.size();
  case Extent::world_emitters:
    return scene.emitters.size();
  case Extent::sites: {
    std::size_t sites = 0;
    for (const std::vector<glm::vec3>& of_emitter : population.sites)
      sites += of_emitter.size();
    return sites;
  }
  case Extent::emitted_and_end:
    return fine > 0 ? population.fine_first.size() : 0;
  case Extent::clump_kinds:
    return settings.clumps.kinds;
  case Extent::sinks:
    return scene.sinks.size();
  case Extent::sink_counts:
    return scene.sinks.size();
  case Extent::bodies:
    return bodies.bodies.size();
  case Extent::body_motions:
    return worlds * bodies.bodies.size() * (batch_most() + 1);
  case Extent::body_sums:
    return bodies.bodies.size() * load_records * load_words;
  case Extent::shape_data:
    return bodies.shape_data.size();
  case Extent::carried:
    return population.boundary.size();
  case Extent::shapes:
    return scene.shapes.size();
  case Extent::shaped:
    return population.shaped.size();
  case Extent::world_shapes:
    return scene.shapes.size();
  case Extent::world_shaped:
    return population.shaped.size();
  case Extent::cloth_vertices:
    return settings.cloth.vertices;
  case Extent::cloth_links:
    return cloth.links.size() / worlds;
  case Extent::cloth_touches:
    return settings.cloth.vertices > 0 ? slots : 0;
  case Extent::cell_lists: {
    const Wants wants = wants_of(settings);
    const bool linked = finds_linked(wants) || incremental(wants);
    return cell_list_words(static_cast<uint>(worlds * cells), settings.bodies.count, linked,
                           static_cast<uint>(worlds * grains));
  }
  case Extent::cloth_sums:
    return settings.cloth.vertices * load_words;
  case Extent::rigid:
    return dynamics.rigid.size();
  case Extent::linkages:
    return dynamics.linkages.linkages.size();
  case Extent::link_joints:
  case Extent::world_link_joints:
    return dynamics.linkages.joints.size();
  case Extent::link_places:
  case Extent::world_link_places:
    return dynamics.linkages.places.size();
  case Extent::link_words:
    return dynamics.linkages.words;
  case Extent::rigid_pairs:
    return dynamics.ignores.size();
  case Extent::body_points:
    return dynamics.points.size();
  case Extent::point_contacts:
    return dynamics.points.size() * point_partners;
  case Extent::taken_cells:
    return settings.bodies.count > 0 ? cells : 0;
  case Extent::grains:
    return grains;
  case Extent::grains_twice:
    return 2 * grains;
  case Extent::cells:
    return cells;
  case Extent::cells_and_end:
    return worlds * cells + 1;
  case Extent::slices:
    return slices;
  case Extent::slices_and_end:
    return slices + 1;
  case Extent::fine:
    return fine;
  case Extent::near_grains:
    return fine > 0 ? std::max(fine, grains) : 0;
  case Extent::near_cells:
    return fine > 0 ? grid_cells(settings.near_grid.bits) : 0;
  case Extent::near_cells_and_end:
    return fine > 0 ? grid_cells(settings.near_grid.bits) + 1 : 0;
  case Extent::near_blocks:
    return fine > 0 ? near_blocks(settings.near_grid.bits) : 0;
  case Extent::density_nodes:
    return fine > 0 ? grid_cells(settings.density_grid.bits) * density_block : 0;
  case Extent::density_blocks:
    return fine > 0 ? grid_cells(settings.density_grid.bits) : 0;
  case Extent::chunks:
    return scan_chunks;
  case Extent::depth_cameras:
    return scene.depth_cameras.size();
  case Extent::depth_pixels:
    return depth_pixels(scene);
  case Extent::slots:
  case Extent::slot_states:
    return slots * elements_of_slot(extent, settings.contacts);
  case Extent::history:
    return worlds * settings.worlds.history * (1 + std::size_t{settings.contacts.kept_words});
  case Extent::advecting:
    return fine > 0 ? grains : 0;
  case Extent::soil_columns:
    return model_.soil_columns();
  case Extent::soil_springs:
    return model_.has_soil() ? model_.soil_stacks().tile().springs.size() : 0;
  case Extent::soil_tile_and_end:
    return model_.has_soil() ? model_.soil_stacks().tile().first_spring.size() : 0;
  case Extent::ground_bodies:
    return model_.ground_bodies().size();
  case Extent::ground_samples:
    return samples_of(model_.soil_site());
  case Extent::held:  // these have as many elements as somebody asked for
  case Extent::lines:
  case Extent::shelves:
  case Extent::baked:
    return 0;
  }
  return 0;
}

std::size_t FieldMemory::share_of(FieldId id) const {
  if (!of_each_world(info(id).extent))
    return 0;
  TALUS_ASSERT(executor_->size(id) % model_.worlds() == 0, executor_->size(id), model_.worlds(), id);
  return executor_->size(id) / model_.worlds() * info(id).stride;
}

std::vector<FieldId> FieldMemory::fields_of_worlds() const {
  std::vector<FieldId> ids;
  each_field(&FieldInfo::saved, [&](FieldId id) {
    if (share_of(id) > 0)
      ids.push_back(id);
  });
  return ids;
}

std::uint64_t FieldMemory::bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t f = 0; f < field_count; ++f)
    for (const Copy copy : copies)
      if (has_copy(field_infos[f], copy))
        bytes += executor_->size(static_cast<FieldId>(f)) * field_infos[f].stride;
  return bytes;
}

void FieldMemory::clear_slots(FieldId id, std::size_t first, std::size_t count) {
  if (executor_->size(id) == 0)
    return;
  TALUS_ASSERT(first + count <= executor_->size(id), first, count, executor_->size(id), id);
  TALUS_ASSERT(info(id).stride % sizeof(uint) == 0, info(id).stride);
  const std::size_t words = info(id).stride / sizeof(uint);
  const uint slots_of_world = model_.settings().worlds.places;  // ~0 where the only world has all of them
  std::vector<uint> data(count * words, info(id).start == Start::none ? ~0u : 0u);
  for (std::size_t k = 0; k < data.size() && info(id).start == Start::place; ++k)
    data[k] = static_cast<uint>(first + k / words) % slots_of_world;
  executor_->write(id, std::as_bytes(std::span(data)), first * info(id).stride);
}

void FieldMemory::forget_contacts() {
  write_field(*executor_, FieldId::contact_count, std::vector<uint>(executor_->size(FieldId::contact_count), 0u));
  forget_point_contacts();
}

void FieldMemory::forget_point_contacts() {
  write_field(*executor_, FieldId::point_contacts,
              std::vector<PointContact>(executor_->size(FieldId::point_contacts), {no_partner, vec3(0.0f)}));
}

void FieldMemory::wake_grains() {
  write_field(*executor_, FieldId::grain_rest, std::vector<GrainRest>(executor_->size(FieldId::grain_rest)));
  auto states = read_field<RigidState>(*executor_, FieldId::rigid_states, executor_->size(FieldId::rigid_states));
  for (RigidState& state : states)
    state.rest.state = rest_awake;
  write_field(*executor_, FieldId::rigid_states, states);
  forget_slices();
}

void FieldMemory::wake_body(std::size_t body) {
  TALUS_ASSERT(body < executor_->size(FieldId::rigid_states), body);
  const uint awake = rest_awake;
  executor_->write(FieldId::rigid_states, std::as_bytes(std::span(&awake, 1)),
                   body * sizeof(RigidState) + offsetof(RigidState, rest) + offsetof(BodyRest, state));
}

void FieldMemory::forget_slices() {
  write_field(*executor_, FieldId::slice_activity,
              std::vector<SliceActivity>(executor_->size(FieldId::slice_activity)));
  write_field(*executor_, FieldId::body_sums, std::vector<uint>(executor_->size(FieldId::body_sums), 0u));
}

void FieldMemory::copy_sleepers() {
  if (model_.settings().sleep.window == 0)
    return;
  for (const FieldId id : {FieldId::grains, FieldId::grain_spin})
    if (executor_->size(id) > 0)
      executor_->copy(id, {id, Copy::next});
}

// Executor::copy_part() wants ranges that do not overlap, hence pieces as long as the distance, from the end on.
void FieldMemory::move_right(FieldId id, std::size_t from, std::size_t to, std::size_t bytes) {
  TALUS_ASSERT(from <= to, from, to);
  TALUS_ASSERT(to + bytes <= executor_->size(id) * info(id).stride, to, bytes, executor_->size(id), id);
  const std::size_t piece = to - from;
  for (std::size_t end = bytes; end > 0 && piece > 0;) {
    const std::size_t begin = end > piece ? end - piece : 0;
    executor_->copy_part(id, from + begin, id, to + begin, end - begin);
    end = begin;
  }
}

void FieldMemory::resize_all() {
  for (std::size_t f = 0; f < field_count; ++f) {
    const auto id = static_cast<FieldId>(f);
    const std::size_t wanted = elements_of(id, model_.settings(), model_.population()), before = executor_->size(id);
    if (wanted == before)
      continue;
    executor_->resize(id, wanted);
    TALUS_ASSERT(executor_->size(id) == wanted, executor_->size(id), wanted, id);
    if (info(id).follows != Follows::nothing && wanted > before)
      clear_slots(id, before, wanted - before);
  }
}

void FieldMemory::write_settings() {
  const Population& population = model_.population();
  const EmitterRegions emitter_regions = emitter_regions_of(model_.scene(), population);
  write_field(*executor_, FieldId::emitter_regions, emitter_regions.emitter_regions);
  write_field(*executor_, FieldId::sites, emitter_regions.sites);
  write_field(*executor_, FieldId::settings, std::vector{model_.settings()});
  write_field(*executor_, FieldId::pair_laws, pair_laws_of(model_.scene()));
  write_field(*executor_, FieldId::fine_first, has_fine(population) ? population.fine_first : std::vector<uint>{});
}

void FieldMemory::write_constants() {
  const Bodies& bodies = model_.bodies();
  const Dynamics& dynamics = model_.dynamics();
  const Cloth& cloth = model_.cloth();
  const Population& population = model_.population();
  const auto put_all = [&]<class T>(FieldId id, const std::vector<T>& of_world) {  // the same for each world
    std::vector<T> all;
    for (std::uint32_t w = 0; w < model_.worlds(); ++w)
      all.insert(all.end(), of_world.begin(), of_world.end());
    write_field(*executor_, id, all);
  };
  put_all(FieldId::bodies, bodies.bodies);
  put_all(FieldId::rigid, dynamics.rigid);
  put_all(FieldId::body_ignores, dynamics.ignores);
  write_field(*executor_, FieldId::linkages, dynamics.linkages.linkages);
  write_field(*executor_, FieldId::link_joints, dynamics.linkages.joints);
  write_field(*executor_, FieldId::link_places, dynamics.linkages.places);
  std::vector<BodyPoint> points;
  for (std::uint32_t w = 0; w < model_.worlds(); ++w)
    for (BodyPoint point : dynamics.points) {
      point.body += w * model_.settings().bodies.count;
      points.push_back(point);
    }
  write_field(*executor_, FieldId::body_points, points);
  write_field(*executor_, FieldId::clump_kinds, clump_kinds_of(model_.scene()));
  write_shape_data();
  std::vector<Carried> carried;
  for (const BoundaryParticle& grain : population.boundary)
    carried.push_back({vec3(grain.place), grain.body});
  write_field(*executor_, FieldId::carried, carried);
  write_field(*executor_, FieldId::shapes, model_.shapes().shapes);
  write_field(*executor_, FieldId::rest_position, model_.shapes().places);
  write_field(*executor_, FieldId::cloth_vertices, cloth.vertices);
  write_field(*executor_, FieldId::cloth_links, cloth.links);
  write_field(*executor_, FieldId::depth_cameras, depth_cameras_of(model_.scene()));
  if (model_.has_soil()) {
    write_field(*executor_, FieldId::soil_springs, model_.soil_stacks().tile().springs);
    write_field(*executor_, FieldId::soil_first, model_.soil_stacks().tile().first_spring);
    write_ground();
  }
}

void FieldMemory::write_ground() {
  const SoilStacks& stacks = model_.soil_stacks();
  const SoilGrid& grid = stacks.grid();
  std::vector<float> quantum;
  for (std::uint32_t w = 0; w < model_.worlds(); ++w)
    for (std::uint32_t c = 0; c < grid.size(); ++c)
      quantum.push_back(static_cast<float>(1.0 / stacks.of(c).per_meter()));
  write_field(*executor_, FieldId::soil_quantum, quantum);
  write_field(*executor_, FieldId::soil_site, std::vector{model_.soil_site()});
  write_field(*executor_, FieldId::ground_bodies, model_.ground_bodies());
}

void FieldMemory::write_changed() {
  auto bodies = read_field<Body>(*executor_, FieldId::bodies, model_.bodies_of_all());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodySpec& spec = model_.spec_of(static_cast<std::uint32_t>(b));
    bodies[b].load_share = load_share_of(spec.load_filter, model_.scene().dt);
  }
  write_field(*executor_, FieldId::bodies, bodies);
  write_field(*executor_, FieldId::shapes, model_.shapes().shapes);
}

void FieldMemory::write_parts() {
  auto bodies = read_field<Body>(*executor_, FieldId::bodies, model_.bodies_of_all());
  const std::vector<Body>& with_parts = model_.bodies().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& from = with_parts[b % with_parts.size()];
    bodies[b].first_part = from.first_part;
    bodies[b].parts = from.parts;
    bodies[b].reach = from.reach;
    bodies[b].box_middle = from.box_middle;
    bodies[b].box_half = from.box_half;
    bodies[b].far = from.far;
  }
  write_field(*executor_, FieldId::bodies, bodies);
  write_shape_data();
}

void FieldMemory::write_shape_data() {
  write_field(*executor_, FieldId::sinks, model_.bodies().sinks);
  write_field(*executor_, FieldId::shape_data, model_.bodies().shape_data);
}

void FieldMemory::write_cameras() {
  const Scene& scene = model_.scene();
  executor_->resize(FieldId::depth_cameras, scene.depth_cameras.size());
  executor_->resize(FieldId::depth_bits, depth_pixels(scene));
  write_field(*executor_, FieldId::depth_cameras, depth_cameras_of(scene));
}

void FieldMemory::count_rows() {
  const std::size_t rows = executor_->size(FieldId::contact_partner) / (std::size_t{model_.worlds()} * slice_grains);
  TALUS_ASSERT(rows * model_.worlds() * slice_grains == executor_->size(FieldId::contact_partner), rows);
  model_.set_contact_capacity(static_cast<uint>(rows), model_.settings().worlds.history);
  resize_all();
  write_field(*executor_, FieldId::settings, std::vector{model_.settings()});
}

void FieldMemory::put_all_bodies_in_cells() {
  const Settings& settings = model_.settings();
  const uint bodies = settings.bodies.count, words = body_words(bodies);
  std::vector<uint> sets(std::size_t{settings.worlds.count} * grid_cells(settings.grid.bits) * words);
  for (std::size_t k = 0; k < sets.size(); ++k)
    sets[k] = body_word_of_all(bodies, static_cast<uint>(k % words));
  TALUS_ASSERT(sets.size() <= executor_->size(FieldId::cell_lists), sets.size(), executor_->size(FieldId::cell_lists));
  if (!sets.empty())
    executor_->write(FieldId::cell_lists, std::as_bytes(std::span(sets)));
  write_field(*executor_, FieldId::cell_taken, std::vector<uint>(executor_->size(FieldId::cell_taken), 1u));
}

void FieldMemory::grow_contacts(const Status& status, std::uint64_t step) {
  const uint rows = model_.settings().worlds.rows, history = model_.settings().worlds.history,
             slots = rows * slice_grains;
  TALUS_ASSERT(status.halt == halt_slots, status.halt);
  TALUS_ASSERT(status.lists.slots > slots || status.lists.history > history, status.lists.slots, slots,
               status.lists.history, history);
  try {
    resize_rows(status.lists.slots > slots ? (status.lists.slots + status.lists.slots / 4) / slice_grains : rows,
                status.lists.history > history ? status.lists.history + status.lists.history / 4 : history);
  } catch (const ResourceError& e) {
    model_.set_contact_capacity(model_.settings().worlds.rows, history);
    throw ResourceError(
        fmt::format("step {}: {} contact slots are needed and {} in the history buffer, {} and {} are there, and "
                    "more do not fit: {}",
                    step, status.lists.slots, status.lists.history, slots, history, e.what()));
  }
}

// Each world has so many rows of contact slots from now on, no fewer than before.
void FieldMemory::resize_rows(uint rows, uint history) {
  const std::uint32_t worlds = model_.worlds();
  TALUS_ASSERT(rows >= model_.settings().worlds.rows, rows, model_.settings().worlds.rows);
  TALUS_ASSERT(history >= model_.settings().worlds.history, history, model_.settings().worlds.history);
  for (std::size_t f = 0; f < field_count; ++f) {
    const auto id = static_cast<FieldId>(f);
    const std::size_t elements =
        std::size_t{rows} * slice_grains * elements_of_slot(field_infos[f].extent, model_.settings().contacts);
    if (elements == 0 || !has_field(id, model_.settings()))
      continue;
    const std::size_t before = share_of(id), after = elements * field_infos[f].stride;
    TALUS_ASSERT(before <= after, before, after, id);
    executor_->resize(id, worlds * elements);
    for (std::size_t w = worlds; w-- > 1;)
      move_right(id, w * before, w * after, before);
  }
  model_.set_contact_capacity(rows, history);
  resize_all();
  write_field(*executor_, FieldId::settings, std::vector{model_.settings()});
}

// Contacts name their partners by place, which in other worlds than the first become others: these forget theirs.
void FieldMemory::grow_places(uint wanted, std::uint64_t step) {
  const std::uint32_t worlds = model_.worlds();
  const uint before = model_.settings().worlds.places, places = (wanted + group_size - 1) / group_size * group_size;
  TALUS_ASSERT(model_.scene().soil && before < places, before, places);
  if (places >= triangle_partner / worlds)
    throw ResourceError(fmt::format("step {}: {} grains in each of {} worlds are more than can be numbered: give a "
                                    "larger soil.radius, or a smaller soil.margin",
                                    step, places, worlds));
  std::array<std::size_t, field_count> shares{};
  for (std::size_t f = 0; f < field_count; ++f)
    shares[f] = share_of(static_cast<FieldId>(f));
  model_.set_places(places);
  resize_all();
  for (std::size_t f = 0; f < field_count; ++f) {
    const auto id = static_cast<FieldId>(f);
    if (shares[f] == 0 || share_of(id) == shares[f])
      continue;
    for (std::size_t w = worlds; w-- > 1;)
      move_right(id, w * shares[f], w * share_of(id), shares[f]);
    for (std::size_t w = 0; w < worlds && info(id).follows != Follows::nothing; ++w)
      clear_slots(id, w * places + before, places - before);
  }
  if (worlds > 1)
    forget_contacts();
  write_field(*executor_, FieldId::settings, std::vector{model_.settings()});
}

}  // namespace talus
