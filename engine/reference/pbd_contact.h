#pragma once
// Contacts of position-based dynamics.
#include "engine/reference/load.h"
#include "engine/reference/relative.h"

namespace talus::reference {

// What the contact in `slot` changes the distance vector of grain i and its partner by, and the part of it that falls
// to grain i; false where the two do not overlap. The sums go on in `slot`.
struct PbdChange {
  vec3 way;
  float part, impulse;  // h [s] times the impulse per way [kg]
  float weight;         // by which the contact shares in the next iteration, even if it does not touch now [kg]
};
inline bool pbd_contact(const Args& args, Fields& f, uint i, uint partner, const Contact& c, std::size_t slot,
                        PbdChange& change) {
  const Settings& settings = f.settings[0];
  const float w = f.grains[i].velocity.w;
  const vec4 sum = vec4_at(f.contact_sum, slot);
  const bool after = settings.options & option_friction_after, last = args.iteration + 1 == args.iterations;
  const bool touches = c.gap < -gap_least * std::min(f.grains[i].position.w, c.radius);
  const auto weight_of = [&](float bears) { return contact_weight(args, f, w, f.grains[i].position.w, c, bears); };
  change.weight = by_weight(settings) ? weight_of(sum.w) : 0.0f;
  if (!(w + c.inverse_mass > 0.0f) || !(touches || (after && last && sum.w > 0.0f)))
    return false;
  // Mass scaling: w exp(k z) at height z, of which only the ratio of the two matters.
  const float rise = (c.gap + f.grains[i].position.w + c.radius) * glm::dot(c.normal, settings.down);
  const float w_other = c.inverse_mass * std::exp(std::clamp(settings.mass_scaling * rise, -60.0f, 60.0f)),
              w_sum = w + w_other;
  Shares shares;
  if (settings.iteration == iteration_mass_splitting) {
    shares.normal = w_sum / (w * parts(f, i) + w_other * (is_grain(partner) ? parts(f, partner) : 1.0f));
    shares.tangential = shares.normal;
  } else if (by_weight(settings)) {
    const bool closes = args.iteration > 0 && !(sum.w > 0.0f);
    // Friction afterwards takes all of the slip at once: its parts must add up to 1, as the weights of the sums do.
    const bool once = after && last && sum.w > 0.0f;
    const float bears = once ? sum.w : sum.w + std::max(-c.gap, 0.0f);
    shares = shares_by_weight(f, i, partner, w, w_other, weight_of(bears), closes, weight_over_pbd);
    change.weight = weight_of(sum.w + shares.normal * std::max(-c.gap, 0.0f));
  }

  const vec3 way = relative_way(args, f, i, c), slip = way - glm::dot(way, c.normal) * c.normal;
  const float pushed = shares.normal * std::max(-c.gap, 0.0f), normal = sum.w + pushed;
  vec3 before(0.0f);
  float bound = pushed;
  if (after) {
    bound = last ? args.h * args.h * shares.tangential * glm::length(settings.gravity) : 0.0f;
  } else if (!(settings.options & option_per_iteration)) {
    before = vec3(sum);
    bound = normal;
  }
  const PairLaw& law = law_of(f, i, partner);
  vec3 drag = before - glm::dot(before, c.normal) * c.normal + shares.tangential * across_share(c, w) * slip;
  const float length = glm::length(drag);
  if (length > law.friction_static * bound)
    drag *= std::min(law.friction_kinetic * bound / length, 1.0f);
  put(f.contact_sum, slot, vec4(drag, normal));
  change.way = pushed * c.normal - (drag - before);
  change.part = w / w_sum;
  change.impulse = 1.0f / w_sum;
  return true;
}

// A grain's corrections, of which it takes the sum, or the mean.
struct PbdMean {
  vec3 correction{0.0f};
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
  mean.weights += 1.0f;
  if (is_body(partner))
    mean.pushes.note(f, i, partner, c.point, change.impulse * change.way);
}

// Grain i after it, and what bodies get of it.
inline void pbd_move(const Args& args, Fields& f, uint i, const PbdMean& mean, Grain& grain) {
  const Settings& settings = f.settings[0];
  if (by_weight(settings))
    f.contact_weights_next[i] = mean.weights_next;
  const float sor = by_weight(settings) ? 1.0f : settings.sor;  // the shares have it
  const float scale = by_mean(settings) && mean.weights > 0.0f ? sor / mean.weights : sor;
  mean.pushes.add(f, i, scale / args.h);
  if (grain.velocity.w > 0.0f && mean.weights > 0.0f)
    displace(args, grain, scale * mean.correction);
}

// Before the substep: what takes grain i out of its partner in `slot`.
inline void pbd_part(const Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  const float w = f.grains[i].velocity.w;
  const Contact c = contact_with(f, i, partner_at(f, i, slot));
  if (!(w > 0.0f) || c.gap >= 0.0f)
    return;
  // By the mass at the contact: the papers' plain mean where partners are alike.
  const bool plain = f.settings[0].options & option_plain_mean;
  const float weight = plain ? 1.0f : 1.0f / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w));
  mean.correction -= weight * w / (w + c.inverse_mass) * c.gap * c.normal;
  mean.weights += weight;
}

}  // namespace talus::reference
