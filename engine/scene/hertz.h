#pragma once
// Contacts of dem by Hertz and Mindlin (solver.contact = "hertz", shaders/shared/laws/hertz.h): what their law takes of
// the materials, and how deep and how stiff they get.
#include "engine/scene/scene.h"
#include <optional>

namespace talus {

// Does dem have these contacts in the scene?
bool has_hertz(const Solver& solver);

// Throws SceneError where a scene that no file describes has what they cannot be used with.
void check_hertz(const Scene& scene);

// The law takes these numbers of a pair of materials, or of a material on a rigid wall.
struct HertzPair {
  double modulus = 0.0;     // E* [Pa]: 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
  double tangential = 0.0;  // 8 G* a / (2 E* a) = 4 G*/E*: 1/G* = (2 - nu_a)/G_a + (2 - nu_b)/G_b, G = E / (2 (1 + nu))
  double ratio = 0.0;       // damping ratio beta, by the restitution
  double kappa = 0.0;       // h^2 S / m_eff that a bed bears at most, S = 2 E* a the tangent of the normal force
};
HertzPair hertz_pair_of(const Material& a, const Material& b, std::optional<double> restitution);
HertzPair hertz_wall_of(const Material& material, std::optional<double> restitution);

// The damping ratio with which two part with the share `restitution` of their speed [0.01 .. 1], at any speed.
double hertz_ratio_of(double restitution);
// Its inverse.
double hertz_restitution_of(double ratio);

// Overlap [m] of a pair of reduced radius R* [m] under a force [N], and at the turning point of an elastic impact with
// a reduced mass [kg] and a speed [m/s].
double hertz_overlap(double modulus, double reduced_radius, double force);
double hertz_impact_overlap(double modulus, double reduced_radius, double reduced_mass, double speed);

// S [N/m] of a pair at an overlap [m].
double hertz_tangent(double modulus, double reduced_radius, double overlap);

}  // namespace talus
