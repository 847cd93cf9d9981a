#pragma once
// Contacts of position-based dynamics.
#include "engine/reference/load.h"
#include "engine/reference/relative.h"

namespace talus::reference {

struct PbdChange : Displacement {
  float part, impulse;  // what falls to grain i; h [s] times the impulse per way [kg]
  float weight;         // by which the contact shares in the next iteration, even if it does not touch now [kg]
};

// Solves the contact in `slot` and keeps its sums there. Returns false where the two do not overlap.
inline bool pbd_contact(const Args& args, Fields& f, uint i, uint partner, const Contact& c, std::size_t slot,
                        PbdChange& change) {
  const Settings& settings = f.settings[0];
  const float w = f.grains[i].velocity.w, r = f.grains[i].position.w;
  const vec4 sum = vec4_at(f.contact_state, sum_at(f, slot));
  const bool after = settings.solver.friction == friction_after, last = args.iteration + 1 == args.iterations;
  const bool accumulated = settings.solver.friction == friction_accumulated;
  const bool weighs = by_weight(settings);
  change.weight = weighs ? weight_of(args, f, i, c, sum.w) : 0.0f;
  if (!pbd_touches(c, r, sum.w, w, after && last))
    return false;
  const float other_w = pbd_scaled(c, r, settings.domain.down, settings.solver.mass_scaling), w_sum = w + other_w;
  Shares shares{1.0f, 1.0f};
  if (settings.solver.iteration == iteration_mass_splitting) {
    shares.normal = shares.tangential = w_sum / shared_w(args, f, i, partner, other_w);
  } else if (weighs) {
    const float weight = weight_of(args, f, i, c, pbd_bears(c, sum.w, after && last));
    shares = shares_of(args, f, i, partner, other_w, weight, args.iteration > 0 && !(sum.w > 0.0f), weight_over_pbd);
  }
  const Sliding s = sliding_of(args, f, i, partner, c);
  const PairLaw& law = law_of(f, i, partner);
  const float gravity = glm::length(settings.domain.gravity);
  const vec3 before = accumulated ? vec3(sum) : vec3(0.0f);
  vec3 friction_impulse = before;
  float pressure = sum.w;
  change.way = pbd_iterate(c, shares, s.way, s.across, law, accumulated, after, last, args.h, gravity, friction_impulse,
                           pressure);
  put(f.contact_state, sum_at(f, slot), vec4(friction_impulse, pressure));
  change.rolling = change.turn = vec3(0.0f);
  if (settings.solver.rotation == rotation_rolling) {
    const float limit =
        law.rolling * pbd_bound(shares, pressure, pressure - sum.w, accumulated, after, last, args.h, gravity);
    vec3 rolling = accumulated ? vec3_at(f.contact_state, roll_sum_at(f, slot)) : vec3(0.0f);
    change.rolling = resist_rolling(s.turn, shares.tangential, w + c.inverse_mass, vec3(0.0f), limit, args.h, rolling);
    put(f.contact_state, roll_sum_at(f, slot), rolling);
  }
  if (settings.solver.rotation != rotation_off)
    change.turn = turn_couple(c, s.turn, before - friction_impulse, change.rolling);
  change.part = w / w_sum;
  change.impulse = 1.0f / w_sum;
  if (weighs)
    change.weight = weight_of(args, f, i, c, pressure);
  return true;
}

// A grain's corrections, of which it takes the sum, or the mean.
struct PbdMean {
  vec3 correction{0.0f}, turn{0.0f};
  float weights = 0.0f, weights_next = 0.0f;
  BodyPushes pushes;
};

// Grain i's contact in `slot`, in an iteration.
inline void pbd_touch(const Args& args, Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner, args.h);
  PbdChange change;
  const bool touches = pbd_contact(args, f, i, partner, c, slot, change);
  mean.weights_next += change.weight;
  if (!touches)
    return;
  mean.correction += change.part * change.way;
  mean.turn += change.part * change.turn;
  mean.weights += 1.0f;
  if (!is_body(partner))
    return;
  mean.pushes.note(partner, push_point(args, f, i, c), change.impulse * change.way,
                   f.grains[i].position.w * change.impulse * change.rolling);
}

// Grain i after it, and what bodies get of it.
inline void pbd_move(const Args& args, Fields& f, uint i, const PbdMean& mean, Grain& grain) {
  const Settings& settings = f.settings[0];
  if (by_weight(settings))
    f.contact_weights[weights_at(args, i, args.iteration + 1)] = mean.weights_next;
  const float sor = by_weight(settings) ? 1.0f : settings.solver.sor;  // the shares have it
  const float scale = by_mean(settings) && mean.weights > 0.0f ? sor / mean.weights : sor;
  mean.pushes.add(f, i, scale / args.h);
  const bool moves = grain.velocity.w > 0.0f && mean.weights > 0.0f;
  if (moves)
    displace(args, grain, scale * mean.correction);
  if (settings.solver.rotation != rotation_off)
    turn(args, f, i, moves ? scale * mean.turn : vec3(0.0f));
}

// Before the substep: what takes grain i out of its partner in `slot`.
inline void pbd_part(const Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  const float w = f.grains[i].velocity.w;
  const Contact c = contact_with(f, i, partner_at(f, i, slot));
  if (!(w > 0.0f) || c.gap >= 0.0f)
    return;
  float weight;
  mean.correction += pbd_apart(c, w, f.settings[0].solver.plain_mean, weight);
  mean.weights += weight;
}

}  // namespace talus::reference
