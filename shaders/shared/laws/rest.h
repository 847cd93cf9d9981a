// Grains of dem at rest (docs/numerics.md, "Sleep of dem").

// Has a grain gone no further than one that is still, and spins it no faster? way, way_most: m; spin, spin_most: speed of the surface [m/s].
LAW mask is_still(real3 way, float way_most, real3 spin, float spin_most) {
  return both(squared(way) <= way_most * way_most, squared(spin) <= spin_most * spin_most);
}

// The pending velocity of a sleeper, whose contacts and gravity would have changed it by `change` in this substep [m/s]. leak: h / tau.
LAW real3 pending_after(real3 pending, real3 change, float leak) {
  PRECISE real3 after = (1.0f - leak) * pending + change;
  return after;
}

// With what a sleeper wakes: its pending velocity, as far as that is of a blow [m/s]. A small force that lasts gives the same pending velocity, and
// would have moved the grain in its bed by a / omega^2 alone, with some 1/1000 of that energy: beds in which grains woke with it never came to rest.
LAW real3 waking_with(real3 pending, real3 change) {
  PRECISE real share = min(waking_substeps * length(change) / max(length(pending), 1e-30f), 1.0f);
  return share * pending;
}

// velocity, spin: pending [m/s].
LAW mask wakes(real3 velocity, real3 spin, float wake) {
  return either(squared(velocity) > wake * wake, squared(spin) > wake * wake);
}

// The velocity of a grain that touches something, less what rest drag takes of it; it fades out over the last tenth below `slow`. drag: m/s, of a
// substep.
LAW real3 slowed(real3 velocity, float drag, float slow) {
  real speed = length(velocity), share = clamp(10.0f * (1.0f - speed / slow), 0.0f, 1.0f);
  real kept = 1.0f - share * min(drag / max(speed, 1e-30f), sleep_drag_most);
  return kept * velocity;
}
