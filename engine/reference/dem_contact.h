#pragma once
// The contacts of dem in a substep (shaders/shared/laws/dem.h).
#include "engine/reference/finish.h"
#include "engine/reference/load.h"

namespace talus::reference {

inline DemSpring spring_of(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const float w = f.grains[i].velocity.w, r = f.grains[i].position.w, w_sum = w + c.inverse_mass;
  const float share = partner < body_partner && w_sum > 0.0f ? dem_share(w, r, c.inverse_mass, c.radius) : 1.0f;
  return dem_spring(share, w_sum, law_of(f, i, partner), args.h, f.settings[0].solver.material_stiffness,
                    f.settings[0].contacts.restitution);
}

// Adds what a contact does to grain i to `change`, of its velocity in this substep [m/s]; returns the contact's spring,
// which was `shear` before.
inline vec3 respond(const Args& args, Fields& f, uint i, uint partner, vec3 shear, vec3& change) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  const float h = args.h, w = grain.velocity.w;
  const Contact c = contact_with<true>(f, i, partner);
  const PairLaw& law = law_of(f, i, partner);
  const DemSpring spring = spring_of(args, f, i, partner, c);
  const DemContact d =
      dem_contact(c, spring, law, vec3(grain.velocity), w, grain.position.w, change, h * settings.domain.gravity,
                  partner >= body_partner, settings.contacts.reach > 0.0f, settings.contacts.restitution, h);
  if (!d.touches)
    return vec3(0.0f);
  TALUS_ASSERT(d.w_sum > 0.0f, i, partner, d.w_sum);
  const vec3 response = dem_respond(d, c, spring, law, across_share(c, w), settings.contacts.restitution, h, shear);
  change += w / d.w_sum * response;
  if (is_body(partner))
    add_load(f, i, partner, c.point, response / d.w_sum);
  return shear;
}

// A substep of explicit dynamics. contacts(i, change): adds to `change` what all contacts of grain i change its
// velocity by [m/s].
template <class Contacts> void dem_substep(const Args& args, Fields& f, uint begin, uint end, Contacts contacts) {
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i) {
    vec3 change(0.0f);
    contacts(i, change);
    const Grain& grain = f.grains[i];
    const float r = grain.position.w, w = grain.velocity.w;
    const vec3 v =
        w > 0.0f ? vec3(grain.velocity) + (change + args.h * f.settings[0].domain.gravity) : vec3(grain.velocity);
    f.grains_next[i] = {vec4(vec3(grain.position) + args.h * v, r), vec4(v, w)};
    finish.grain(i, f.grains_next[i]);
  }
  finish.flush();
}

}  // namespace talus::reference
