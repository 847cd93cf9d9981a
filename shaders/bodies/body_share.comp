#version 460
#extension GL_GOOGLE_include_directive : require
// Among how many contacts a dynamic body shares its mass in this substep, and which bodies it could touch.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 5, scalar) readonly buffer ContactsBlock { uint body_contacts[]; };
layout(set = 0, binding = 6, scalar) readonly buffer IgnoresBlock { uint body_ignores[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer NearBlock { uint body_near[]; };
#include "shared/space.glsl"

bool near(uint a, uint b) {
  precise float reach = bodies[a].reach + bodies[b].reach + worlds[a / settings.bodies.count].lists.skin;
  precise vec3 offset = bodies[a].motion.position - bodies[b].motion.position;
  return a != b && bodies[b].parts > 0u && squared(shortest(offset)) < reach * reach;
}

void main() {
  uint body = element_index();
  if (body >= settings.worlds.count * settings.bodies.count || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return;
  float contacts = max(1.0, float(body_contacts[body]) + rigid_states[body].points);
  // What stands on a sleeping body does the same in every substep.
  bodies[body].split = bodies[body].asleep != 0u ? rigid_states[body].rest.split : contacts;
  uint words = body_words(settings.bodies.count), first = body - body % settings.bodies.count;
  for (uint word = 0u; word < words; ++word) {
    uint bits = 0u;
    for (uint k = 0u; k < 32u && 32u * word + k < settings.bodies.count; ++k)
      if (near(body, first + 32u * word + k))
        bits |= 1u << k;
    body_near[body * words + word] = bits & ~body_ignores[body * words + word];
  }
}
