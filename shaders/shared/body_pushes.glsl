// Loads of bodies where the corrections of a grain's contacts are averaged: what each of them did is known after the last one.
#include "shared/body_load.glsl"

struct BodyPush {
  uint partner;
  vec3 point, correction;
};
BodyPush pushes[loads_most];
uint pushes_total = 0u;

void note_push(uint partner, vec3 point, vec3 correction) {
  if (pushes_total < loads_most)
    pushes[pushes_total++] = BodyPush(partner, point, correction);
  else
    atomicAdd(body_sums[record_of(partner) + load_uncounted], 1u);
}

// scale: impulse on the grain per correction [kg/s].
void add_pushes(float scale) {
  for (uint k = 0u; k < pushes_total; ++k)
    add_load(pushes[k].partner, pushes[k].point, scale * pushes[k].correction);
}
