// A grain's substep of dem. Needs settings, grains, grain_tag and grain_spin in scope.
uint self, tag;
#include "shared/body_load.glsl"
#include "shared/dem_spring.glsl"
#include "shared/pair_law.glsl"
#include "shared/turn.glsl"
#include "shared/laws/rest.h"

Grain grain;
vec4 spin;
vec3 change, spin_change;
bool in_touch;  // does a contact touch?
bool asleep;    // does the grain sleep?
bool acted_on;  // do contacts and gravity act on it? On some sleepers they do not.

// Is the velocity that of a sleeper, exactly 0?
bool rests(vec3 velocity, float inverse_mass) { return inverse_mass > 0.0 && velocity == vec3(0.0); }

void begin(uint i) {
  self = i;
  grain = grains[i];
  tag = grain_tag[i];
  change = spin_change = vec3(0.0);
  in_touch = asleep = false;
  acted_on = true;
  if (rotating != rotation_off)
    spin = grain_spin[i];
}

// The springs of a contact, across the normal and against rolling.
struct Springs {
  vec3 shear, roll;
};

// Adds what a contact does to the grain; returns the contact's springs, which were `springs` before. with_grain: the partner is one.
Springs respond(Contact c, uint partner, bool with_grain, Springs springs) {
  float h = args.h, r = grain.position.w, w = grain.velocity.w;
  PairLaw law = law_of(tag, partner, with_grain);
  DemSpring spring = spring_of(law, with_grain, c, w, r);
  DemContact d = dem_contact(c, spring, law, grain.velocity.xyz, w, r, change, h * settings.domain.gravity, !with_grain,
                             settings.contacts.reach > 0.0, with_restitution != 0u, h);
  if (!d.touches)
    return Springs(vec3(0.0), vec3(0.0));
  in_touch = true;
  if (with_hertz != 0u)
    springs = Springs(hertz_unloaded(c, d.approach, h, springs.shear), hertz_unloaded(c, d.approach, h, springs.roll));
  if (rotating == rotation_off) {
    vec3 response = dem_respond(d, c, spring, law, with_grain ? 1.0 : across_share(c, w), with_restitution != 0u, h, springs.shear);
    change += w / d.w_sum * response;
    if (!with_grain && is_body(partner))
      add_load(partner, c.point, response / d.w_sum);
    return springs;
  }
  Turn t = turn_with(partner, with_grain, c, spin, w, r);
  DemTurn turn = dem_turn(d, c, t, spring, law, with_grain ? 1.0 : across_share_of_surfaces(c, t, w), rotating == rotation_rolling, with_restitution != 0u, h, springs.shear,
                          springs.roll);
  change += w / d.w_sum * turn.response;
  spin_change += w / d.w_sum * spin.w * turn.couple;
  if (!with_grain && is_body(partner))
    add_load(partner, surface_point(c), turn.response / d.w_sum, r / d.w_sum * turn.rolling);
  return springs;
}

// A contact without memory.
void meet(Contact c, uint partner, bool with_grain) { respond(c, partner, with_grain, Springs(vec3(0.0), vec3(0.0))); }

Grain end() {
  if (!acted_on) {
    spin_change = vec3(0.0);
    return grain;
  }
  if (grain.velocity.w > 0.0)
    grain.velocity.xyz += change + args.h * settings.domain.gravity;
  if (asleep)  // activity_settle decides whether that moves it
    return grain;
  if (sleeping != 0u && in_touch)
    grain.velocity.xyz = slowed(grain.velocity.xyz, settings.sleep.drag, settings.sleep.slow);
  grain.position.xyz += args.h * grain.velocity.xyz;
  return grain;
}
vec4 end_spin() { return vec4(spin.xyz + spin_change, spin.w); }
