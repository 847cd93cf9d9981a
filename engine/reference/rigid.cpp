// Dynamic bodies: what moves them, and how.
#include "engine/reference/rigid.h"
#include "engine/reference/activity.h"
#include "engine/reference/load.h"
#include <bit>
#include <utility>

namespace talus::reference {
namespace {

bool is_dynamic(const Fields& f, uint body) {
  return f.rigid[body].mass > 0.0f;
}

// From what a body had and what grains did, by its joint, to how it moves in this substep.
void set_motion(const Args& args, Fields& f, uint b) {
  Body& body = f.bodies[b];
  const RigidState& state = f.rigid_states[b];
  const mat3 &inverse_mass = body.inverse_mass, &inverse_inertia = body.inverse_inertia;
  vec3 velocity = state.velocity + inverse_mass * state.impulse;
  vec3 spin = state.spin + inverse_inertia * (state.moment - glm::cross(body.pivot, state.impulse));
  joint_motion(f.rigid[b], f.rigid_commands[b], state.value, body.motion.rotation, inverse_mass, inverse_inertia,
               args.h, velocity, spin);
  body.motion.velocity = velocity - glm::cross(spin, body.pivot);
  body.motion.spin = spin;
}

// A point of a dynamic body in a substep.
class Point {
public:
  Point(const Args& args, Fields& f, uint k)
      : f_(f), settings_(f.settings[0]), h_(args.h),
        radius_max_(f.worlds[f.body_points[k].body / f.settings[0].bodies.count].radius), k_(k),
        own_(f.body_points[k].body), radius_(f.body_points[k].radius),
        place_(rotated(f.bodies[own_].motion.rotation, f.body_points[k].place)) {
    std::copy_n(&f.point_contacts[point_partners * k], point_partners, before_.begin());
  }

  void touch_all() {
    TALUS_ASSERT(is_dynamic(f_, own_), k_, own_);
    const vec3 p = f_.bodies[own_].motion.position + place_;
    for (uint wall = 0; wall < 6; ++wall)
      if (settings_.domain.axis[static_cast<int>(wall / 2)] == axis_wall)
        touch(wall_partner + wall, wall_normal(wall), wall_distance(p, wall, settings_) - radius_, vec3(0.0f));
    const uint words = body_words(settings_.bodies.count), first = own_ - own_ % settings_.bodies.count;
    for (uint word = 0; word < words; ++word)
      for (uint bits = f_.body_near[own_ * words + word]; bits; bits &= bits - 1) {
        const uint other = first + 32 * word + static_cast<uint>(std::countr_zero(bits));
        TALUS_ASSERT(other < first + settings_.bodies.count && other != own_, own_, other);
        const vec3 offset = shortest(p - f_.bodies[other].motion.position, settings_);
        const Distance d = from_body(f_, other, offset);
        touch(body_partner + other, d.gradient, d.value - radius_, offset);
      }
    while (touched_ < point_partners)
      f_.point_contacts[point_partners * k_ + touched_++] = {no_partner, vec3(0.0f)};
  }

private:
  void count(uint body) { atomic_ref(record_of(f_, k_, body)[load_points]).fetch_add(1); }

  // As point_contacts name it, by its number in the world.
  uint listed(uint partner) const {
    return partner_in_world(partner, own_ / settings_.bodies.count, 0, settings_.bodies.count, 0);
  }

  vec3 shear_before(uint partner) const {
    const auto found = std::ranges::find(before_, listed(partner), &PointContact::partner);
    return found == before_.end() ? vec3(0.0f) : found->shear;
  }

