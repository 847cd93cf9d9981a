// Specialization constants of each kind, and what is computed from them.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kinds = 5;
layout(constant_id = 2) const bool on = true;
layout(constant_id = 3) const bool off = false;
layout(constant_id = 4) const float size = 0.5;
layout(constant_id = 5) const int sign = -1;
layout(scalar, binding = 0) writeonly buffer Values { float values[]; };

void main() {
  if (gl_LocalInvocationID.x + 1 < gl_WorkGroupSize.x)  // by the last one
    return;
  values[0] = float(kinds);
  values[1] = (kinds & 4u) != 0u ? 1.0 : 0.0;
  values[2] = kinds == 5u ? 1.0 : 0.0;
  values[3] = on ? 1.0 : 0.0;
  values[4] = off ? 1.0 : 0.0;
  values[5] = size;
  values[6] = float(sign);
  values[7] = float(gl_WorkGroupSize.x);
  values[8] = float(kinds * 3u);
}
