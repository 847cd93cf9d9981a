#include "engine/core/step.h"
#include "engine/core/chebyshev.h"
#include "engine/core/compare.h"
#include "engine/core/setup.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {
namespace {

Args args_of(const StepPlan& p) {
  TALUS_ASSERT(p.h > 0.0f && p.solver.substeps > 0 && p.solver.iterations > 0, p.h, p.solver.substeps,
               p.solver.iterations);
  Args args{};
  args.grains = p.grains;
  args.iterations = static_cast<uint>(p.solver.iterations);
  args.substeps = static_cast<uint>(p.solver.substeps);
  args.h = p.h;
  args.batch = p.batch;
  args.steps = ~0u;
  args.fine.places = p.fine;
  args.hand.held = p.held;
  args.hand.position = p.hand;
  args.hand.velocity = p.hand_velocity;
  return args;
}

// All fields that follow grains, to where these go (grid_from, near_from).
void take_along(Executor& e, Follows what, std::initializer_list<Pass> passes, Work work, Args args) {
  for (const Pass pass : passes)
    each_follower(what, [&](FieldId id) {
      if (e.size(id) == 0)
        return;
      TALUS_ASSERT(e.size(id) >= work.elements && info(id).stride % sizeof(uint) == 0, id, e.size(id), work.elements);
      args.followed.field = static_cast<uint>(id);
      args.followed.words = static_cast<uint>(info(id).stride / sizeof(uint));
      args.followed.start = static_cast<uint>(info(id).start);
      e.run(pass, work, args);
    });
}

// Grains in cell order, with the first of every cell.
void sort_grains(Executor& e, const Args& args) {
  const Work grains{args.grains, gate_rebuild_grains}, chunks{scan_chunks, gate_rebuild_cell_chunks};
  e.run(Pass::grid_count, grains, args);
  e.run(Pass::grid_reduce, chunks, args);
  e.run(Pass::grid_scan, chunks, args);
  e.run(Pass::grid_fill, grains, args);
  e.run(Pass::grid_rank, grains, args);
  take_along(e, Follows::grains, {Pass::grid_gather, Pass::grid_commit}, grains, args);
}

// Dynamic bodies share their mass among their contacts, and touch bodies and walls.
void touch_bodies(Executor& e, const StepPlan& p, const Args& args) {
  if (p.rigid == 0)
    return;
  e.run(Pass::body_share, {p.bodies}, args);
  e.run(Pass::body_touch, {p.body_points}, args);
}

// Bodies that feel the ground by its surface get what it bears.
void press_ground(Executor& e, const StepPlan& p, const Args& args) {
  if (p.ground_places > 0)
    e.run(Pass::ground_press, {p.ground_places}, args);
}

// A pass over bodies, where some are dynamic.
void run_rigid(Executor& e, const StepPlan& p, Pass pass, const Args& args) {
  if (p.rigid > 0)
    e.run(pass, {p.bodies}, args);
}

// As run_rigid, of a pass that gives bodies their motion: that of linkages by their joints.
void run_moving(Executor& e, const StepPlan& p, Pass pass, const Args& args) {
  run_rigid(e, p, pass, args);
  if (p.linkages > 0)
    e.run(Pass::link_solve, {p.linkages}, args);
}

// Particles of shapes are where the sorting has put them.
void find_shapes(Executor& e, const StepPlan& p, const Args& args) {
  if (p.shapes > 0)
    e.run(Pass::shape_find, {p.grains, gate_rebuild_grains}, args);
}

// Spheres of clumps are there as well.
void find_clumps(Executor& e, const StepPlan& p, const Args& args) {
  if (p.clumps)
    e.run(Pass::clump_find, {p.grains, gate_rebuild_grains}, args);
}

// Clumps with what contacts have done to their spheres, and these with them.
void move_clumps(Executor& e, const StepPlan& p, const Args& args) {
  if (p.clumps)
    e.run(Pass::clump_move, {p.grains, gate_grains}, args);
}

// Vertices of cloth likewise, and its triangles by cells of their own.
void find_cloth(Executor& e, const StepPlan& p, const Args& args) {
  if (p.cloth == 0)
    return;
  e.run(Pass::cloth_find, {p.grains, gate_rebuild_grains}, args);
  e.run(Pass::cloth_sort, {p.worlds, gate_rebuild_once}, args);
}

// Cloth at the start of a substep: what shares the mass of its vertices.
void weigh_cloth(Executor& e, const StepPlan& p, const Args& args) {
  if (p.cloth == 0)
    return;
  e.run(Pass::cloth_weigh, {p.cloth}, args);
  e.run(Pass::cloth_share, {p.grains, gate_grains}, args);
}

// Bodies, and the grains that stand for them, to where they are at the start of the substep.
void place_bodies(Executor& e, const StepPlan& p, const Args& args) {
  e.run(Pass::body_move, {p.bodies}, args);
  if (p.carried > 0)
    e.run(Pass::body_carry, {p.grains}, args);
}

// Which cells with grains bodies reach into.
void mark_bodies(Executor& e, const StepPlan& p, const Args& args) {
  if (p.bodies == 0)
    return;
  e.run(Pass::body_clear, {static_cast<std::uint32_t>(e.size(FieldId::cell_taken)), gate_rebuild_cells}, args);
  e.run(Pass::body_occupancy, {p.grains, gate_rebuild_grains}, args);
  e.run(Pass::body_mark, {p.bodies * body_threads, gate_rebuild_bodies}, args);
}

// The same where lists are rebuilt incrementally and bodies have moved: incremental_mark knows of cells that have come
// to have grains.
void mark_bodies_again(Executor& e, const StepPlan& p, const Args& args) {
  if (p.bodies == 0)
    return;
  e.run(Pass::body_clear, {static_cast<std::uint32_t>(e.size(FieldId::cell_taken)), gate_moved_cells}, args);
  e.run(Pass::body_mark, {p.bodies * body_threads, gate_moved_bodies}, args);
}

// Fine grains in the order of near cells.
void sort_fine(Executor& e, const StepPlan& p, const Args& args) {
  const Work fine{p.fine, gate_fine_sort}, chunks{scan_chunks, gate_fine_sort_chunks};
  e.run(Pass::fine_count, fine, args);
  e.run(Pass::near_reduce, chunks, args);
  e.run(Pass::near_scan, chunks, args);
  e.run(Pass::fine_fill, fine, args);
  e.run(Pass::fine_rank, fine, args);
  take_along(e, Follows::fine_grains, {Pass::fine_gather, Pass::fine_commit}, fine, args);
}

// The coarse grains in the order of near cells, and fine grains with them.
void advect_fine(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_fine_grains}, chunks{scan_chunks, gate_fine_chunks}, fine{p.fine, gate_fine};
  e.run(Pass::advecting_clear, {static_cast<std::uint32_t>(e.size(FieldId::near_motion)), gate_fine_blocks}, args);
  e.run(Pass::advecting_count, grains, args);
  e.run(Pass::near_reduce, chunks, args);
  e.run(Pass::near_scan, chunks, args);
  e.run(Pass::advecting_fill, grains, args);
  e.run(Pass::advecting_gather, grains, args);
  if (p.crowding) {
    e.run(Pass::density_clear, {static_cast<std::uint32_t>(e.size(FieldId::density_count)), gate_fine_density}, args);
    e.run(Pass::density_mark, fine, args);
    e.run(Pass::density_fill, fine, args);
  }
  e.run(Pass::fine_move, fine, args);
}

