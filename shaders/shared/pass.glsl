// What every pass begins with.
#extension GL_EXT_scalar_block_layout : require
#include "shared/types.h"

layout(local_size_x = 128) in;  // group_size
layout(push_constant, scalar) uniform Push { Args args; };

// Number of this thread's workgroup over both dispatch axes, and of this thread.
uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint element_index() { return group_index() * group_size + gl_LocalInvocationID.x; }
