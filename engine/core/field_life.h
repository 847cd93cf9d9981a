#pragma once
// How a field lives: all that its line in the table of fields (engine/core/fields.h) declares beside name, type and
// meaning. Whatever handles "all fields that .." goes through the table and asks here.
#include "shaders/shared/types.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace talus {

using namespace shared;

struct Solver;
enum class FieldId;

// X(extent, whether each world has as many elements, one world after another)
//
// grains_twice: two of each grain, all first ones before the second ones. slot_states: the components of the states of
// contacts; of the 16 slots of a row first all x, then all y, .. (shaders/shared/slots.glsl). history: as contacts of a
// world that may be saved. advecting: as grains, where fine ones are. cell_lists: words of cells, and links of grains.
// lines: as slots, once asked for. shelves: as many words as states of worlds need. baked: empty but while a distance
// field is baked.
#define TALUS_EXTENTS(X)                                                                                               \
  X(one, false)                                                                                                        \
  X(worlds, true)                                                                                                      \
  X(world_steps, false)                                                                                                \
  X(gates, false)                                                                                                      \
  X(pairs, false)                                                                                                      \
  X(emitted, true)                                                                                                     \
  X(emissions_due, false)                                                                                              \
  X(emitters, false)                                                                                                   \
  X(world_emitters, true)                                                                                              \
  X(sites, false)                                                                                                      \
  X(emitted_and_end, false)                                                                                            \
  X(clump_kinds, false)                                                                                                \
  X(sinks, false)                                                                                                      \
  X(sink_counts, true)                                                                                                 \
  X(bodies, true)                                                                                                      \
  X(body_motions, false)                                                                                               \
  X(body_sums, true)                                                                                                   \
  X(shape_data, false)                                                                                                 \
  X(carried, false)                                                                                                    \
  X(shapes, false)                                                                                                     \
  X(shaped, false)                                                                                                     \
  X(world_shapes, true)                                                                                                \
  X(world_shaped, true)                                                                                                \
  X(cloth_vertices, true)                                                                                              \
  X(cloth_links, true)                                                                                                 \
  X(cloth_touches, true)                                                                                               \
  X(cloth_sums, true)                                                                                                  \
  X(cell_lists, false)                                                                                                 \
  X(rigid, true)                                                                                                       \
  X(rigid_pairs, true)                                                                                                 \
  X(linkages, false)                                                                                                   \
  X(link_joints, false)                                                                                                \
  X(link_places, false)                                                                                                \
  X(world_link_places, true)                                                                                           \
  X(world_link_joints, true)                                                                                           \
  X(link_words, true)                                                                                                  \
  X(body_points, true)                                                                                                 \
  X(point_contacts, true)                                                                                              \
  X(taken_cells, true)                                                                                                 \
  X(held, false)                                                                                                       \
  X(grains, true)                                                                                                      \
  X(grains_twice, true)                                                                                                \
  X(cells, true)                                                                                                       \
  X(cells_and_end, false)                                                                                              \
  X(slices, true)                                                                                                      \
  X(slices_and_end, true)                                                                                              \
  X(chunks, false)                                                                                                     \
  X(fine, false)                                                                                                       \
  X(near_grains, false)                                                                                                \
  X(near_cells, false)                                                                                                 \
  X(near_cells_and_end, false)                                                                                         \
  X(near_blocks, false)                                                                                                \
  X(density_nodes, false)                                                                                              \
  X(density_blocks, false)                                                                                             \
  X(depth_cameras, false)                                                                                              \
  X(depth_pixels, false)                                                                                               \
  X(slots, true)                                                                                                       \
  X(slot_states, true)                                                                                                 \
  X(history, false)                                                                                                    \
  X(advecting, false)                                                                                                  \
  X(lines, false)                                                                                                      \
  X(soil_columns, true)                                                                                                \
  X(soil_springs, false)                                                                                               \
  X(soil_tile_and_end, false)                                                                                          \
  X(ground_bodies, false)                                                                                              \
  X(ground_samples, true)                                                                                              \
  X(shelves, false)                                                                                                    \
  X(baked, false)

