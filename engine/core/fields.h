#pragma once
// Every buffer once: name, type of an element, how many there are, how it lives, and what it means. A shader's buffer
// variable is bound to the field of its name. Worlds lie one after another in all that a world has.
#include "engine/core/column.h"
#include "engine/core/field_life.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace talus {

// X(name, element, extent, life, "meaning [unit]"): engine/core/field_life.h has the words of which a life is made. The
// parts of state_hash follow one another as here.
#define TALUS_FIELDS(X)                                                                                                \
  X(settings, Settings, one, plain, "what the scene sets")                                                             \
  X(pair_laws, PairLaw, pairs, tail_of(FieldId::settings),                                                             \
    "contact law of material a with material b at a (materials + 1) + b; last row: wall")                              \
  X(emitted, EmittedGrain, emitted, plain, "grains that emitters will release: emitter after emitter, each in order")  \
  X(emitted_count, uint, world_emitters, saved | rolled_back,                                                          \
    "grains released: by emitter e of world w at w emitters + e")                                                      \
  X(emissions_due, EmissionDue, emissions_due, plain,                                                                  \
    "emitted grains that are due of emitter e of world w in step s of the batch: at (s worlds + w) emitters + e")      \
  X(emitter_regions, EmitterRegion, emitters, plain, "emitters")                                                       \
  X(sites, vec3, sites, plain, "places in the shapes of emitters, where emitted grains that wait are tried [m]")       \
  X(status, Status, one, saved, "state of the run")                                                                    \
  X(worlds, World, worlds,                                                                                             \
    saved | rounded(Rounding::displacement, "motion.shift_bits") |                                                     \
        rounded(Rounding::speed_squared, "motion.speed2_bits"),                                                        \
    "what the lists of a world are like")                                                                              \
  X(rebuilding, uint, worlds, plain,                                                                                   \
    "worlds that rebuild their lists in this substep; behind the last the number of all")                              \
  X(body_speeds, float, world_steps, plain,                                                                            \
    "no point of a body's surface is faster: of world w in step s of the batch at s worlds + w [m/s]")                 \
  X(bodies, Body, bodies, plain, "bodies where the substep starts")                                                    \
  X(body_listed, BodyMotion, bodies, saved | when(incremental),                                                        \
    "of bodies as lists know them that are rebuilt incrementally")                                                     \
  X(rigid, Rigid, rigid, plain, "dynamic bodies: what stays")                                                          \
  X(rigid_states, RigidState, rigid,                                                                                   \
    saved | rolled_back | hashed(sizeof(BodyMotion)) | rounded(Rounding::spin, "motion.spin"),                         \
    "how dynamic bodies are where the substep starts")                                                                 \
  X(rigid_commands, RigidCommand, rigid, saved, "what is asked of dynamic bodies")                                     \
  X(linkages, Linkage, linkages, plain, "linkages of dynamic bodies")                                                  \
  X(link_joints, LinkJoint, link_joints, plain, "their joints, linkage after linkage")                                 \
  X(link_places, LinkRowPlace, link_places, plain, "where their rows are")                                             \
  X(link_rows, LinkRow, world_link_places, plain, "rows in this substep: row i of world w at w joint_rows + i")        \
  X(link_matrix, float, link_words, plain, "what their impulses do to them, decomposed (link_factor)")                 \
  X(link_states, LinkState, world_link_joints, saved | rolled_back,                                                    \
    "how joints of linkages are: joint j of world w at w joints + j")                                                  \
  X(shapes, MatchedShape, shapes, plain, "shapes that particles keep")                                                 \
  X(shape_motions, ShapeMotion, world_shapes, saved | rolled_back | hashed(),                                          \
    "where shapes are at the end of the substep: shape s of world w at w shapes + s")                                  \
  X(clump_kinds, ClumpKind, clump_kinds, plain, "kinds of clumps")                                                     \
  X(sinks, Sink, sinks, plain, "shapes in which grains vanish")                                                        \
  X(sink_counts, uint, sink_counts, saved | rolled_back | hashed(),                                                    \
    "grains that a sink has taken: sink s of world w at w sinks + s")                                                  \
  X(body_motions, BodyMotion, body_motions, plain, "of body b in step s of the batch: s bodies + b")                   \
  X(body_sums, uint, body_sums, saved | compared(Compared::sums),                                                      \
    "what grains have done to a body in this step: copy c of body b at load_words (load_records b + c); behind the "   \
    "copies what slices that stand do to it in each substep")                                                          \
  X(body_load, BodyLoad, bodies, saved | rolled_back, "what grains did to a body in the last step")                    \
  X(body_loads, BodyLoad, body_motions, plain, "body_load after step s of the batch: s bodies + b")                    \
  X(shape_data, uint, shape_data, plain,                                                                               \
    "parts of the shapes of bodies, then of sinks (part_words); distances and triangles of meshes "                    \
    "(SolidPart::first); "                                                                                             \
    "the shape of each particle (ShapeSettings::words); cloth (shared/cloth.h)")                                       \
  X(carried, Carried, carried, plain, "grains that stand for bodies, by number from settings.bodies.carried_first on") \
  X(rest_position, vec3, shaped, plain,                                                                                \
    "where a particle of a shape is in it: from its center of mass, as it was given, by number from "                  \
    "ShapeSettings.first on [m]")                                                                                      \
  X(shape_index, uint, world_shaped, saved,                                                                            \
    "which place of its world a particle of a shape has, while it is there: particle k of world w at w shaped + k")    \
  X(cloth_vertices, ClothVertex, cloth_vertices, plain,                                                                \
    "vertices of cloth: vertex k of world w at w vertices + k, by number from settings.cloth.first on")                \
  X(cloth_index, uint, cloth_vertices, saved, "slot of a vertex of cloth, within its world")                           \
  X(cloth_sums, uint, cloth_sums, compared(Compared::sums),                                                            \
    "what a vertex of cloth has received since it last took it: vertex v at load_words v; zero between steps")         \
  X(cloth_work, ClothWork, cloth_vertices, plain, "vertices of cloth within a substep")                                \
  X(cloth_links, ClothLink, cloth_links, plain, "distances that vertices keep, vertex after vertex")                   \
  X(cloth_pulls, ClothPull, cloth_links, rounded(Rounding::impulse), "their impulses in this substep")                 \
  X(cloth_touches, ClothTouch, cloth_touches, plain, "contacts with cloth in this substep, as contact_partner")        \
  X(body_contacts, uint, rigid, saved, "contacts of a dynamic body with grains in the lists")                          \
  X(body_ignores, uint, rigid_pairs, plain, "bodies that body b does not touch: bit k % 32 of word b words + k / 32")  \
  X(body_near, uint, rigid_pairs, plain,                                                                               \
    "bodies that a dynamic body could touch in this substep, bits as in body_ignores")                                 \
  X(body_points, BodyPoint, body_points, plain, "by which dynamic bodies touch")                                       \
  X(point_contacts, PointContact, point_contacts, saved, "of point k at point_partners k")                             \
  X(cell_taken, uint, taken_cells, plain, "1: grains are in the cell, of whatever world; cells as in grid_start")      \
  X(held, HandGrain, held, plain, "grains in the hand, by number")                                                     \
  X(gates, Dispatch, gates, plain, "workgroups that gated passes start [1]")                                           \
  X(grains_start, Grain, grains, when(lets_sleep), "grains at the start of the substep, where some may stay there")    \
  X(grain_spin_start, vec4, grains, when(lets_spins_sleep), "grain_spin there")                                        \
  X(grain_id, uint, grains, follows_grain | starts_as(Start::none) | rolled_back | hashed(),                           \
    "number of the grain in its world, for good")                                                                      \
  X(grain_tag, uint, grains, follows_grain | rolled_back | hashed(), "material")                                       \
  X(grains, Grain, grains,                                                                                             \
    follows_grain | rolled_back | hashed() | rounded(Rounding::displacement, "position", Copy::next) |                 \
        rounded(Rounding::speed, "velocity", Copy::next),                                                              \
    "position [m], radius [m], velocity [m/s], inverse mass [1/kg], in cell order")                                    \
  X(grain_spin, vec4, grains,                                                                                          \
    follows_grain | rolled_back | hashed() | when(rotates) | rounded(Rounding::speed, "", Copy::next),                 \
    "xyz radius times angular velocity: surface speed of the spin [m/s], w m r^2 / I, 0: contacts do not turn it [1]") \
  X(clump_motions, ClumpMotion, grains,                                                                                \
    follows_grain | rolled_back | hashed() | when(has_clumps) | rounded(Rounding::displacement, "position") |          \
        rounded(Rounding::speed, "velocity"),                                                                          \
    "how a clump is, in the place of its first sphere; elsewhere 0")                                                   \
  X(clump_slots, uint, grains, saved | when(has_clumps),                                                               \
    "which place of its world a sphere of a clump has, by its id")                                                     \
  X(grain_rest, GrainRest, grains, follows_grain | when(slices_sleep), "what sleep knows of a grain")                  \
  X(slice_activity, SliceActivity, slices, saved | when(slices_sleep) | compared(Compared::listed),                    \
    "which slices run, and which of their grains sleep")                                                               \
  X(soil_origin, SoilOrigin, grains, follows_grain | rolled_back | hashed() | when(has_soil),                          \
    "which grain of the ground it is, or was")                                                                         \
  X(soil_springs, SoilSpring, soil_springs, plain | when(has_soil),                                                    \
    "contacts of the grains of the tile, one after another")                                                           \
  X(soil_first, uint, soil_tile_and_end, plain | when(has_soil),                                                       \
    "first of the contacts of the k-th grain of the tile")                                                             \
  X(soil_columns, SoilColumn, soil_columns, saved | rolled_back | hashed() | when(has_soil),                           \
    "the ground: column x, y at y columns_x + x")                                                                      \
  X(soil_quantum, float, soil_columns, plain | when(has_soil),                                                         \
    "height of a quantum of undisturbed soil in a column [m]")                                                         \
  X(soil_site, SoilSite, one, plain | when(has_soil), "where the columns are")                                         \
  X(ground_bodies, uint, ground_bodies, plain | when(presses_ground),                                                  \
    "numbers of the bodies of a world that feel the ground by its surface")                                            \
  X(ground_bare, uint, soil_columns, saved | when(presses_ground), "1: no grains lie on the column")                   \
  X(ground_samples, GroundSample, ground_samples,                                                                      \
    saved | rolled_back | hashed() | when(presses_ground) | rounded(Rounding::displacement, "sunk") |                  \
        rounded(Rounding::displacement, "dug"),                                                                        \
    "the surface of the ground, sample x, y at y samples_x + x")                                                       \
  X(grain_row, uint, grains, follows_grain | starts_as(Start::place),                                                  \
    "row of the contact lists that the grain had when they were made")                                                 \
  X(grain_mark, uint, grains, follows_grain | rolled_back | hashed() | when(marks), "number of the caller's own")      \
  X(grid_count, uint, cells, plain, "grains not yet placed in a cell; zero between builds")                            \
  X(grid_start, uint, cells_and_end, saved, "first grain of a cell")                                                   \
  X(grid_sums, uint, chunks, plain, "grains per chunk of cells")                                                       \
  X(grid_order, uint, grains, compared(Compared::of_cell), "grains by cell, in no order inside it")                    \
  X(grid_from, uint, grains, plain, "which place the grain comes from that goes to this one; no_grain: none does")     \
  X(cell_lists, uint, cell_lists, compared(Compared::links),                                                           \
    "which bodies reach into a cell: bit b % 32 of word b / 32, all of them where no grain was; cells as in "          \
    "grid_start. With linked lists, at link_head_word(cell), a grain of the cell, and at link_word(grain) another "    \
    "one of its cell; where lists are rebuilt incrementally, those that are linked (shared/grid.h)")                   \
  X(list_position, vec4, grains, saved | when(incremental),                                                            \
    "of lists that are rebuilt incrementally: xyz place of the grain that its list is of [m], w radius [m], "          \
    "negative: not the one "                                                                                           \
    "that the grain was sorted by; 0: it has none yet")                                                                \
  X(contact_count, uint, grains, saved | doubled, "contacts of a grain, walls included")                               \
  X(slice_width, uint, slices, plain, "contact slots per grain of a slice")                                            \
  X(slice_start, uint, slices_and_end, saved | doubled,                                                                \
    "first row of a slice; a row has a slot for each grain of the slice")                                              \
  X(slice_sums, uint, chunks, plain, "rows per chunk of slices")                                                       \
  X(contact_partner, uint, slots, saved,                                                                               \
    "grain or wall on the other side; slot k of grain i: 16 (slice_start + k) + i % 16")                               \
  X(contact_state, float, slot_states,                                                                                 \
    saved | when(sums_contacts) | when(remembers) | member("sum", 4, sums_contacts) | member("shear", 3, remembers) |  \
        member("roll", 3, remembers_rolling) | member("roll_sum", 3, sums_rolling) |                                   \
        member("change", 4, has_momentum) | member("roll_change", 3, has_rolling_momentum) |                           \
        member("friction", 1, keeps_friction) | member("rebound", 1, rebounds) |                                       \
        rounded(Rounding::contact_sum, "sum") | rounded(Rounding::contact_shear, "shear") |                            \
        rounded(Rounding::contact_shear, "roll") | rounded(Rounding::contact_sum, "roll_sum") |                        \
        rounded(Rounding::contact_sum, "change") | rounded(Rounding::contact_sum, "roll_change"),                      \
    "sum: xyz tangential, w normal: sums over the iterations. p2, pbd: corrections of this substep [m], xyz what "     \
    "resists motion, with adhesion along the normal, p2: w < 0: not yet active; vts, sp: impulses [N s], remembered. " \
    "shear: tangential displacement since the contact began to stick, remembered [m; dem: the spring's push, m/s]. "   \
    "roll, roll_sum, roll_change: as shear, the tangential sum and change, but of rolling and twisting: roll is the "  \
    "displacement of the surfaces by them, roll_sum times R_eff the impulsive couple (vts, sp). "                      \
    "change: last iteration's change of sum (improved_jacobi) [N s]. friction: coefficient of friction in this "       \
    "substep, where static and kinetic differ (vts, sp with memory) [1]. rebound: speed of parting in this substep, "  \
    "where restitution is given and the two strike; 0: they do not (vts, sp) [m/s]")                                   \
  X(contact_load, uint, grains, when(counts_contacts), "contacts that share a grain's mass (vts, sp)")                 \
  X(contact_weights, float, grains_twice, when(shares_mass) | rounded(Rounding::weights),                              \
    "p2, pbd: sum of the weights by which a grain's contacts share its mass [kg; mass_splitting: their number]: what " \
    "iterations with even numbers go by, grain after grain, then the odd ones")                                        \
  X(history_first, uint, grains, compared(Compared::heads),                                                            \
    "first of the contacts of a grain in the history buffer, while its row is made anew")                              \
  X(history_count, uint, grains, plain, "how many there are, those that remember anything")                            \
  X(history, uint, history, compared(Compared::history),                                                               \
    "contacts in the history buffer, each its contact_partner and the components of contact_state that it keeps "      \
    "(Settings.contacts.kept_words); grain after grain, in any order")                                                 \
  X(fine_grains, Grain, fine, follows_fine | rolled_back,                                                              \
    "fine grains: position [m], radius [m], velocity [m/s], how loose they are (0: carried, 1: free)")                 \
  X(fine_tag, uint, fine, follows_fine | rolled_back, "material and number")                                           \
  X(fine_clear, float, fine, follows_fine | rounded(Rounding::fine_clear),                                             \
    "a fine grain was at least so far from all bodies when it last went on [m]")                                       \
  X(fine_first, uint, emitted_and_end, plain, "the first fine grain that comes with the k-th emitted grain")           \
  X(near_count, uint, near_cells, plain, "as grid_count, of coarse or fine grains in near cells")                      \
  X(near_start, uint, near_cells_and_end, plain, "as grid_start, likewise")                                            \
  X(near_sums, uint, chunks, plain, "as grid_sums, likewise")                                                          \
  X(near_motion, uint, near_blocks, plain, "how coarse grains near a block of near cells move (shared/fine.h)")        \
  X(near_order, uint, near_grains, compared(Compared::of_near_cell), "as grid_order, likewise")                        \
  X(near_from, uint, fine, plain, "as grid_from, of fine grains")                                                      \
  X(advecting, AdvectingGrain, advecting, plain, "coarse grains as fine ones see them, in the order of near cells")    \
  X(density_count, uint, density_nodes, plain, "fine grains around a node, in density_unit")                           \
  X(density_owner, uint, density_blocks, plain, "which of the places that share a block has it (shared/density.h)")    \
  X(measures, GrainMeasure, grains, rounded(Rounding::overlap, "penetration"), "what each grain adds to the report")   \
  X(shelves, uint, shelves, plain, "states of worlds, shelf after shelf: what each has of saved fields")               \
  X(contact_lines, ContactLine, lines, plain, "contacts that press, slots as contact_partner")                         \
  X(depth_cameras, DepthCamera, depth_cameras, plain, "cameras that see how far things are")                           \
  X(depth_bits, uint, depth_pixels, plain,                                                                             \
    "what they saw last [m], as the bits of a float: camera after camera, in each world after world, row by row "      \
    "from the top")                                                                                                    \
  X(bake_grid, BakeGrid, baked, plain, "grid and tree of the distance field being baked")                              \
  X(bake_triangles, BakeTriangle, baked, plain, "triangles in the order of the tree's leaves [cells]")                 \
  X(bake_tree, BakeNode, baked, plain, "bounding volumes and winding moments [cells]")                                 \
  X(bake_corners, BakeCorner, baked, plain, "distance [cells] and winding number at the corners of bricks")            \
  X(bake_values, float, baked, plain, "distance at the nodes, x fastest, positive outside [cells]")

