// A clump: spheres that move as one rigid body of mass M and inertia I about its centre of mass. A contact sees sphere p, at b from the centre, as a
// grain of the inverse mass
//   w_p = 1/M + lambda_max([b]x^T I^-1 [b]x),
// by which no impulse moves it less than the clump gives way there, so that what is stable for grains is stable for clumps, or more where many spheres
// meet one plane at once (docs/numerics.md); lambda_max is the greatest eigenvalue and [b]x the matrix of b x. With the weight a_p = M w_p, the change of its velocity by contacts dv, and that of its surface speed
// r_p omega by contacts ds, which has the ease e = m r^2 / I of a grain:
//   dV = h g + sum dv / a_p        dJ = sum (b x dv / a_p + r_p ds / (e a_p))        J: angular momentum per mass
//   omega = Q (I/M)^-1 Q^T J       x_p = X + b, v_p = V + omega x b, s_p = r_p omega
// J is the state, so that nothing but contacts changes it. A rotation Q is a quaternion of length 1, of the vector q and the scalar s. What is PRECISE
// is found again in the substep that follows. Needs sine(x) and cosine(x).

LAW real3 clump_cross(real3 a, real3 b) {
  PRECISE real3 c = real3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  return c;
}

// Q v.
LAW real3 clump_turned(real3 q, real s, real3 v) {
  PRECISE real3 t = 2.0f * clump_cross(q, v);
  PRECISE real3 u = clump_cross(q, t);
  PRECISE real3 r = (v + s * t) + u;
  return r;
}

// Q^T v.
LAW real3 clump_turned_back(real3 q, real s, real3 v) { return clump_turned(zero3() - q, s, v); }

// Angular velocity [rad/s]. inertia: principal moments per mass [m2].
LAW real3 clump_spin(real3 q, real s, real3 momentum, real3 inertia) {
  PRECISE real3 within = clump_turned_back(q, s, momentum);
  PRECISE real3 spin = real3_of(within.x / inertia.x, within.y / inertia.y, within.z / inertia.z);
  return clump_turned(q, s, spin);
}

LAW real3 clump_velocity(real3 velocity, real3 spin, real3 lever) {
  PRECISE real3 v = velocity + clump_cross(spin, lever);
  return v;
}

// Kinetic energy [J].
LAW real clump_energy(real3 velocity, real3 spin, real3 momentum, real mass) {
  return 0.5f * mass * (squared(velocity) + dot(spin, momentum));
}

// Adds to the change of a clump's velocity [m/s] and of its angular momentum per mass [m2/s] what contacts have changed of a sphere of this radius at
// this lever: its velocity and the surface speed of its spin [m/s].
LAW void clump_add_change(real3 velocity_change, real3 spin_change, real3 lever, real radius, real ease, real weight, INOUT(real3, velocity),
                          INOUT(real3, momentum)) {
  PRECISE real3 pushed = (1.0f / weight) * velocity_change;
  PRECISE real3 couple = select(ease > 0.0f, radius / (ease * weight), zero()) * spin_change;
  PRECISE real3 turned = clump_cross(lever, pushed) + couple;
  velocity = velocity + pushed;
  momentum = momentum + turned;
}

// sin(x) / x and cos(x) of half the angle of a turn: series up to 0.5, which are off by less than 3e-8.
LAW void clump_half_turn(real x, INOUT(real, sine_by_x), INOUT(real, cosine_of_x)) {
  real x2 = x * x;
  sine_by_x = 1.0f - x2 / 6.0f * (1.0f - x2 / 20.0f * (1.0f - x2 / 42.0f));
  cosine_of_x = 1.0f - x2 / 2.0f * (1.0f - x2 / 12.0f * (1.0f - x2 / 30.0f * (1.0f - x2 / 56.0f)));
  mask large = x2 > 0.25f;
  if (anywhere(large)) {
    sine_by_x = select(large, sine(x) / x, sine_by_x);
    cosine_of_x = select(large, cosine(x), cosine_of_x);
  }
}

// Turned about its first and its third own axis by twice half_angle: a product from the right, which turns what is seen from within back.
LAW void clump_turn_first(INOUT(real3, q), INOUT(real, s), INOUT(real3, within), real half_angle) {
  real by_x = zero(), c = zero();
  clump_half_turn(half_angle, by_x, c);
  real n = half_angle * by_x, full_sine = 2.0f * n * c, full_cosine = 1.0f - 2.0f * n * n;
  real3 turned = real3_of(c * q.x + n * s, c * q.y + n * q.z, c * q.z - n * q.y);
  s = c * s - n * q.x;
  q = turned;
  within = real3_of(within.x, full_cosine * within.y + full_sine * within.z, full_cosine * within.z - full_sine * within.y);
}
LAW void clump_turn_third(INOUT(real3, q), INOUT(real, s), INOUT(real3, within), real half_angle) {
  real by_x = zero(), c = zero();
  clump_half_turn(half_angle, by_x, c);
  real n = half_angle * by_x, full_sine = 2.0f * n * c, full_cosine = 1.0f - 2.0f * n * n;
  real3 turned = real3_of(c * q.x + n * q.y, c * q.y - n * q.x, c * q.z + n * s);
  s = c * s - n * q.z;
  q = turned;
  within = real3_of(full_cosine * within.x + full_sine * within.y, full_cosine * within.y - full_sine * within.x, within.z);
}

// Turned for a time h without a torque, as a dynamic body is (turn_freely): by the parts of its energy that belong to the axes of the least and of the
// greatest moment, which come first and third, and to J. Each of them turns the clump exactly.
LAW void clump_turn(INOUT(real3, q), INOUT(real, s), real3 momentum, real3 inertia, float h) {
  real3 within = clump_turned_back(q, s, momentum);
  real middle = 1.0f / inertia.y, least = 0.25f * h * (1.0f / inertia.x - middle), greatest = 0.5f * h * (1.0f / inertia.z - middle);
  clump_turn_first(q, s, within, least * within.x);
  clump_turn_third(q, s, within, greatest * within.z);
  clump_turn_first(q, s, within, least * within.x);
  real3 half_way = 0.5f * h * middle * momentum;
  real by_x = zero(), c = zero();
  clump_half_turn(length(half_way), by_x, c);
  real3 by = by_x * half_way, turned = c * q + s * by + cross(by, q);
  s = c * s - dot(by, q);
  real scale = 1.0f / sqrt(squared(turned) + s * s);
  q = scale * turned;
  s = scale * s;
}
