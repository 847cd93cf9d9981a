#pragma once
// Contacts of Parallel Particles (Holz 2014).
#include "engine/reference/load.h"
#include "engine/reference/relative.h"

namespace talus::reference {

// Shares of the overlap and of the approach that one of n iterations corrects, so that all n together equal one step of
// implicit Euler of a spring-damper between two masses: equations 21 and 28 with 1/m = w.
struct Relaxation {
  float overlap, approach;
};
inline Relaxation relaxation(const PairLaw& law, float w, float h, float n) {
  const float ct = h * law.damping * w, kt = h * h * law.stiffness * w;
  if (!(ct + kt > 0.0f))
    return {0.0f, 0.0f};
  const float share = -std::expm1(-std::log1p(ct + kt) / n) / (ct + kt);
  return {share * kt, share * ct};
}

// Contacts in one iteration, one after another. Most of a grain's have one law and one mass: the two logarithms are
// worth keeping.
class P2Solver {
public:
  P2Solver(const Args& args, Fields& f)
      : args_(args), f_(f), split_(f.settings[0].iteration == iteration_mass_splitting),
        by_weight_(by_weight(f.settings[0])), by_mean_(by_mean(f.settings[0])) {}

  float weight_next = 0.0f;  // by which the contact solved last shares in the next iteration [kg]

  // What the contact in `slot` changes the distance vector of grain i and its partner by; false where it is not active.
  // The sums go on in `slot`.
  bool solve(uint i, uint partner, const Contact& c, std::size_t slot, vec3& change) {
    vec4 sum = vec4_at(f_.contact_sum, slot);
    const float w = f_.grains[i].velocity.w, w_sum = w + c.inverse_mass;
    if (!(w_sum > 0.0f))
      return false;
    const float hold = adhesion_budget(args_, f_, i, partner, c);
    const bool closes = args_.iteration > 0 && !(sum.w > 0.0f);
    if (sum.w < 0.0f) {
      if (c.gap > 0.0f && hold <= 0.0f)
        return false;
      sum.w = 0.0f;
    }
    float w_parts = w_sum;
    if (split_)
      w_parts = w * parts(f_, i) + c.inverse_mass * (is_grain(partner) ? parts(f_, partner) : 1.0f);
    Shares shares{w_sum / w_parts, w_sum / w_parts};  // 1 where masses are whole
    if (by_weight_)
      shares = shares_by_weight(f_, i, partner, w, c.inverse_mass,
                                weight_of(i, c, sum.w + std::max(-c.gap, 0.0f) + hold), closes, weight_over_p2);
    const PairLaw& law = law_of(f_, i, partner);
    if (&law != law_ || w_parts != w_) {
      law_ = &law;
      w_ = w_parts;
      relax_ = relaxation(law, w_parts, args_.h, static_cast<float>(args_.iterations));
    }

    const vec3 way = relative_way(args_, f_, i, c);
    const float approach = glm::dot(way, c.normal);
    const float normal = std::max(0.0f, sum.w - shares.normal * (relax_.overlap * c.gap + relax_.approach * approach));
    const float pushed = normal - sum.w;

    const vec3 before(sum);
    const float held = glm::dot(before, c.normal);
    vec3 slip = way - approach * c.normal;
    if (f_.settings[0].options & option_memory)
      slip += turned(vec3_at(f_.contact_shear, slot), c.normal);
    const vec3 friction = on_cone(before - held * c.normal + shares.tangential * across_share(c, w) * slip,
                                  law.friction_static * normal + hold, law.friction_kinetic * normal + hold);
    const float adhesion = hold > 0.0f ? std::clamp(held + pushed + shares.normal * approach, 0.0f, hold) : 0.0f;
    const vec3 drag = friction + adhesion * c.normal;
    put(f_.contact_sum, slot, vec4(drag, normal));
    if (by_weight_)
      weight_next = normal > 0.0f ? weight_of(i, c, normal + hold) : 0.0f;
    change = pushed * c.normal - (drag - before);
    return true;
  }

  // Part of a change that falls to the grain, of inverse mass w, on whose side the normal points (eq 37). Weighted
  // shares, so that the two always add up to the whole change.
  float part(float w, const Contact& c) const {
    if (!(c.inverse_mass > 0.0f))
      return 1.0f;
    const Settings& settings = f_.settings[0];
    const float lean = settings.error_reduction * glm::dot(c.normal, settings.down);
    const float own = w * (1.0f - lean), other = c.inverse_mass * (1.0f + lean);
    return own / (own + other);
  }

  // A grain's corrections, of which it takes the sum, or the mean.
  struct Mean {
    vec3 correction{0.0f};
    float weights = 0.0f, weights_next = 0.0f;
    BodyPushes pushes;
  };

  // Grain i's contact in `slot`.
  void touch(uint i, std::size_t slot, Mean& mean) {
    const uint partner = partner_at(f_, i, slot);
    const Contact c = contact_with(f_, i, partner, args_.h);
    const float w = f_.grains[i].velocity.w;
    vec3 change;
    if (!solve(i, partner, c, slot, change))
      return;
    const float own = part(w, c);
    mean.correction += own * change;
    mean.weights += 1.0f;
    mean.weights_next += weight_next;
    if (is_body(partner))
      mean.pushes.note(f_, i, partner, c.point, (w > 0.0f ? own / w : 1.0f / c.inverse_mass) * change);
  }

  // Grain i, and what bodies get of it.
  void move(uint i, const Mean& mean, Grain& grain) {
    if (by_weight_)
      f_.contact_weights_next[i] = mean.weights_next;
    const float scale = by_mean_ && mean.weights > 0.0f ? 1.0f / mean.weights : 1.0f;
    mean.pushes.add(f_, i, scale / args_.h);
    if (grain.velocity.w > 0.0f && mean.weights > 0.0f)
      displace(args_, grain, scale * mean.correction);
  }

private:
  float weight_of(uint i, const Contact& c, float bears) const {
    return contact_weight(args_, f_, f_.grains[i].velocity.w, f_.grains[i].position.w, c, bears);
  }

  const Args& args_;
  Fields& f_;
  bool split_, by_weight_, by_mean_;
  const PairLaw* law_ = nullptr;
  float w_ = 0.0f;
  Relaxation relax_{};
};

// What the contact in `slot` of grain i keeps of its slip for the next substep.
inline void p2_remember_contact(const Args& args, Fields& f, uint i, std::size_t slot) {
  const uint partner = partner_at(f, i, slot);
  const float normal = w_at(f.contact_sum, slot);
  if (!(normal > 0.0f)) {
    put(f.contact_shear, slot, vec3(0.0f));
    return;
  }
  const PairLaw& law = law_of(f, i, partner);
  const Contact c = contact_with(f, i, partner, args.h);
  const vec3 way = relative_way(args, f, i, c);
  const float grip = normal / across_share(c, f.grains[i].velocity.w);
  const vec3 slipped = turned(vec3_at(f.contact_shear, slot), c.normal) + way - glm::dot(way, c.normal) * c.normal;
  put(f.contact_shear, slot, on_cone(slipped, law.friction_static * grip, law.friction_kinetic * grip));
}

}  // namespace talus::reference
