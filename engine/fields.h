#pragma once
// Every buffer once: name, type of an element, how many there are, whether a checkpoint holds it, and what it means. A
// shader's buffer variable is bound to the field of its name. Worlds lie one after another in all that a world has.
#include "engine/column.h"
#include "shaders/shared/types.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus {

using namespace shared;

// slots_of_3, slots_of_4: the components of slots; of the 16 slots of a row first all x, then all y, ..
// (shaders/shared/slots.glsl). stash: as contacts of a world that may be stashed. carriers: as grains, where fine
// ones are. lines: as slots, once asked for. shelves: as many words as states of worlds need. baked: empty but while a
// distance field is baked.
enum class Extent {
  one,
  worlds,
  world_steps,
  gates,
  pairs,
  births,
  pours,
  emitters,
  world_emitters,
  spots,
  births_and_end,
  sinks,
  sink_counts,
  bodies,
  body_motions,
  body_sums,
  solid_parts,
  shape_data,
  carried,
  shapes,
  shaped,
  world_shapes,
  world_shaped,
  cloth_vertices,
  cloth_links,
  cloth_touches,
  body_cells,
  rigid,
  rigid_pairs,
  body_points,
  point_contacts,
  taken_cells,
  held,
  grains,
  cells,
  cells_and_end,
  slices,
  slices_and_end,
  chunks,
  fine,
  near_grains,
  near_cells,
  near_cells_and_end,
  crowd_nodes,
  crowd_blocks,
  depth_cameras,
  depth_pixels,
  slots,
  slots_of_3,
  slots_of_4,
  stash,
  carriers,
  lines,
  shelves,
  baked
};

