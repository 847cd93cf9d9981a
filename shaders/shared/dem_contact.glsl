// A grain's substep of dem. Needs settings, grains and grain_tag in scope.
#include "shared/body_load.glsl"
#include "shared/dem_spring.glsl"
#include "shared/pair_law.glsl"

uint self, tag;
Grain grain;
vec3 change;

void begin(uint i) {
  self = i;
  grain = grains[i];
  tag = grain_tag[i];
  change = vec3(0.0);
}

// Adds what a contact does to the grain; returns the contact's spring, which was `shear` before. with_grain: the partner is one.
vec3 respond(Contact c, uint partner, bool with_grain, vec3 shear) {
  float h = args.h, r = grain.position.w, w = grain.velocity.w;
  PairLaw law = law_of(tag, partner, with_grain);
  DemSpring spring = spring_of(law, with_grain, c, w, r);
  DemContact d = dem_contact(c, spring, law, grain.velocity.xyz, w, r, change, h * settings.domain.gravity, !with_grain,
                             settings.contacts.reach > 0.0, settings.contacts.restitution != 0u, h);
  if (!d.touches)
    return vec3(0.0);
  vec3 response = dem_respond(d, c, spring, law, with_grain ? 1.0 : across_share(c, w), settings.contacts.restitution != 0u, h, shear);
  change += w / d.w_sum * response;
  if (!with_grain && is_body(partner))
    add_load(partner, c.point, response / d.w_sum);
  return shear;
}

vec3 respond(uint partner, vec3 shear) {
  return respond(contact_with(partner, self, grain.position.xyz, grain.position.w), partner, is_grain(partner), shear);
}

Grain end() {
  if (grain.velocity.w > 0.0)
    grain.velocity.xyz += change + args.h * settings.domain.gravity;
  grain.position.xyz += args.h * grain.velocity.xyz;
  return grain;
}
