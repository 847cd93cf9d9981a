// The surface of the ground under a body that has no grains there, sample by sample: pressure by depth, and stress by slip.

const uint ground_ways = 32u;         // at most, to the lowest point of a body over a sample
const float ground_near = 1e-3f;      // pitches of the samples, by which it may be missed
const float ground_below = 0.1f;      // pitches below it where the direction of the surface is taken: on it distances are rounding alone
const float ground_steepest = 0.3f;   // cosine against the vertical of the steepest side that the ground's pressure acts on as a whole
const float ground_damping = 0.2f;    // share of the critical damping, for the mass that the pressure carries
const float ground_substeps = 4.0f;   // g h^2 in which it is relieved at least, which holds (omega h)^2 below 1/4
const float ground_give = 0.1f;       // share of K on which shear is relieved

// Pa: k z^n with k = k_c / b + k_phi (Bekker 1969), of ground that is pressed so deep [m] for the first time.
LAW float ground_virgin(GroundLaw law, float depth) {
  return depth > 0.0f ? law.stiffness * (law.exponent == 1.0f ? depth : pow(depth, law.exponent)) : 0.0f;
}

// Pa. What slip has carried away bears nothing. Where a body has been deeper before, the pressure of that depth is relieved linearly on a
// short way (Wong 1989, linear as well), with a damper, so that bodies come to rest. approach: m/s, into the ground; gravity: m/s^2; h: s;
// sunk: m, the greatest depth; dug: m of it.
LAW float ground_pressure(GroundLaw law, float depth, float approach, float gravity, float h, INOUT(float, sunk), float dug) {
  sunk = max(sunk, depth);
  float pressed = sunk - dug, most = ground_virgin(law, pressed), way = max(law.rebound * pressed, ground_substeps * gravity * h * h);
  float elastic = most * clamp(1.0f - (sunk - depth) / way, 0.0f, 1.0f);
  float damping = 2.0f * ground_damping * sqrt(most * elastic / (way * gravity));
  return clamp(elastic + damping * approach, 0.0f, most);
}

// Pa, on the body: c + p tan(phi) times a share that goes to 1 as 1 - exp(-j / K) with the slip j (Janosi and Hanamoto 1961), where there is
// a pressure: behind a wheel its track has left it. Slip the other way relieves the share on a tenth of K (ground_give), and up to what was
// reached before it comes back as fast, with a damper: where the law itself is followed back and forth, a body on a slope creeps down with
// every vibration. slip: m, in this substep, of the body on the ground; shear: the share, against the slip; mobilized: the greatest so far.
// By the implicit rule of Euler. Slip j that is not relieved carries soil away, of what is pressed, e: the more of it the more there is, and
// at most a layer in proportion to j, de = -law.digs dj e / (e + K). Where all of j counted, soil below the front of a wheel would go before
// it bears anything.
LAW vec3 ground_shear(GroundLaw law, float pressure, vec3 slip, vec3 normal, float gravity, float h, float sunk, INOUT(vec3, shear), INOUT(float, mobilized),
                      INOUT(float, dug)) {
  float strength = law.cohesion + law.friction * pressure, way = ground_give * law.shear, slipped = length(slip) / law.shear;
  if (!(pressure > 0.0f && strength > 0.0f))
    return vec3(0.0f);
  shear = shear - dot(shear, normal) * normal + slip / way;
  if (length(shear) > mobilized) {
    float dig = law.digs * length(slip), pressed = sunk - dug;
    dug = dug + dig * pressed / (pressed + law.shear + dig);
    mobilized = (mobilized + slipped) / (1.0f + slipped);
    shear = min(mobilized / length(shear), 1.0f) * shear;
  }
  vec3 share = shear + 2.0f * ground_damping * sqrt(pressure / (gravity * strength * way)) / h * slip;
  return -strength * min(mobilized / max(length(share), 1e-30f), 1.0f) * share;
}
