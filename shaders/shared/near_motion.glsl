// Needs settings, near_motion, fine.h and near.glsl in scope.

// The fastest kind of motion of the coarse grains within reach of p [m]: near_still, near_moves or near_stirs.
uint motion_near(vec3 p) { return near_motion[near_block(near_home(near_cell(p)), settings.near_grid.bits)]; }
