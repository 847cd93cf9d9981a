// The Verlet skin of neighbour lists [skin], and their cells. Plain C++ and GLSL alone.

// How many cells of this size, at least, an edge has room for. By their products, which round the same way everywhere: a quotient may be
// off by 2.5 ulp, and edges that are a whole number of cells long are nothing rare.
LAW int cells_along(float edge, float cell) {
  int n = int(floor(edge / cell));
  PRECISE float long_as = float(n) * cell, longer = float(n + 1) * cell;
  return long_as > edge ? n - 1 : longer <= edge ? n + 1 : n;
}

// How far the fastest grain goes in a substep [m]: at the speed that it has, and what may come to that.
struct Motion {
  float steady, more;
};

// The skin [m], which where grains move lasts some 24 substeps. radius: m, of the largest grain.
LAW float skin_for(Motion motion, float radius) {
  float cheapest = max(sqrt(skin_cost * motion.steady * radius), skin_least * radius);
  float slow = min(cheapest + 2.0f * motion.more, skin_rest * radius);
  return clamp(24.0f * motion.steady, slow, skin_motion * radius);
}

// The skin of new lists [m], which last at least for the substep at hand. reach: m, how far contacts reach beyond touching.
LAW float margin_of_new(Motion motion, float radius, float reach) {
  return max(skin_for(motion, radius) + reach, min(2.2f * (motion.steady + motion.more) + reach, skin_limit * radius));
}
