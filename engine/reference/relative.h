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

// v, or what Coulomb's law leaves of it where the contact bears no more.
inline vec3 on_cone(vec3 v, float sticking, float sliding) {
  const float length = glm::length(v);
  return length > sticking ? v * (sliding / length) : v;
}

// Weight of a contact in the mean over a grain's contacts: the paper's where partners are alike.
inline float mean_weight(const Fields& f, float w, const Contact& c) {
  if (f.settings[0].options & option_plain_mean)
    return 1.0f;
  return 1.0f / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w));
}

// Parts of its mass that each contact of grain i gets, at least 1.
inline float parts(const Fields& f, uint i) {
  return static_cast<float>(std::max(f.contact_load[i], 1u));
}

inline void displace(const Args& args, Grain& grain, vec3 way) {
  const float r = grain.position.w, w = grain.velocity.w;
  grain.position = vec4(vec3(grain.position) + way, r);
  grain.velocity = vec4(vec3(grain.velocity) + way / args.h, w);
}

}  // namespace talus::reference
