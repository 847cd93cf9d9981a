#version 460
#extension GL_GOOGLE_include_directive : require
// The load of each body in a step that is complete: the sum of the records, which begin anew, and the standing record as often as there were
// substeps. A workgroup per body.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) buffer SumBlock { uint body_sums[]; };
layout(set = 0, binding = 4, scalar) buffer LoadBlock { BodyLoad body_load[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer LoadsBlock { BodyLoad body_loads[]; };
layout(set = 0, binding = 6, scalar) buffer StateBlock { RigidState rigid_states[]; };
#include "shared/body_records.glsl"

void main() {
  uint body = group_index();
  if (body >= settings.worlds.count * settings.bodies.count || status.halt != halt_none)
    return;
  take_records(body, load_uncounted);
  add_standing(body, bodies[body].split > 0.0 ? 0u : args.substeps);  // of a dynamic body in each substep
  if (gl_LocalInvocationID.x != 0u)
    return;
  vec3 impulse = sums_of(0u) * settings.bodies.load_quantum.x, moment = sums_of(3u) * settings.bodies.load_quantum.y;
  if (bodies[body].split > 0.0) {  // taken in each substep
    impulse += rigid_states[body].step_impulse;
    moment += rigid_states[body].step_moment;
    rigid_states[body].step_impulse = rigid_states[body].step_moment = vec3(0.0);
    BodyMotion m = rigid_states[body].motion;
    rigid_states[body].push_last = rigid_states[body].push;
    rigid_states[body].push = StepPush(m.rotation, m.velocity, m.spin, vec3(0.0), vec3(0.0));
  }
  float dt = args.h * float(args.substeps), share = bodies[body].load_share;
  BodyLoad load = body_load[body];
  load.force = impulse / dt;
  load.torque = moment / dt;
  load.force_filtered += share * (load.force - load.force_filtered);
  load.torque_filtered += share * (load.torque - load.torque_filtered);
  load.uncounted += sum_word;
  body_load[body] = load;
  body_loads[step_of_batch * settings.worlds.count * settings.bodies.count + body] = load;
}