enum class FieldId {
#define X(name, ...) name,
  TALUS_FIELDS(X)
#undef X
};
#define X(...) +1
inline constexpr std::size_t field_count = 0 TALUS_FIELDS(X);
#undef X

struct FieldInfo : Life {
  std::string_view name;
  std::size_t stride;  // bytes
  Extent extent;
  std::string_view meaning;
};

constexpr FieldInfo field_of(Life life, std::string_view name, std::size_t stride, Extent extent,
                             std::string_view meaning) {
  life.hashed = std::min(life.hashed, stride);
  return {life, name, stride, extent, meaning};
}

constexpr std::array<FieldInfo, field_count> make_field_infos() {
  using namespace life;
  return {{
#define X(name, type, extent, life, meaning) field_of(life, #name, sizeof(type), Extent::extent, meaning),
      TALUS_FIELDS(X)
#undef X
  }};
}
inline constexpr std::array<FieldInfo, field_count> field_infos = make_field_infos();

inline const FieldInfo& info(FieldId id) {
  TALUS_ASSERT(static_cast<std::size_t>(id) < field_count, id);
  return field_infos[static_cast<std::size_t>(id)];
}

// Calls visit(id) for each field that answers yes: those for which `of`, a member of FieldInfo, is true.
template <class Of, class Visit> void each_field(Of of, Visit visit) {
  for (std::size_t f = 0; f < field_count; ++f)
    if (std::invoke(of, field_infos[f]))
      visit(static_cast<FieldId>(f));
}