enum class Extent {
#define X(name, each) name,
  TALUS_EXTENTS(X)
#undef X
};

constexpr bool of_each_world(Extent extent) {
  constexpr bool each_world[] = {
#define X(name, each) each,
      TALUS_EXTENTS(X)
#undef X
  };
  return each_world[static_cast<std::size_t>(extent)];
}

// Elements of a slot of the contact lists; 0 of what is not of slots.
constexpr std::size_t elements_of_slot(Extent extent, const ContactSettings& contacts) {
  return extent == Extent::slots ? 1 : extent == Extent::slot_states ? contacts.state_words : 0;
}

// The copies of a field that an executor keeps, where the field declares them: `next`, which shaders and reference
// passes know as NAME_next, for passes that write what they also read; `valid` as it was at the start of the batch, to
// fall back to.
enum class Copy : std::uint8_t { now, next, valid };
inline constexpr std::array copies{Copy::now, Copy::next, Copy::valid};

enum class Follows : std::uint8_t { nothing, grains, fine_grains };

// Each word of a place in memory that never had a grain: the number of the place in its world, for lists of rows.
enum class Start : std::uint32_t { zero = start_zero, none = start_none, place = start_place };

// What lockstep compares: each element; the grains of a cell, in any order; linked lists, by what they lead to; what a
// grain has in the history buffer, and with it where that begins (heads); sums of 64 bits, of which each is one number;
// slices, where those that run are listed in any order.
enum class Compared : std::uint8_t { elements, of_cell, of_near_cell, links, heads, history, sums, listed };

// How far a device and the reference may differ, where its inputs' roundings allow more than the tolerance of the pass:
// a quantity whose error follows from that of a distance (engine/executors/lockstep_executor.cpp). contact_sum,
// contact_shear: of the state of contacts, what the method makes of it.
enum class Rounding : std::uint8_t {
  none,
  displacement,
  speed,
  speed_squared,
  impulse,
  overlap,
  contact_sum,
  contact_shear,
  weights,
  fine_clear,
  spin
};
struct Rounded {
  Rounding by = Rounding::none;
  std::string_view member;  // begins with it; empty: all
  Copy copy = Copy::now;
};

// What decides whether a run has a field at all.
struct Wants {
  const Solver& solver;
  bool incremental = false;  // are lists rebuilt incrementally?
  bool marks = false;        // Options::marks
  bool rolls = false;        // does some pair of materials resist rolling?
  bool restitution = false;  // is it given for some pairs?
  bool clumps = false;       // are there any?
  bool sleep = false;        // do grains at rest sleep?
  bool soil = false;         // is there ground?
  bool presses = false;      // are there bodies that feel it by its surface?
};
using Condition = bool (*)(const Wants&);
bool finds_linked(const Wants& wants);       // neighbours, by linked lists
bool remembers(const Wants& wants);          // how far contacts have slipped
bool sums_contacts(const Wants& wants);      // over iterations
bool saves_sums(const Wants& wants);         // .. and keeps them over substeps
bool keeps_friction(const Wants& wants);     // of a contact, static or kinetic
bool rebounds(const Wants& wants);           // contacts part with a speed that is given (vts, sp)
bool has_momentum(const Wants& wants);       // from one iteration to the next, of contacts
bool counts_contacts(const Wants& wants);    // that share a grain's mass (vts, sp)
bool shares_mass(const Wants& wants);        // of a grain among its contacts (p2, pbd)
bool lets_sleep(const Wants& wants);         // slow grains
bool rotates(const Wants& wants);            // grains
bool lets_spins_sleep(const Wants& wants);   // slow grains that rotate
bool remembers_rolling(const Wants& wants);  // how far contacts have rolled
bool sums_rolling(const Wants& wants);       // couples of contacts over iterations
bool has_rolling_momentum(const Wants& wants);
bool incremental(const Wants& wants);
bool marks(const Wants& wants);
bool has_clumps(const Wants& wants);
bool slices_sleep(const Wants& wants);
bool has_soil(const Wants& wants);
bool presses_ground(const Wants& wants);  // some body