  // With a surface in a direction `normal` towards the point; offset: of the point from the other's origin.
  void touch(uint partner, vec3 normal, float gap, vec3 offset) {
    const Body& body = f_.bodies[own_];
    const Body* const other = is_body(partner) ? &f_.bodies[body_of(partner)] : nullptr;
    const vec3 way = (radius_ + gap) * normal, here = place_ - way, there = offset - way;
    vec3 v = velocity_at(body.motion, here);
    if (other)
      v -= velocity_at(other->motion, there);
    const bool other_dynamic = other && other->split > 0.0f;
    const float approach = glm::dot(v, normal);
    if (gap > touch_near * radius_max_ - touch_substeps * h_ * std::min(approach, 0.0f))
      return;
    count(own_);
    if (other_dynamic)
      count(body_of(partner));
    const float ahead = other_dynamic ? approach : approach + h_ * glm::dot(settings_.domain.gravity, normal);
    Mobility ease = mobility(body, here, normal);
    if (other) {
      const Mobility theirs = mobility(*other, there, normal);
      ease = {ease.along + theirs.along, ease.across + theirs.across};
    }
    const float speculative = point_brake(gap, ahead, radius_max_, h_);
    if ((gap >= 0.0f && speculative <= 0.0f) || !(ease.along > 0.0f))
      return;
    if (touched_ == point_partners) {
      atomic_ref(record_of(f_, k_, own_)[load_uncounted]).fetch_add(1);
      return;
    }
    vec3 shear = shear_before(partner);
    const uint material = other ? other->material : settings_.contacts.materials;
    TALUS_ASSERT(body.material <= settings_.contacts.materials && material <= settings_.contacts.materials,
                 body.material, material);
    const PairLaw& law = f_.pair_laws[body.material * (settings_.contacts.materials + 1) + material];
    const vec3 impulse = point_impulse(gap, normal, v, speculative, {ease.along, ease.across}, law, h_, shear);
    add_load(f_, k_, body_partner + own_, here, -impulse);
    if (other)
      add_load(f_, k_, partner, there, impulse);
    TALUS_ASSERT(touched_ < point_partners, k_, touched_);
    f_.point_contacts[point_partners * k_ + touched_++] = {listed(partner), shear};
  }

