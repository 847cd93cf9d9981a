// Does a body stand still in this substep? What grains do may move a dynamic one in any, unless it sleeps. Needs bodies in scope.
bool stands_still(uint body) {
  if (bodies[body].split > 0.0)
    return bodies[body].asleep != 0u;
  return bodies[body].motion.velocity == vec3(0.0) && bodies[body].motion.spin == vec3(0.0);
}
