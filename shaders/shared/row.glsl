#ifndef TALUS_ROW
#define TALUS_ROW
// The row of a grain in the lists. Needs settings, slice_start and contact_partner in scope.
#include "shared/partner.h"
#include "shared/slots.glsl"

// Rows before those of a slice, in its world: slices of a world are followed by the end of its last one.
uint rows_before(uint slice, uint world) { return slice_start[slice + world]; }

uint contact_slot(uint i, uint k) {
  uint world = world_of(i);
  return (world * settings.worlds.rows + rows_before(i / slice_grains, world) + k) * slice_grains + i % slice_grains;
}

// The partner of grain i in a slot of its row, among those of all worlds.
uint partner_at(uint i, uint slot) {
  return many_worlds == 0u ? contact_partner[slot] : partner_in_all(contact_partner[slot], world_of(i), settings.worlds.places, settings.bodies.count, settings.cloth.triangles);
}
#endif
