// A clump: spheres that move as one rigid body of mass M and inertia I about its centre of mass. A contact sees sphere p, at b from the centre, as a
// grain of the inverse mass
//   w_p = 1/M + lambda_max([b]x^T I^-1 [b]x),
// by which no impulse moves it less than the clump gives way there, so that what is stable for grains is stable for clumps; lambda_max is the greatest
// eigenvalue and [b]x the matrix of b x. With the weight a_p = M w_p, the change of its velocity by contacts dv, and that of its surface speed
// r_p omega by contacts ds, which has the ease e = m r^2 / I of a grain:
//   dV = h g + sum dv / a_p        dJ = sum (b x dv / a_p + r_p ds / (e a_p))        J: angular momentum per mass
//   omega = Q (I/M)^-1 Q^T J       x_p = X + b, v_p = V + omega x b, s_p = r_p omega
// J is the state, so that nothing but contacts changes it. Plain C++ and GLSL alone. Needs shared/laws/rotation.h and joint.h.

LAW vec3 clump_cross(vec3 a, vec3 b) {
  PRECISE vec3 c = vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return c;
}

// Turns a vector as rotated() does, but two passes find the same bits.
LAW vec3 clump_turned(vec4 q, vec3 v) {
  PRECISE vec3 t = 2.0f * clump_cross(vec3(q), v);
  PRECISE vec3 u = clump_cross(vec3(q), t);
  PRECISE vec3 r = (v + q.w * t) + u;
  return r;
}

// Angular velocity [rad/s]. inertia: principal moments per mass [m2].
LAW vec3 clump_spin(vec4 rotation, vec3 momentum, vec3 inertia) {
  PRECISE vec3 within = clump_turned(vec4(-vec3(rotation), rotation.w), momentum);
  PRECISE vec3 spin = vec3(within.x / inertia.x, within.y / inertia.y, within.z / inertia.z);
  return clump_turned(rotation, spin);
}

LAW vec3 clump_velocity(vec3 velocity, vec3 spin, vec3 lever) {
  PRECISE vec3 v = velocity + clump_cross(spin, lever);
  return v;
}

// Kinetic energy [J].
LAW float clump_energy(ClumpMotion clump, vec3 inertia, float mass) {
  return 0.5f * mass * (dot(clump.velocity, clump.velocity) + dot(clump_spin(clump.rotation, clump.momentum, inertia), clump.momentum));
}

// What contacts change of a clump: its velocity [m/s] and its angular momentum per mass [m2/s].
struct ClumpChange {
  vec3 velocity;
  vec3 momentum;
};

// By what contacts have changed of a sphere of this radius at this lever: its velocity and the surface speed of its spin [m/s].
LAW ClumpChange clump_change(vec3 velocity_change, vec3 spin_change, vec3 lever, float radius, float ease, float weight) {
  ClumpChange change;
  PRECISE vec3 velocity = 1.0f / weight * velocity_change;
  PRECISE vec3 couple = ease > 0.0f ? radius / (ease * weight) * spin_change : vec3(0.0f);
  PRECISE vec3 momentum = clump_cross(lever, velocity) + couple;
  change.velocity = velocity;
  change.momentum = momentum;
  return change;
}

// A substep of h, with the change of the velocity by gravity, `fall`. The clump turns as a free dynamic body does (turn_freely). inertia: the least moment
// first.
LAW ClumpMotion clump_moved(ClumpMotion clump, ClumpChange change, vec3 fall, vec3 inertia, float h) {
  PRECISE vec3 velocity = clump.velocity + (change.velocity + fall);
  PRECISE vec3 momentum = clump.momentum + change.momentum;
  PRECISE vec3 position = clump.position + h * velocity;
  float middle = 1.0f / inertia.y;
  vec4 least = vec4(1.0f, 0.0f, 0.0f, 1.0f / inertia.x - middle), greatest = vec4(0.0f, 0.0f, 1.0f, 1.0f / inertia.z - middle);
  clump.rotation = turned_about_own(clump.rotation, least, momentum, 0.5f * h);
  clump.rotation = turned_about_own(clump.rotation, greatest, momentum, h);
  clump.rotation = turned_about_own(clump.rotation, least, momentum, 0.5f * h);
  clump.rotation = then_turned(clump.rotation, turn_by(h * middle * momentum));
  clump.position = position;
  clump.velocity = velocity;
  clump.momentum = momentum;
  return clump;
}
