#pragma once
// Contacts of Parallel Particles (Holz 2014).
#include "engine/reference/load.h"
#include "engine/reference/relative.h"

namespace talus::reference {

// Contacts in one iteration, one after another. Most of a grain's have one law and one mass: the two logarithms are
// worth keeping.
class P2Solver {
public:
  P2Solver(const Args& args, Fields& f)
      : args_(args), f_(f), split_(f.settings[0].solver.iteration == iteration_mass_splitting),
        by_weight_(by_weight(f.settings[0])), by_mean_(by_mean(f.settings[0])) {}

  float weight_next = 0.0f;  // by which the contact solved last shares in the next iteration [kg]

  // Solves the contact in `slot` and keeps its sums there. Returns false where it is not active.
  bool solve(uint i, uint partner, const Contact& c, std::size_t slot, Displacement& change) {
    const vec4 sum = vec4_at(f_.contact_state, sum_at(f_, slot));
    const float w = f_.grains[i].velocity.w, w_sum = w + c.inverse_mass;
    const float adhesion_limit = adhesion_limit_of(args_, f_, i, partner, c);
    if (!p2_active(c, sum.w, adhesion_limit, w_sum))
      return false;
    vec3 friction_impulse(sum);
    float pressure = std::max(sum.w, 0.0f), w_parts = w_sum;
    Shares shares{1.0f, 1.0f};
    if (split_) {
      w_parts = shared_w(args_, f_, i, partner, c.inverse_mass);
      shares = {w_sum / w_parts, w_sum / w_parts};
    } else if (by_weight_) {
      const float weight = weight_of(args_, f_, i, c, contact_bears(c, pressure, adhesion_limit));
      const bool closes = args_.iteration > 0 && !(sum.w > 0.0f);
      shares = shares_of(args_, f_, i, partner, c.inverse_mass, weight, closes, weight_over_p2);
    }
    const PairLaw& law = law_of(f_, i, partner);
    if (&law != law_ || w_parts != w_) {
      law_ = &law;
      w_ = w_parts;
      relax_ = relaxation(law, w_parts, args_.h, static_cast<float>(args_.iterations));
    }
    const bool memory = f_.settings[0].contacts.memory;
    const vec3 slipped = memory ? vec3_at(f_.contact_state, shear_at(f_, slot)) : vec3(0.0f);
    const Sliding s = sliding_of(args_, f_, i, partner, c);
    change.way = p2_iterate(c, relax_, shares, s.way, memory, slipped, adhesion_limit, s.across, law, friction_impulse,
                            pressure);
    if (f_.settings[0].solver.rotation != rotation_off) {
      change.rolling = resist(s.turn, shares, slot, w_sum, law.rolling * (pressure + adhesion_limit));
      change.turn = turn_couple(c, s.turn, vec3(sum) - friction_impulse, change.rolling);
    }
    put(f_.contact_state, sum_at(f_, slot), vec4(friction_impulse, pressure));
    if (by_weight_)
      weight_next = pressure > 0.0f ? weight_of(args_, f_, i, c, pressure + adhesion_limit) : 0.0f;
    return true;
  }

  // Part of a change that falls to the grain, of inverse mass w.
  float part(float w, const Contact& c) const {
    return p2_part(c, w, f_.settings[0].domain.down, f_.settings[0].solver.error_reduction);
  }

  // A grain's corrections, of which it takes the sum, or the mean.
  struct Mean {
    vec3 correction{0.0f}, turn{0.0f};
    float weights = 0.0f, weights_next = 0.0f;
    BodyPushes pushes;
  };

  // Grain i's contact in `slot`.
  void touch(uint i, std::size_t slot, Mean& mean) {
    const uint partner = partner_at(f_, i, slot);
    const Contact c = contact_with(f_, i, partner, args_.h);
    const float w = f_.grains[i].velocity.w;
    Displacement change;
    if (!solve(i, partner, c, slot, change))
      return;
    const float own = part(w, c);
    mean.correction += own * change.way;
    mean.turn += own * change.turn;
    mean.weights += 1.0f;
    mean.weights_next += weight_next;
    if (!is_body(partner))
      return;
    const float mass = p2_mass(c, w, own);
    mean.pushes.note(partner, push_point(args_, f_, i, c), mass * change.way,
                     f_.grains[i].position.w * mass * change.rolling);
  }

  // Grain i, and what bodies get of it.
  void move(uint i, const Mean& mean, Grain& grain) {
    if (by_weight_)
      f_.contact_weights[weights_at(args_, i, args_.iteration + 1)] = mean.weights_next;
    const float scale = by_mean_ && mean.weights > 0.0f ? 1.0f / mean.weights : 1.0f;
    mean.pushes.add(f_, i, scale / args_.h);
    const bool moves = grain.velocity.w > 0.0f && mean.weights > 0.0f;
    if (moves)
      displace(args_, grain, scale * mean.correction);
    if (f_.settings[0].solver.rotation != rotation_off)
      turn(args_, f_, i, moves ? scale * mean.turn : vec3(0.0f));
  }

private:
  const Args& args_;
  Fields& f_;
  bool split_, by_weight_, by_mean_;
  const PairLaw* law_ = nullptr;
  float w_ = 0.0f;
  Relaxation relax_{};

  // The resistance to rolling in this iteration [m]. Its sums are kept in `slot`.
  vec3 resist(const Turn& t, Shares shares, std::size_t slot, float w_sum, float limit) {
    if (f_.settings[0].solver.rotation != rotation_rolling)
      return vec3(0.0f);
    vec3 sum = vec3_at(f_.contact_state, roll_sum_at(f_, slot));
    const vec3 roll = f_.settings[0].contacts.memory ? vec3_at(f_.contact_state, roll_at(f_, slot)) : vec3(0.0f),
               change = resist_rolling(t, shares.tangential, w_sum, roll, limit, args_.h, sum);
    put(f_.contact_state, roll_sum_at(f_, slot), sum);
    return change;
  }
};

// What the contact in `slot` of grain i keeps of its slip for the next substep.
inline void p2_remember_contact(const Args& args, Fields& f, uint i, std::size_t slot) {
  const uint partner = partner_at(f, i, slot);
  const PairLaw& law = law_of(f, i, partner);
  const float normal = f.contact_state[normal_at(f, slot)];
  const bool rolls = f.settings[0].solver.rotation == rotation_rolling;
  if (!(normal > 0.0f) && !(law.adhesion > 0.0f)) {
    put(f.contact_state, shear_at(f, slot), vec3(0.0f));
    if (rolls)
      put(f.contact_state, roll_at(f, slot), vec3(0.0f));
    return;
  }
  const Contact c = contact_with(f, i, partner, args.h);
  const float w_sum = f.grains[i].velocity.w + c.inverse_mass,
              adhesion_limit = adhesion_limit_of(args, f, i, partner, c);
  const Sliding s = sliding_of(args, f, i, partner, c);
  put(f.contact_state, shear_at(f, slot),
      p2_slipped(c, vec3_at(f.contact_state, shear_at(f, slot)), s.way, normal, adhesion_limit, s.across, law));
  if (rolls)
    put(f.contact_state, roll_at(f, slot),
        p2_rolled(s.turn, w_sum, vec3_at(f.contact_state, roll_at(f, slot)), normal, adhesion_limit, law, args.h));
}

}  // namespace talus::reference
