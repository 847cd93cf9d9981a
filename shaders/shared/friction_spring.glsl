// Friction as dem has it: a spring and a damper across the normal, which slide where they pull harder than friction bears. `slip` is the
// speed across the normal, `grip` what presses; the spring, `shear`, goes on from what it was. Returns what both pull with.
vec3 drag_of(inout vec3 shear, vec3 normal, vec3 slip, float kappa, float damping, float grip, PairLaw law) {
  shear = shear - dot(shear, normal) * normal - dem_tangential * kappa * slip;
  vec3 drag = shear - 0.5 * damping * slip;
  float pull = length(drag);
  if (pull > law.friction_static * grip) {
    drag *= law.friction_kinetic * grip / pull;
    shear = drag;
  }
  return drag;
}
