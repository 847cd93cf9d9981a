// Everything that the reflection has to describe.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 0, local_size_y = 2, local_size_z = 1) in;
layout(constant_id = 1) const uint extra = 5;

struct Inner {
  vec3 axis;
  uint counts[2];
};
struct Particle {
  vec3 position;
  float radius;
  ivec2 cell;
  Inner inner[2];
  mat2x3 frame;
};
layout(scalar, binding = 5) readonly buffer Particles { Particle particles[]; };
layout(scalar, binding = 2) writeonly buffer Points { vec3 points[]; } points;
layout(scalar, binding = 4) buffer Status { uint total; float most; int cells[3]; } status;
layout(scalar, binding = 7) readonly buffer Table { Inner header; vec3 rows[]; };
layout(scalar, binding = 9) buffer Unused { uint unused[]; };
layout(scalar, push_constant) uniform Args { vec3 shift; uint count; vec3 last; } args;

void main() {
  uint i = gl_GlobalInvocationID.x;
  points.points[i] = particles[i].position + args.shift + args.last + header.axis + rows[i];
  atomicAdd(status.total, extra + args.count);
}
