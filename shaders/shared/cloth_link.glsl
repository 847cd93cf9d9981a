// A link of cloth from its vertex. Needs grains and space.glsl in scope.
struct Link {
  vec3 direction;  // away from the other vertex; zero where the two meet
  float len;       // m
};

// Without contraction, which would differ between the two ends.
Link link_of(uint i, uint j) {
  precise vec3 d = grains[i].position.xyz - grains[j].position.xyz;
  d = shortest(d);
  float len = sqrt(squared(d));
  precise vec3 direction = len > 0.0 ? d / len : vec3(0.0);
  return Link(direction, len);
}