// Fine grains, at a point in time after the substep: with the coarse grains that have been around them since they last
// moved, and out of walls and bodies as these are now.
void move_fine(Executor& e, const StepPlan& p, Args args) {
  const bool last = args.substep + 1 == args.substeps;
  if (p.fine == 0 || !(last || (args.substep + 1) % fine_point == 0))
    return;
  args.fine.span = args.h * static_cast<float>(args.substep % fine_point + 1);
  args.fine.last = last ? 1 : 0;
  args.substep += 1;
  if (p.bodies > 0)
    e.run(Pass::body_move, {p.bodies}, args);
  e.run(Pass::fine_plan, {1}, args);

  e.behind(gate_fine_sort, [&] { sort_fine(e, p, args); });
  e.behind(gate_fine, [&] { advect_fine(e, p, args); });
  e.run(Pass::fine_coast, {p.fine, gate_fine_coast}, args);
}

// Lists that hold no longer because some grains have moved: rows near those and near bodies that move are searched
// again, where they are. Where that does not go, incremental_check has all of them built.
void rebuild_incrementally(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_incremental_grains};
  e.run(Pass::incremental_clear, {static_cast<std::uint32_t>(e.size(FieldId::grid_count)), gate_incremental_cells},
        args);
  e.run(Pass::incremental_mark, grains, args);
  mark_bodies_again(e, p, args);
  e.run(Pass::incremental_choose, grains, args);
  if (p.bodies > 0)
    e.run(Pass::incremental_keep, grains, args);
  e.run(Pass::incremental_save, grains, args);
  e.run(Pass::incremental_search, grains, args);
  e.run(Pass::incremental_unfit, {1, gate_incremental_once}, args);
  e.run(Pass::incremental_refit, {(p.grains + group_size - 1) / group_size, gate_incremental_unfit}, args);
  e.run(Pass::incremental_search, {p.grains, gate_incremental_unfit}, args);  // rows that were too short
  e.run(Pass::incremental_restore, grains, args);
  e.run(Pass::incremental_check, {1, gate_incremental_once}, args);
}

