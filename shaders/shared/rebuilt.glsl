// Passes that rebuild lists go through the worlds that do so, one after another, as if there were no others. Needs settings in scope.
layout(set = 0, binding = 21, scalar) readonly buffer RebuildingBlock { uint rebuilding[]; };

// The place in memory of an element of theirs; args.grains or more behind the last one.
uint rebuilt_place(uint element) {
  if (many_worlds == 0u || element >= args.grains)
    return element;
  return rebuilding[element / settings.worlds.places] * settings.worlds.places + element % settings.worlds.places;
}
