#include "engine/core/field_life.h"
#include "engine/scene/scene.h"

namespace talus {
namespace {

bool finds_impulses(const Solver& s) {
  return s.method == Method::vts || s.method == Method::sp;
}

}  // namespace

bool finds_linked(const Wants& wants) {
  return wants.solver.neighbours == Neighbours::linked;
}
bool remembers(const Wants& wants) {
  return wants.solver.contact_memory && wants.solver.method != Method::pbd;
}
bool sums_contacts(const Wants& wants) {
  return wants.solver.method != Method::dem;
}
bool saves_sums(const Wants& wants) {
  return finds_impulses(wants.solver) && (wants.solver.contact_memory || wants.solver.warm_start > 0.0);
}
bool keeps_friction(const Wants& wants) {
  return finds_impulses(wants.solver) && wants.solver.contact_memory;
}
bool rebounds(const Wants& wants) {
  return finds_impulses(wants.solver) && wants.restitution;
}
bool has_momentum(const Wants& wants) {
  return finds_impulses(wants.solver) && wants.solver.iteration == Iteration::improved_jacobi;
}
bool counts_contacts(const Wants& wants) {
  return finds_impulses(wants.solver) && wants.solver.iteration != Iteration::gauss_seidel;
}
bool shares_mass(const Wants& wants) {
  const Solver& s = wants.solver;
  const bool splits = (s.method == Method::p2 || s.method == Method::pbd) && s.iteration == Iteration::mass_splitting;
  return splits || s.shares_by_weight();
}
bool lets_sleep(const Wants& wants) {
  return wants.solver.method == Method::p2 && wants.solver.sleep_speed > 0.0;
}
bool rotates(const Wants& wants) {
  return wants.solver.rotation;
}
bool lets_spins_sleep(const Wants& wants) {
  return lets_sleep(wants) && rotates(wants);
}
bool remembers_rolling(const Wants& wants) {
  return wants.rolls && rotates(wants) && remembers(wants);
}
bool sums_rolling(const Wants& wants) {
  return wants.rolls && rotates(wants) && sums_contacts(wants);
}
bool has_rolling_momentum(const Wants& wants) {
  return wants.rolls && rotates(wants) && has_momentum(wants);
}
bool incremental(const Wants& wants) {
  return wants.incremental;
}
bool slices_sleep(const Wants& wants) {
  return wants.sleep;
}
bool has_soil(const Wants& wants) {
  return wants.soil;
}
bool presses_ground(const Wants& wants) {
  return wants.presses;
}
bool has_clumps(const Wants& wants) {
  return wants.clumps;
}
bool marks(const Wants& wants) {
  return wants.marks;
}

}  // namespace talus