  Fields& f_;
  const Settings& settings_;
  float h_, radius_max_;
  uint k_, own_;
  float radius_;
  vec3 place_;  // from the origin of its body
  std::array<PointContact, point_partners> before_;
  uint touched_ = 0;
};

void move(const Args& args, const Fields& f, uint b, BodyMotion& m, float& value, vec3& rest) {
  const Rigid& rigid = f.rigid[b];
  const vec3 pivot = f.bodies[b].pivot, velocity = velocity_at(m, pivot);
  const auto hang = [&] {  // where the joint holds it
    m.position = rigid.anchor - matrix_of(m.rotation) * rigid.pivot;
    m.velocity = glm::cross(m.spin, m.position - rigid.anchor);
  };
  switch (rigid.joint) {
  case joint_revolute:
    value += args.h * glm::dot(rigid.axis, m.spin);
    m.rotation = then_turned(rigid.rotation, turn_by(value * rigid.axis));
    hang();
    break;
  case joint_prismatic:
    value += args.h * glm::dot(rigid.axis, velocity);
    m.position = rigid.position + value * rigid.axis;
    break;
  case joint_ball:
    turn_freely(rigid, args.h, m.rotation, m.spin);
    hang();
    break;
  default: {
    turn_freely(rigid, args.h, m.rotation, m.spin);
    const vec3 turned = matrix_of(m.rotation) * rigid.pivot;
    // Constant ways are rounded the same way every time: that would add up.
    const vec3 way = args.h * velocity + (pivot - turned) + rest, there = m.position + way;
    rest = way - (there - m.position);
    m.position = there;
    m.velocity = velocity - glm::cross(m.spin, turned);
  }
  }
}

// Is its motor told to move it?
bool is_driven(const Fields& f, uint b) {
  return f.rigid_commands[b].motor_speed != 0.0f;
}

void wake(const World& world, RigidState& state, const BodyMotion& m) {
  state.rest.place = m.position;
  state.rest.rotation = m.rotation;
  state.rest.state = rest_state(rest_awake, world.clock);
}

// Does a body sleep, and goes on doing so? m: how contacts, gravity, commands and joints would move it in this substep;
// of one that wakes, how it moves.
bool sleeps_on(Fields& f, uint b, BodyMotion& m) {
  RigidState& state = f.rigid_states[b];
  BodyRest& rest = state.rest;
  if (f.settings[0].sleep.window == 0 || rest_kind(rest.state) != rest_asleep)
    return false;
  if (rest.state & rest_falling) {
    rest.state = rest_asleep;
    rest.push = rest.turn = vec3(0.0f);
    return true;
  }
  const SleepSettings& sleep = f.settings[0].sleep;
  const vec3 pivot = f.bodies[b].pivot;
  const vec3 change = velocity_at(m, pivot);
  rest.push = pending_after(rest.push, change, sleep.leak);
  rest.turn = pending_after(rest.turn, m.spin, sleep.leak);
  const float most = body_waking_share * sleep.wake;
  if (!is_driven(f, b) && is_still(rest.push, most, f.bodies[b].reach * rest.turn, most))
    return true;
  m.spin = waking_with(rest.turn, m.spin);
  m.velocity = waking_with(rest.push, change) - glm::cross(m.spin, pivot);
  wake(f.worlds[b / f.settings[0].bodies.count], state, m);
  return false;
}

// Once in a window: a body that something touches and that has been still for two windows falls asleep, by the limits
// of calm worlds.
void look(Fields& f, uint b) {
  const SleepSettings& sleep = f.settings[0].sleep;
  const World& world = f.worlds[b / f.settings[0].bodies.count];
  RigidState& state = f.rigid_states[b];
  BodyRest& rest = state.rest;
  BodyMotion& m = state.motion;
  const uint since = rest_since(rest.state, world.clock);
  if (2 * since < sleep.window)
    return;
  const float reach = f.bodies[b].reach,
              way_most = calm_share * (sleep.way * static_cast<float>(std::min(since, sleep.window))),
              spin_most = calm_share * sleep.spin;
  const bool still = is_still(m.position - rest.place, way_most, reach * m.spin, spin_most) &&
                     squared(reach * turned_between(rest.rotation, m.rotation)) <= way_most * way_most &&
                     !is_driven(f, b);
  const bool ready = still && rest_kind(rest.state) != rest_awake;
  rest.place = m.position;
  rest.rotation = m.rotation;
  rest.state = rest_state(ready ? rest_ready : still ? rest_still : rest_awake, world.clock);
  rest.split = f.bodies[b].split;
  if (ready && rest.touched && !f.rigid[b].linked) {
    m.velocity = m.spin = rest.push = rest.turn = vec3(0.0f);
    rest.state = rest_asleep;
  }
}

}  // namespace

void body_share(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  const uint words = body_words(settings.bodies.count);
  for (uint b = begin; b < end; ++b) {
    if (!is_dynamic(f, b))
      continue;
    Body& body = f.bodies[b];
    TALUS_ASSERT(f.body_contacts[b] < 0x80000000u, b, f.body_contacts[b]);  // else it has fallen below 0
    const RigidState& state = f.rigid_states[b];
    const float contacts = std::max(1.0f, static_cast<float>(f.body_contacts[b]) + state.points);
    body.split = body.asleep ? state.rest.split : contacts;  // what stands on it does the same in every substep
    std::vector<uint> near(words, 0u);
    const uint world = b / settings.bodies.count, own = b % settings.bodies.count;
    for (uint k = 0; k < settings.bodies.count; ++k) {
      const Body& other = f.bodies[world * settings.bodies.count + k];
      const float reach =
          body.reach + other.reach + f.worlds[world].lists.skin;  // those of particles alone have no parts
      if (k != own && other.parts > 0 &&
          squared(shortest(body.motion.position - other.motion.position, settings)) < reach * reach)
        near[k / 32] |= 1u << k % 32;
    }
    for (uint word = 0; word < words; ++word)
      f.body_near[b * words + word] = near[word] & ~f.body_ignores[b * words + word];
  }
}

void body_touch(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint k = begin; k < end; ++k)
    Point(args, f, k).touch_all();
}