// Neighbour lists from the positions at the start of the substep: exact contact lists. What reads them later finds
// grains at most half the skin away from here.
void rebuild(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_rebuild_grains}, chunks{scan_chunks, gate_rebuild_slice_chunks};
  if (!compare::link_grains(e, p.solver, args))
    sort_grains(e, args);
  find_shapes(e, p, args);
  find_clumps(e, p, args);
  find_cloth(e, p, args);
  mark_bodies(e, p, args);
  e.run(compare::in_place_of(Pass::contact_count, p.solver), grains, args);
  e.run(Pass::contact_reduce, chunks, args);
  e.run(Pass::contact_scan, chunks, args);
  const bool restores = remembers({p.solver}) || saves_sums({p.solver}) || p.cloth > 0;  // its triangles, faces
  if (restores)
    e.run(Pass::history_save, grains, args);
  e.run(Pass::contact_check, {1}, args);
  e.run(compare::in_place_of(Pass::contact_fill, p.solver), grains, args);
  if (restores)
    e.run(Pass::history_restore, grains, args);
  if (p.soil)
    e.run(Pass::soil_springs, grains, args);
  e.run(Pass::contact_commit, grains, args);
}

// Lists that hold for the substep to come.
void renew_lists(Executor& e, const StepPlan& p, const Args& args) {
  e.behind(gate_lists, [&] {
    if (p.incremental)
      rebuild_incrementally(e, p, args);
    rebuild(e, p, args);
  });
}

// Momentum of iteration l of n: none at first, then more and more (Francu and Moldoveanu 2014, section 4). On the host,
// so that all executors get the same bits.
float momentum(const Solver& s, uint l, uint n) {
  return static_cast<float>(std::min(s.beta_a * std::pow(static_cast<double>(l) / n, s.beta_b), 1.0));
}

