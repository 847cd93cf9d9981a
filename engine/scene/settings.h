#pragma once
// Every setting of the solver once, for reading, for writing and for saying who reads it. Method, iteration, contact
// memory and substeps are not among them: the first three decide about the others, and substeps may be a word.
#include "engine/scene/scene.h"
#include <string_view>

namespace talus {

// One setting. Words and switches have no range.
struct Setting {
  std::string_view key;
  bool read;                 // by this solver
  std::string_view readers;  // all that read it
  double min = 0.0, max = 0.0;
  std::string_view unit = "";
};

// Calls visit(setting, member) for each setting of a Solver or const Solver.
void each_setting(auto& s, auto&& visit) {
  const bool p2 = s.method == Method::p2, pbd = s.method == Method::pbd, vts = s.method == Method::vts,
             sp = s.method == Method::sp, dem = s.method == Method::dem;
  const bool jacobi = s.iteration == Iteration::jacobi, improved = s.iteration == Iteration::improved_jacobi;
  visit(Setting{"iterations", !dem, "p2, pbd, vts and sp", 1, 1000}, s.iterations);
  visit(Setting{"overlap", true, "all methods", 1e-4, 1, "radii"}, s.overlap);
  visit(Setting{"neighbours", true, "all methods"}, s.neighbours);
  visit(Setting{"mending", s.neighbours == Neighbours::sorted, "neighbours = \"sorted\""}, s.mending);
  visit(Setting{"averaging", (p2 || pbd) && jacobi, "p2 and pbd with iteration = \"jacobi\""}, s.averaging);
  visit(Setting{"friction", pbd, "pbd"}, s.friction);
  visit(Setting{"stiffness", dem, "dem"}, s.stiffness);
  visit(Setting{"error_reduction", p2, "p2", 0, 1}, s.error_reduction);
  visit(Setting{"sleep_speed", p2, "p2", 0, 100, "m/s"}, s.sleep_speed);
  visit(Setting{"mass_scaling", pbd, "pbd", 0, 1000, "1/m"}, s.mass_scaling);
  visit(Setting{"stabilization", pbd, "pbd", 0, 100}, s.stabilization);
  visit(Setting{"sor", pbd && jacobi, "pbd with iteration = \"jacobi\"", 1, 2}, s.sor);
  visit(Setting{"omega", vts || sp, "vts and sp", 0.01, 2}, s.omega);
  const std::string_view momentum = "vts and sp with iteration = \"improved_jacobi\"";
  visit(Setting{"beta_a", (vts || sp) && improved, momentum, 0, 10}, s.beta_a);
  visit(Setting{"beta_b", (vts || sp) && improved, momentum, 0, 10}, s.beta_b);
  visit(Setting{"gamma", vts, "vts", 0, 1}, s.gamma);
  visit(Setting{"kv", sp, "sp", 0, 1}, s.kv);
  visit(Setting{"kc", sp, "sp", 0.01, 1}, s.kc);
  visit(Setting{"cloth_iterations", true, "all methods", 1, 100}, s.cloth_iterations);
  visit(Setting{"cloth_momentum", true, "all methods"}, s.cloth_momentum);
  visit(Setting{"warm_start", vts || sp, "vts and sp", 0, 0.99}, s.warm_start);
}

}  // namespace talus
