// Do so many grains need a new place in the lists that mending them is dearer than to build them? Needs worlds in scope.
bool too_many_stale() { return float(worlds[0].stale) > worlds[0].stale_most; }
