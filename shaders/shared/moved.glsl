// Has a point of a body moved further, since lists that are rebuilt incrementally have known of it, than a grain may that keeps its place in
// them (distance, m)? Where the origin has gone by p, and the quaternion has changed by q, no point has moved by more than |p| + 2 reach |q|: each
// may be half of the distance. Needs bodies and body_listed in scope.
bool has_moved(uint body, float distance) {
  precise vec3 p = bodies[body].motion.position - body_listed[body].position;
  precise vec4 q = bodies[body].motion.rotation - body_listed[body].rotation;
  float reach = min(bodies[body].reach, 1e15);
  precise float q2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, moved = 4.0 * (p.x * p.x + p.y * p.y + p.z * p.z),
                turned = 16.0 * (reach * reach) * q2, most = distance * distance;
  return moved > most || turned > most;
}
