// Lists that are being built. Needs settings, worlds and slice_start_next in scope.
#include "shared/partner.h"

// The row at which a slice begins, or behind the last slice of a world its lists end. slice_start_next counts those of all worlds that
// rebuild: a world's own begin where it has room for them.
uint next_row(uint slice, uint world) {
  if (many_worlds == 0u)
    return slice_start_next[slice];
  uint slices = settings.worlds.places / slice_grains, first = worlds[world].lists.table * slices;
  return world * settings.worlds.rows + slice_start_next[first + slice - world * slices] - slice_start_next[first];
}

// A partner of grain i as lists name it.
uint in_lists(uint partner, uint i) {
  return many_worlds == 0u ? partner : partner_in_world(partner, world_of(i), settings.worlds.places, settings.bodies.count, settings.cloth.triangles);
}
