#pragma once
// The table of passes, one line each. A pass `name` is the shader shaders/STAGE/name.comp and the function
// reference::name; the line says what one element of it is (thread: a thread; slice: slice_grains threads; group: a
// workgroup) and how far the two may differ. A serial pass goes through all that it treats in order, as one element: it
// has no shader and runs on the CPU alone.
//
// The tolerance is relative to the largest magnitude of the member (the vector) in the field, since a float's error is
// that of the numbers it was made from. 0: the same bits. unordered: grains of one cell, and the histories of
// grains, may come in any order.
#include "engine/core/fields.h"
#include <array>
#include <cstdint>
#include <string_view>

namespace talus {

enum class Unit { thread, slice, group, serial };
enum class Match { exact, close, unordered };

// Threads that an element of a pass has on a device.
constexpr std::uint32_t threads_of(Unit unit) {
  return unit == Unit::group ? group_size : unit == Unit::slice ? slice_grains : 1;
}

// X(name, unit, match, tolerance). First the passes of variants that are compared with the step (compare.h).
#define TALUS_COMPARED_PASSES(X)                                                                                       \
  X(linked_clear, thread, exact, 0)                                                                                    \
  X(linked_insert, thread, unordered, 0)                                                                               \
  X(linked_count, thread, exact, 0)                                                                                    \
  X(linked_fill, thread, exact, 0)                                                                                     \
  X(dem_one_loop, thread, close, 2e-5)                                                                                 \
  X(dem_two_loops, thread, close, 2e-5)

#define TALUS_PASSES(X)                                                                                                \
  X(plan, group, close, 1e-6)                                                                                          \
  X(grain_return, thread, exact, 0)                                                                                    \
  X(grid_count, thread, exact, 0)                                                                                      \
  X(grid_reduce, group, exact, 0)                                                                                      \
  X(grid_scan, group, exact, 0)                                                                                        \
  X(grid_fill, thread, unordered, 0)                                                                                   \
  X(grid_rank, thread, exact, 0)                                                                                       \
  X(grid_gather, thread, exact, 0)                                                                                     \
  X(grid_commit, thread, exact, 0)                                                                                     \
  X(shape_find, thread, exact, 0)                                                                                      \
  X(clump_find, thread, exact, 0)                                                                                      \
  X(cloth_find, thread, exact, 0)                                                                                      \
  X(cloth_sort, group, exact, 0)                                                                                       \
  X(cloth_weigh, thread, close, 2e-6)                                                                                  \
  X(cloth_share, thread, close, 2e-5)                                                                                  \
  X(cloth_solve, thread, close, 2e-5)                                                                                  \
  X(cloth_apply, thread, close, 1e-6)                                                                                  \
  X(cloth_touch, thread, close, 2e-5)                                                                                  \
  X(cloth_receive, thread, close, 2e-5)                                                                                \
  X(cloth_gauss_seidel, serial, close, 2e-5)                                                                           \
  X(body_move, thread, close, 1e-6)                                                                                    \
  X(body_carry, thread, close, 1e-6)                                                                                   \
  X(body_clear, thread, exact, 0)                                                                                      \
  X(body_occupancy, thread, exact, 0)                                                                                  \
  X(body_mark, thread, exact, 0)                                                                                       \
  X(body_sum, group, close, 1e-6)                                                                                      \
  X(body_share, thread, close, 1e-6)                                                                                   \
  X(body_touch, thread, close, 2e-5)                                                                                   \
  X(ground_press, thread, close, 2e-5)                                                                                 \
  X(body_start, group, close, 2e-6)                                                                                    \
  X(body_push, group, close, 2e-6)                                                                                     \
  X(body_advance, thread, close, 2e-6)                                                                                 \
  X(link_factor, group, close, 2e-5)                                                                                   \
  X(link_solve, group, close, 2e-5)                                                                                    \
  X(contact_count, thread, exact, 0)                                                                                   \
  X(contact_reduce, group, exact, 0)                                                                                   \
  X(contact_scan, group, exact, 0)                                                                                     \
  X(history_save, thread, unordered, 0)                                                                                \
  X(contact_check, group, exact, 0)                                                                                    \
  X(contact_fill, thread, exact, 0)                                                                                    \
  X(incremental_clear, thread, exact, 0)                                                                               \
  X(incremental_mark, thread, unordered, 0)                                                                            \
  X(incremental_choose, thread, exact, 0)                                                                              \
  X(incremental_keep, thread, exact, 0)                                                                                \
  X(incremental_save, thread, unordered, 0)                                                                            \
  X(incremental_search, thread, exact, 0)                                                                              \
  X(incremental_unfit, group, exact, 0)                                                                                \
  X(incremental_refit, group, exact, 0)                                                                                \
  X(incremental_restore, thread, exact, 0)                                                                             \
  X(incremental_check, group, close, 1e-6)                                                                             \
  X(history_restore, thread, exact, 0)                                                                                 \
  X(soil_springs, thread, close, 1e-6)                                                                                 \
  X(contact_commit, thread, exact, 0)                                                                                  \
  X(hand_pull, thread, close, 2e-6)                                                                                    \
  X(predict, thread, close, 1e-6)                                                                                      \
  X(contact_weigh, thread, close, 2e-5)                                                                                \
  X(p2_solve, thread, close, 2e-5)                                                                                     \
  X(p2_gauss_seidel, serial, close, 2e-5)                                                                              \
  X(p2_sleep, thread, close, 1e-6)                                                                                     \
  X(p2_remember, thread, close, 2e-5)                                                                                  \
  X(pbd_stabilize, thread, close, 2e-5)                                                                                \
  X(pbd_solve, thread, close, 2e-5)                                                                                    \
  X(pbd_gauss_seidel, serial, close, 2e-5)                                                                             \
  X(activity_list, slice, unordered, 0)                                                                                \
  X(dem, thread, close, 2e-5)                                                                                          \
  X(activity_settle, thread, close, 2e-6)                                                                              \
  X(vts_warm_start, thread, close, 2e-5)                                                                               \
  X(vts_solve, thread, close, 2e-5)                                                                                    \
  X(vts_gauss_seidel, serial, exact, 0)                                                                                \
  X(vts_push, thread, close, 2e-5)                                                                                     \
  X(sp_warm_start, thread, close, 2e-5)                                                                                \
  X(sp_solve, thread, close, 2e-5)                                                                                     \
  X(sp_gauss_seidel, serial, exact, 0)                                                                                 \
  X(sp_push, thread, close, 2e-5)                                                                                      \
  X(advance, thread, close, 1e-6)                                                                                      \
  X(finalize, thread, close, 1e-6)                                                                                     \
  X(shape_match, group, close, 2e-5)                                                                                   \
  X(clump_move, thread, close, 2e-5)                                                                                   \
  X(end_substep, group, close, 1e-6)                                                                                   \
  X(sink, thread, exact, 0)                                                                                            \
  X(emission_test, group, exact, 0)                                                                                    \
  X(emission_overlap, thread, exact, 0)                                                                                \
  X(emit, group, exact, 0)                                                                                             \
  X(near_reduce, group, exact, 0)                                                                                      \
  X(near_scan, group, exact, 0)                                                                                        \
  X(fine_plan, thread, close, 1e-6)                                                                                    \
  X(fine_count, thread, exact, 0)                                                                                      \
  X(fine_fill, thread, unordered, 0)                                                                                   \
  X(fine_rank, thread, exact, 0)                                                                                       \
  X(fine_gather, thread, exact, 0)                                                                                     \
  X(fine_commit, thread, exact, 0)                                                                                     \
  X(advecting_clear, thread, exact, 0)                                                                                 \
  X(advecting_count, thread, exact, 0)                                                                                 \
  X(advecting_fill, thread, unordered, 0)                                                                              \
  X(advecting_gather, thread, close, 1e-6)                                                                             \
  X(density_clear, thread, exact, 0)                                                                                   \
  X(density_mark, thread, exact, 0)                                                                                    \
  X(density_fill, thread, exact, 0)                                                                                    \
  X(fine_move, thread, close, 2e-5)                                                                                    \
  X(fine_coast, thread, close, 2e-5)                                                                                   \
  X(fine_sink, thread, exact, 0)                                                                                       \
  X(fine_emit, group, exact, 0)                                                                                        \
  X(end_step, thread, exact, 0)                                                                                        \
  X(measure, thread, close, 2e-5)                                                                                      \
  X(contact_lines, thread, close, 2e-5)                                                                                \
  X(depth_bodies, thread, close, 2e-5)                                                                                 \
  X(depth_ground, thread, close, 2e-5)                                                                                 \
  X(depth_grains, thread, close, 2e-5)                                                                                 \
  X(depth_heights, thread, close, 2e-5)                                                                                \
  X(sdf_corners, thread, close, 1e-4)                                                                                  \
  X(sdf_nodes, thread, close, 1e-5)                                                                                    \
  TALUS_COMPARED_PASSES(X)

enum class Pass {
#define X(name, ...) name,
  TALUS_PASSES(X)
#undef X
};
#define X(...) +1
inline constexpr std::size_t pass_count = 0 TALUS_PASSES(X);
#undef X

struct PassInfo {
  std::string_view name;
  Unit unit;
  Match match;
  float tolerance;
};

inline constexpr std::array<PassInfo, pass_count> pass_infos{{
#define X(name, unit, match, tolerance) {#name, Unit::unit, Match::match, static_cast<float>(tolerance)},
    TALUS_PASSES(X)
#undef X
}};

inline const PassInfo& info(Pass pass) {
  TALUS_ASSERT(static_cast<std::size_t>(pass) < pass_count, pass);
  return pass_infos[static_cast<std::size_t>(pass)];
}

// The passes on the CPU: elements [begin, end) of the pass, which starts and ends with a slice where the pass does not.
// Different ranges may run at the same time.
using PassFunction = void (*)(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
using PassFunctions = std::array<PassFunction, pass_count>;
namespace reference {
#define X(name, ...) void name(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
TALUS_PASSES(X)
#undef X
}  // namespace reference

}  // namespace talus
