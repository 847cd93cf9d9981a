// The motion of a dynamic body in a substep: what it had, what grains do, and what its joint does about both. Needs rigid, rigid_states,
// rigid_commands and bodies in scope; bodies may be written.

// A speed [rad/s or m/s] that a motor drives towards `target` and friction towards 0, each by `strength` and `friction` [of speed] at
// most: where the two are in balance with what moves the joint otherwise.
float driven(float speed, float target, float strength, float friction) {
  float first = target > 0.0 ? friction : strength, second = target > 0.0 ? strength : friction;  // at the lower and the upper speed
  float low = min(target, 0.0), high = max(target, 0.0);
  if (speed - first - second > high)
    return speed - first - second;
  if (speed - first + second >= high)
    return high;
  if (speed - first + second > low)
    return speed - first + second;
  if (speed + first + second >= low)
    return low;
  return speed + first + second;
}

void set_motion(uint body) {
  RigidState s = rigid_states[body];
  vec3 pivot = bodies[body].pivot;
  mat3 inverse_mass = bodies[body].inverse_mass, inverse_inertia = bodies[body].inverse_inertia;
  vec3 velocity = s.velocity + inverse_mass * s.impulse, spin = s.spin + inverse_inertia * (s.moment - cross(pivot, s.impulse));
  uint joint = rigid[body].joint;
  float h = args.h, friction = h * rigid[body].friction;
  vec3 axis = rigid[body].axis;
  RigidCommand command = rigid_commands[body];
  if (joint == joint_revolute || joint == joint_prismatic) {
    bool turns = joint == joint_revolute;
    float speed = dot(axis, turns ? spin : velocity), w = dot(axis, turns ? inverse_inertia * axis : inverse_mass * axis);
    speed = driven(speed, command.motor_speed, h * w * command.motor_strength, w * friction);
    speed = clamp(speed, (rigid[body].low - s.value) / h, (rigid[body].high - s.value) / h);
    if (turns)
      spin = speed * axis;
    else
      velocity = speed * axis;
  } else if (joint == joint_ball) {
    mat3 turn = matrix_of(bodies[body].motion.rotation);
    vec3 momentum = turn * (rigid[body].inertia * (transpose(turn) * spin));
    float size = length(momentum);
    spin *= size > friction ? 1.0 - friction / size : 0.0;
    // It leans no further than it may.
    vec3 leaning = turn * rigid[body].lean, across = cross(axis, leaning);
    float sine = length(across);
    if (sine > 0.0) {
      across /= sine;
      float rate = dot(spin, across), most = (dot(axis, leaning) - rigid[body].low) / (h * sine);
      vec3 answer = inverse_inertia * across;
      if (rate > most)
        spin += (most - rate) / dot(across, answer) * answer;
    }
  }
  bodies[body].motion.velocity = velocity - cross(spin, pivot);
  bodies[body].motion.spin = spin;
}
