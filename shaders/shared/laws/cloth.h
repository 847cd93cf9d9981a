// Cloth: links between vertices, and contacts of grains with triangles (Francu and Moldoveanu 2014, sections 4 and 6). Plain C++ and GLSL
// alone. PRECISE, since both ends of a link must find the same.

// A link from its vertex.
struct Link {
  vec3 direction;  // away from the other vertex; zero where the two meet
  float size;      // m
};
LAW Link link_along(vec3 d) {
  Link link;
  link.size = sqrt(squared(d));
  PRECISE vec3 direction = link.size > 0.0f ? d / link.size : vec3(0.0f);
  link.direction = direction;
  return link;
}

// No less than the greatest eigenvalue of a symmetric matrix that has no negative ones, and at most 1.15 times that.
LAW float greatest_eigenvalue(mat3 m) {
  float size = max(m[0].x, max(m[1].y, m[2].z));
  if (!(size > 0.0f))
    return 0.0f;
  m /= size;
  mat3 square = m * m, fourth = square * square;
  float sum = dot(fourth[0], fourth[0]) + dot(fourth[1], fourth[1]) + dot(fourth[2], fourth[2]);
  return size * sqrt(sqrt(sqrt(sum)));
}

// Residual of a link [m/s], longer than it rests: kv of the speed of its parting, kc of the error over the substep.
LAW float link_residual(Link link, vec3 relative, float rest, float kv, float kc, float h) {
  PRECISE float parting = relative.x * link.direction.x + relative.y * link.direction.y + relative.z * link.direction.z;
  PRECISE float residual = kv * parting + kc * (link.size - rest) / h;
  return residual;
}

// Impulse of a link [N s] whose ends have inverse masses w_sum together, w_split of the parts that they give it: its sum follows the residual,
// with momentum, as a contact's does. A stiffness below 1 is a compliance that leaves the share 1 - stiffness of an error.
LAW float link_relaxed(ClothPull pull, float stiffness, float residual, float w_sum, float w_split, float omega, float beta) {
  PRECISE float yields = (1.0f - stiffness) * w_sum;
  PRECISE float sum = pull.sum + beta * pull.change - omega * (stiffness * residual + yields * pull.sum) / (stiffness * w_split + yields);
  return sum;
}

// An iteration of a grain's contact with a triangle: velocity time stepping, with the gap and the normal of the start of the substep. A substep
// takes out a share of an overlap. approach: m/s, along the normal; slip: m/s, of its surface across the normal; r: m, its radius; shear: m, how far
// the two have slipped; w_across: inverse mass of both, across the normal.
LAW void cloth_iterate(float gap, float r, float approach, vec3 slip, float w_sum, float w_across, Law law, vec3 shear, float h, INOUT(float, normal_impulse),
                       INOUT(vec3, friction_impulse)) {
  float residual = approach + (gap < 0.0f ? cloth_recover * max(gap, -body_overlap_most * r) : gap) / h;
  normal_impulse = max(0.0f, normal_impulse - residual / w_sum);
  friction_impulse = on_cone(friction_impulse - (slip + memory_share / h * shear) / w_across, law.friction_static * normal_impulse, law.friction_kinetic * normal_impulse);
}

// The slip when the substep ends, `after` m/s across the normal: no further than friction bears.
LAW vec3 cloth_slipped(vec3 shear, vec3 after, float normal_impulse, float w_across, float h, Law law) {
  float limit = law.friction_static * normal_impulse * w_across * h / memory_share;
  return on_cone(shear + h * after, limit, limit);
}
