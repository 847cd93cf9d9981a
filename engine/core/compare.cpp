#include "engine/core/compare.h"

namespace talus::compare {

Pass in_place_of(Pass pass, const Solver& solver) {
  const bool linked = solver.neighbours == Neighbours::linked;
  switch (pass) {
  case Pass::contact_count:
    return linked ? Pass::linked_count : pass;
  case Pass::contact_fill:
    return linked ? Pass::linked_fill : pass;
  case Pass::dem:
    return solver.detection == Detection::one_loop    ? Pass::dem_one_loop
           : solver.detection == Detection::two_loops ? Pass::dem_two_loops
                                                      : pass;
  default:
    return pass;
  }
}

bool link_grains(Executor& executor, const Solver& solver, const Args& args) {
  if (solver.neighbours != Neighbours::linked)
    return false;
  executor.run(Pass::linked_clear, {static_cast<std::uint32_t>(executor.size(FieldId::grid_count)), gate_rebuild_cells},
               args);
  executor.run(Pass::linked_insert, {args.grains, gate_rebuild_grains}, args);
  return true;
}

bool without_lists(const Solver& solver) {
  return solver.detection == Detection::one_loop || solver.detection == Detection::two_loops;
}

}  // namespace talus::compare
