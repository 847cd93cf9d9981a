// Coarse grains that fine ones see: all that are there, but vertices of cloth. Needs settings, grains and grain_id in scope.
bool is_advecting(uint i) { return grains[i].position.w > 0.0 && grain_id[i] - settings.cloth.first >= settings.cloth.vertices; }
