#pragma once
// Every setting of the solver once, for reading and writing. Method, iteration, contact memory, contact and substeps are
// not among them: the first four decide about the others, and substeps may be a word. keys.cpp has their ranges and
// meanings.
#include "engine/scene/scene.h"
#include <string_view>

namespace talus {

struct Setting {
  std::string_view key;
  bool read;  // by this solver
};

// Calls visit(setting, member) for each setting of a Solver or const Solver.
void each_setting(auto& s, auto&& visit) {
  const bool p2 = s.method == Method::p2, pbd = s.method == Method::pbd, vts = s.method == Method::vts,
             sp = s.method == Method::sp, dem = s.method == Method::dem;
  const bool jacobi = s.iteration == Iteration::jacobi, improved = s.iteration == Iteration::improved_jacobi;
  visit(Setting{"iterations", !dem}, s.iterations);
  visit(Setting{"rotation", true}, s.rotation);
  visit(Setting{"sleep", dem}, s.sleep);
  visit(Setting{"overlap", true}, s.overlap);
  visit(Setting{"neighbours", true}, s.neighbours);
  visit(Setting{"incremental_rebuild", s.neighbours == Neighbours::sorted}, s.incremental_rebuild);
  visit(Setting{"averaging", (p2 || pbd) && jacobi}, s.averaging);
  visit(Setting{"friction", pbd}, s.friction);
  visit(Setting{"stiffness", dem}, s.stiffness);
  visit(Setting{"error_reduction", p2}, s.error_reduction);
  visit(Setting{"sleep_speed", p2}, s.sleep_speed);
  visit(Setting{"mass_scaling", pbd}, s.mass_scaling);
  visit(Setting{"stabilization", pbd}, s.stabilization);
  visit(Setting{"sor", pbd && jacobi}, s.sor);
  visit(Setting{"omega", vts || sp}, s.omega);
  visit(Setting{"beta_a", (vts || sp) && improved}, s.beta_a);
  visit(Setting{"beta_b", (vts || sp) && improved}, s.beta_b);
  visit(Setting{"gamma", vts}, s.gamma);
  visit(Setting{"kv", sp}, s.kv);
  visit(Setting{"kc", sp}, s.kc);
  visit(Setting{"cloth_iterations", true}, s.cloth_iterations);
  visit(Setting{"cloth_momentum", true}, s.cloth_momentum);
  visit(Setting{"warm_start", vts || sp}, s.warm_start);
}

}  // namespace talus
