// How fine grains go with the coarse ones around them (Ihmsen et al. 2012; Sommer and Schwanecke 2022; docs/numerics.md), and how they
// leave surfaces. Plain C++ and GLSL alone. Weight of a coarse grain at distance d, R its radius: w = (1 - d^2 / 9 R^2)^3.

// The coarse grains around a fine one.
struct FlowSums {
  float sum;      // of weights
  float most;     // the greatest of them
  vec3 lean;      // of weights times ways from the coarse grains [m]
  vec3 way;       // of weights times velocities relative to that of the fine grain
  float squares;  // of weights times the squares of these [m2/s2]
};

// q: d^2 / 9 R^2; past: m/s, of the coarse grain relative to the fine one.
LAW void add_to_flow(vec3 d, float q, vec3 past, INOUT(FlowSums, flow)) {
  PRECISE float near = 1.0f - q, w = near * near * near;
  PRECISE float sum = flow.sum + w;
  flow.sum = sum;
  flow.most = max(flow.most, w);
  flow.lean += w * d;
  flow.way += w * past;
  flow.squares += w * dot(past, past);
}

// Share of its own motion in that of a fine grain.
LAW float looseness(FlowSums flow, bool plain) {
  if (flow.sum == 0.0f)
    return 1.0f;
  PRECISE float share = fine_c2 * flow.sum;
  if ((!plain && flow.sum >= fine_carried) || (flow.most > fine_c1 && flow.most < share))
    return 0.0f;
  return 1.0f - flow.most;
}

// The density that a fine grain aims at, as a share of the densest: amidst coarse grains theirs, as the sum of weights tells it (density_sum:
// per sum); at a surface, where that tells less, the densest. radius: m, of the largest coarse grain.
LAW float aim_of(FlowSums flow, float radius, float density_sum) {
  float lean = length(flow.lean) / (flow.sum * near_reach * radius);
  float side = clamp((lean - density_lean) / (density_side - density_lean), 0.0f, 1.0f);
  float amidst = clamp(density_sum * flow.sum, density_least, 1.0f);
  return amidst + side * (1.0f - amidst);
}

// How the coarse grains move among themselves: the deviation of their velocities, the same however fast they go as one.
LAW float stir_of(FlowSums flow) {
  vec3 mean = flow.way / flow.sum;
  return sqrt(max(0.0f, flow.squares / flow.sum - dot(mean, mean)));
}

struct FineGrain {
  vec3 place, velocity;
  float radius, loose;
};

// Out of a surface with this velocity, along its normal by depth. Where it is loose, Coulomb's friction slows it.
LAW void leave(INOUT(FineGrain, grain), vec3 normal, float depth, vec3 surface, float friction) {
  grain.place += depth * normal;
  vec3 v = grain.velocity - surface;
  float inwards = -dot(v, normal);
  if (inwards <= 0.0f)
    return;
  v += inwards * normal;
  if (grain.loose > 0.0f) {
    float slip = length(v);
    v *= slip > 0.0f ? max(0.0f, 1.0f - friction * inwards / slip) : 0.0f;
  }
  grain.velocity = surface + v;
}

// Part of the surroundings of a node of the density field in front of a flat surface at this distance, in edges of its grid.
LAW float free_share(float away) {
  float t = clamp(away, -1.0f, 1.0f);
  return t < 0.0f ? 0.5f * (1.0f + t) * (1.0f + t) : 1.0f - 0.5f * (1.0f - t) * (1.0f - t);
}
