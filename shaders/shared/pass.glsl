// What every pass begins with.
#extension GL_EXT_scalar_block_layout : require
#include "shared/types.h"

layout(local_size_x = 128) in;  // group_size
layout(push_constant, scalar) uniform Push { Args args; };

// Number of this thread's workgroup over both dispatch axes, and of this thread.
uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint element_index() { return group_index() * group_size + gl_LocalInvocationID.x; }

layout(constant_id = 4) const uint many_worlds = 1u;  // constant_worlds

layout(constant_id = 5) const uint periodic_axes = 7u;  // constant_periodic

// The step of the batch, from 0; the world of the place of a grain, and the end of a world's places. Where there are several, a workgroup's
// places are of one. Macros, since not every pass has settings or status.
#define step_of_batch (status.step - args.batch)
#define world_of(i) (many_worlds == 0u ? 0u : (i) / settings.places)
#define places_end(world) (many_worlds == 0u ? args.grains : ((world) + 1u) * settings.places)
