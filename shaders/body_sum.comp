#version 460
#extension GL_GOOGLE_include_directive : require
// The load of each body in a step that is complete: the sum of the records, which begin anew. A workgroup per body.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 3, scalar) buffer SumBlock { uint body_sums[]; };
layout(set = 0, binding = 4, scalar) buffer LoadBlock { BodyLoad body_load[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer LoadsBlock { BodyLoad body_loads[]; };

shared uint sum_low[6], sum_high[6], uncounted;

float sum_of(uint n) {
  uint low = sum_low[n], high = sum_high[n];
  if (high < 0x80000000u)
    return float(high) * 4294967296.0 + float(low);
  low = ~low + 1u;
  high = ~high + (low == 0u ? 1u : 0u);
  return -(float(high) * 4294967296.0 + float(low));
}

vec3 sums_of(uint n) { return vec3(sum_of(n), sum_of(n + 1u), sum_of(n + 2u)); }

void main() {
  uint body = group_index(), lane = gl_LocalInvocationID.x;
  if (body >= settings.bodies || status.halt != halt_none)
    return;
  if (lane == 0u)
    uncounted = 0u;
  if (lane < 6u)
    sum_low[lane] = sum_high[lane] = 0u;
  barrier();
  uint records = load_words * load_copies * body;
  for (uint k = lane; k < 6u * load_copies; k += group_size) {
    uint n = k % 6u, word = records + load_words * (k / 6u) + 2u * n;
    uint low = body_sums[word], before = atomicAdd(sum_low[n], low);
    atomicAdd(sum_high[n], body_sums[word + 1u] + (before > ~low ? 1u : 0u));
    body_sums[word] = body_sums[word + 1u] = 0u;
  }
  for (uint copy = lane; copy < load_copies; copy += group_size) {
    uint word = records + load_words * copy + load_uncounted;
    atomicAdd(uncounted, body_sums[word]);
    body_sums[word] = 0u;
  }
  barrier();
  if (lane != 0u)
    return;
  float dt = args.h * float(args.substeps), share = bodies[body].load_share;
  BodyLoad load = body_load[body];
  load.force = sums_of(0u) * settings.load_quantum.x / dt;
  load.torque = sums_of(3u) * settings.load_quantum.y / dt;
  load.force_filtered += share * (load.force - load.force_filtered);
  load.torque_filtered += share * (load.torque - load.torque_filtered);
  load.uncounted += uncounted;
  body_load[body] = load;
  body_loads[args.step * settings.bodies + body] = load;
}