void body_start(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint b = begin; b < end; ++b) {
    if (!is_dynamic(f, b))
      continue;
    const Body& body = f.bodies[b];
    const Rigid& rigid = f.rigid[b];
    const RigidCommand& command = f.rigid_commands[b];
    RigidState& state = f.rigid_states[b];
    const Received received = take_records(f, b, load_points, 1);
    const vec3 arm = matrix_of(body.motion.rotation) * (rigid.center - rigid.pivot);
    const vec3 pull = args.h * (rigid.mass * f.settings[0].domain.gravity + command.force);
    const vec3 turning =
        received.moment - glm::cross(body.pivot, received.impulse) + glm::cross(arm, pull) + args.h * command.torque;
    state.velocity = velocity_at(body.motion, body.pivot) + body.inverse_mass * (received.impulse + pull);
    state.spin = body.motion.spin + body.inverse_inertia * turning;
    state.impulse = state.moment = vec3(0.0f);
    state.step_impulse += received.impulse;
    state.step_moment += received.moment;
    state.push.impulse += received.impulse + pull;
    state.push.moment += turning;
    state.points = std::max(static_cast<float>(received.word), touch_fade * state.points);
    state.rest.touched = received.impulse != vec3(0.0f) || received.moment != vec3(0.0f);
    set_motion(args, f, b);
  }
}

void body_push(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  const bool total = f.settings[0].bodies.total_push;
  for (uint b = begin; b < end; ++b) {
    if (!is_dynamic(f, b))
      continue;
    RigidState& state = f.rigid_states[b];
    const Received received = take_records(f, b, load_points);
    state.impulse = received.impulse + (total ? vec3(0.0f) : state.impulse);
    state.moment = received.moment + (total ? vec3(0.0f) : state.moment);
    set_motion(args, f, b);
  }
}

void body_advance(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (atomic_ref(status.halt).load() != halt_none)
    return;
  for (uint b = begin; b < end; ++b) {
    if (!is_dynamic(f, b))
      continue;
    World& world = f.worlds[b / settings.bodies.count];
    RigidState& state = f.rigid_states[b];
    BodyMotion m = f.bodies[b].motion;
    if (sleeps_on(f, b, m))
      m.velocity = m.spin = vec3(0.0f);
    else
      move(args, f, b, m, state.value, state.position_rest);
    const float fastest = glm::length(m.velocity) + glm::length(m.spin) * f.bodies[b].reach;
    const float speed2 = fastest * fastest;
    if (!std::isfinite(speed2 + std::abs(m.position.x) + std::abs(m.position.y) + std::abs(m.position.z))) {
      atomic_max(status.halt, halt_invalid);
      atomic_min(world.invalid, body_partner + b % settings.bodies.count);
      continue;
    }
    for (int a = 0; a < 3; ++a)
      if (settings.domain.axis[a] == axis_periodic && f.rigid[b].joint == joint_free) {
        const float edge = settings.domain.max[a] - settings.domain.min[a];
        m.position[a] -= edge * std::floor((m.position[a] - settings.domain.min[a]) / edge);
      }
    atomic_max(world.motion.speed2_bits, std::bit_cast<uint>(speed2));
    state.motion = m;
    if (settings.sleep.window > 0 && world.clock % settings.sleep.window == 0 &&
        rest_kind(state.rest.state) != rest_asleep)
      look(f, b);
    state.push.impulse += state.impulse;
    state.push.moment += state.moment - glm::cross(f.bodies[b].pivot, state.impulse);
    state.step_impulse += std::exchange(state.impulse, vec3(0.0f));
    state.step_moment += std::exchange(state.moment, vec3(0.0f));
  }
}

}  // namespace talus::reference