// X(name, element, extent, saved, "meaning [unit]")
#define TALUS_FIELDS(X)                                                                                                \
  X(settings, Settings, one, false, "what the scene sets")                                                             \
  X(pair_laws, PairLaw, pairs, false,                                                                                  \
    "contact law of material a with material b at a (materials + 1) + b; last row: wall")                              \
  X(births, Birth, births, false, "grains that emitters will release: emitter after emitter, each in order")           \
  X(birth_blocked, uint, births, false, "bit t: birth k has no room where it is tried the t-th time in this step")     \
  X(births_made, uint, world_emitters, true, "grains released: by emitter e of world w at w emitters + e")             \
  X(births_made_valid, uint, world_emitters, false, "as grains_valid")                                                 \
  X(pours, Pour, pours, false,                                                                                         \
    "births of emitter e of world w in step s of the batch: at (s worlds + w) emitters + e")                           \
  X(spouts, Spout, emitters, false, "emitters")                                                                        \
  X(spots, vec3, spots, false, "places in the shapes of emitters, where births that wait are tried [m]")               \
  X(status, Status, one, true, "state of the run")                                                                     \
  X(worlds, World, worlds, true, "what the lists of a world are like")                                                 \
  X(rebuilding, uint, worlds, false,                                                                                   \
    "worlds that rebuild their lists in this substep; behind the last the number of all")                              \
  X(body_speeds, float, world_steps, false,                                                                            \
    "no point of a body's surface is faster: of world w in step s of the batch at s worlds + w [m/s]")                 \
  X(sinks, Sink, sinks, false, "shapes in which grains vanish")                                                        \
  X(sink_counts, uint, sink_counts, true, "grains that a sink has taken: sink s of world w at w sinks + s")            \
  X(sink_counts_valid, uint, sink_counts, false, "as grains_valid")                                                    \
  X(bodies, Body, bodies, false, "bodies where the substep starts")                                                    \
  X(body_listed, BodyMotion, bodies, true, "of bodies as lists know them that are mended")                             \
  X(body_motions, BodyMotion, body_motions, false, "of body b in step s of the batch: s bodies + b")                   \
  X(body_sums, uint, body_sums, true,                                                                                  \
    "what grains have done to a body in this step: copy c of body b at load_words (load_copies b + c); then "          \
    "to vertices of cloth since they last took it (shared/cloth.h)")                                                   \
  X(body_load, BodyLoad, bodies, true, "what grains did to a body in the last step")                                   \
  X(body_load_valid, BodyLoad, bodies, false, "as grains_valid")                                                       \
  X(body_loads, BodyLoad, body_motions, false, "body_load after step s of the batch: s bodies + b")                    \
  X(solid_parts, SolidPart, solid_parts, false, "parts of the shapes of bodies, then of sinks")                        \
  X(shape_data, uint, shape_data, false,                                                                               \
    "distances and triangles of parts that are meshes (SolidPart::first), then "                                       \
    "cloth (shared/cloth.h)")                                                                                          \
  X(carried, Carried, carried, false, "grains that stand for bodies, by number from settings.carried_first on")        \
  X(shapes, MatchedShape, shapes, false, "shapes that particles keep")                                                 \
  X(shape_motions, ShapeMotion, world_shapes, true,                                                                    \
    "where shapes are at the end of the substep: shape s of world w at w shapes + s")                                  \
  X(shape_motions_valid, ShapeMotion, world_shapes, false, "as grains_valid")                                          \
  X(shaped, Shaped, shaped, false, "particles of shapes, by number from settings.shaped_first on")                     \
  X(shape_place, uint, world_shaped, true,                                                                             \
    "which place of its world a particle of a shape has, while it is there; likewise")                                 \
  X(cloth_vertices, ClothVertex, cloth_vertices, false, "by number from settings.cloth_first on")                      \
  X(cloth_place, uint, cloth_vertices, true, "where in memory a vertex of cloth is")                                   \
  X(cloth_work, ClothWork, cloth_vertices, false, "vertices of cloth within a substep")                                \
  X(cloth_links, ClothLink, cloth_links, false, "distances that vertices keep, vertex after vertex")                   \
  X(cloth_pulls, ClothPull, cloth_links, false, "their impulses in this substep")                                      \
  X(cloth_touches, ClothTouch, cloth_touches, false, "contacts with cloth in this substep, as contact_partner")        \
  X(body_cells, uint, body_cells, false,                                                                               \
    "which bodies reach into a cell: bit b % 32 of word b / 32, all of them where no grain was; cells as in "          \
    "grid_start")                                                                                                      \
  X(rigid, Rigid, rigid, false, "dynamic bodies: what stays")                                                          \
  X(rigid_states, RigidState, rigid, true, "how dynamic bodies are where the substep starts")                          \
  X(rigid_states_valid, RigidState, rigid, false, "as grains_valid")                                                   \
  X(rigid_commands, RigidCommand, rigid, true, "what is asked of dynamic bodies")                                      \
  X(body_contacts, uint, rigid, true, "contacts of a dynamic body with grains in the lists")                           \
  X(body_ignores, uint, rigid_pairs, false, "bodies that body b does not touch: bit k % 32 of word b words + k / 32")  \
  X(body_near, uint, rigid_pairs, false, "bodies that a dynamic body could touch in this substep, likewise")           \
  X(body_points, BodyPoint, body_points, false, "by which dynamic bodies touch")                                       \
  X(point_contacts, PointContact, point_contacts, true, "of point k at point_partners k")                              \
  X(cell_taken, uint, taken_cells, false, "1: grains are in the cell, of whatever world; cells as in grid_start")      \
  X(held, HandGrain, held, false, "grains in the hand, by number")                                                     \
  X(gates, Dispatch, gates, false, "workgroups that gated passes start [1]")                                           \
  X(grains, Grain, grains, true, "position [m], radius [m], velocity [m/s], inverse mass [1/kg], in cell order")       \
  X(grains_next, Grain, grains, false, "where a pass writes grains that it also reads")                                \
  X(grains_valid, Grain, grains, false, "grains at the start of the batch, to fall back to")                           \
  X(grains_start, Grain, grains, false, "grains at the start of the substep, where some may stay there")               \
  X(grain_id, uint, grains, true, "number of the grain in its world, for good")                                        \
  X(grain_id_next, uint, grains, false, "as grains_next")                                                              \
  X(grain_id_valid, uint, grains, false, "as grains_valid")                                                            \
  X(grain_tag, uint, grains, true, "material")                                                                         \
  X(grain_tag_next, uint, grains, false, "as grains_next")                                                             \
  X(grain_tag_valid, uint, grains, false, "as grains_valid")                                                           \
  X(grain_row, uint, grains, true, "row of the contact lists that the grain had when they were made")                  \
  X(grain_row_next, uint, grains, false, "as grains_next")                                                             \
  X(grid_count, uint, cells, false, "grains not yet placed in a cell; zero between builds")                            \
  X(grid_start, uint, cells_and_end, true, "first grain of a cell")                                                    \
  X(grid_sums, uint, chunks, false, "grains per chunk of cells")                                                       \
  X(grid_order, uint, grains, false, "grains by cell, in no order inside it")                                          \
  X(grid_head, uint, cells, false,                                                                                     \
    "linked lists: a grain of the cell; of lists that are mended: one linked to it, cell_swept")                       \
  X(grid_link, uint, grains, false, "linked lists: another grain of the same cell")                                    \
  X(list_place, vec4, grains, true,                                                                                    \
    "of lists that are mended: xyz place of the grain that its list is of [m], w radius [m], negative: not the one "   \
    "that the grain was sorted by; 0: it has none yet")                                                                \
  X(contact_count, uint, grains, true, "contacts of a grain, walls included")                                          \
  X(contact_count_next, uint, grains, false, "of the lists being built")                                               \
  X(slice_width, uint, slices, false, "contact slots per grain of a slice")                                            \
  X(slice_start, uint, slices_and_end, true, "first row of a slice; a row has a slot for each grain of the slice")     \
  X(slice_start_next, uint, slices_and_end, false, "of the lists being built")                                         \
  X(slice_sums, uint, chunks, false, "rows per chunk of slices")                                                       \
  X(contact_partner, uint, slots, true,                                                                                \
    "grain or wall on the other side; slot k of grain i: 16 (slice_start + k) + i % 16")                               \
  X(contact_sum, float, slots_of_4, true,                                                                              \
    "xyz tangential, w normal: sums over the iterations. p2, pbd: corrections of this substep [m], xyz what resists "  \
    "motion, with adhesion along the normal, p2: w < 0: not yet active; vts, sp: impulses [N s], remembered")          \
  X(contact_load, uint, grains, false, "contacts that share a grain's mass (vts, sp)")                                 \
  X(contact_weights, float, grains, false,                                                                             \
    "p2, pbd: sum of the weights by which a grain's contacts share its mass [kg; mass_splitting: their number]")       \
  X(contact_weights_next, float, grains, false, "contact_weights of the next iteration")                               \
  X(contact_friction, float, slots, false,                                                                             \
    "coefficient of friction in this substep, where static and kinetic differ (vts, sp with memory) [1]")              \
  X(contact_change, float, slots_of_4, false, "last iteration's change of contact_sum (improved_jacobi) [N s]")        \
  X(contact_shear, float, slots_of_3, true,                                                                            \
    "tangential displacement since the contact began to stick, remembered [m; dem: the spring's push, m/s]")           \
  X(stash_first, uint, grains, false, "first of the contacts of a grain in the stash, while its row is made anew")     \
  X(stash_count, uint, grains, false, "how many there are, those that remember anything")                              \
  X(stash_partner, uint, stash, false, "contact_partner of a contact in the stash; grain after grain, in any order")   \
  X(stash_shear, vec3, stash, false, "its contact_shear")                                                              \
  X(stash_sum, vec4, stash, false, "its contact_sum")                                                                  \
  X(fine_grains, Grain, fine, true,                                                                                    \
    "fine grains: position [m], radius [m], velocity [m/s], how loose they are (0: carried, 1: free)")                 \
  X(fine_grains_next, Grain, fine, false, "where a pass writes fine grains that it also reads")                        \
  X(fine_grains_valid, Grain, fine, false, "as grains_valid")                                                          \
  X(fine_tag, uint, fine, true, "material and number")                                                                 \
  X(fine_tag_next, uint, fine, false, "as fine_grains_next")                                                           \
  X(fine_tag_valid, uint, fine, false, "as grains_valid")                                                              \
  X(fine_clear, float, fine, true, "a fine grain was at least so far from all bodies when it last went on [m]")        \
  X(fine_clear_next, float, fine, false, "as fine_grains_next")                                                        \
  X(fine_first, uint, births_and_end, false, "of the births of fine grains, the first that comes with the k-th birth") \
  X(near_count, uint, near_cells, false, "as grid_count, of coarse or fine grains in near cells")                      \
  X(near_start, uint, near_cells_and_end, false, "as grid_start, likewise")                                            \
  X(near_sums, uint, chunks, false, "as grid_sums, likewise")                                                          \
  X(near_order, uint, near_grains, false, "as grid_order, likewise")                                                   \
  X(carriers, Carrier, carriers, false, "coarse grains as fine ones see them, in the order of near cells")             \
  X(crowd_count, uint, crowd_nodes, false, "fine grains around a node, in crowd_unit")                                 \
  X(crowd_owner, uint, crowd_blocks, false, "which of the places that share a block has it (shared/crowd.h)")          \
  X(measures, GrainMeasure, grains, false, "what each grain adds to the report")                                       \
  X(shelves, uint, shelves, false, "states of worlds, shelf after shelf: what each has of saved fields")               \
  X(contact_lines, ContactLine, lines, false, "contacts that press, slots as contact_partner")                         \
  X(depth_cameras, DepthCamera, depth_cameras, false, "cameras that see how far things are")                           \
  X(depth_bits, uint, depth_pixels, false,                                                                             \
    "what they saw last [m], as the bits of a float: camera after camera, in each world after world, row by row from " \
    "the top")                                                                                                         \
  X(bake_grid, BakeGrid, baked, false, "grid and tree of the distance field being baked")                              \
  X(bake_triangles, BakeTriangle, baked, false, "triangles in the order of the tree's leaves [cells]")                 \
  X(bake_tree, BakeNode, baked, false, "bounding volumes and winding moments [cells]")                                 \
  X(bake_corners, BakeCorner, baked, false, "distance [cells] and winding number at the corners of bricks")            \
  X(bake_values, float, baked, false, "distance at the nodes, x fastest, positive outside [cells]")

