// Fine grains touch walls and bodies where these are now. Needs settings in scope, and space.glsl and solid.glsl before it.

struct FineGrain {
  vec3 place;
  vec3 velocity;
  float radius;
  float loose;
};

// Out of a surface with this velocity, along its normal by depth.
void leave(inout FineGrain g, vec3 normal, float depth, vec3 surface) {
  g.place += depth * normal;
  vec3 v = g.velocity - surface;
  float inwards = -dot(v, normal);
  if (inwards <= 0.0)
    return;
  v += inwards * normal;
  if (g.loose > 0.0) {  // Coulomb
    float slip = length(v);
    v *= slip > 0.0 ? max(0.0, 1.0 - settings.fine_friction * inwards / slip) : 0.0;
  }
  g.velocity = surface + v;
}

bool leave_body(inout FineGrain g, uint body) {
  vec3 offset = shortest(g.place - bodies[body].motion.position);
  float reach = bodies[body].reach + g.radius;
  if (bodies[body].parts == 0u || dot(offset, offset) > reach * reach)
    return false;
  vec4 d = from_body(body, offset);
  float depth = g.radius - d.w;
  if (depth <= fine_touch * g.radius)
    return false;
  leave(g, d.xyz, depth, bodies[body].motion.velocity + cross(bodies[body].motion.spin, offset - d.w * d.xyz));
  return true;
}

bool leave_walls(inout FineGrain g) {
  bool touches = false;
  for (uint wall = 0u; wall < 6u; ++wall) {
    float depth = g.radius - wall_distance(g.place, wall);
    if (settings.axis[wall >> 1] == axis_wall && depth > fine_touch * g.radius) {
      leave(g, wall_normal(wall), depth, vec3(0.0));
      touches = true;
    }
  }
  return touches;
}

// near_bodies: are any so near that it may touch them?
void leave_solids(inout FineGrain g, bool near_bodies) {
  bool touches = true;
  for (uint k = 0u; k < fine_rounds && touches; ++k) {
    touches = false;
    if (solid_kinds != 0u && near_bodies)
      for (uint body = 0u; body < settings.bodies; ++body)
        touches = leave_body(g, body) || touches;
    touches = leave_walls(g) || touches;
  }
}

// s, since fine grains have gone on: from their last move, `moved` ago, or from the end of the last step.
float time_since(float moved) { return min(moved, args.h * float(args.substep)); }

// Back into the domain along periodic axes.
vec3 into_periods(vec3 p) {
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic) {
      precise float edge = settings.domain_max[a] - settings.domain_min[a];
      precise float laps = floor((p[a] - settings.domain_min[a]) / edge);
      precise float x = p[a] - edge * laps;
      p[a] = x >= settings.domain_max[a] ? settings.domain_min[a] : x;
    }
  return p;
}
