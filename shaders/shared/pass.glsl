// What every pass begins with.
#extension GL_EXT_scalar_block_layout : require
#include "shared/types.h"

layout(local_size_x = 128) in;  // group_size
layout(push_constant, scalar) uniform Push { Args args; };
// Not a uniform block: lavapipe (Mesa 22.3) compiles a pass anew for the values of uniform blocks that its branches depend on and keeps them
// all, which took tests of many scenes 2 to 3 times the memory and 1.2 to 1.6 times the time.
layout(set = 0, binding = 31, scalar) readonly buffer SettingsBlock {
  Settings settings;
  PairLaw pair_laws[];
};

// Number of this thread's workgroup over both dispatch axes, and of this thread.
uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint element_index() { return group_index() * group_size + gl_LocalInvocationID.x; }

layout(constant_id = 4) const uint many_worlds = 1u;  // constant_worlds

layout(constant_id = 5) const uint periodic_axes = 7u;  // constant_periodic

layout(constant_id = 6) const uint rotating = 2u;  // constant_rotation

layout(constant_id = 7) const uint with_restitution = 1u;  // constant_restitution

layout(constant_id = 9) const uint sleeping = 1u;  // constant_sleep

layout(constant_id = 10) const uint with_hertz = 0u;  // constant_hertz

layout(constant_id = 11) const uint few_registers = 0u;  // constant_few_registers: 1 on devices with gpu::Limits::few_registers

// The step of the batch, from 0; the world of the place of a grain, and the end of a world's places. Where there are several, a workgroup's
// places are of one. A macro, since not every pass has the status.
#define step_of_batch (status.step - args.batch)
#define world_of(i) (many_worlds == 0u ? 0u : (i) / settings.worlds.places)
#define places_end(world) (many_worlds == 0u ? args.grains : ((world) + 1u) * settings.worlds.places)