// Links of cloth and what touches it, after each iteration of the other contacts.
void solve_cloth(Executor& e, const StepPlan& p, Args args) {
  if (p.cloth == 0)
    return;
  const uint each = static_cast<uint>(p.solver.cloth_iterations), first = (args.iteration - 1) * each;
  args.iterations *= each;
  args.omega = 1.0f;
  args.beta = 0.0f;
  Chebyshev chebyshev(args.iterations);
  for (args.iteration = 0; args.iteration < first + each; ++args.iteration) {
    if (p.solver.cloth_momentum) {
      const auto [omega, beta] = chebyshev.next();
      args.omega = omega;
      args.beta = beta;
    }
    if (args.iteration < first)
      continue;
    if (p.solver.iteration == Iteration::gauss_seidel) {
      e.run(Pass::cloth_gauss_seidel, {1, gate_grains}, args);
    } else {
      e.run(Pass::cloth_solve, {p.cloth}, args);
      e.run(Pass::cloth_apply, {p.cloth}, args);
    }
    e.run(Pass::cloth_touch, {p.grains, gate_grains}, args);
    e.run(Pass::cloth_receive, {p.cloth}, args);
  }
}

// What the contacts' sums mean to bodies: after an iteration to dynamic ones, after all of them to all.
void push_bodies(Executor& e, const StepPlan& p, const Args& args, std::optional<Pass> push) {
  if (push && (p.rigid > 0 || (p.bodies > 0 && args.iteration == args.iterations)))
    e.run(*push, {p.grains, gate_grains}, args);
  run_moving(e, p, Pass::body_push, args);
}

// After a pass that has written the copies `next`.
void swap_grains(Executor& e, const StepPlan& p) {
  e.swap(FieldId::grains);
  if (rotates({p.solver}))
    e.swap(FieldId::grain_spin);
}

// All contacts at once, or on the CPU one after another. push: of the methods whose solver does not push bodies itself.
void iterate(Executor& e, const StepPlan& p, Args args, Pass solve, Pass gauss_seidel, std::optional<Pass> push = {}) {
  const Work grains{p.grains, gate_grains};
  // Contacts of p2 and pbd come and go from one iteration to the next; those of vts and sp are counted at their recall.
  const bool weighs = shares_mass({p.solver});
  const bool weighs_next = weighs && p.solver.shares_by_weight();  // each iteration does so for the next one
  while (args.iteration < args.iterations) {
    if (p.solver.iteration == Iteration::gauss_seidel) {
      e.run(gauss_seidel, {1, gate_grains}, args);
    } else {
      if (weighs && (args.iteration == 0 || !weighs_next))
        e.run(Pass::contact_weigh, grains, args);
      args.beta =
          p.solver.iteration == Iteration::improved_jacobi ? momentum(p.solver, args.iteration, args.iterations) : 0.0f;
      e.run(solve, grains, args);
      swap_grains(e, p);
    }
    args.iteration += 1;
    push_bodies(e, p, args, push);
    solve_cloth(e, p, args);
  }
}

// Parallel Particles (Holz 2014).
void solve_p2(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  if (lets_sleep({p.solver}))
    e.copy(FieldId::grains, FieldId::grains_start);
  if (lets_spins_sleep({p.solver}))
    e.copy(FieldId::grain_spin, FieldId::grain_spin_start);
  run_moving(e, p, Pass::body_start, args);
  e.run(Pass::predict, grains, args);
  iterate(e, p, args, Pass::p2_solve, Pass::p2_gauss_seidel);
  if (lets_sleep({p.solver}))
    e.run(Pass::p2_sleep, grains, args);
  if (remembers({p.solver}))
    e.run(Pass::p2_remember, grains, args);
  e.run(Pass::finalize, grains, args);
}

// Position-based dynamics (Macklin 2014, Sommer and Schwanecke 2022).
void solve_pbd(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  Args stabilize = args;
  stabilize.iterations = static_cast<uint>(p.solver.stabilization);
  for (stabilize.iteration = 0; stabilize.iteration < stabilize.iterations; ++stabilize.iteration) {
    e.run(Pass::pbd_stabilize, grains, stabilize);
    e.swap(FieldId::grains);
  }
  run_moving(e, p, Pass::body_start, args);
  e.run(Pass::predict, grains, args);
  iterate(e, p, args, Pass::pbd_solve, Pass::pbd_gauss_seidel);
  e.run(Pass::finalize, grains, args);
}

