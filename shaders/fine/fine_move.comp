#version 460
#extension GL_GOOGLE_include_directive : require
// Fine grains follow the coarse ones around them (Ihmsen et al. 2012, Sommer and Schwanecke 2022, section 4): by the mean of their
// velocities, and the looser the more by gravity. Beyond the paper, unless it is asked for plainly: where enough coarse grains are
// near they carry all of it, so that what lies on them rests with them; what crowds makes room (fine_density); and nothing is left inside
// walls and bodies.
#include "shared/pass.glsl"
#include "shared/fine.h"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { uint near_start[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CarrierBlock { AdvectingGrain advecting[]; };
layout(set = 0, binding = 4, scalar) readonly buffer CrowdBlock { uint density_count[]; };
layout(set = 0, binding = 5, scalar) readonly buffer OwnerBlock { uint density_owner[]; };
layout(set = 0, binding = 6, scalar) buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 7, scalar) buffer ClearBlock { float fine_clear[]; };
layout(set = 0, binding = 8, scalar) readonly buffer MotionBlock { uint near_motion[]; };
#include "shared/space.glsl"
#include "shared/solid.glsl"
#include "shared/fine_contact.glsl"
#include "shared/near.glsl"
#include "shared/near_motion.glsl"
#include "shared/fine_flow.glsl"
#include "shared/fine_density.glsl"

void main() {
  uint i = element_index();
  if (i >= args.fine.places || fine_grains[i].position.w == 0.0)
    return;
  Grain grain = fine_grains[i];
  float h = status.fine.h, since = time_since(h);
  bool plain = settings.fine.plain_advection != 0u;
  vec3 from = grain.position.xyz, velocity = grain.velocity.xyz;
  uint motion = motion_near(from);
  float clear = clear_before(i);
  if (motion == near_still && (i / group_size + status.fine.moves) % fine_look != 0u && may_rest(grain, clear)) {
    fine_clear[i] = clear;
    return;
  }
  Flow flow = flow_around(from, velocity);
  float loose = looseness(flow.sums, plain);
  vec3 mean = flow.sums.sum == 0.0 ? velocity : motion == near_still ? vec3(0.0) : velocity + flow.sums.way / flow.sums.sum;
  vec4 body = no_body_near;
  if (settings.bodies.count > 0u && clear <= body_sight())
    body = nearest_body(from, since, clear);
  vec3 give = plain || motion != near_stirs || !(flow.sums.sum > fine_dense)
                  ? vec3(0.0)
                  : room(grain.position, aim_of(flow.sums, settings.near_grid.radius, settings.density_grid.sum), h * max(0.0, stir_of(flow.sums) - density_still), body);
  FineGrain g;
  g.velocity = (1.0 - loose) * mean + loose * (velocity + h * settings.domain.gravity);
  g.place = from + (since * g.velocity + give);
  g.radius = grain.position.w;
  g.loose = loose;
  leave_ball(g, flow);
  leave_solids(g, from, since, clear);
  fine_clear[i] = clear;
  fine_grains[i] = Grain(vec4(into_periods(g.place), g.radius), vec4(g.velocity, loose));
}
