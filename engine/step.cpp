#include "engine/step.h"
#include "engine/setup.h"
#include <algorithm>
#include <cmath>

namespace talus {
namespace {

Args args_of(const StepPlan& p) {
  Args args{};
  args.grains = p.grains;
  args.first = p.first_birth;
  args.births = p.births;
  args.iterations = static_cast<uint>(p.solver.iterations);
  args.substeps = static_cast<uint>(p.solver.substeps);
  args.h = p.h;
  return args;
}

// Neighbour lists from the positions at the start of the substep: grains in cell order, then exact contact lists. What
// reads the lists later finds grains at most half the margin away from here.
void rebuild(Executor& e, const StepPlan& p, const Args& args) {
  const std::uint32_t slices = (p.grains + slice_grains - 1) / slice_grains;
  const Work grains{p.grains, gate_rebuild_grains};
  const Work cell_chunks{scan_chunks, gate_rebuild_cell_chunks}, slice_chunks{scan_chunks, gate_rebuild_slice_chunks};
  e.run(Pass::grid_count, grains, args);
  e.run(Pass::grid_reduce, cell_chunks, args);
  e.run(Pass::grid_scan, cell_chunks, args);
  e.run(Pass::grid_fill, grains, args);
  e.run(Pass::grid_gather, grains, args);
  e.run(Pass::grid_commit, grains, args);
  e.run(Pass::contact_count, grains, args);
  e.run(Pass::contact_width, {slices, gate_rebuild_slices}, args);
  e.run(Pass::contact_reduce, slice_chunks, args);
  e.run(Pass::contact_scan, slice_chunks, args);
  e.run(Pass::contact_check, {1}, args);
  e.run(Pass::contact_fill, grains, args);
  if (uses(p.solver, FieldId::contact_shear) || uses(p.solver, FieldId::contact_sum_next))
    e.run(Pass::contact_recall, grains, args);
  e.run(Pass::contact_commit, grains, args);
}

// Parallel Particles (Holz 2014): corrections of the predicted positions, averaged per grain.
void solve_p2(Executor& e, const StepPlan& p, Args args) {
  const Work grains{p.grains, gate_grains};
  e.run(Pass::predict, grains, args);
  for (args.iteration = 0; args.iteration < args.iterations; ++args.iteration) {
    e.run(Pass::p2_solve, grains, args);
    e.swap(FieldId::grains, FieldId::grains_next);
  }
  e.run(Pass::finalize, grains, args);
}

// Momentum of iteration l: none at first, then more and more (Francu and Moldoveanu 2014, section 4). On the host, so
// that all executors get the same bits.
float momentum(const Solver& s, std::uint32_t l) {
  if (s.iteration != Iteration::improved_jacobi)
    return 0.0f;
  return static_cast<float>(std::min(s.beta_a * std::pow(static_cast<double>(l) / s.iterations, s.beta_b), 1.0));
}

void iterate(Executor& e, const StepPlan& p, Args args, Pass solve, Pass gauss_seidel) {
  const Work grains{p.grains, gate_grains};
  for (args.iteration = 0; args.iteration < args.iterations; ++args.iteration) {
    if (p.solver.iteration == Iteration::gauss_seidel) {
      e.run(gauss_seidel, {1, gate_grains}, args);
      continue;
    }
    args.beta = momentum(p.solver, args.iteration);
    e.run(solve, grains, args);
    e.swap(FieldId::grains, FieldId::grains_next);
  }
}

// Velocity time stepping (Francu and Moldoveanu 2014, Millard 2023): impulses at the contacts of the substep's start.
void solve_vts(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  e.run(Pass::vts_recall, grains, args);
  e.swap(FieldId::grains, FieldId::grains_next);
  iterate(e, p, args, Pass::vts_solve, Pass::vts_gauss_seidel);
  e.run(Pass::advance, grains, args);
}

// Sequential positions (Francu and Moldoveanu 2014): impulses that move the positions, too.
void solve_sp(Executor& e, const StepPlan& p, const Args& args) {
  const Work grains{p.grains, gate_grains};
  e.run(Pass::sp_recall, grains, args);
  e.swap(FieldId::grains, FieldId::grains_next);
  iterate(e, p, args, Pass::sp_solve, Pass::sp_gauss_seidel);
  e.run(Pass::finalize, grains, args);
}

// Explicit dynamics: a substep is one pass.
void solve_dem(Executor& e, const StepPlan& p, const Args& args) {
  e.run(Pass::dem, {p.grains, gate_grains}, args);
  e.swap(FieldId::grains, FieldId::grains_next);
}

void solve(Executor& e, const StepPlan& p, const Args& args) {
  switch (p.solver.method) {
  case Method::dem:
    return solve_dem(e, p, args);
  case Method::vts:
    return solve_vts(e, p, args);
  case Method::sp:
    return solve_sp(e, p, args);
  case Method::p2:
  case Method::pbd:
    return solve_p2(e, p, args);
  }
}

}  // namespace

void build_lists(Executor& e, const StepPlan& p) {
  const Args args = args_of(p);
  e.run(Pass::plan, {1}, args);
  rebuild(e, p, args);
}

void step(Executor& e, const StepPlan& p, std::uint32_t from) {
  Args args = args_of(p);
  for (args.substep = from; args.substep < args.substeps; ++args.substep) {
    e.run(Pass::plan, {1}, args);
    rebuild(e, p, args);
    solve(e, p, args);
    e.run(Pass::end_substep, {1}, args);
  }
  // Last, so that a halt cannot come between a birth and the end of its step.
  if (p.births)
    e.run(Pass::emit, {p.births}, args);
  e.run(Pass::end_step, {1}, args);
}

}  // namespace talus
