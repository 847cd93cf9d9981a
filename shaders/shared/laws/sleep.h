// Sleep of p2 (Holz 2014, section 7).

// A grain that rests on others sleeps where it is slower than sleep_speed. What the substep adds to its speed decides, too: with small substeps
// every grain begins to fall or slide slower than any threshold, and would never start. gravity: |g|. The same holds of its spin, where it rotates.
LAW mask p2_sleeps(real3 v, real3 v_start, float sleep_speed, float h, float gravity) {
  return both(length(v) < sleep_speed, length(v - v_start) <= sleep_share * h * gravity);
}
