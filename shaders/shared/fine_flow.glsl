// The coarse grains around a fine one. `precise` in what decides, so that the CPU decides the same. Needs settings, near_start, carriers,
// space.glsl and near.glsl in scope.

struct Flow {
  float sum;     // of weights
  float most;    // the greatest of them
  vec3 lean;     // of weights times ways from the coarse grains [m]
  vec3 way;      // of weights times velocities, these relative to that of the fine grain
  float squares; // of weights times the squares of these
  uint ball;     // a coarse grain that stands for a body and is nearest by its surface; no_partner: none
  float gap;     // m, to that
};

void see(uint j, vec3 p, vec3 v, inout Flow flow, inout float grains) {
  vec4 at = carriers[j].position;
  precise vec3 d = p - at.xyz;
  d = shortest(d);
  float distance2 = squared(d);
  precise float q = distance2 * at.w;
  if (q >= 1.0)
    return;
  vec4 motion = carriers[j].velocity;
  precise float near = 1.0 - q, w = near * near * near;
  precise float sum = flow.sum + w;
  flow.sum = sum;
  flow.most = max(flow.most, w);
  flow.lean += w * d;
  vec3 past = motion.xyz - v;
  flow.way += w * past;
  flow.squares += w * dot(past, past);
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
  Flow flow = Flow(0.0, 0.0, vec3(0.0), vec3(0.0), 0.0, no_partner, 3.4e38);
  float grains = 0.0;
  vec3 place = near_place(p);
  ivec3 home = ivec3(floor(place));
  vec3 within = place - vec3(home), reach = near_reach * settings.near_radius * settings.near_inverse;  // cells
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
    flow.sum = flow.most = 0.0;
    flow.way = vec3(0.0);
  }
  return flow;
}

// Share of its own motion in that of a fine grain.
float looseness(Flow flow, bool plain) {
  if (flow.sum == 0.0)
    return 1.0;
  precise float share = fine_c2 * flow.sum;
  if ((!plain && flow.sum >= fine_carried) || (flow.most > fine_c1 && flow.most < share))
    return 0.0;
  return 1.0 - flow.most;
}

// The density that a fine grain aims at, as a share of the densest: amidst coarse grains theirs, as the sum of weights tells it; at a
// surface, where that tells less, the densest.
float aim_of(Flow flow) {
  float lean = length(flow.lean) / (flow.sum * near_reach * settings.near_radius);
  float amidst = clamp(settings.crowd_sum * flow.sum, crowd_least, 1.0);
  return mix(amidst, 1.0, clamp((lean - crowd_lean) / (crowd_side - crowd_lean), 0.0, 1.0));
}

// How the coarse grains move among themselves: the deviation of their velocities, the same however fast they go as one.
float stir_of(Flow flow) {
  vec3 mean = flow.way / flow.sum;
  return sqrt(max(0.0, flow.squares / flow.sum - dot(mean, mean)));
}

// Out of the grain that stands for a body.
void leave_ball(inout FineGrain g, Flow flow) {
  if (flow.ball == no_partner)
    return;
  vec3 d = shortest(g.place - carriers[flow.ball].position.xyz);
  float len = length(d), depth = g.radius - carriers[flow.ball].velocity.w - len;
  if (depth > fine_touch * g.radius)
    leave(g, len > 0.0 ? d / len : vec3(0.0, 0.0, 1.0), depth, carriers[flow.ball].velocity.xyz);
}
