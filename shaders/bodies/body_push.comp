#version 460
#extension GL_GOOGLE_include_directive : require
// What grains have done to a dynamic body since the last time, between the iterations of a substep. A workgroup per body.
#include "shared/body_receive.glsl"

void main() {
  if (!receive())
    return;
  bool total = settings.bodies.total_push != 0u;
  rigid_states[body].impulse = total ? impulse : rigid_states[body].impulse + impulse;
  rigid_states[body].moment = total ? moment : rigid_states[body].moment + moment;
  set_motion(body);
}
