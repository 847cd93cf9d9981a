// Does a body stand still in this substep? What grains do may move a dynamic one in any. Needs bodies in scope.
bool stands_still(uint body) {
  return bodies[body].split == 0.0 && bodies[body].motion.velocity == vec3(0.0) && bodies[body].motion.spin == vec3(0.0);
}