enum class FieldId {
#define X(name, ...) name,
  TALUS_FIELDS(X)
#undef X
};
#define X(...) +1
inline constexpr std::size_t field_count = 0 TALUS_FIELDS(X);
#undef X

// Numbers of a slot of the contact lists; 0 of what is not of slots.
constexpr std::size_t slot_components(Extent extent) {
  return extent == Extent::slots ? 1 : extent == Extent::slots_of_3 ? 3 : extent == Extent::slots_of_4 ? 4 : 0;
}

struct FieldInfo {
  std::string_view name;
  std::size_t stride;  // bytes
  Extent extent;
  bool saved;
  std::string_view meaning;
};

inline constexpr std::array<FieldInfo, field_count> field_infos{{
#define X(name, type, extent, saved, meaning) {#name, sizeof(type), Extent::extent, saved, meaning},
    TALUS_FIELDS(X)
#undef X
}};

inline const FieldInfo& info(FieldId id) {
  return field_infos[static_cast<std::size_t>(id)];
}

// The fields in the host's memory: what the reference passes work on.
struct Fields {
#define X(name, type, ...) Column<type> name;
  TALUS_FIELDS(X)
#undef X
  // What the vectorised contact_count has found, for contact_fill: the first contacts of each grain.
  static constexpr uint found_most = 16;
  Column<uint> contact_found;

  std::span<std::byte> bytes(FieldId id);
  void resize(FieldId id, std::size_t count);  // new elements are zero
  void swap(FieldId a, FieldId b);             // of one type
};

}  // namespace talus
