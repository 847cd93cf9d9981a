// What the passes of vts and sp share: contacts that push by impulses. Those of a contact are kept as seen from the grain whose row
// it is in; both sides compute them from the same numbers with opposite signs, so that they stay exactly opposite and momentum is
// kept to rounding.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 2, scalar) readonly buffer PairBlock { PairLaw pair_laws[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"

// Impulse by which adhesion can pull in a substep: over the cross-section of the smaller grain, fading out over the gap.
float hold_of(PairLaw law, float gap, float radius) {
  if (law.adhesion == 0.0)
    return 0.0;
  float fade = clamp(2.0 - gap / (adhesion_reach * radius), 0.0, 1.0);
  return fade * args.h * law.adhesion * pi * radius * radius;
}

// Does a contact with this impulse slide? It was at the edge of a friction cone when the last substep ended, and has not turned back
// since. Decided once a substep: within the iterations the pressure is not yet what it will be, and contacts that let go on that account
// keep a heap restless. The speed of the slip is no part of it: contacts that stick again as soon as they are slow enough stick and slip
// for ever.
bool slides(vec3 drag, vec3 slip, float grip, float w_sum, PairLaw law) {
  if (dot(drag, slip) > turned_back * w_sum * dot(drag, drag))
    return false;
  float size = length(drag);
  float at_rest = law.friction_static * grip, in_motion = law.friction_kinetic * grip;
  return abs(size - in_motion) <= 1e-4 * in_motion || size >= (1.0 - 1e-4) * at_rest;
}

// A tangential vector of a contact whose normal has turned: of the same length, unless little of it is left in the new plane.
vec3 turned(vec3 t, vec3 n) {
  vec3 u = t - dot(t, n) * n;
  float before = dot(t, t), after = dot(u, u);
  return after > 0.0 ? min(sqrt(before / after), 2.0) * u : vec3(0.0);
}

bool has(uint option) { return (settings.options & option) != 0u; }
