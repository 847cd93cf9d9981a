// The motion of a dynamic body: what its joint makes of it, and how it turns. Needs rotation.h.

// A speed [rad/s or m/s] that a motor drives towards `target` and friction towards 0, each by `strength` and `friction` [of speed] at
// most: where the two are in balance with what moves the joint otherwise. What they take from a speed grows with it in two steps, at 0 and
// at the target.
LAW float driven(float speed, float target, float strength, float friction) {
  float first = target > 0.0f ? friction : strength, second = target > 0.0f ? strength : friction;  // at the lower and the upper speed
  float low = min(target, 0.0f), high = max(target, 0.0f);
  float above = speed - first - second;
  if (above > high)
    return above;
  float between_both = speed - first + second;
  if (between_both > low)
    return min(between_both, high);
  return min(speed + first + second, low);
}

// A motor that holds a position, in a substep: the impulse `to_target` - `per_speed` u at the speed u, `strength` [of impulse] at most,
// and friction likewise; w: inverse mass of the joint.
LAW float held(float speed, float w, float to_target, float per_speed, float strength, float friction) {
  float standing = speed + w * clamp(to_target, -strength, strength);
  if (abs(standing) <= w * friction)
    return 0.0f;
  float moved = speed - (standing > 0.0f ? w * friction : -w * friction);
  float free_speed = (moved + w * to_target) / (1.0f + w * per_speed), impulse = to_target - per_speed * free_speed;
  return abs(impulse) <= strength ? free_speed : moved + (impulse > 0.0f ? w * strength : -w * strength);
}

// What a spring and a damper take from a joint's speed in a substep [of impulse per speed]; w: inverse mass of the joint. A spring that is
// slow beside the substep, h^2 k w < 1, pulls as it stands at the start (semi-implicit Euler: no energy is lost); one that is fast, as it will
// stand at the end, which is stable at any stiffness.
LAW float yield_of(float stiffness, float damping, float w, float h) {
  float by_place = h * h * stiffness;
  return h * damping + by_place * min(by_place * w, 1.0f);
}

// Of a joint that turns or slides: the speed [rad/s or m/s] that its spring, damper, motor, friction and limits make of one without them.
// w: by which an impulse along the axis changes it [1/(kg m2) or 1/kg]; value: rad or m.
LAW float speed_by_axis(float speed, float w, float value, JointAxis along, RigidCommand command, float h) {
  float yielding = 1.0f + w * yield_of(along.stiffness, along.damping, w, h);
  speed = (speed + w * h * (command.joint_torque + along.stiffness * (along.rest - value))) / yielding;
  w /= yielding;
  if (command.motor_stiffness > 0.0f || command.motor_damping > 0.0f)
    speed = held(speed, w, h * (command.motor_stiffness * (command.motor_target - value) + command.motor_damping * command.motor_speed),
                 yield_of(command.motor_stiffness, command.motor_damping, w, h), h * command.motor_strength, h * along.friction);
  else
    speed = driven(speed, command.motor_speed, h * w * command.motor_strength, w * (h * along.friction));
  return clamp(speed, (along.low - value) / h, (along.high - value) / h);
}

// A joint changes a body's motion in a substep: the velocity of its pivot and its spin. value: rad or m, of the joint.
LAW void joint_motion(Rigid rigid, RigidCommand command, float value, vec4 rotation, mat3 inverse_mass, mat3 inverse_inertia, float h,
                      INOUT(vec3, velocity), INOUT(vec3, spin)) {
  vec3 axis = rigid.axis;
  if (rigid.joint == joint_revolute || rigid.joint == joint_prismatic) {
    bool turns = rigid.joint == joint_revolute;
    vec3 motion = turns ? spin : velocity, answer = turns ? inverse_inertia * axis : inverse_mass * axis;
    float w = dot(axis, answer);
    float speed = speed_by_axis(dot(axis, motion), w, value, rigid.along, command, h);
    if (turns)
      spin = speed * axis;
    else
      velocity = speed * axis;
  } else if (rigid.joint == joint_ball) {
    mat3 turn = matrix_of(rotation);
    float friction = h * rigid.along.friction, momentum = length(rigid.inertia * (transpose(turn) * spin));
    spin *= momentum > friction ? 1.0f - friction / momentum : 0.0f;
    // It leans no further than it may.
    vec3 leaning = turn * rigid.lean, across = cross(axis, leaning);
    float sine = length(across);
    if (sine > 0.0f) {
      vec3 about = across / sine, answer = inverse_inertia * about;
      float excess = dot(spin, about) - (dot(axis, leaning) - rigid.along.low) / (h * sine);
      if (excess > 0.0f)
        spin -= excess / dot(about, answer) * answer;
    }
  }
}

LAW vec3 spin_by_momentum(Rigid rigid, vec4 rotation, vec3 momentum) {
  mat3 turn = matrix_of(rotation);
  return turn * (rigid.inverse_inertia * (transpose(turn) * momentum));
}
LAW vec3 momentum_by_spin(Rigid rigid, vec4 rotation, vec3 spin) {
  mat3 turn = matrix_of(rotation);
  return turn * (rigid.inertia * (transpose(turn) * spin));
}

// By what a principal axis adds to the energy.
LAW vec4 turned_about_own(vec4 rotation, vec4 own, vec3 momentum, float time) {
  vec3 axis = matrix_of(rotation) * vec3(own);
  return then_turned(rotation, turn_by(time * own.w * dot(momentum, axis) * axis));
}

// Turned for a time without a torque: the angular momentum L stays, and the spin follows the turning inertia. By parts of the energy
// L.L / 2 I_2 + sum over k = 1, 3 of (1/I_k - 1/I_2) (L.e_k)^2 / 2, e_k being the principal axes: each turns the body exactly, about L or
// about its own axis. Symplectic, and exact where two moments are equal, at any spin: only the product of the two differences makes an
// error (McLachlan 1993, Dullweber, Leimkuhler and McLachlan 1997).
LAW void turn_freely(Rigid rigid, float h, INOUT(vec4, rotation), INOUT(vec3, spin)) {
  vec3 momentum = momentum_by_spin(rigid, rotation, spin);
  rotation = turned_about_own(rotation, rigid.turning_least, momentum, 0.5f * h);
  rotation = turned_about_own(rotation, rigid.turning_greatest, momentum, h);
  rotation = turned_about_own(rotation, rigid.turning_least, momentum, 0.5f * h);
  rotation = then_turned(rotation, turn_by(h * rigid.turning_middle * momentum));
  spin = spin_by_momentum(rigid, rotation, momentum);
  // What rounding leaves of the inverse would add up over the substeps.
  spin += spin_by_momentum(rigid, rotation, momentum - momentum_by_spin(rigid, rotation, spin));
}
