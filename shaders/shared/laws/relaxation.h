// Relaxation of p2 (Holz 2014, equations 21 and 28 with 1/m = D). Plain C++ and GLSL alone: most contacts have one law and one mass, and the
// passes keep what they found for the contact before.

// Shares of the overlap and of the approach that one of n iterations corrects, so that all n together equal one step of implicit Euler of a
// spring-damper between two masses: ct = h c D, kt = h^2 k D, e = (1 - (1 + ct + kt)^(-1/n)) / (ct + kt).
LAW Relaxation relaxation(Law law, float w, float h, float n) {
  float ct = h * law.damping * w, kt = h * h * law.stiffness * w, q = ct + kt;
  float share = q > 0.0f ? one_minus_exp(log_1p(q) / n) / q : 0.0f;
  Relaxation relax;
  relax.overlap = share * kt;
  relax.approach = share * ct;
  return relax;
}
