#version 460
#extension GL_GOOGLE_include_directive : require
// At the ends of steps between their moves, fine grains go on as they did, past walls and bodies.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 1, scalar) buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 3, scalar) buffer ClearBlock { float fine_clear[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/fine_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0)
    return;
  Grain grain = fine_grains[i];
  float since = time_since(status.fine.time);
  float clear = clear_before(i);
  if (may_rest(grain, clear)) {
    fine_clear[i] = clear;
    return;
  }
  FineGrain g = FineGrain(grain.position.xyz + since * grain.velocity.xyz, grain.velocity.xyz, grain.position.w, grain.velocity.w);
  leave_solids(g, grain.position.xyz, since, clear);
  fine_clear[i] = clear;
  fine_grains[i] = Grain(vec4(into_periods(g.place), g.radius), vec4(g.velocity, g.loose));
}