// Dynamic bodies with gravity and with the share of the last substep's impulses that the grains set off with.
void set_off(Executor& e, const StepPlan& p, const Args& args, Pass push) {
  run_moving(e, p, Pass::body_start, args);
  if (p.rigid > 0)
    push_bodies(e, p, args, push);
}

// Velocity time stepping (Francu and Moldoveanu 2014, Millard 2023): impulses at the contacts of the substep's start.
void solve_vts(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  e.run(Pass::vts_warm_start, grains, args);
  swap_grains(e, p);
  set_off(e, p, args, Pass::vts_push);
  iterate(e, p, args, Pass::vts_solve, Pass::vts_gauss_seidel, Pass::vts_push);
  e.run(Pass::advance, grains, args);
}

// Sequential positions (Francu and Moldoveanu 2014): impulses that move the positions, too.
void solve_sp(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  e.run(Pass::sp_warm_start, grains, args);
  swap_grains(e, p);
  set_off(e, p, args, Pass::sp_push);
  iterate(e, p, args, Pass::sp_solve, Pass::sp_gauss_seidel, Pass::sp_push);
  e.run(Pass::finalize, grains, args);
}

// Explicit dynamics: a substep is one pass. Where slices sleep, over those that are awake or watched.
void solve_dem(Executor& e, const StepPlan& p, const Args& args) {
  const uint slices = (p.grains + slice_grains - 1) / slice_grains;
  const Work grains = p.sleeps ? Work{slices * slice_grains, gate_listed} : Work{p.grains, gate_grains};
  if (p.sleeps)
    e.run(Pass::activity_list, {slices, gate_slices}, args);
  e.run(compare::in_place_of(Pass::dem, p.solver), grains, args);
  swap_grains(e, p);
  if (p.sleeps)
    e.run(Pass::activity_settle, grains, args);
  run_moving(e, p, Pass::body_start, args);
  Args done = args;
  done.iteration = done.iterations = 1;
  solve_cloth(e, p, done);
}

void solve(Executor& e, const StepPlan& p, const Args& args) {
  switch (p.solver.method) {
  case Method::dem:
    return solve_dem(e, p, args);
  case Method::p2:
    return solve_p2(e, p, args);
  case Method::pbd:
    return solve_pbd(e, p, args);
  case Method::vts:
    return solve_vts(e, p, args);
  case Method::sp:
    return solve_sp(e, p, args);
  }
}

// Grains for the next step. There is room for them beside bodies where these are at the end of this one.
void emit(Executor& e, const StepPlan& p, const Args& args) {
  if (p.emitters == 0)
    return;
  if (p.bodies > 0)
    e.run(Pass::body_move, {p.bodies}, args);
  e.run(Pass::emission_test, {p.worlds * p.emitters}, args);
  e.run(Pass::emission_overlap, {p.grains}, args);
  e.run(Pass::emit, {p.worlds}, args);
  if (p.fine_emitted)
    e.run(Pass::fine_emit, {static_cast<std::uint32_t>(e.size(FieldId::emitted)), gate_emission}, args);
}

// Bodies where they are, and the gates of what the substep does.
void start_substep(Executor& e, const StepPlan& p, const Args& args) {
  place_bodies(e, p, args);
  e.run(Pass::plan, {1}, args);
}

// What follows the lists, up to the count of the substep.
void finish_substep(Executor& e, const StepPlan& p, const Args& args) {
  if (p.held > 0)
    e.run(Pass::hand_pull, {p.grains, gate_grains}, args);
  weigh_cloth(e, p, args);
  touch_bodies(e, p, args);
  press_ground(e, p, args);
  if (p.linkages > 0)
    e.run(Pass::link_factor, {p.linkages}, args);
  solve(e, p, args);
  if (p.shapes > 0)
    e.run(Pass::shape_match, {p.shapes}, args);
  move_clumps(e, p, args);
  run_rigid(e, p, Pass::body_advance, args);
  e.run(Pass::end_substep, {1}, args);
}

