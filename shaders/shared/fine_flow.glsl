// The coarse grains around a fine one. `precise` in what decides, so that the CPU decides the same. Needs settings, near_start, advecting,
// space.glsl and near.glsl in scope.

struct Flow {
  FlowSums sums;
  uint ball;  // a coarse grain that stands for a body and is nearest by its surface; no_partner: none
  float gap;  // m, to that
};

void see(uint j, vec3 p, vec3 v, inout Flow flow, inout float grains) {
  vec4 at = advecting[j].position;
  precise vec3 d = p - at.xyz;
  d = shortest(d);
  float distance2 = squared(d);
  precise float q = distance2 * at.w;
  if (q >= 1.0)
    return;
  vec4 motion = advecting[j].velocity;
  add_to_flow(d, q, motion.xyz - v, flow.sums);
  if (motion.w > 0.0) {
    grains = 1.0;
    return;
  }
  float gap = sqrt(distance2) + motion.w;
  if (gap < flow.gap) {
    flow.gap = gap;
    flow.ball = j;
  }
}

// v: of the fine grain. Grains that stand for bodies count only where others are near, or fine grains would stick to bodies that leave.
Flow flow_around(vec3 p, vec3 v) {
  Flow flow = Flow(FlowSums(0.0, 0.0, vec3(0.0), vec3(0.0), 0.0), no_partner, 3.4e38);
  float grains = 0.0;
  vec3 place = near_place(p);
  ivec3 home = ivec3(floor(place));
  vec3 within = place - vec3(home), reach = near_reach * settings.near_grid.radius * settings.near_grid.inverse;  // cells
  for (int z = -2; z <= 2; ++z)
    for (int y = -2; y <= 2; ++y) {
      // How far this row of cells is off, in reaches; and how far along it others are near.
      vec2 off = max(max(vec2(y, z) - within.yz, within.yz - vec2(y, z) - 1.0), vec2(0.0)) / reach.yz;
      float left = 1.0 - dot(off, off);
      if (left <= 0.0)
        continue;
      float half_row = 1.0001 * reach.x * sqrt(left);
      int low = max(-2, int(floor(within.x - half_row))), high = min(2, int(floor(within.x + half_row)));
      // One stretch of memory, unless the table's or the domain's edge lies between.
      uint first = near_key(home + ivec3(low, y, z)), last = near_key(home + ivec3(high, y, z));
      bool row = last - first == uint(high - low);
      for (int x = low; x <= high; x += row ? 5 : 1) {
        uint key = row ? first : near_key(home + ivec3(x, y, z));
        uint end = near_start[(row ? last : key) + 1u];
        for (uint j = near_start[key]; j < end; ++j)
          see(j, p, v, flow, grains);
      }
    }
  if (grains == 0.0) {
    flow.sums.sum = flow.sums.most = 0.0;
    flow.sums.way = vec3(0.0);
  }
  return flow;
}

// Out of the grain that stands for a body.
void leave_ball(inout FineGrain g, Flow flow) {
  if (flow.ball == no_partner)
    return;
  vec3 d = shortest(g.place - advecting[flow.ball].position.xyz);
  float len = length(d), depth = g.radius - advecting[flow.ball].velocity.w - len;
  if (depth > fine_touch * g.radius)
    leave(g, len > 0.0 ? d / len : vec3(0.0, 0.0, 1.0), depth, advecting[flow.ball].velocity.xyz, settings.fine.friction);
}
