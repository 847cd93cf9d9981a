// Has a body moved since lists that are incremental have known of it? Needs bodies and body_listed in scope.
bool has_moved(uint body) {
  return bodies[body].motion.position != body_listed[body].position || bodies[body].motion.rotation != body_listed[body].rotation;
}
