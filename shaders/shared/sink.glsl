// Needs settings, sinks, space.glsl and solid.glsl in scope.
bool holds(Sink sink, vec3 p) {
  precise vec3 offset = p - sink.position;
  return from_parts(sink.first_part, sink.first_part + sink.parts, rotated_back(sink.rotation, shortest(offset))).w < 0.0;
}

// The first one that takes a grain of this material here; settings.emission.sinks: none.
uint sink_of(vec3 p, uint material) {
  uint s = 0u;
  while (s < settings.emission.sinks && !((sinks[s].material == any_material || sinks[s].material == material) && holds(sinks[s], p)))
    ++s;
  return s;
}
