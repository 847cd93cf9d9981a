// Do so many grains need a new place in the lists that rebuilding them incrementally is dearer than to build them? Needs worlds in scope.
bool too_many_displaced() { return float(worlds[0].incremental.displaced) > worlds[0].incremental.displaced_most; }