// Calls visit(id) for each field that follows these grains.
template <class Visit> void each_follower(Follows what, Visit visit) {
  each_field([what](const FieldInfo& field) { return field.follows == what; }, visit);
}

constexpr bool has_copy(const FieldInfo& field, Copy copy) {
  return copy == Copy::now || (copy == Copy::next ? field.doubled : field.rolled_back);
}

// One of the copies of a field.
struct FieldCopy {
  FieldId id;
  Copy copy = Copy::now;
  constexpr FieldCopy(FieldId field, Copy which = Copy::now) : id(field), copy(which) {}
  auto operator<=>(const FieldCopy&) const = default;
};
std::string name_of(FieldCopy field);                         // as shaders have it
std::optional<FieldCopy> field_named(std::string_view name);  // .. and back; none: there is no such field or copy

// The fields in the host's memory: what the reference passes work on. Copies that a field does not declare are empty.
struct Fields {
#define X(name, type, ...) Column<type> name, name##_next, name##_valid;
  TALUS_FIELDS(X)
#undef X
  // What the vectorised contact_count has found, for contact_fill: the first contacts of each grain.
  static constexpr uint found_most = 16;
  Column<uint> contact_found;

  std::span<std::byte> bytes(FieldCopy field);
  void resize(FieldId id, std::size_t count);  // all its copies; new elements are zero
  void swap(FieldId id);                       // exchanges the field and its copy `next`
};

}  // namespace talus
