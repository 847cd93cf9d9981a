#version 460
#extension GL_GOOGLE_include_directive : require
// What grains have done to a dynamic body since the last time, between the iterations of a substep. A workgroup per body.
#include "shared/pass.glsl"
#include "shared/rotation.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) buffer SumBlock { uint body_sums[]; };
layout(set = 0, binding = 4, scalar) readonly buffer RigidBlock { Rigid rigid[]; };
layout(set = 0, binding = 5, scalar) buffer StateBlock { RigidState rigid_states[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CommandBlock { RigidCommand rigid_commands[]; };
#include "shared/body_records.glsl"
#include "shared/body_joint.glsl"

void main() {
  uint body = group_index();
  if (body >= settings.bodies || status.halt != halt_none || !(rigid[body].mass > 0.0))
    return;
  take_records(body, load_points);
  if (gl_LocalInvocationID.x != 0u)
    return;
  bool total = (settings.options & option_total_push) != 0u;
  vec3 impulse = sums_of(0u) * settings.load_quantum.x, moment = sums_of(3u) * settings.load_quantum.y;
  rigid_states[body].impulse = total ? impulse : rigid_states[body].impulse + impulse;
  rigid_states[body].moment = total ? moment : rigid_states[body].moment + moment;
  set_motion(body);
}
