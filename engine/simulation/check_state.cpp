#include "engine/simulation/check_state.h"
#include "shaders/shared/partner.h"
#include "shaders/shared/rest.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>

namespace talus {
namespace {

// None of a field that there was not yet when the checkpoint was saved.
template <class T> std::vector<T> values_of(const Checkpoint& checkpoint, FieldId id) {
  const auto found = checkpoint.fields.find(std::string(info(id).name));
  if (found == checkpoint.fields.end())
    return {};
  const std::vector<std::byte>& bytes = found->second;
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

bool finite(float x) {
  return std::isfinite(x);
}
bool finite(const auto& v) {
  for (int a = 0; a < static_cast<int>(v.length()); ++a)
    if (!std::isfinite(v[a]))
      return false;
  return true;
}
bool finite(const BodyMotion& m) {
  return finite(m.rotation) && finite(m.position) && finite(m.velocity) && finite(m.spin);
}
bool finite(const StepPush& p) {
  return finite(p.rotation) && finite(p.velocity) && finite(p.spin) && finite(p.impulse) && finite(p.moment);
}
bool finite_bits(uint bits) {
  return std::isfinite(std::bit_cast<float>(bits));
}

class Check {
public:
  Check(const Checkpoint& checkpoint, const StateBounds& bounds)
      : state_(checkpoint), b_(bounds), s_(bounds.settings) {}

  void all() {
    status();
    grains_ = values_of<Grain>(state_, FieldId::grains);
    ids_ = values_of<uint>(state_, FieldId::grain_id);
    tags_ = values_of<uint>(state_, FieldId::grain_tag);
    clumps_ = values_of<ClumpMotion>(state_, FieldId::clump_motions);
    slots_ = values_of<uint>(state_, FieldId::clump_slots);
    spins_ = values_of<vec4>(state_, FieldId::grain_spin);
    rows_ = values_of<uint>(state_, FieldId::grain_row);
    list_positions_ = values_of<vec4>(state_, FieldId::list_position);
    counts_ = values_of<uint>(state_, FieldId::contact_count);
    starts_ = values_of<uint>(state_, FieldId::slice_start);
    partners_ = values_of<uint>(state_, FieldId::contact_partner);
    cells_ = values_of<uint>(state_, FieldId::grid_start);
    const auto made = values_of<uint>(state_, FieldId::emitted_count);
    listed_of_body_.resize(std::size_t{s_.worlds.count} * s_.bodies.count);
    used_ = b_.places;
    if (s_.worlds.places == no_grain) {
      const std::uint64_t had = std::accumulate(b_.due.begin(), b_.due.end(), std::uint64_t{b_.initial});
      need(status_.freed <= had && had - status_.freed <= b_.places, FieldId::status,
           "has more free places than grains");
      used_ = what_ ? 0 : static_cast<uint>(had - status_.freed);
    }
    for (std::size_t k = 0; k < made.size(); ++k)
      need(made[k] <= b_.due[k] && made[k] % b_.emitter_spheres[k % b_.emitter_spheres.size()] == 0,
           FieldId::emitted_count, "has more emitted grains than were due, or a part of one");
    for (uint w = 0; w < s_.worlds.count; ++w) {
      uint born = 0;
      for (uint e = 0; e < s_.emission.emitters; ++e)
        born += made[w * s_.emission.emitters + e];
      world(w, born);
      grains(w);
      lists(w);
    }
    sleep();
    soil();
    bodies();
    cloth();
    fine();
  }

  const std::optional<std::string>& what() const { return what_; }

private:
  const Checkpoint& state_;
  const StateBounds& b_;
  const Settings& s_;
  std::optional<std::string> what_;
  Status status_{};
  uint used_ = 0;  // places that grains have or had
  std::vector<World> worlds_;
  std::vector<Grain> grains_;
  std::vector<uint> ids_, tags_, rows_, counts_, starts_, partners_, cells_;
  std::vector<ClumpMotion> clumps_;  // empty where there are none
  std::vector<uint> slots_;          // likewise
  std::vector<vec4> spins_;          // empty where grains do not rotate
  std::vector<vec4> list_positions_;
  std::vector<uint> listed_of_body_;  // contacts of a body in the lists, world after world

  void need(bool holds, FieldId field, std::string_view what) {
    if (!holds && !what_)
      what_ = fmt::format("field {} {}", info(field).name, what);
  }

  void status() {
    status_ = values_of<Status>(state_, FieldId::status)[0];
    worlds_ = values_of<World>(state_, FieldId::worlds);
    const Status& s = status_;
    need(s.halt == halt_none && s.substep == 0 && s.exchanged == 0, FieldId::status, "is not at the end of a step");
    need(s.step == static_cast<uint>(state_.step), FieldId::status, "is of another step");
    need(s.lists.rebuilding <= s_.worlds.count, FieldId::status, "has lists of more worlds than there are");
    need(finite(s.fine.time) && finite(s.fine.travel) && finite(s.fine.drift) && finite(s.fine.h) &&
             finite(s.fine.body_way) && finite(s.fine.body_way_before),
         FieldId::status, "has a number that is not finite");
    need(s.freed == 0 ||
             (s_.worlds.count == 1 && s_.worlds.places == no_grain && s.freed <= worlds_[0].population.gone),
         FieldId::status, "has more free places than grains are gone");
    need(s.fine.born <= b_.fine_due && s.fine.released == 0 && s.fine.gone <= b_.fine_initial + s.fine.born &&
             s.fine.freed <= s.fine.gone,
         FieldId::status, "counts fine grains that are not there");
  }

  void world(uint w, uint born) {
    const World& world = worlds_[w];
    need(world.population.born == born && world.population.released <= born, FieldId::worlds,
         "has another number of emitted grains than emitted_count");
    need(world.population.gone_before == world.population.gone, FieldId::worlds, "is not at the end of a step");
    need(world.invalid == ~0u, FieldId::worlds, "is invalid");
    need(world.lists.table == no_table || world.lists.table < s_.worlds.count, FieldId::worlds,
         "names a table that is not there");
    need(world.lists.slots / slice_grains <= s_.worlds.rows && world.lists.grains <= b_.places &&
             world.incremental.sorted <= b_.places,
         FieldId::worlds, "counts more than there is room for");
    // The square of a speed may be out of the range of floats: the substep that meets it tells.
    need(finite(world.radius) && world.radius > 0.0f && !std::isnan(world.motion.speed) && finite(world.motion.shift) &&
             finite(world.lists.travel) && finite(world.lists.skin) && finite(world.incremental.distance) &&
             finite(world.incremental.displaced_most) && finite(world.cloth.half_edge) && finite(world.cloth.reach) &&
             finite(world.grid.inverse_cell) && finite(world.cloth.inverse_cell) &&
             !std::isnan(std::bit_cast<float>(world.motion.speed2_bits)) && finite_bits(world.motion.shift_bits) &&
             finite_bits(world.cloth.half_bits),
         FieldId::worlds, "has a number that is not finite");
    const bool lists = world.lists.travel < lists_invalid;
    for (int a = 0; a < 3; ++a) {
      for (const int cells : {world.grid.cells[a], world.cloth.cells[a]})
        need(cells == 0 || (cells > 0 && s_.domain.axis[a] == axis_periodic), FieldId::worlds,
             "has a period of cells where there is none");
      need(!lists || (world.grid.inverse_cell[a] > 0.0f && world.grid.inverse_cell[a] * world.radius <= 1.0f),
           FieldId::worlds, "has cells smaller than a grain");
    }
  }

  // Places [begin, end) of a world in the fields of all.
  uint first_of(uint w) const { return w * b_.places; }

  void grains(uint w) {
    const World& world = worlds_[w];
    std::vector<uint> place(b_.ids, no_grain);
    uint there = 0;
    for (uint k = 0; k < b_.places; ++k) {
      const uint i = first_of(w) + k;
      const Grain& g = grains_[i];
      need(rows_[i] < b_.places, FieldId::grain_row, "names a row that is not there");
      need((tags_[i] & tag_material_mask) < std::max(b_.materials, 1u), FieldId::grain_tag,
           "names a material that is not there");
      need(finite(g.position) && finite(g.velocity), FieldId::grains, "has a number that is not finite");
      if (!spins_.empty())
        need(finite(spins_[i]) && spins_[i].w >= 0.0f, FieldId::grain_spin,
             "has a number that is not finite, or a negative mobility");
      const bool gone = g.position.w == 0.0f;
      need(ids_[i] < b_.ids || (gone && ids_[i] == no_grain), FieldId::grain_id, "has a number that no grain has");
      if (!list_positions_.empty())
        need(finite(list_positions_[i]), FieldId::list_position, "has a number that is not finite");
      if (gone || what_ || k >= used_)
        continue;
      ++there;
      need(place[ids_[i]] == no_grain, FieldId::grain_id, "has the same number twice");
      place[ids_[i]] = k;
      const bool vertex = ids_[i] - s_.cloth.first < s_.cloth.vertices;
      need(vertex == ((tags_[i] & tag_thin) != 0), FieldId::grain_tag, "does not know its vertices of cloth");
      need(g.position.w > 0.0f && (vertex || g.position.w <= world.radius) && g.velocity.w >= 0.0f, FieldId::grains,
           "has a radius or a mass that no grain has");
    }
    clumps(w, place);
    need(world.population.gone <= b_.initial + world.population.born || s_.worlds.places != no_grain, FieldId::worlds,
         "has more grains gone than there were");
    // Soil is in worlds with slots of their own alone.
    need(s_.worlds.places != no_grain || (world.soil.made == 0 && world.soil.taken == 0 && world.soil.looked == 0),
         FieldId::worlds, "has grains of ground where there is none");
    need(s_.worlds.places == no_grain || std::uint64_t{world.population.born} + world.soil.made <=
                                             std::uint64_t{there} + world.population.gone + world.soil.taken,
         FieldId::worlds, "has more grains born than there are or were");
    if (s_.worlds.places == no_grain)
      need(there == b_.initial + world.population.born - world.population.gone, FieldId::grains,
           "are not as many as were born and not gone");
  }

  // The spheres of a clump find each other by their ids. place: in its world, of each id that a grain has.
  void clumps(uint w, const std::vector<uint>& place) {
    const bool listed = worlds_[w].lists.travel < lists_invalid;
    for (uint id = 0; id < b_.ids && !what_; ++id) {
      if (place[id] == no_grain)
        continue;
      const uint i = first_of(w) + place[id], tag = tags_[i], sphere = sphere_of(tag), kind = tag >> tag_kind_shift;
      const uint spheres = kind < b_.clump_spheres.size() ? b_.clump_spheres[kind] : 0;
      need(sphere > 0 ? sphere <= spheres : kind == 0, FieldId::grain_tag,
           "names a sphere of a clump that is not there");
      const bool whole = sphere == 0 || (id + 1 >= sphere && id + 1 - sphere + spheres <= b_.ids);
      need(whole, FieldId::grain_id, "has spheres of a clump without the others");
      for (uint k = 0; k < spheres && sphere > 0 && whole; ++k) {
        const uint other = place[id + 1 - sphere + k];
        need(other != no_grain && sphere_of(tags_[first_of(w) + other]) == k + 1 &&
                 tags_[first_of(w) + other] >> tag_kind_shift == kind,
             FieldId::grain_id, "has spheres of a clump without the others");
      }
      if (what_ || sphere == 0)  // a scene without clumps has none of the fields below
        continue;
      if (sphere == 1)
        need(finite(clumps_[i].rotation) && finite(clumps_[i].position) && finite(clumps_[i].velocity) &&
                 finite(clumps_[i].momentum),
             FieldId::clump_motions, "has a number that is not finite");
      if (listed)
        need(slots_[first_of(w) + id] == place[id], FieldId::clump_slots, "does not know where a sphere is");
    }
  }
  static uint sphere_of(uint tag) { return tag >> tag_sphere_shift & tag_sphere_mask; }

  bool names(uint partner) const {
    if (is_grain(partner))
      return partner < b_.places;
    if (is_triangle(partner))
      return triangle_of(partner) < s_.cloth.triangles && face_of(partner) <= face_back;
    if (partner >= wall_partner)
      return partner < wall_partner + 6;
    return body_of(partner) < s_.bodies.count && surface_of(partner) < b_.parts[body_of(partner)] * part_surfaces;
  }

  void lists(uint w) {
    const World& world = worlds_[w];
    const auto slices_of = [](uint places) { return (places + slice_grains - 1) / slice_grains; };
    if (what_)
      return;
    const auto starts = std::span(starts_).subspan(w * (slices_of(b_.places) + 1), slices_of(world.lists.grains) + 1);
    need(std::ranges::is_sorted(starts) && starts.back() <= s_.worlds.rows, FieldId::slice_start,
         "reaches beyond the rows that there are");
    const auto counts = std::span(counts_).subspan(first_of(w), used_);
    const uint listed = std::min(world.lists.grains, used_);
    need(std::ranges::all_of(counts.subspan(listed), [](uint count) { return count == 0; }), FieldId::contact_count,
         "has contacts of grains that have come since the lists were built");
    for (uint i = 0; i < listed && !what_; ++i) {
      const uint count = counts[i], start = starts[i / slice_grains];
      need(count <= starts[i / slice_grains + 1] - start, FieldId::contact_count,
           "reaches beyond the rows of its slice");
      for (uint k = 0; k < count && !what_; ++k) {
        const std::size_t row = std::size_t{w} * s_.worlds.rows + start + k;
        const uint partner = partners_[slice_grains * row + i % slice_grains];
        need(names(partner), FieldId::contact_partner, "names a partner that is not there");
        if (!what_ && world.lists.travel < lists_invalid && partner >= body_partner && partner < wall_partner)
          ++listed_of_body_[w * s_.bodies.count + body_of(partner)];
      }
    }
    const uint table = s_.worlds.count == 1 ? 0 : world.lists.table,
               cells = s_.grid.bits.x + s_.grid.bits.y + s_.grid.bits.z;
    if (table == no_table || cells_.empty() || what_)
      return;
    const auto first = cells_.begin() + (std::ptrdiff_t{table} << cells),
               end = first + (std::ptrdiff_t{1} << cells) + 1;
    need(std::is_sorted(first, end) && *(end - 1) - *first <= b_.places, FieldId::grid_start,
         "has cells of more grains than there are");
  }

  void soil() {
    if (!b_.soil)
      return;
    for (const SoilOrigin& origin : values_of<SoilOrigin>(state_, FieldId::soil_origin))
      need(origin.column <= b_.soil->grid().size() && origin.tile <= b_.soil->tile().grains.size(),
           FieldId::soil_origin, "names a column, or a grain of the tile, that is not there");
    const auto columns = values_of<SoilColumn>(state_, FieldId::soil_columns);
    for (const SoilColumn& column : columns) {
      need(column.mass <= std::numeric_limits<uint>::max() / 2, FieldId::soil_columns,
           "has more mass than one can have");
      need(column.loose <= column.mass && column.swell >= soil_swell_least && column.swell <= soil_swell_most,
           FieldId::soil_columns, "has loosened soil that cannot be");
    }
    for (const GroundSample& sample : values_of<GroundSample>(state_, FieldId::ground_samples))
      need(finite(sample.shear) && sample.mobilized >= 0.0f && sample.mobilized <= 1.0f && std::isfinite(sample.sunk) &&
               sample.sunk >= 0.0f && std::isfinite(sample.dug) && sample.dug >= 0.0f,
           FieldId::ground_samples, "has a number that cannot be");
    for (std::size_t c = 0; c < columns.size() && !what_; ++c)
      need(b_.soil->is_consistent(static_cast<uint>(c % b_.soil->grid().size()), columns[c]), FieldId::soil_columns,
           "has less of a material than its undisturbed soil");
  }

  void sleep() {
    for (const SliceActivity& slice : values_of<SliceActivity>(state_, FieldId::slice_activity)) {
      need(slice.listed == 0, FieldId::slice_activity, "is not at the end of a step");
      need(slice.body == several_bodies || slice.body <= s_.worlds.count * s_.bodies.count, FieldId::slice_activity,
           "names no body");
      need(!(slice.state & slice_stands) || (slice.body > 0 && slice.body != several_bodies), FieldId::slice_activity,
           "stands on no body");
    }
    for (const GrainRest& rest : values_of<GrainRest>(state_, FieldId::grain_rest))
      need(finite(rest.push) && finite(rest.turn), FieldId::grain_rest, "has a number that is not finite");
  }

  void bodies() {
    const auto contacts = values_of<uint>(state_, FieldId::body_contacts);
    for (std::size_t b = 0; b < contacts.size(); ++b) {
      need(contacts[b] <= s_.worlds.rows * slice_grains, FieldId::body_contacts, "counts more than there is room for");
      // Incremental rebuilds take what is listed off the count. Contacts of grains that a sink has taken stay in it.
      need(!s_.grid.incremental || b >= listed_of_body_.size() || contacts[b] >= listed_of_body_[b],
           FieldId::body_contacts, "counts fewer than the lists have");
    }
    for (const BodyMotion& m : values_of<BodyMotion>(state_, FieldId::body_listed))
      need(finite(m), FieldId::body_listed, "has a number that is not finite");
    for (const RigidState& r : values_of<RigidState>(state_, FieldId::rigid_states))
      need(finite(r.motion) && finite(r.position_rest) && finite(r.value) && finite(r.points) && r.points >= 0.0f &&
               finite(r.velocity) && finite(r.spin) && finite(r.impulse) && finite(r.moment) &&
               finite(r.step_impulse) && finite(r.step_moment) && finite(r.push) && finite(r.push_last) &&
               finite(r.rest.place) && finite(r.rest.push) && finite(r.rest.turn) && finite(r.rest.split) &&
               (rest_kind(r.rest.state) != rest_asleep || r.rest.split >= 1.0f),
           FieldId::rigid_states, "has a number that is not finite");
    for (const RigidCommand& c : values_of<RigidCommand>(state_, FieldId::rigid_commands))
      need(finite(c.force) && finite(c.torque) && finite(c.motor_speed) && finite(c.motor_strength) &&
               finite(c.motor_target) && finite(c.motor_stiffness) && finite(c.motor_damping) && finite(c.joint_torque),
           FieldId::rigid_commands, "has a number that is not finite");
    for (const LinkState& j : values_of<LinkState>(state_, FieldId::link_states))
      need(finite(j.value) && finite(j.speed) && finite(j.load.impulse) && finite(j.load.moment) &&
               finite(j.load.along) && finite(j.before.impulse) && finite(j.before.moment) && finite(j.before.along),
           FieldId::link_states, "has a number that is not finite");
    for (const PointContact& c : values_of<PointContact>(state_, FieldId::point_contacts))
      need(finite(c.shear), FieldId::point_contacts, "has a number that is not finite");
    for (const ShapeMotion& m : values_of<ShapeMotion>(state_, FieldId::shape_motions))
      need(finite(m.rotation) && finite(m.position) && finite(m.velocity), FieldId::shape_motions,
           "has a number that is not finite");
  }

  void cloth() {
    const auto places = values_of<uint>(state_, FieldId::cloth_index);
    for (uint k = 0; k < places.size(); ++k)
      need(places[k] < used_ &&
               ids_[first_of(k / s_.cloth.vertices) + places[k]] == s_.cloth.first + k % s_.cloth.vertices,
           FieldId::cloth_index, "names a place where the vertex is not");
  }

  void fine() {
    const auto grains = values_of<Grain>(state_, FieldId::fine_grains);
    const auto tags = values_of<uint>(state_, FieldId::fine_tag);
    for (std::size_t i = 0; i < grains.size(); ++i) {
      need(finite(grains[i].position) && finite(grains[i].velocity), FieldId::fine_grains,
           "has a number that is not finite");
      need((tags[i] & tag_material_mask) < std::max(b_.materials, 1u) && tags[i] >> fine_tag_shift < b_.fine_places,
           FieldId::fine_tag, "names a material or a number that is not there");
    }
  }
};

}  // namespace

std::optional<std::string> wrong_in(const Checkpoint& checkpoint, const StateBounds& bounds) {
  Check check(checkpoint, bounds);
  check.all();
  return check.what();
}

}  // namespace talus
