#pragma once
// Motion and mass of a contact as the methods see them that correct predicted positions: between iterations velocity *
// h is the displacement p - x of the substep.
#include "engine/reference/space.h"

namespace talus::reference {

// What the grain moved relative to its partner since the start of the substep.
inline vec3 relative_way(const Args& args, const Fields& f, uint i, const Contact& c) {
  return args.h * (vec3(f.grains[i].velocity) - c.velocity);
}

// Displacement of two grains that adhesion may take back in the substep: pressure times the area of contact (Holz 2014,
// eq 36). The area is that at the start: it decides what pulling the two apart takes.
inline float adhesion_budget(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const float adhesion = law_of(f, i, partner).adhesion;
  if (!(adhesion > 0.0f))
    return 0.0f;
  const float r = f.grains[i].position.w, smaller = std::min(r, c.radius);
  const vec3 way = relative_way(args, f, i, c);
  const float gap = partner >= body_partner ? c.gap - glm::dot(way, c.normal)
                                            : glm::length((c.gap + r + c.radius) * c.normal - way) - (r + c.radius);
  const float ratio = std::clamp(-gap / smaller, 0.0f, 1.0f) - 1.0f;
  const float area = pi * smaller * smaller * (1.0f - ratio * ratio);
  return args.h * args.h * (f.grains[i].velocity.w + c.inverse_mass) * adhesion * area;
}

// v turned with the contact into the plane across n: its part along n goes, its length stays.
inline vec3 turned(vec3 v, vec3 n) {
  const vec3 t = v - glm::dot(v, n) * n;
  const float length = glm::length(t);
  return length > 0.0f ? t * (glm::length(v) / length) : vec3(0.0f);
}

// Do the contacts of a grain share its mass by weight? They have equal parts of it, or their mean is taken, otherwise.
inline bool by_weight(const Settings& settings) {
  return settings.iteration == iteration_jacobi && !(settings.options & option_plain_mean);
}
// Is the plain mean of a grain's contacts taken, which does not conserve momentum?
inline bool by_mean(const Settings& settings) {
  return settings.iteration == iteration_jacobi && (settings.options & option_plain_mean);
}

// Weight of a contact of a grain of inverse mass w and radius r when its mass is shared [kg], equal on both sides of
// the contact: W = b / (b + c) / (w + w_j), where b [m] is what the contact bears and c [m] the correction that carries
// a grain. Without the mass in it, a boulder's one contact with the floor would count as one of a hundred contacts with
// pebbles. A contact bears its normal correction so far and its overlap, and what adhesion may take back (p2). The sums
// leave the overlap out, so that a contact that is alone always moves the whole mass.
inline float contact_weight(const Args& args, const Fields& f, float w, float r, const Contact& c, float bears) {
  if (!(w + c.inverse_mass > 0.0f))
    return 0.0f;
  const float carries =
      weight_carry * args.h * args.h * glm::length(f.settings[0].gravity) + weight_least * std::min(r, c.radius);
  return bears / (bears + carries) / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w));
}

// Parts of the correction of two whole masses that a contact applies, equal on both sides: along its normal and across.
struct Shares {
  float normal = 1.0f, tangential = 1.0f;
};

// A grain gives its contact the part min(o W / sum W, 1) of its mass, where o is the over-relaxation; w / part is then
// the inverse mass that the contact moves, of which both sides have one. closes: the contact has borne nothing so far
// and is not in the sums.
inline Shares shares_by_weight(const Fields& f, uint i, uint partner, float w, float w_other, float weight, bool closes,
                               float over_normal) {
  if (!(weight > 0.0f))
    return {0.0f, 0.0f};
  const float uncounted = closes ? 1.0f : 0.0f;
  const float own = f.contact_weights[i] / weight + uncounted,
              other = is_grain(partner) ? f.contact_weights[partner] / weight + uncounted : 0.0f;
  const auto share = [&](float over) {
    return (w + w_other) / (w * std::max(own / over, 1.0f) + w_other * std::max(other / over, 1.0f));
  };
  const float sor = f.settings[0].sor;
  return {share(std::min(over_normal * sor, weight_over_most)), share(std::min(sor, weight_over_most))};
}

// Parts that a grain's mass is split into, one for each contact that shares it, at least 1.
inline float parts(const Fields& f, uint i) {
  return std::max(f.contact_weights[i], 1.0f);
}

inline void displace(const Args& args, Grain& grain, vec3 way) {
  const float r = grain.position.w, w = grain.velocity.w;
  grain.position = vec4(vec3(grain.position) + way, r);
  grain.velocity = vec4(vec3(grain.velocity) + way / args.h, w);
}

}  // namespace talus::reference
