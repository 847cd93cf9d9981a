#pragma once
// Shared by the methods that correct predicted positions (p2, pbd): between iterations velocity * h is the
// displacement p - x of the substep.
#include "engine/reference/space.h"

namespace talus::reference {

// What the grain moved relative to its partner since the start of the substep.
inline vec3 relative_way(const Args& args, const Fields& f, uint i, const Contact& c) {
  return args.h * (vec3(f.grains[i].velocity) - c.velocity);
}

// How the surfaces of grain i and its partner have moved past each other in the substep.
struct Sliding {
  Turn turn;     // where grains rotate
  vec3 way;      // m
  float across;  // across_share
};
inline Sliding sliding_of(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const float w = f.grains[i].velocity.w;
  const vec3 way = relative_way(args, f, i, c);
  if (f.settings[0].solver.rotation == rotation_off)
    return {{}, way, across_share(c, w)};
  const Turn turn = turn_with(f, i, partner, c);
  return {turn, way + args.h * turn_slip(c, turn), (w + c.inverse_mass) / turn.ease};
}

// A contact changes the distance vector of grain i and its partner by `way`, of which a part falls to the grain.
struct Displacement {
  vec3 way{0.0f};                  // m
  vec3 turn{0.0f}, rolling{0.0f};  // m, where grains rotate: of the spins (turn_couple), and what of it resists rolling
};

// Where its friction acts on a body that grain i turns at: where the grain's surface was at the start of the substep,
// whatever its overlap, so that what the two get of angular momentum is opposite.
inline vec3 surface_at_start(const Contact& c, vec3 way) {
  return c.point + (c.gap - glm::dot(way, c.normal)) * c.normal;
}

// Where grain i pushes a body: at the point of contact, or where grains rotate, where their surfaces were.
inline vec3 push_point(const Args& args, const Fields& f, uint i, const Contact& c) {
  return f.settings[0].solver.rotation == rotation_off ? c.point : surface_at_start(c, relative_way(args, f, i, c));
}

// A spin after a change of what its grain turns in the substep.
inline vec4 turned(const Args& args, vec4 spin, vec3 change) {
  return spin + vec4(spin.w / args.h * change, 0.0f);
}
inline void turn(const Args& args, Fields& f, uint i, vec3 change) {
  f.grain_spin_next[i] = turned(args, f.grain_spin[i], change);
}

// Where contacts are solved one after another: both grains of a contact turn at once. part: what falls to grain i.
inline void turn_both(const Args& args, Fields& f, uint i, uint partner, const Displacement& change, float part) {
  if (f.settings[0].solver.rotation == rotation_off)
    return;
  f.grain_spin[i] = turned(args, f.grain_spin[i], part * change.turn);
  if (is_grain(partner))
    f.grain_spin[partner] = turned(args, f.grain_spin[partner], (1.0f - part) * (change.turn - change.rolling));
}

// How far adhesion may take grain i and its partner back in the substep (p2).
inline float adhesion_limit_of(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const vec4 v = f.grains[i].velocity;
  return p2_adhesion_limit(c, f.grains[i].position.w, relative_way(args, f, i, c), law_of(f, i, partner).adhesion,
                           v.w + c.inverse_mass, !is_grain(partner), args.h);
}

// Do the contacts of a grain share its mass by weight? They have equal parts of it, or their mean is taken, otherwise.
inline bool by_weight(const Settings& settings) {
  return settings.solver.iteration == iteration_jacobi && !settings.solver.plain_mean;
}
// Is the plain mean of a grain's contacts taken, which does not conserve momentum?
inline bool by_mean(const Settings& settings) {
  return settings.solver.iteration == iteration_jacobi && (settings.solver.plain_mean);
}

// Weight of a contact of grain i that bears this [m].
inline float weight_of(const Args& args, const Fields& f, uint i, const Contact& c, float bears) {
  return contact_weight(c, f.grains[i].velocity.w, f.grains[i].position.w, bears, args.h,
                        glm::length(f.settings[0].domain.gravity));
}

// Where grain i has the weights that an iteration goes by.
inline std::size_t weights_at(const Args& args, uint i, uint iteration) {
  TALUS_ASSERT(i < args.grains, i, args.grains);
  return std::size_t{iteration % 2} * args.grains + i;
}
inline float weights_of(const Args& args, const Fields& f, uint i) {
  return f.contact_weights[weights_at(args, i, args.iteration)];
}

// The shares that a contact of this weight applies of the correction of two whole masses.
inline Shares shares_of(const Args& args, const Fields& f, uint i, uint partner, float other_w, float weight,
                        bool closes, float over_normal) {
  const bool grains_both = is_grain(partner);
  return shares_by_weight(f.grains[i].velocity.w, other_w, weights_of(args, f, i),
                          grains_both ? weights_of(args, f, partner) : 0.0f, weight, closes, grains_both, over_normal,
                          f.settings[0].solver.sor);
}

// w of both sides together, where they split their masses in equal parts.
inline float shared_w(const Args& args, const Fields& f, uint i, uint partner, float other_w) {
  return w_of_parts(f.grains[i].velocity.w, other_w, weights_of(args, f, i),
                    is_grain(partner) ? weights_of(args, f, partner) : 1.0f);
}

inline void displace(const Args& args, Grain& grain, vec3 way) {
  const float r = grain.position.w, w = grain.velocity.w;
  grain.position = vec4(vec3(grain.position) + way, r);
  grain.velocity = vec4(vec3(grain.velocity) + way / args.h, w);
}

}  // namespace talus::reference
