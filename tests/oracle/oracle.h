#pragma once
// Contact laws in double precision, from the papers' equations and methods' descriptions, in SI units, and sharing no
// code with shaders/shared/laws: Cundall and Strack 1979 (dem), Francu and Moldoveanu 2014 (vts, sp), Holz 2014 (p2),
// Macklin et al. 2014 (pbd), Tonge et al. 2012 (masses split among contacts).
#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>
#include <limits>

namespace talus_tests::oracle {

using vec = glm::dvec3;

// The part of v in the plane across n, a unit vector.
inline vec across(vec v, vec n) {
  return v - glm::dot(v, n) * n;
}

// How near a law's decisions were to falling the other way, as shares of what was compared: rounding may turn a near
// one.
class Edges {
public:
  bool less(double a, double b, double size) {
    if (size > 0.0)
      nearest_ = std::min(nearest_, std::abs(a - b) / size);
    return a < b;
  }
  double nearest() const { return nearest_; }

private:
  double nearest_ = std::numeric_limits<double>::infinity();
};

struct Friction {
  double at_rest, in_motion;
};

// Coulomb: a force that sticks up to mu_s times the pressure, and slides with mu_k times it.
vec coulomb(Edges& edges, vec force, double pressure, Friction mu, double size);

struct Geometry {
  vec normal;
  double gap;  // m
};
Geometry geometry(vec apart, double r, double other_r, double up);

// Two bodies with masses 1/w in contact, normal towards the first one.
struct Pair {
  vec normal;
  double gap;         // m
  vec velocity;       // m/s, of the first relative to the other
  double w, other_w;  // 1/kg
  double r_min;       // m
  double ease;        // share of a push along the normal that one across it is
  double h;           // s
  double mass() const { return 1.0 / (w + other_w); }
  double normal_speed() const { return glm::dot(velocity, normal); }
  vec slip() const { return velocity - normal_speed() * normal; }
};

double dem_share(double w, double r, double other_w, double other_r);

struct Spring {
  double stiffness, damping;  // N/m, N s/m
};
// material: N/m and N s/m that it asks for, damping < 0: none; null: the greatest.
Spring dem_spring(double share, double mass, double h, const Spring* material);

struct DemResult {
  double adhesion_limit, reach, speculative;  // m/s, m, m/s
  bool touches;
  vec change, spring;  // m/s, of the relative velocity; of the spring across the normal as a speed
};
// Shares of the stiffness and damping along the normal that act across it.
struct Across {
  double stiffness = 0.2, damping = 0.25;
};
// ahead: m/s, speed along the normal that the brake sees. adhesion: Pa. spring: m/s.
DemResult dem(Edges& edges, const Pair& pair, Spring law, double adhesion, double ahead, Friction mu, vec spring,
              Across across_normal = {});

double impulse_adhesion_limit(double adhesion, double gap, double r_min, double h);  // N s
bool impulse_near(Edges& edges, const Pair& pair, double fall);                      // fall: m/s
double impulse_rate(double w, double other_w, double load, double other_load, bool grains, bool split, double omega);

// An impulse, across and along the normal [N s], and how far the contact has slipped [m].
struct Memory {
  vec friction_impulse;
  double pressure;
  vec slipped;
  double friction = 0.0;
};
Memory impulse_warm_start(Edges& edges, const Pair& pair, Memory memory, double adhesion_limit, Friction mu,
                          double warm, bool remembers);
double vts_residual(const Pair& pair, double gamma);
double sp_residual(const Pair& pair, double kv, double kc);
double impulse_beta(Edges& edges, const Pair& pair, double residual, const Memory& last, Friction mu, double beta);
Memory impulse_iterate(Edges& edges, const Pair& pair, double residual, const Memory& now, const Memory& last,
                       double adhesion_limit, double rate, double beta, Friction mu);

// p2 and pbd, in displacements. Weight of a contact that bears this [m] in the sharing of a grain's mass [kg].
double weight(const Pair& pair, double bears, double gravity);
// Shares of the correction of two whole masses that a contact of weight W applies where its sides have these sums of
// weights, along its normal and across. over: over-relaxation along the normal, and across.
struct Parts {
  double along, across;
};
Parts parts(const Pair& pair, double W, double sum, double other_sum, bool grains, Parts over);

// p2. apart: m, from the partner's centre, or from its surface along the normal (plane).
double p2_adhesion_limit(Edges& edges, const Pair& pair, vec apart, double reach, double pressure, bool plane);
// Share of the overlap and of the approach that one of n iterations takes out.
struct Taken {
  double overlap, approach;
};
Taken p2_taken(const Pair& pair, Spring law, double n);
// Sums of corrections [m] after an iteration; slipped: m, of the substeps before; null: no memory.
struct Correction {
  vec friction_impulse;
  double pressure;
  vec change;  // of the distance vector
};
Correction p2_iterate(Edges& edges, const Pair& pair, const Correction& now, Taken taken, Parts parts,
                      double adhesion_limit, Friction mu, const vec* slipped);
vec p2_slipped(Edges& edges, const Pair& pair, vec slipped, double pressure, double adhesion_limit, Friction mu);
// Share of a change that moves the first of two; up: of its side, the cosine of the normal with the vertical.
double p2_part(double w, double other_w, double up, double error_reduction);

// pbd. What bounds friction: the sums, one iteration, or the weight of the grain.
enum class Bound { sums, iteration, weight, none };
Correction pbd_iterate(Edges& edges, const Pair& pair, const Correction& now, Parts parts, Friction mu, Bound bound,
                       double gravity);

}  // namespace talus_tests::oracle
