// The structs that the shaders and the host share, in scalar block layout. Read by GLSL and C++ alike.
// SI units throughout. A vec4 packs what is always read together, so that a grain is two 16-byte loads.
#ifndef TALUS_TYPES_H
#define TALUS_TYPES_H

#ifdef __cplusplus
#include <cstdint>
#include <glm/glm.hpp>
namespace talus::shared {
using uint = std::uint32_t;
using glm::ivec3;
using glm::mat3;
using glm::uvec2;
using glm::uvec3;
using glm::vec2;
using glm::vec3;
using glm::vec4;
#define TALUS_CONST constexpr
#else
#extension GL_EXT_scalar_block_layout : require
#define TALUS_CONST const
#endif

TALUS_CONST uint group_size = 128u;   // threads of a workgroup, all passes
TALUS_CONST uint slice_grains = 16u;  // grains whose contact rows share one width (sliced ELL)
TALUS_CONST uint scan_chunks = 256u;  // pieces that a prefix sum is cut into, at most

// The Verlet skin [radii of the largest grain]: at least, in slow motion, in motion, and at most. In slow motion it is the root of
// skin_cost times the radii that the fastest grain goes in a substep. There a substep pays least for lists: a wide skin has more pairs
// that do not touch, a narrow one lists that are soon rebuilt.
TALUS_CONST float skin_least = 0.05f;
TALUS_CONST float skin_cost = 19.0f;
TALUS_CONST float skin_rest = 0.3f;
TALUS_CONST float skin_motion = 0.8f;
TALUS_CONST float skin_limit = 2.0f;

// Least edge of a periodic axis, in radii of the largest grain: three cells of a diameter and the largest skin.
TALUS_CONST float period_least = 3.0f * (2.0f + skin_limit);

// World.lists.travel of invalid lists: at the start, and where grains have been emitted.
TALUS_CONST float lists_invalid = 1e30f;

// Lists of this age [substeps] are rebuilt where so much of their skin would do, since grains have come to rest: a substep of dem costs up to a
// quarter less then, and to build all lists what three or four substeps cost (scenes/box_settle.toml and excavator_dig.toml; 256 and 0.6 took 7 and
// 12 % more time).
TALUS_CONST uint lists_old = 128u;
TALUS_CONST float lists_shrink = 0.85f;

// Incremental rebuild. The lists are those of the positions that grains had when they were last looked at (list_position), so that they
// hold while no grain is further than half the skin from its own. Grains that have gone further get a new position, and only rows that
// these change are searched again. Grains further away than this share of half the skin get one too, so that the next rebuild is later.
TALUS_CONST float incremental_share = 0.5f;
// The new position lies ahead of the grain, where it will be in so many substeps, or a half, a quarter, .. of them: no further away than
// this share of half the skin.
TALUS_CONST float incremental_ahead = 4.0f;
TALUS_CONST float incremental_ahead_most = 0.95f;
// Where too many grains would get a new position, all lists are rebuilt, and so are they the next incremental_pause times: a new position
// costs so many times what building a grain's list does, and lists last after it only for what is left of half the skin.
TALUS_CONST float incremental_cost = 3.0f;
// All lists are rebuilt, too, where more than one grain of so many has another position than the one that it was sorted by,
TALUS_CONST uint linked_most = 3u;
TALUS_CONST uint incremental_pause = 8u;
// and where the skin has become too narrow by this factor.
TALUS_CONST float incremental_widen = 1.5f;
// Rows of a slice beyond those that its lists take, and rows at least, so that incrementally rebuilt lists fit.
TALUS_CONST uint spare_rows = 2u;
TALUS_CONST uint spare_rows_least = 12u;
// During an incremental rebuild, grains that have got a new position since they were sorted are linked to their cells. Added to the link of a
// grain: it has just got its position.
TALUS_CONST uint link_new = 0x80000000u;
TALUS_CONST uint link_mask = 0x3FFFFFFFu;
TALUS_CONST uint link_end = link_mask - 1u;
// contact_count_next of a row that is not searched again, of one in which the bodies and walls are to be searched again, of one in which
// all are, and, with the number of contacts that were found added, of one that was too short for them. The least of what wants a row counts.
TALUS_CONST uint row_kept = 0xFFFFFFFFu;
TALUS_CONST uint row_touched = 0xFFFFFFFEu;
TALUS_CONST uint row_wanted = 0xFFFFFFFDu;
TALUS_CONST uint row_unfit = 0x80000000u;

// Gates: dispatch sizes that the device opens and closes. A closed gate is a dispatch of nothing.
TALUS_CONST uint gate_grains = 0u;          // a thread per grain, while the run is not halted
TALUS_CONST uint gate_rebuild_grains = 1u;  // .. of worlds that rebuild their lists in the substep
TALUS_CONST uint gate_rebuild_cell_chunks = 2u;   // a workgroup per chunk of the prefix sum over cells
TALUS_CONST uint gate_rebuild_slice_chunks = 3u;  // .. over slices
TALUS_CONST uint gate_rebuild_bodies = 4u;
TALUS_CONST uint gate_rebuild_cells = 5u;  // a thread per cell
TALUS_CONST uint gate_rebuild_once = 6u;  // a workgroup for each of these worlds
TALUS_CONST uint gate_fine = 7u;               // a thread per fine grain, where they move
TALUS_CONST uint gate_fine_grains = 8u;        // .. a thread per grain
TALUS_CONST uint gate_fine_chunks = 9u;        // .. a workgroup per chunk of the prefix sum over near cells
TALUS_CONST uint gate_fine_density = 10u;        // .. a thread per node of the density grid
TALUS_CONST uint gate_fine_sort = 11u;         // a thread per fine grain, where they are sorted before they move
TALUS_CONST uint gate_fine_sort_chunks = 12u;  // .. as gate_fine_chunks
TALUS_CONST uint gate_fine_coast = 13u;        // a thread per fine grain, where bodies move and fine grains do not
TALUS_CONST uint gate_incremental_grains = 14u;       // a thread per grain, where lists are rebuilt incrementally in the substep
TALUS_CONST uint gate_incremental_cells = 15u;        // .. per cell
TALUS_CONST uint gate_incremental_once = 16u;         // .. one workgroup
TALUS_CONST uint gate_moved_cells = 17u;       // .. and bodies have moved since they were: a thread per cell
TALUS_CONST uint gate_moved_bodies = 18u;      // .. as gate_rebuild_bodies
TALUS_CONST uint gate_lists = 19u;               // one workgroup, where lists are rebuilt in the substep, incrementally or all of them
TALUS_CONST uint gate_emission = 20u;            // a workgroup per grain that emitters have released in the step
TALUS_CONST uint gate_slices = 21u;              // slice_grains threads per slice, while the run is not halted
TALUS_CONST uint gate_listed = 22u;              // a thread per grain of the slices that activity_list has listed
TALUS_CONST uint gate_step_end = 23u;            // a workgroup per body, and a thread per world, after the last substep of a step
TALUS_CONST uint gate_return = 24u;              // a thread per grain, where the state of grains is in their copies
TALUS_CONST uint gate_incremental_unfit = 25u;   // as gate_incremental_grains, where rows were too short for what was found
TALUS_CONST uint gate_fine_blocks = 26u;         // where fine grains move: a thread per block of near cells
TALUS_CONST uint gates_total = 27u;

// Workgroups beyond one row go on in y: devices allow only 65535 per axis.
TALUS_CONST uint dispatch_row = 32768u;

// Times around a periodic axis in a substep that are counted at most, for the sake of integers.
TALUS_CONST float laps_most = 1e6f;

// Kinds of an axis of the domain.
TALUS_CONST uint axis_open = 0u;
TALUS_CONST uint axis_wall = 1u;
TALUS_CONST uint axis_periodic = 2u;

// Contact partners from here on are no grains. In contact rows, grains and bodies have the numbers that they have in their world
// (shared/partner.h). Triangle t of cloth, seen from face k, is triangle_partner + 4 t + k; surface s of body b is
// body_partner + bodies_most s + b; the wall of axis a on side s (0 min, 1 max) is wall_partner + 2 a + s.
TALUS_CONST uint triangle_partner = 0xE0000000u;
TALUS_CONST uint face_unknown = 0u;  // .. or the triangle is seen from its edge
TALUS_CONST uint face_front = 1u;    // from where its corners go round counterclockwise
TALUS_CONST uint face_back = 2u;
TALUS_CONST uint body_partner = 0xF0000000u;
TALUS_CONST uint wall_partner = 0xFFFFFF00u;
TALUS_CONST uint bodies_most = 65536u;  // in all worlds together
TALUS_CONST uint part_surfaces = 8u;  // of a part, at most: surface s belongs to part s / part_surfaces of its body
TALUS_CONST uint parts_most = (wall_partner - body_partner) / (bodies_most * part_surfaces);
TALUS_CONST uint body_threads = 1024u;  // that look for the cells of one body
TALUS_CONST int cells_none = 0x7FFFFFFF;  // World.grid.low where no grain is; grid.high: the negative
TALUS_CONST uint no_partner = 0xFFFFFFFFu;
// Grains lie as in the tile of the ground where they are nearer than this to how they lay there, in radii: an overlap at rest is some 0.01.
TALUS_CONST float soil_in_place = 2e-3f;
// Limits of SoilColumn.swell. The least is that of soil that was compacted from random loose to random close packing, 0.55 and 0.64 of the
// volume, with some reserve.
TALUS_CONST float soil_swell_least = 0.8f, soil_swell_most = 2.0f;
// SoilOrigin.place of a grain that the ground has taken in and that stays where it is, with the number of grains that the column had below it.
TALUS_CONST uint soil_settled = 0x80000000u;
TALUS_CONST uint soil_materials_most = 4u;  // of which the ground consists: that below all layers, and those of the layers
TALUS_CONST uint no_table = 0xFFFFFFFFu;  // World.lists.table
TALUS_CONST uint state_none = 0xFFFFFFFFu;

// A contact with a body pushes for at most this overlap, in radii, that there is when a substep starts. What a grain caught between two
// bodies takes and gives would otherwise grow with them; one on a body at rest overlaps by a hundredth of that.
TALUS_CONST float body_overlap_most = 0.5f;

// In a hollow corner a grain touches several surfaces of one body. Beside the nearest one those count whose normal is turned against its
// by more than this (cosine), or boxes side by side would be two floors.
TALUS_CONST float corner_turn = 0.95f;
// .. and that are the nearest ones so close above their own nearest point [radii]: other parts hide the rest.
TALUS_CONST float corner_above = 0.05f;
// In a hollow of a mesh that is the only part of its body, a grain has this many contacts: surfaces 1, 2 and 3 of the part. Surface 0 is
// the nearest point alone. A contact beside the nearest one counts up to the second distance [radii].
TALUS_CONST uint hollow_surfaces = 3u;
TALUS_CONST float hollow_reach = 1.05f;
TALUS_CONST float surface_hidden = 1e3f;  // gap of a contact with a surface that does not count, in radii

// What grains do to a body in a step is summed in whole numbers of 64 bits, since those come out the same in any order. A record of
// them: for the impulse and its moment about the body's origin, x, y, z each, a low and a high word; then what is not in them.
TALUS_CONST uint load_words = 14u;
TALUS_CONST uint load_uncounted = 12u;  // word of a record: pushes that were too large, or came with too many others
TALUS_CONST uint load_points = 13u;     // .. of a dynamic body: its points that touch, or are about to
// A vertex of cloth has one record, without a moment.
TALUS_CONST uint load_copies = 32u;     // records of a body, by workgroup: with one they would wait for each other
TALUS_CONST uint load_records = 33u;    // .. and the standing record behind them: what slices that stand do to it in each substep (slice_stands)

TALUS_CONST uint cloth_border = 0x80000000u;  // added to a corner of a triangle: it lies where the cloth ends, or more than two triangles meet
TALUS_CONST uint cloth_apart = 0x80000000u;  // added to the number of a cloth (shared/cloth.h): it does not touch itself

// A dynamic body touches bodies and walls by points (BodyPoint), each at most so many of them at once.
TALUS_CONST uint point_partners = 4u;
// What shares the mass of a dynamic body: points that get there within so many substeps, or are nearer than this share of the largest
// grain's radius. Known before they touch, since a light body that many push at once takes all of each push.
TALUS_CONST float touch_substeps = 2.0f;
TALUS_CONST float touch_near = 0.05f;
// Contact of a dynamic body's point: a spring and a damper as dem's (dem_kappa and those below it).
TALUS_CONST float touch_kappa = 0.6f;
TALUS_CONST float touch_zeta = 0.4f;  // damping ratio: bodies bounce little, and stacks of them come to rest
TALUS_CONST float touch_tangential = 0.285f;
TALUS_CONST float touch_tangential_damping = 0.5f;
TALUS_CONST float touch_fade = 0.98f;  // of their number from a substep to the next, where fewer touch

// Joints of dynamic bodies: to the world of one that is alone, else of linkages.
TALUS_CONST uint joint_free = 0u;
TALUS_CONST uint joint_revolute = 1u;
TALUS_CONST uint joint_prismatic = 2u;
TALUS_CONST uint joint_ball = 3u;
TALUS_CONST uint joint_fixed = 4u;  // of linkages

// Share of what has drifted that the joints of a linkage take back in a substep. What a substep adds is (h w)^2 / 2 of the distance from
// the joint to the center of mass at the spin w, so that a drift of (h w)^2 / (2 joint_return) of it remains.
TALUS_CONST float joint_return = 0.1f;
// 1/s, at most, of gears: the rounding of a wheel's value becomes a speed by this factor, and grows with the turns. By joint_return alone
// the factor would be 1000/s at a substep of 0.1 ms, and the rounding of two turns, 5e-7 rad, a speed of 5e-4 rad/s.
TALUS_CONST float gear_return = 100.0f;
// How much a joint of a linkage yields, as a share of what an impulse along its row does to the velocity there: where joints hold the same
// thing several times, as those of a closed chain in a plane do, impulses stay finite. Axes that yield less than joint_locked are held by
// the other joints.
TALUS_CONST float joint_yield = 1e-5f;
TALUS_CONST float joint_locked = 4e-5f;
// LinkRowPlace::part of the row that has the inertia of a joint's rotor; a joint holds at most 6 directions, parts 0 to 5.
TALUS_CONST uint joint_part_armature = 6u;
// LinkRowPlace::part of the row of a gear, which is the row along the joint's axis less LinkJoint::multiplier times the leader's.
TALUS_CONST uint joint_part_gear = 7u;
TALUS_CONST uint no_joint = 0xffffffffu;
// Sweeps over the axes of a linkage's joints at most, and the share of the greatest speed below which a change ends them.
TALUS_CONST uint joint_sweeps = 64u;
TALUS_CONST float joint_converged = 1e-6f;
TALUS_CONST uint linkage_rows_most = 512u;

// Specialization constants: their constant_id. All but the last follow from the scene.
TALUS_CONST uint constant_solid_kinds = 0u;  // bit k: bodies have parts of kind k
TALUS_CONST uint constant_shapes = 1u;       // 0: no grain belongs to a shape
TALUS_CONST uint constant_cloth = 2u;        // 0: there is no cloth
TALUS_CONST uint constant_rigid = 3u;        // 0: no body is dynamic
TALUS_CONST uint constant_worlds = 4u;       // 0: there is one world
TALUS_CONST uint constant_periodic = 5u;     // bit a: axis a is periodic
TALUS_CONST uint constant_rotation = 6u;     // rotation_off, ..
TALUS_CONST uint constant_restitution = 7u;  // 0: it is given for no pair of materials
TALUS_CONST uint constant_clumps = 8u;       // 0: no grain belongs to a clump
TALUS_CONST uint constant_sleep = 9u;        // 0: grains at rest do not sleep
TALUS_CONST uint constant_hertz = 10u;       // 1: the contacts of dem are Hertz's
TALUS_CONST uint constant_few_registers = 11u;  // 1: the device has gpu::Limits::few_registers

// Why the device stopped in the middle of a batch (Status.halt).
TALUS_CONST uint halt_none = 0u;
TALUS_CONST uint halt_slots = 1u;    // contact slots ran out: the host grows them and the substep is repeated
TALUS_CONST uint halt_invalid = 2u;  // a grain's state is not a number any more
TALUS_CONST uint halt_waits = 3u;    // in a stride: the lists hold no longer, and its next substep that renews them is still to come; or the batch is done

TALUS_CONST float pi = 3.14159265358979f;

// Share of an overlap with cloth that a substep takes out, which gives its speed to what it moves.
TALUS_CONST float cloth_recover = 0.2f;

// Area of a contact at an overlap of 0.015 radii (Holz 2014, eq 36) as a share of the smaller grain's cross-section. Where overlaps
// are an artefact of the step (vts, sp, dem), adhesion acts over this area whatever they are.
TALUS_CONST float adhesion_area = 0.029775f;

// Contact of the method dem: stiffness kappa m_eff / h^2, damping ratio zeta, and the shares k_t and c_t of the normal stiffness and
// damping that act across it. They are the stiffest for a restitution of 0.7 that heat no bed. The densest is a crystal (face-centred
// cubic, 12 neighbours): its layers move against one another through 8 contacts at 45 degrees, which explicit steps bear while
// kappa (1 + k_t) + 4 zeta sqrt(kappa) (1 + c_t) < 1, here 0.989; and its grains spin all alike through 12, which they bear while
// kappa k_t + 4 c_t zeta sqrt(kappa) < 0.2, here 0.178.
TALUS_CONST float dem_kappa = 0.5f;
TALUS_CONST float dem_zeta = 0.11f;
TALUS_CONST float dem_tangential = 0.2f;
TALUS_CONST float dem_tangential_damping = 0.25f;
// Rolling and twisting resistance, as shares of the normal stiffness and damping; stable up to kappa k_r + 4 c_r zeta sqrt(kappa) = 0.6.
TALUS_CONST float dem_rolling = 0.285f;
TALUS_CONST float dem_rolling_damping = 0.5f;
// (w_i + w_j) / (w_i (1 + e_i) + w_j (1 + e_j)) of solid spheres, for which these constants are: e = m r^2 / I = 5/2.
TALUS_CONST float solid_tangential_ease = 3.5f;
TALUS_CONST float dem_adhesion_stretch = 4.0f;  // adhesion holds over this many times the stretch that bears its force, for loads put on at once
TALUS_CONST float dem_adhesion_reach = 0.1f;    // .. but no further than this many radii of the smaller grain
TALUS_CONST float dem_damping_limit = 0.4f;  // share of the approach that damping takes out in a substep, at most
TALUS_CONST float hertz_damping = 1.825741858f;  // 2 sqrt(5/6), by which the damping of Hertz's contact follows from its damping ratio

// Sleep of dem (docs/numerics.md). Speeds are in sqrt(g r), times in sqrt(r / g) and accelerations in g, with r the smallest radius
// and g gravity. A grain is still that in sleep_window goes no further than sleep_speed allows, and whose surface spins no faster than sleep_spin
// where the window ends. One that sleeps wakes where what its contacts leave unbalanced has given it the speed sleep_wake; that decays in
// sleep_leak, so that waves do not add up, and an imbalance of sleep_imbalance wakes it in the end. sleep_drag slows grains that touch
// something and are slower than sleep_slow, by no more than sleep_drag_most of their speed in a substep.
TALUS_CONST float sleep_window = 2.0f;
TALUS_CONST float sleep_speed = 0.01f;
TALUS_CONST float sleep_spin = 0.03f;
TALUS_CONST float sleep_imbalance = 0.2f;
TALUS_CONST float sleep_leak = 0.3f;
TALUS_CONST float sleep_wake = 0.06f;  // sleep_imbalance sleep_leak
TALUS_CONST float sleep_drag = 0.002f;
TALUS_CONST float sleep_drag_most = 0.1f;
TALUS_CONST float sleep_slow = 0.05f;
// What wakes starts with no more than so many times what it was given in the substep before: about as long as a collision lasts, pi h / sqrt(2 kappa).
TALUS_CONST float waking_substeps = 4.0f;

// Share of gravity that contacts may leave a sleeping grain uncarried (p2).
TALUS_CONST float sleep_share = 0.1f;

// Normal sum (contact_state) of a p2 contact that has not been active in this substep: negative, and too small to matter beside corrections.
TALUS_CONST float not_active = -1e-30f;

// Gap, in radii of both, below which a contact counts among those that share a grain's mass. Not 0: solved contacts end there, and
// rounding would decide.
TALUS_CONST float load_reach = 1e-3f;
// p2, pbd: a contact takes part in how a grain's mass is shared (contact_weigh) by half where it bears what gravity moves in
// this many substeps from rest, and by nothing where it bears nothing: one that begins to touch joins bit by bit.
TALUS_CONST float weight_carry = 2.0f;
// Added to it, in radii of the smaller partner, for where there is no gravity.
TALUS_CONST float weight_least = 1e-4f;
// Along the normals, the parts of a grain's mass that its contacts get add up to this factor, none above 1. Parts that add up to 1
// never overshoot (Tonge et al. 2012), and iterations diverge beyond 2. p2 takes a needless correction back in the next iteration:
// with 1.5, heaps rest (a few nJ are left with 1.6) and fast grains overlap a plate by .69 radii (.72 with 1.4). pbd does not, and a
// grain in a corner rattles at 2 mm/s with 1.4, below 1 mm/s with 1.2. Friction gets parts of 1, since an overshoot across the normal
// is not taken back once a contact has opened.
TALUS_CONST float weight_over_p2 = 1.5f;
TALUS_CONST float weight_over_pbd = 1.2f;
TALUS_CONST float weight_over_most = 1.8f;  // the most that over-relaxation (solver.sor) makes of it

// Overlap, in radii of the smaller grain, that is none (pbd). Not 0, where solved contacts end: rounding would decide.
TALUS_CONST float gap_least = 1e-5f;

// Contacts that push by impulses (vts, sp).
// A light grain among heavy ones takes all of every correction, where one of equals takes half, so that its contacts together overshoot:
// omega falls by this share towards contacts of very unequal masses. Without it, grains of 1 g to 100 kg with friction blow up.
TALUS_CONST float mass_ratio_share = 0.5f;
// Contacts of a grain that all push at once take more than there is: beyond so many they share it. A bed at rest has fewer; grains
// that fall far in a substep meet many at once, and blow up without it.
TALUS_CONST float load_most = 8.0f;
// Share of a contact's impulse with a body, that the next substep starts from at most. With all of it, what a grain caught between two
// bodies takes and gives would grow for ever.
TALUS_CONST float warm_most = 0.9f;
TALUS_CONST float memory_share = 0.2f;     // of a remembered slip, that a substep takes back
// Against rolling: the relaxation of an iteration as a share of omega, and the share of a remembered way that a substep takes back. A bed has
// greater eigenvalues for rolling than for sliding, up to the number of contacts: with the shares of sliding vts is restless (surface speeds
// of 0.02 m/s at 4 iterations), with these it comes to rest.
TALUS_CONST float vts_rolling_relaxation = 0.3f;
TALUS_CONST float vts_rolling_memory_share = 0.2f;
TALUS_CONST float sp_rolling_relaxation = 1.0f;
TALUS_CONST float sp_rolling_memory_share = 0.1f;
// Share of what adhesion holds, below which nothing is left of a contact's grip but rounding.
TALUS_CONST float friction_limit_least = 1e-3f;
// A contact has turned back that slips the other way by this share of what friction changed its speed by: not 0, where rounding
// would decide.
TALUS_CONST float turned_back = 1e-3f;
// A contact rebounds where it closes faster than gravity makes it in so many substeps (vts, sp). One at rest closes by one of them, and
// Jacobi iterations leave it a few; a rebound from less would end within 2 e rebound_falls substeps.
TALUS_CONST float rebound_falls = 4.0f;
TALUS_CONST float adhesion_reach = 0.01f;  // gap in radii of the smaller grain to which adhesion holds; at twice that it ends
TALUS_CONST float contact_near = 0.05f;    // gap in radii of the smaller grain within which a contact counts as a load of its grains

// Fine grains (Ihmsen et al. 2012, Sommer and Schwanecke 2022).
TALUS_CONST uint fine_point = 4u;            // substeps between two points in time at which they may move
TALUS_CONST float fine_travel_most = 4.0f;   // radii of the smallest coarse grain that the fastest one goes between two moves
TALUS_CONST float near_reach = 3.0f;         // radii of a coarse grain: how far it reaches
TALUS_CONST float near_edge = 1.5f;          // radii of the largest one: edge of a cell in which they are looked for
TALUS_CONST float fine_c1 = 0.70233196f;      // (8/9)^3, weight at the distance of a radius
TALUS_CONST float fine_c2 = 0.6f;            // share of one coarse grain in the sum of weights
TALUS_CONST float fine_carried = 1.0f;       // sum of weights from which on coarse grains carry a fine one
TALUS_CONST float fine_dense = 0.3f;       // .. and from which on crowding moves it
TALUS_CONST float density_grains = 2.5f;       // radii of a fine grain: edge of the density grid at least, so that what a grain counts itself moves it little
TALUS_CONST float density_edge = 0.7f;         // radii of the largest coarse grain: edge of the density grid
TALUS_CONST float packing_coarse = 0.24306f;  // packing of coarse grains in whose midst the sum of weights is 1
TALUS_CONST float density_local = 0.9f;        // share of that packing which fine grains aim at in their midst
TALUS_CONST float density_least = 0.3f;        // share of the packing of dense fine grains that they aim at, at least
TALUS_CONST float density_sight = 3.0f;        // edges within which bodies are looked at
TALUS_CONST float density_lean = 0.125f;       // reaches by which coarse grains lie to one side: in their midst up to here
TALUS_CONST float density_side = 0.375f;       // .. and at their surface from here on
TALUS_CONST float density_free = 0.9f;         // share of the count aimed at, below which nothing pushes
TALUS_CONST float density_most = 3.0f;         // of the excess above that
TALUS_CONST float density_gain = 0.5f;         // edges that a fall of the excess by 1 an edge moves a fine grain by
TALUS_CONST float density_way = 0.15f;         // radii of the largest coarse grain that it moves in one go, at most
TALUS_CONST float density_still = 1e-3f;       // m/s, surroundings that move so little in themselves do not make room
TALUS_CONST float density_share = 0.02f;       // of a node's surroundings that is free, at least
TALUS_CONST uint density_unit = 1024u;         // of a fine grain of mean volume in density_count
TALUS_CONST uint density_block = 64u;          // nodes of a block, 4 an axis
TALUS_CONST uint fine_rounds = 4u;           // through all surfaces: in a corner one pushes a fine grain into the next
TALUS_CONST uint fine_stops = 32u;           // times that a fine grain looks ahead on its way past bodies; where it needs more it goes no further
TALUS_CONST float fine_slack = 0.25f;        // radii that its centre keeps away from surfaces on its way
TALUS_CONST float fine_stop = 0.05f;         // .. and from where on it has come to them
TALUS_CONST float fine_touch = 1e-3f;        // overlap with a surface that is none, in radii: rounding leaves as much
TALUS_CONST uint fine_tag_shift = 8u;        // of a fine grain's number in its tag; the material as in a grain's

// Depth cameras.
TALUS_CONST float depth_slack = 2e-6f;   // share of its far up to which a ray has come to a surface: a few roundings of a place there
TALUS_CONST float depth_glance = 500.0f;  // slacks from there to the surface at most, where the ray only glances at it
TALUS_CONST uint depth_stops = 1024u;    // times that a ray looks how far a body is: where it needs more it goes along its surface
TALUS_CONST uint depth_alone = 256u;     // pixels of a grain that one thread goes through; more share the work
TALUS_CONST uint no_body = 0xFFFFFFFFu;  // DepthCamera.body: the world

// A hand that holds grains: a spring, damped so that they come along without ringing, which bears their weight.
TALUS_CONST float hand_rate = 40.0f;          // 1/s, of the spring
TALUS_CONST float hand_acceleration = 60.0f;  // m/s2, that it gives a grain at most

struct Grain {
  vec4 position;  // xyz [m], w radius [m]
  vec4 velocity;  // xyz [m/s], w inverse mass [1/kg]
};

// The tag of a grain has its material; and whether it is thin, a vertex of cloth, which touches planes and cannot get through
// them, so that its radius says nothing about how fast it may go.
TALUS_CONST uint tag_material_mask = 0xFFu;
TALUS_CONST uint tag_thin = 0x100u;
// A sphere of a clump knows which one of its spheres it is, from 1 on (0: it belongs to none), and what kind of clump it is. The spheres of a
// clump have ids that follow one another, so that the id of the first one names the clump.
TALUS_CONST uint tag_sphere_shift = 9u;
TALUS_CONST uint tag_sphere_mask = 0xFu;
TALUS_CONST uint tag_kind_shift = 13u;
TALUS_CONST uint clump_spheres_most = 8u;
TALUS_CONST uint any_material = 0xFFFFFFFFu;  // Sink.material
TALUS_CONST uint no_grain = 0xFFFFFFFFu;      // id of a place in memory that no grain has
// What each word of a place that never had a grain holds, of fields that follow grains: 0; all bits; the number of the
// place in its world.
TALUS_CONST uint start_zero = 0u;
TALUS_CONST uint start_none = 1u;
TALUS_CONST uint start_place = 2u;

// A grain of radius 0 is gone: a sink took it. It touches nothing, and its place in memory is free.

// A camera whose pixels are distances along its axis: it looks along x of its frame, z is up in its image.
struct DepthCamera {
  vec4 rotation;     // quaternion xyzw, camera to its body, or to the world
  vec3 position;     // m, likewise
  uint body;         // or no_body
  uint width;        // pixels
  uint height;
  uint first;        // of its pixels in depth_bits: those of world w, row by row from the top, at w width height from there
  uint perspective;  // 1; 0: orthographic
  vec2 corner;       // left and upper end of the image: perspective: at 1 m, orthographic: m
  vec2 pixel;        // edges of a pixel, likewise
  float near;        // m, where rays start
  float far;         // .. and end
  uint heights;      // 1: its pixels become heights
};

// GrainRest.state: one of these, and above it World.clock when an awake grain was last looked at.
TALUS_CONST uint rest_awake = 0u;
TALUS_CONST uint rest_still = 1u;   // awake, and still in the last window
TALUS_CONST uint rest_asleep = 2u;
TALUS_CONST uint rest_kind_mask = 3u;
TALUS_CONST uint rest_clock_shift = 2u;

// What sleep knows of a grain.
struct GrainRest {
  vec3 push;   // awake: where it was when it was last looked at [m]; asleep: speed that its contacts would have given it [m/s]
  uint state;  // rest_awake, .. (shared/rest.h)
  vec3 turn;   // asleep: the same of grain_spin [m/s]
};

TALUS_CONST uint slice_asleep = 0xFFFFu;  // SliceActivity.state: bit k: the k-th grain of the slice sleeps, or there is none
TALUS_CONST uint slice_ran = 0x10000u;    // .. the slice was among those of the last substep that were listed
TALUS_CONST uint slice_weighs = 0x40000u;  // .. it runs, though nothing acts on its sleepers: dem adds up what they do to a body
TALUS_CONST uint slice_stands = 0x80000u;  // .. it does not run, and this is in the standing record of the body
TALUS_CONST uint several_bodies = 0xFFFFFFFFu;  // SliceActivity.body

// A slice of grains, as sleep sees it.
struct SliceActivity {
  uint listed;     // of the k-th slice that runs in the substep, 1 + its number is in the k-th of these; 0 between substeps
  uint watched;    // 1: a grain or a body that moves is in the list of a sleeper: it runs in the next substep though all of its grains sleep
  uint state;      // slice_asleep, slice_ran, slice_weighs, slice_stands, slice_hasty (shared/rest.h)
  uint unsettled;  // bit k: contacts and gravity act on the k-th grain, which sleeps, in this substep, or in the next one where this one has ended
  uint body;       // of a slice that weighs or stands: 1 + the number of the body in its lists; 0: none; several_bodies: it does not stand
  uint load[12];   // .. what its grains do to that body in a substep: the first words of a record
};

// A grain that an emitter releases, or a sphere of a clump: where it is planned, unless there is no room when it is due.
struct EmittedGrain {
  Grain grain;
  uint id;
  uint tag;
  uint blocked;  // bit t: it has no room where it is tried the t-th time in this step
  float ease;    // grain_spin.w
  vec4 turned;   // quaternion xyzw: how the clump is turned that it is a sphere of
  vec3 center;   // m, of mass, of that clump where it is planned
};

// The emission schedule of an emitter in a step. It releases grains in order: those that found no room when they were due come first.
struct EmissionDue {
  uint base;        // number of the emitter's first grain in this world
  uint first;       // grains [first, end) are due in this step; 0, as base and end are: the emitter has stopped
  uint end;
  uint step;        // of the world
  uint waiting;     // grains that wait, as many as are tried in the step
  uint spheres;     // of a grain: [base, ..) has the spheres of one clump after those of another; 1: grains are spheres
  uint first_site;  // they are tried in spots[first_site .. first_site + spots), too, which hold the emitter's largest grain
  uint sites;
};

// Where an emitter releases grains.
struct EmitterRegion {
  vec3 middle;      // m, of the box around its shape
  vec3 half_edges;  // m
  float radius;     // m, of its largest grain
};

// A grain in the hand.
struct HandGrain {
  uint id;
  vec3 place;  // m, from the hand
};

// Kinds of a solid's parts, in their own frame. What is round is so about z.
TALUS_CONST uint solid_plane = 0u;    // all below z = 0
TALUS_CONST uint solid_box = 1u;      // size: half its edges
TALUS_CONST uint solid_sphere = 2u;   // size.x: radius
TALUS_CONST uint solid_capsule = 3u;  // size.x: radius, size.z: half the distance of its two centres
TALUS_CONST uint solid_cone = 4u;     // size.x, size.y: radius at the lower and at the upper end, size.z: half its height
TALUS_CONST uint solid_torus = 5u;    // size.x: radius of the ring, size.y: of its section
TALUS_CONST uint solid_grid = 6u;      // distances at the nodes of a grid, size: nodes per axis, position: of node 0
TALUS_CONST uint solid_triangles = 7u;  // a mesh by cells, size: cells per axis, position: of the lowest corner
TALUS_CONST uint solid_kind_mask = 0xFFu;
TALUS_CONST uint solid_kind_bits = 0xFFu;  // of constant_solid_kinds
TALUS_CONST uint solid_composed = 31u;     // further bit of constant_solid_kinds: bodies have several parts
TALUS_CONST uint solid_subtracts = 0x100u;  // added to the kind of a part that takes away from those before it

TALUS_CONST uint solid_two_sided = 0x200u;  // triangles of a mesh that encloses nothing: outside on both sides

// A part of a body's shape. The parts of a body are put together in order.
struct SolidPart {
  vec4 rotation;  // quaternion xyzw, part to body
  vec3 position;  // m, in the body
  vec3 size;      // m; cells or nodes
  uint kind;
  uint first;  // shape_data: of a grid its distances [m], x fastest; of triangles TriangleGrid::words (engine/geometry)
  float cell;  // m, edge of a cell
  float far;   // m, of grid and triangles: the surface is further away than that where they do not tell
};

TALUS_CONST uint part_words = 14u;      // of a SolidPart in shape_data, which begins with those of all bodies and sinks
TALUS_CONST uint part_kind_word = 10u;  // which of them its kind is

TALUS_CONST uint triangle_words = 30u;  // of a triangle in shape_data: three corners and seven normals

// How a body moves during a step: from this pose with constant velocities.
struct BodyMotion {
  vec4 rotation;  // quaternion xyzw, body to world
  vec3 position;  // m, of its origin
  vec3 velocity;  // m/s, of its origin
  vec3 spin;      // rad/s
};

struct Body {
  BodyMotion motion;  // from the start of the substep on
  uint first_part;    // shape: the parts [first_part, first_part + parts) in shape_data
  uint parts;
  uint material;  // settings.materials: that of a wall
  float reach;    // m, radius of a ball around its origin that holds it
  vec3 box_middle;  // m, in the body: of the least box along the body's axes that holds it
  vec3 box_half;    // m, half that box's edges; 1e15 where it has no end, about a middle of 0
  float far;      // m, of its parts the least one: where they do not tell how far they are, it is further than that
  float load_share;  // of a step's load in the filtered one
  uint asleep;       // flag: dynamic, and sleeps
  // Of a dynamic body, how contacts change its motion.
  float split;           // parts that its mass is split into, one for each contact (Tonge et al. 2012); 0: not dynamic
  vec3 pivot;            // m, from its origin: what keeps its velocity where it is turned
  mat3 inverse_mass;     // 1/kg, of the whole, in the world
  mat3 inverse_inertia;  // 1/(kg m2), about the pivot, likewise
};

// What a joint does along its axis, or a ball joint by its friction and its lean.
struct JointAxis {
  float low;   // rad or m, limits of the joint's value; ball: low is the cosine of the angle by which it may lean
  float high;
  float friction;   // N m or N: what it holds before it moves, and brakes with
  float stiffness;  // N m/rad or N/m, of a spring
  float damping;    // N m s/rad or N s/m, of a damper beside it
  float rest;       // rad or m, value at which the spring is at rest
};

// A dynamic body: what stays. One of mass 0 is none.
struct Rigid {
  float mass;            // kg
  vec3 center;           // m, of mass, in the body
  vec3 pivot;            // m, in the body: the center of mass, or where a joint holds it
  mat3 inverse_mass;     // 1/kg, in the world: in the directions that its joint leaves
  mat3 inertia;          // kg m2, about the pivot, in the body
  mat3 inverse_inertia;  // 1/(kg m2), likewise: about the axes that its joint leaves
  // A body that turns in every way has here its principal axes of the least and the greatest moment of inertia, of length 1, in
  // the body, each with its 1/moment less that of the third axis in w; and that of the third axis [1/(kg m2)].
  vec4 turning_least;
  vec4 turning_greatest;
  float turning_middle;
  uint joint;
  vec3 anchor;    // m, of the joint, in the world
  vec3 axis;      // of the joint, in the world, of length 1
  vec3 lean;      // in the body: lies along the axis at value 0
  vec4 rotation;  // at value 0 of the joint
  vec3 position;  // m
  JointAxis along;
  uint linked;  // flag: joints hold it in a linkage
};

// What is asked of a dynamic body, until it is asked something else.
struct RigidCommand {
  vec3 force;            // N, at its center of mass, in the world
  vec3 torque;           // N m
  float motor_speed;     // rad/s or m/s, of its joint
  float motor_strength;  // N m or N, at most
  // A motor that holds a position: stiffness (target - value) + damping (motor_speed - speed). Without both it holds the speed.
  float motor_target;     // rad or m
  float motor_stiffness;  // N m/rad or N/m
  float motor_damping;    // N m s/rad or N s/m
  float joint_torque;     // N m or N, beside all these
  uint motor_scheduled;   // bit 0: the scene says what the target is over time; bit 1: it says what the speed is (body_move)
};

// What moved a dynamic body in a step, from which the host finds the load of a joint that holds it to the world
// (load_of_lone_joint): the body's motion at the start, and the sums over the substeps of the impulse and the moment of gravity, contacts
// and commands.
struct StepPush {
  vec4 rotation;  // quaternion xyzw, body to world
  vec3 velocity;  // m/s, of the body's origin
  vec3 spin;      // rad/s
  vec3 impulse;   // N s
  vec3 moment;    // N m s, about the pivot where each substep starts
};

// The rest of a dynamic body (dem), as GrainRest is that of a grain.
struct BodyRest {
  vec3 place;      // m, where it was when it was last looked at
  vec4 rotation;   // likewise
  vec3 push;       // m/s, asleep: the pending velocity of its pivot
  vec3 turn;       // rad/s, asleep: the pending spin
  uint state;      // rest_awake, .. and when it was last looked at
  uint touched;    // flag: contacts did something to it in this substep
  float split;     // Body.split since it fell asleep
};

// How a dynamic body is.
struct RigidState {
  BodyMotion motion;
  vec3 position_rest;  // m, what rounding keeps from motion.position
  float value;   // rad or m, of its joint
  float points;  // that touch bodies or walls, or have done so
  // During a substep: velocity of the pivot and spin without what grains do, and their impulse and moment about the origin.
  vec3 velocity;
  vec3 spin;
  vec3 impulse;
  vec3 moment;
  // In this step so far: of all contacts.
  vec3 step_impulse;
  vec3 step_moment;
  StepPush push;       // in this step so far
  StepPush push_last;  // in the step before, which is complete
  BodyRest rest;
};

// A joint of a linkage: dynamic bodies that joints hold together, to the world or to bodies that move as they are told.
// Frames are those of bodies, away from their origins; that of the world is itself.
struct LinkJoint {
  uint kind;            // joint_revolute, ..
  uint parent;          // body of the same world, or no_body: the world
  uint child;           // likewise, always dynamic
  uint moves;           // bit 0: the thread of this joint moves the child; bit 1: it moves the parent
  vec3 place;           // m, of the anchor in the world where that is the parent, whose anchor is then 0
  vec3 parent_anchor;   // m, where the joint is in the parent; of a prismatic one at value 0
  vec3 child_anchor;    // m
  vec3 parent_axis;     // of length 1; of a ball joint the axis that the child leans away from
  vec3 child_axis;
  vec3 parent_side;     // of length 1, across the axis; the sides coincide at value 0
  vec3 child_side;
  uint first_row;       // of the linkage: equations of the velocities that the joint does not allow
  uint axis_row;        // of the linkage: first row along its axis (ball: 3 of friction, then the lean), if it has some
  uint axis_rows;
  float armature;  // kg m2 or kg, inertia of a rotor that turns with the joint's value; above 0 its row follows those that hold
  uint leader;       // joint of the linkage that a gear ties this one to, or no_joint
  uint gear_row;     // of the linkage, where there is a leader
  float multiplier;  // value = multiplier * value of the leader + offset, in rad and m
  float offset;      // rad or m
  JointAxis along;
};

struct Linkage {
  uint first_joint;  // the joints [first_joint, first_joint + joints) of a world
  uint joints;
  uint first_row;   // of the rows of a world
  uint equalities;  // rows that hold exactly; those behind them are along the axes of joints
  uint rows;
  uint first_word;  // in the matrices of a world
};

// Where a row of a linkage is.
struct LinkRowPlace {
  uint joint;  // of the linkage
  uint part;   // of what the joint holds, or along its axis
  uint first;  // first column of the matrix where the row is not 0
  uint word;   // of that element, in the matrix of the linkage
};

// A row: impulse per velocity of two bodies. Its velocity is linear . (v_child - v_parent) + turn_child . w_child - turn_parent . w_parent.
struct LinkRow {
  vec3 linear;
  vec3 turn_parent;    // m, or 1 of turning rows
  vec3 turn_child;
  vec3 answer_parent;  // inverse inertia times turn_parent
  vec3 answer_child;
  vec2 ease;           // 1/kg of the parent and the child
  float own;           // what an impulse along it does to its velocity, where no other joint acts
  float bias;          // m/s or rad/s: by which the row's velocity takes back what has drifted
  float impulse;       // N s or N m s, in the last substep
};

// What a joint has done to its child, in the world.
struct LinkLoad {
  vec3 impulse;  // N s
  vec3 moment;   // N m s, about the anchor, without what acts along the axis
  float along;   // N m s or N s, of motor, friction, spring and limits
};
struct LinkState {
  float value;      // rad or m, at the start of the substep
  float speed;      // rad/s or m/s, along the axis of a joint that turns or slides, as the last solution left it
  LinkLoad before;  // in this step before the substep
  LinkLoad load;    // with it
};

// By which a dynamic body touches: a ball that touches its surface from within.
struct BodyPoint {
  vec3 place;    // m, in the body
  float radius;  // m
  uint body;
};

// A contact of a point: its partner, and the spring across it as in contact_state.
struct PointContact {
  uint partner;
  vec3 shear;
};

// What grains do to a body, as means over a step, and filtered by a low-pass of first order. Torque is about the body's origin.
struct BodyLoad {
  vec3 force;            // N
  vec3 torque;           // N m
  vec3 force_filtered;   // N
  vec3 torque_filtered;  // N m
  uint uncounted;        // pushes since the start that are not in it
};

// A shape in which grains vanish.
struct Sink {
  vec4 rotation;    // quaternion xyzw, sink to world
  vec3 position;    // m, of its origin
  uint first_part;  // shape: the parts [first_part, first_part + parts) in shape_data
  uint parts;
  uint material;  // of the grains that it takes, or any_material
};

// A fixed grain that stands for a piece of a body's skin.
struct Carried {
  vec3 place;  // m, in the body
  uint body;
};

// A shape: particles that keep their places in it (shape matching). They are grains, of ids ShapeSettings.first + [first, end).
struct MatchedShape {
  uint first;
  uint end;
  float share;  // of the way to its place that a particle goes in a substep
};

// Where a shape is.
struct ShapeMotion {
  vec4 rotation;  // quaternion xyzw, from how it was given
  vec3 position;  // m, of its center of mass
  vec3 velocity;  // m/s, likewise
};

// A kind of clump: rigid grains of several spheres, in the frame of their principal axes from the centre of mass. Lengths are in radii of the
// first sphere, so that clumps of one kind differ in size.
struct ClumpKind {
  uint spheres;
  vec3 inertia;  // principal moments, per mass
  vec4 place[clump_spheres_most];    // xyz centre of a sphere, w radius
  float weight[clump_spheres_most];  // mass of the clump times the inverse mass of a sphere, by which contacts see it
};

// How a clump is at the end of the substep. The place in memory of its first sphere has it.
struct ClumpMotion {
  vec4 rotation;   // quaternion xyzw, from its frame of principal axes to the world
  vec3 position;   // m, of its centre of mass
  vec3 velocity;   // m/s, likewise
  vec3 momentum;   // m2/s, angular momentum about the centre of mass, per mass
};

// A vertex of cloth: a grain, of radius half the thickness, that other grains touch through the triangles around it.
struct ClothVertex {
  uint first_triangle;  // whose first corner it is: [first_triangle, end_triangle)
  uint end_triangle;
  uint first_link;
  uint end_link;
};

// A distance that a vertex keeps to another one. Each of the two has it.
struct ClothLink {
  uint other;       // vertex
  float rest;       // m
  float stiffness;  // share of an error that a substep takes out
};

// The impulse of a link, away from the other vertex.
struct ClothPull {
  float sum;     // N s, over the iterations
  float change;  // .. in the last one
};

// A vertex within a substep.
struct ClothWork {
  Grain next;   // after this iteration
  float split;  // parts of its mass that its links get at most, as they are directed
};

// A contact with a triangle of cloth within a substep: a plane where both are when it starts, and its impulse on the grain.
struct ClothTouch {
  vec3 normal;   // away from the face that the grain is on
  float gap;     // m; surface_hidden radii where another triangle has the contact
  vec3 weights;  // of the corners at the point of the triangle
  vec3 friction_impulse;     // N s, across the normal
  float normal_impulse;    // N s, along it
};

// Contact law of a pair of materials. Row m = number of materials is the wall.
struct PairLaw {
  float friction_static;
  float friction_kinetic;
  float stiffness;  // N/m; of Hertz's contact E* [Pa]
  float damping;    // N s/m; < 0: not given, a method takes what suits it
  float adhesion;   // Pa; p2: over the area of contact, others: over the smaller grain's cross-section
  float rolling;    // coefficient of rolling and twisting friction: couple / (R_eff normal force), R_eff = r_i r_j / (r_i + r_j)
  float restitution;    // vts, sp; 0: none is given
  float rebound_ratio;  // dem: damping ratio that gives the restitution; < 0: none is given
  float rebound_kappa;  // dem: the greatest kappa that goes with it between grains that are alike
  float tangential;     // of Hertz's contact: stiffness across the normal by that along it, 4 G* / E*
};

// SolverSettings.force: by what a method knows the normal force of a contact.
TALUS_CONST uint force_spring = 0u;       // dem: the spring and the damper where the grains are
TALUS_CONST uint force_impulse = 1u;      // vts, sp: the impulse of the last substep
TALUS_CONST uint force_correction = 2u;   // p2: the corrections of the last substep, of which a grain takes its share
TALUS_CONST uint force_displacement = 3u; // pbd: likewise

// SolverSettings.rotation: grains do not rotate; they do; and some pair of materials resists rolling.
TALUS_CONST uint rotation_off = 0u;
TALUS_CONST uint rotation_free = 1u;
TALUS_CONST uint rotation_rolling = 2u;

// SolverSettings.iteration.
TALUS_CONST uint iteration_jacobi = 0u;
TALUS_CONST uint iteration_improved_jacobi = 1u;
TALUS_CONST uint iteration_mass_splitting = 2u;
TALUS_CONST uint iteration_pja = 3u;
TALUS_CONST uint iteration_gauss_seidel = 4u;

// SolverSettings.friction: the bound of friction (pbd).
TALUS_CONST uint friction_accumulated = 0u;   // by what contacts have pushed in the substep so far
TALUS_CONST uint friction_per_iteration = 1u; // by the overlap of each iteration
TALUS_CONST uint friction_after = 2u;         // once, in the last iteration, by the push that a grain's weight takes

// A coarse grain as fine ones see it.
struct AdvectingGrain {
  vec4 position;  // xyz [m], w: 1 / reach2 [1/m2]
  vec4 velocity;  // xyz [m/s], w radius [m]; negative: it stands for a body
};

// Constant while the scene's settings stand, by subsystem. A flag is 1 or 0.

struct DomainSettings {
  vec3 min;      // m
  vec3 max;      // m
  uvec3 axis;    // axis_open, axis_wall or axis_periodic
  vec3 gravity;  // m/s2
  vec3 down;     // along gravity, of length 1; 0 without gravity
};

// Worlds lie side by side in all fields of grains, cells, slots, bodies and sinks.
struct WorldSettings {
  uint count;
  uint places;  // places in memory of the grains of a world, whole workgroups; the only world has all of them: ~0
  uint rows;    // rows of contact slots that there is room for in a world
  uint history;   // contacts of a world that there is room for in the history buffer
};

// The neighbour grid and its lists.
struct GridSettings {
  uvec3 bits;           // log2 of the cell table's edge per axis
  float radius_max;     // m, over all grains that ever live in the first world
  uint incremental;     // flag: lists are rebuilt incrementally where few grains have moved
  uint rebuild_always;  // flag: neighbours are found anew in every substep
};

struct ContactSettings {
  uint materials;  // number of materials; rows of the pair table are materials + 1 long
  float reach;     // radii of the largest grain, gap across which grains may pull each other (dem): lists hold such pairs
  uint memory;     // flag: contacts remember over substeps how far they have slipped
  uint impulses;   // flag: they remember their impulses, too (vts, sp)
  uint restitution;  // flag: it is given for some pairs (dem, vts, sp)
  // Layout of contact_state (engine/core/fields.h): components of a slot, and the first one of each member; state_none: there is no
  // such member. Those that are kept while rows are made anew follow one another.
  uint state_words;
  uint sum;
  uint shear;
  uint roll;
  uint roll_sum;
  uint change;
  uint roll_change;
  uint friction;
  uint rebound;
  uint kept_first;
  uint kept_words;
};

// Solver in engine/scene/scene.h says what they mean and which method reads them.
struct SolverSettings {
  uint rotation;            // rotation_off, ..
  uint iteration;           // iteration_jacobi, ..
  uint force;               // force_spring, ..
  uint friction;            // friction_accumulated, .. (pbd)
  uint plain_mean;          // flag: p2, pbd with jacobi take the mean over contacts as printed, which loses momentum
  uint material_stiffness;  // flag: the stiffness of a contact is that of its materials (dem)
  uint hertz;               // flag: contacts are Hertz's (dem)
  float error_reduction;
  float sleep_speed;
  float mass_scaling;
  float sor;
  float omega;
  float gamma;
  float kv;
  float kc;
  float warm_start;
};

struct BodySettings {
  uint count;          // bodies of a world
  uint rigid;          // dynamic ones among them
  uint points;         // of dynamic bodies in all worlds
  uint linkages;       // of a world
  uint joints;         // of the linkages of a world
  uint joint_rows;     // likewise
  uint joint_words;    // of their matrices
  uint carried_first;  // number (id) of the first grain that a body carries
  uint carried;        // how many grains bodies carry
  uint total_push;     // flag: what a dynamic body receives between iterations is all of the substep so far (vts, sp)
  vec2 load_quantum;   // [N s] and [N m s], powers of two: units of the sums that become a body's load
  vec2 quanta;         // per N s and per N m s
};

struct ShapeSettings {
  uint count;      // shapes of a world
  uint first;      // number (id) of the first particle of a shape
  uint particles;  // of all shapes of a world
  uint words;      // shape_data from here on: the shape of each particle
};

struct ClumpSettings {
  uint kinds;  // of clumps; 0: there is no clump
};

// Sleep of dem, in units.
struct SleepSettings {
  uint window;      // substeps from one look at a grain to the next; 0: grains do not sleep
  float way;        // m, that a still grain goes in a substep on average, at most
  float spin;       // m/s, speed of its surface by its spin at most
  float wake;       // m/s
  float leak;       // share of a sleeper's pending speed that a substep forgets
  float imbalance;  // m/s, that gravity and contacts may give a sleeper in a substep and leave it settled
  float drag;       // m/s, that a substep takes from slow grains
  float slow;       // m/s
};

struct EmissionSettings {
  uint emitters;
  uint sinks;   // number of sinks, which all worlds share
  uint first;   // number (id) of the first grain that an emitter releases
  uint place;   // in a world's memory, of the first grain that an emitter releases
  float speed;  // m/s, of the fastest grain that an emitter releases
};

struct ClothSettings {
  uint vertices;   // of a world
  uint first;      // number (id) of the first vertex
  uint triangles;  // of a world
  uvec3 bits;      // log2 of the edge of the triangles' table of cells, per axis
  float radius;    // m, half the thickness of the thickest
  uint words;      // shape_data from here on is of cloth (shared/cloth.h)
  float kv;        // shares of velocity and of error in the residual of a distance, as the solver's kv and kc
  float kc;
  uint moves;      // flag: iterations change positions, too
};

// Fine grains.
struct FineSettings {
  uint first;            // number (id) of the first fine grain that an emitter releases
  uint seed;
  uint plain_advection;  // flag: advection as printed
  float volume;          // 1/m3, to the cube of a radius, of the mean
  vec2 radii;            // m, least and greatest
  float step;            // s, between two moves where all is slow
  float travel;          // m, that the fastest coarse grain goes between two moves
  float sight;           // m, bodies further away than this do not matter to how a fine grain makes room
  float friction;
};

// The grid in which fine grains find coarse ones.
struct NearGridSettings {
  float radius;   // m, of the largest coarse grain that fine ones see
  vec3 inverse;   // 1/m, of a cell's edges
  ivec3 cells;    // number on a periodic axis, 0 elsewhere
  uvec3 bits;     // as GridSettings.bits
};

// The nodes at which fine grains are counted.
struct DensityGridSettings {
  float radius;   // m, of the largest coarse grain that has fine ones
  vec3 edges;     // m
  vec3 inverse;   // 1/m
  ivec3 nodes;    // number on a periodic axis, 0 elsewhere
  uvec3 bits;     // log2 of the number of blocks per axis
  float full;     // count of a node where fine grains are dense
  float sum;      // share of that which they aim at amidst coarse grains, by the sum of weights
};

struct Settings {
  DomainSettings domain;
  WorldSettings worlds;
  GridSettings grid;
  ContactSettings contacts;
  SolverSettings solver;
  BodySettings bodies;
  ShapeSettings shapes;
  ClumpSettings clumps;
  SleepSettings sleep;
  EmissionSettings emission;
  ClothSettings cloth;
  FineSettings fine;
  NearGridSettings near_grid;
  DensityGridSettings density_grid;
};

// Push constants of fine grains.
struct FineArgs {
  uint places;  // places in memory, with some whose grains are gone
  float span;   // s, since the last time at which fine grains may have moved
  uint last;    // 1: the step ends here
};

// The hand that holds grains.
struct HandArgs {
  uint held;      // grains in the hand
  vec3 position;  // m, where the step starts
  vec3 velocity;  // m/s
};

// Passes that are run for one field after another (grid_gather, ..) know it as `followed`.
struct FollowedArgs {
  uint field;  // its number, for the host
  uint words;  // of an element
  uint start;  // start_zero, start_none or start_place
};

// Push constants of every pass.
struct Args {
  uint grains;      // places in memory, of all worlds: those alive, and some that are gone
  uint first;       // first element of this run (sdf_*), or number of the camera (depth_*)
  uint iteration;   // of the solver, from 0
  uint iterations;
  uint substep;     // in its step, from 0
  uint substeps;
  float h;          // s, the substep
  float omega;      // relaxation of this iteration (cloth)
  float beta;       // momentum of this iteration (improved_jacobi, cloth)
  uint batch;       // step that the batch began with
  uint steps;       // of the batch; substeps that come after them are passed over
  uint waits;       // 1: the substep is passed over where it would need new lists
  FineArgs fine;
  HandArgs hand;
  FollowedArgs followed;
};

// Neighbour lists, over all worlds.
struct ListStatus {
  uint rebuilding;            // worlds that rebuild their lists in this substep
  uint rebuilds;              // substeps so far that rebuilt lists
  uint incremental_rebuilds;  // substeps so far that rebuilt them incrementally
  uint slots;                 // contact slots that the longest of the last lists of a world took
  uint history;               // contacts that the fullest history buffer of a world held, or was to hold, in the last rebuild
};

// Fine grains, which move at some of the substeps.
struct FineStatus {
  float time;             // s, since fine grains have moved
  float travel;           // m, coarse grains have gone no further since then
  float drift;            // m, coarse grains have gone no further since fine grains were sorted
  float h;                // s, that fine grains move by now
  float body_way;         // m, no point of a body has gone further since fine grains went on
  float body_way_before;  // m, the same of the time before that
  uint moves;             // moves of fine grains so far
  uint born;              // fine grains that emitters have released, up to the last step
  uint released;          // fine grains that they have released in this step
  uint gone;              // fine grains that sinks have taken
  uint freed;             // of these, those whose places in memory are given up
  uint apart;             // times that a fine grain was not counted at a node, whose block belongs to a place far away
};

// Work that sleep leaves to do.
struct ActivityStatus {
  uint listed;      // slices that run in this substep
  uint slices_low;  // slices that have run so far, in all substeps: low and high word
  uint slices_high;
};

// State of the run that only the device knows; one per simulation.
struct Status {
  uint halt;             // halt_none, or why the device stopped
  uint step;             // steps completed
  uint substep;          // substeps completed in this step
  ListStatus lists;
  uint substeps_done;    // substeps so far
  uint cloth_uncounted;  // impulses on cloth that were too large, or came with too many others
  uint freed;            // grains that sinks have taken, whose places in memory are given up
  uint exchanged;        // 1: the grains' state is in their copies `next`, since an odd number of substeps was passed over
  FineStatus fine;
  ActivityStatus activity;
};

// The neighbour lists of a world.
struct WorldLists {
  uint table;    // of the worlds that rebuild their lists in this substep it is the k-th, and has the k-th tables of cells and slices;
                 // no_table: it does not rebuild
  uint slots;    // contact slots that they take
  uint history;  // contacts that its part of the history buffer holds, or was to hold
  float travel;  // m, no grain has moved further than this since the lists were built
  float skin;    // m, Verlet skin of the current lists
  uint age;      // substeps since they were built
  uint grains;   // places in memory that they were built for: grains that have come since have no row
};

// Incremental rebuild of these lists.
struct WorldIncremental {
  uint sorted;           // grains that the lists were built of
  float distance;        // m, a grain further than this from its position in the lists gets a new one
  uint displaced;        // grains that did, in the last incremental rebuild
  float displaced_most;  // if more would, all lists are rebuilt
  uint linked;           // grains whose position in the lists is not the one that they were sorted by
  uint unfit;            // rows that were too short for what was found, in the last incremental rebuild
  uint wait;             // so many times all lists are rebuilt before it is tried again
};

// How fast the grains of a world move.
struct WorldMotion {
  uint speed2_bits;     // greatest squared speed of the substep in progress [m2/s2], as the bits of a float
  uint shift_bits;      // greatest displacement in it that no speed shows (pbd_stabilize) [m], as the bits of a float
  float speed;          // m/s, greatest speed at the end of the last substep
  float shift;          // m, greatest displacement in the last substep that no speed shows
  uint cfl_violations;  // grain-substeps in which a grain moved further than half its radius: too fast for its contacts
};

// The cells in which neighbours are searched.
struct WorldGrid {
  vec3 inverse_cell;  // 1/m, of the edges of a cell
  ivec3 cells;        // number of cells on a periodic axis, 0 elsewhere
  ivec3 low;          // no grain was in a cell lower than this when the lists were built; of scenes with bodies
  ivec3 high;         // no grain was in a higher one
};

// Grains that were emitted and removed so far.
struct WorldPopulation {
  uint born;         // grains that emitters have released
  uint released;     // of these, those of the last step
  uint gone;         // grains that sinks have taken
  uint gone_before;  // of these, those up to the last step
};

// Ground: grains that came out of it and went back into it so far.
struct WorldSoil {
  uint made;
  uint taken;
  uint looked;  // 1 + the step of the world before which the host last looked where soil has to be grains; 0: never
};

// A column of the ground.
struct SoilColumn {
  uint mass;       // in the ground, in quanta (engine/soil/stacks.h)
  uint disturbed;  // 1: it was dug, or took grains in
  uint loose;      // quanta of it that are loosened soil, which lies on the undisturbed soil
  float swell;     // volume of the loosened soil by that of as much undisturbed soil; 1 where there is none
  uvec3 others;    // quanta of the mass that are of the ground's second, third and fourth material; the rest is of the first
};

// How the surface of the ground bears (shaders/shared/laws/ground.h).
struct GroundLaw {
  float stiffness;  // Pa/m^exponent, k_c / b + k_phi of Bekker's law
  float exponent;   // n
  float cohesion;   // Pa
  float friction;   // tangent of the angle of internal friction
  float shear;      // m, K of Janosi and Hanamoto's law
  float rebound;    // share of what the surface was pressed that it comes back when nothing presses any more
  float digs;       // m of soil per m of slip that are carried away, at most
};

// Where the columns of the ground are, and what bears on their surface.
struct SoilSite {
  vec2 min;       // m, lower corner
  vec2 edge;      // m, of a column
  uvec2 count;    // columns along x and y
  uvec2 samples;  // samples of the surface along x and y in a column
  uint bodies;    // of a world, that feel the ground by its surface (ground_bodies)
  uint span;      // samples along an edge of the square around the largest of these
  GroundLaw law;
};

// A sample of the surface of the ground: what bodies have left there.
struct GroundSample {
  vec3 shear;       // share of the strength against shear that acts on the body which presses now, against its slip; 0: none presses
  float mobilized;  // the greatest such share under this body
  float sunk;       // m, the greatest depth of a body below the surface
  float dug;        // m of these, where slip has carried soil away; the rest is pressed
};

// Where a grain of the ground comes from. One that stays fixed is still there, so that those beside it have the ground's own rough surface.
struct SoilOrigin {
  uint column;  // of a fixed one: 1 + the column's number; 0: the grain is none of these
  uint place;   // of a fixed one: in the column's stack; with the bit soil_settled it lies where it came to rest
  uint tile;    // 1 + its number in the tile, wherever it is now; 0: it never was in the ground
  uint since;   // World.clock when it came out of the ground, or was fixed no longer
};

// A contact of a grain of the tile, as it was when all were at rest.
struct SoilSpring {
  uint partner;  // number in the tile, or a wall
  vec3 apart;    // m, from the grain to its partner
  vec3 shear;    // N, what the spring across the normal does to the grain
  vec3 roll;     // N, what the spring against rolling does, as a force on the grain's surface
};

// Crossings of periodic boundaries so far, by axis.
struct WorldCrossings {
  uvec3 up;    // times that a grain left at the upper end and came in at the lower one
  uvec3 down;  // times that a grain left at the lower end
};

// The cells in which triangles of cloth are searched.
struct WorldCloth {
  uint half_bits;     // m, half the longest edge of the box around a triangle of cloth, as the bits of a float
  float half_edge;    // m, the same where the last substep started
  float reach;        // m, from a grain along an axis to the middle of a triangle that it may touch, at most
  vec3 inverse_cell;  // 1/m, of the edges of a cell of cloth_sort
  ivec3 cells;        // number of these cells on a periodic axis, 0 elsewhere
};

// State of one world that only the device knows. Each world has its own, so that it goes on bit for bit as if it were alone.
struct World {
  uint invalid;    // the first grain (place in memory) or body (body_partner + number) that is not a number any more; ~0: none is
  float radius;    // m, of its largest grain, over all that ever live
  uint clock;      // substeps so far: grains are looked at where it is a multiple of the window
  uint disturbed;  // 1: contacts and gravity act on all sleepers in the next substep, since something that touched them may be gone
  WorldLists lists;
  WorldMotion motion;
  WorldIncremental incremental;
  WorldGrid grid;
  WorldPopulation population;
  WorldSoil soil;
  WorldCrossings periodic;
  WorldCloth cloth;
};

// What one grain contributes to the report.
struct GrainMeasure {
  uint contacts;          // that touch
  float penetration_sum;  // of its overlaps, in radii of the smaller partner
  float penetration_max;
  float kinetic_energy;  // J, of its velocity and its spin
  float force_max;       // N, greatest normal force of a contact; not of those with cloth
};

// A contact as a line: from the grain's centre to its partner's, or to the surface that it touches. Force 0: none.
struct ContactLine {
  vec3 from;    // m
  vec3 to;
  float force;  // N, along it
};

// Baking a signed distance field. All lengths are in cells from node 0, so that no size of a mesh is too small or too large.
TALUS_CONST uint brick_edge = 4u;      // cells; the corners of a brick tell its nodes what to expect
TALUS_CONST uint brick_nodes = 64u;
TALUS_CONST uint leaf_triangles = 4u;  // of the tree
// Leaves that a search for the closest point opens at most, so that no thread goes through a whole mesh. Only in the middle of a
// finely tessellated ball are so many equally near; the distance is then above the truth by no more than the extent of a leaf.
TALUS_CONST uint leaves_most = 16384u;

struct BakeGrid {
  uvec3 size;    // nodes per axis
  uvec3 bricks;  // per axis
  uint leaves;   // of the tree
  float band;    // nodes nearer than this to the mesh get its exact distance
};

struct BakeTriangle {
  vec3 a;
  vec3 b;
  vec3 c;
};

// Node of a complete binary tree: the children of node i are 2 i + 1 and 2 i + 2, its leaves come last and hold leaf_triangles each.
struct BakeNode {
  vec3 low;  // bounds
  vec3 high;
  vec3 centre;  // of area
  vec3 area;    // normals times areas, summed
  float near2;  // squared distance from the centre within which area is too coarse for the winding number
};

// At a corner of bricks.
struct BakeCorner {
  float distance;
  float winding;
};

// Layout of VkDispatchIndirectCommand.
struct Dispatch {
  uint x;
  uint y;
  uint z;
};

#ifdef __cplusplus
static_assert(sizeof(Grain) == 32 && sizeof(EmittedGrain) == 76 && sizeof(SolidPart) == 4 * part_words && sizeof(Args) <= 128);
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#endif