// The loads of bodies in a step that is complete.
void sum_loads(Executor& e, const StepPlan& p, const Args& args) {
  if (p.bodies > 0)
    e.run(Pass::body_sum, {p.bodies, gate_step_end}, args);
}

// The grains' state where substeps of a stride that were passed over have left it in the copies.
void return_grains(Executor& e, const StepPlan& p, const Args& args) {
  e.run(Pass::grain_return, {p.grains, gate_return}, args);
}

}  // namespace

void build_lists(Executor& e, const StepPlan& p) {
  const Args args = args_of(p);
  move_bodies(e, p);
  e.run(Pass::plan, {1}, args);
  renew_lists(e, p, args);
}

void evaluate_contacts(Executor& e, const StepPlan& p, std::uint32_t listed, std::uint32_t gate) {
  Args args = args_of(p);
  e.run(Pass::measure, {p.grains, gate}, args);
  args.grains = listed;
  e.run(Pass::contact_lines, {listed, gate}, args);
}

void pose_bodies(Executor& e, const StepPlan& p) {
  e.run(Pass::body_move, {p.bodies}, args_of(p));
}

void move_bodies(Executor& e, const StepPlan& p) {
  place_bodies(e, p, args_of(p));
}

void see_depth(Executor& e, const StepPlan& p, std::uint32_t camera, std::uint32_t pixels, bool ground, bool heights) {
  Args args = args_of(p);
  args.first = camera;
  e.run(Pass::depth_bodies, {pixels}, args);
  if (ground)
    e.run(Pass::depth_ground, {pixels}, args);
  e.run(Pass::depth_grains, {p.grains}, args);
  if (heights)
    e.run(Pass::depth_heights, {pixels}, args);
}

void step(Executor& e, const StepPlan& p, std::uint32_t from, std::uint32_t to) {
  Args args = args_of(p);
  for (args.substep = from; args.substep < std::min(args.substeps, to); ++args.substep) {
    start_substep(e, p, args);
    if (compare::without_lists(p.solver)) {
      sort_grains(e, args);
      find_shapes(e, p, args);
      find_clumps(e, p, args);
      mark_bodies(e, p, args);
    } else {
      renew_lists(e, p, args);
    }
    finish_substep(e, p, args);
    move_fine(e, p, args);
  }
  if (to < args.substeps)
    return;
  sum_loads(e, p, args);
  // Last, so that a halt cannot come between what comes and goes and the end of its step.
  if (p.sinks > 0)
    e.run(Pass::sink, {p.grains}, args);
  if (p.sinks > 0 && p.fine > 0)
    e.run(Pass::fine_sink, {p.fine}, args);
  emit(e, p, args);
  e.run(Pass::end_step, {p.worlds, gate_step_end}, args);
}

bool can_stride(const StepPlan& p) {
  return p.solver.method == Method::dem && !compare::without_lists(p.solver) && p.fine == 0 && p.held == 0 &&
         p.emitters == 0 && p.sinks == 0 && p.cloth == 0 && p.linkages == 0;
}

void stride(Executor& e, const StepPlan& p, const Stride& stride) {
  TALUS_ASSERT(can_stride(p) && stride.waiting > 0 && stride.steps > 0, stride.waiting, stride.steps);
  Args args = args_of(p);
  args.steps = stride.steps;
  for (std::uint32_t k = 0; k <= stride.waiting; ++k) {
    args.waits = k > 0 ? 1 : 0;
    start_substep(e, p, args);
    if (k == 0) {
      return_grains(e, p, args);
      renew_lists(e, p, args);
    }
    finish_substep(e, p, args);
    sum_loads(e, p, args);
    e.run(Pass::end_step, {p.worlds, gate_step_end}, args);
  }
}

void end_strides(Executor& e, const StepPlan& p) {
  return_grains(e, p, args_of(p));
}

}  // namespace talus