// A member of the state of a contact, so many floats, in runs for which the condition holds.
struct StateMember {
  std::string_view name;
  uint components = 0;
  Condition condition = nullptr;
};
// What says in the settings where each member begins, in the order in which contact_state declares them.
inline constexpr std::array state_members{
    &ContactSettings::sum,    &ContactSettings::shear,       &ContactSettings::roll,     &ContactSettings::roll_sum,
    &ContactSettings::change, &ContactSettings::roll_change, &ContactSettings::friction, &ContactSettings::rebound};

struct Life {
  bool saved = false;        // by checkpoints; where each world has a share, that is part of the world's state
  bool rolled_back = false;  // has a copy `valid`
  bool doubled = false;      // has a copy `next`
  std::size_t hashed = 0;    // bytes of an element that state_hash counts, from its start
  Follows follows = Follows::nothing;
  Start start = Start::zero;
  Compared compared = Compared::elements;
  std::array<Rounded, 6> rounded{};
  std::array<Condition, 2> conditions{};  // one of them must hold, if there are any
  std::optional<FieldId> header;          // the field behind whose only element this one lies in a block of shaders
  std::array<StateMember, state_members.size()> members{};
};

constexpr Life operator|(Life a, const Life& b) {
  a.saved |= b.saved;
  a.rolled_back |= b.rolled_back;
  a.doubled |= b.doubled;
  a.hashed = std::max(a.hashed, b.hashed);
  if (b.follows != Follows::nothing)
    a.follows = b.follows;
  if (b.start != Start::zero)
    a.start = b.start;
  if (b.compared != Compared::elements)
    a.compared = b.compared;
  for (const Rounded& rounded : b.rounded)
    if (rounded.by != Rounding::none)
      *std::ranges::find(a.rounded, Rounding::none, &Rounded::by) = rounded;
  for (const Condition condition : b.conditions)
    if (condition)
      *std::ranges::find(a.conditions, nullptr) = condition;
  if (b.header)
    a.header = b.header;
  for (const StateMember& member : b.members)
    if (member.components > 0)
      *std::ranges::find(a.members, 0u, &StateMember::components) = member;
  return a;
}

// The words of the table of fields.
namespace life {

inline constexpr Life plain{};  // set up once, or made anew before it is read
inline constexpr Life saved{.saved = true};
inline constexpr Life rolled_back{.rolled_back = true};
inline constexpr Life doubled{.doubled = true};
// Sorted and moved up with the grains (the fine ones), and where a grain is born what `start` says; so it is part of
// the state.
inline constexpr Life follows_grain{.saved = true, .doubled = true, .follows = Follows::grains};
inline constexpr Life follows_fine{.saved = true, .doubled = true, .follows = Follows::fine_grains};
constexpr Life starts_as(Start start) {
  return {.start = start};
}
constexpr Life hashed(std::size_t bytes = ~std::size_t{0}) {
  return {.hashed = bytes};
}
constexpr Life when(Condition condition) {
  return {.conditions = {condition}};
}
constexpr Life member(std::string_view name, uint components, Condition condition) {
  return {.members = {StateMember{name, components, condition}}};
}
constexpr Life compared(Compared by) {
  return {.compared = by};
}
// Shaders declare both as one block, the header and then this field as a runtime array, and bind one buffer.
constexpr Life tail_of(FieldId header) {
  return {.header = header};
}
constexpr Life rounded(Rounding by, std::string_view member = {}, Copy copy = Copy::now) {
  return {.rounded = {Rounded{by, member, copy}}};
}

}  // namespace life

}  // namespace talus
