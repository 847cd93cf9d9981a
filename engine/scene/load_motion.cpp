// The keys of a [[body]] that move it.
#include "engine/scene/load_parts.h"
#include <fmt/format.h>

namespace talus::reading {

void BetweenKeys::refuse(const std::string& owner) const {
  for (const Value* v : {&interpolation, &repeat})
    if (*v)
      v->fail("has no meaning here: allowed beside " + owner);
}

namespace {

std::string place_of(const Value& value) {
  return value.label(value.path());
}

// [x, y, z], each a number or a formula.
void read_formulas(const Value& value, std::array<Formula, 3>& out) {
  if (!value)
    return;
  if (!value.is_array() || value.elements().size() != 3)
    value.must_be("[x, y, z] with numbers and formulas of t, as [\"0.1*sin(2*pi*t)\", 0, 0]");
  const std::vector<Value> elements = value.elements();
  for (std::size_t a = 0; a < 3; ++a) {
    out[a].where = place_of(elements[a]);
    if (elements[a].is_word()) {
      elements[a].get(out[a].text);
      continue;
    }
    double number = 0.0;
    elements[a].get(number, place_range);
    out[a].text = fmt::format("{}", number);
  }
}

Keyframes read_keyframes(const Value& value, const BetweenKeys& between) {
  Keyframes keyframes;
  keyframes.where = place_of(value);
  between.get(keyframes);
  for (Table t : value.tables()) {
    Keyframe frame;
    const Value time = t.need("time"), position = t["position"], rotation = t["rotation"];
    t.finish();
    if (!position && !rotation)
      t.fail("gives no motion: give position, rotation or both");
    time.get(frame.time);
    position.get(frame.position);
    rotation.get(frame.rotation);
    if (!keyframes.frames.empty() && frame.time <= keyframes.frames.back().time)
      time.fail(
          fmt::format("= {} s must be later than the keyframe before, {} s", frame.time, keyframes.frames.back().time));
    keyframes.frames.push_back(frame);
  }
  return keyframes;
}

Track read_track(const Value& value, Range range, const BetweenKeys& between) {
  Track track;
  between.get(track);
  for (const Value& key : value.elements()) {
    if (!key.is_array() || key.elements().size() != 2)
      key.must_be("[time, value], as in value = [[0, 10], [2, 45]]");
    const std::vector<Value> pair = key.elements();
    Track::Key& next = track.keys.emplace_back();
    pair[0].get(next.time, time_range);
    pair[1].get(next.value, range);
    if (track.keys.size() > 1 && next.time <= track.keys[track.keys.size() - 2].time)
      pair[0].fail(fmt::format("= {} s must be later than the time before, {} s", next.time,
                               track.keys[track.keys.size() - 2].time));
  }
  return track;
}

// Drives a joint by its speed, by its value or by a torque.
Motor read_motor(const Value& at, Range speed_range, Range value_range, std::string_view strength_unit) {
  Table t = at.table();
  Motor motor;
  const Value speed = t["speed"], target = t["target"], stiffness = t["stiffness"], damping = t["damping"],
              torque = t["torque"], strength = speed || target ? t.need("strength") : t["strength"];
  const BetweenKeys between{t["interpolation"], t["repeat"]};
  t.finish();
  if (speed && target)
    (speed.before(target) ? target : speed)
        .fail("cannot be given beside the other one: a motor holds a speed or a target");
  if (!speed.is_array() && !target.is_array())
    between.refuse("a speed or target = [[time, value], ..]");
  if (!speed && !target && !torque)
    at.fail("drives nothing: give speed, target or torque");
  if (target && !stiffness)
    target.fail("needs a stiffness beside it, by which the motor pulls towards it");
  if (!target)
    for (const Value* v : {&stiffness, &damping})
      if (*v)
        v->fail("has no meaning without a target, the value that the motor holds");
  if (strength && !speed && !target)
    strength.fail("has no meaning beside a torque alone, which the motor gives whatever the joint does");
  constexpr double most = 1e12;
  motor.speed = read_joint_value(speed, speed_range, between);
  strength.get(motor.strength, {0.0, most, strength_unit});
  if (target)
    motor.target = read_joint_value(target, value_range, between);
  stiffness.get(motor.stiffness);
  damping.get(motor.damping);
  torque.get(motor.torque, {-most, most, strength_unit});
  return motor;
}

JointSpring read_spring(Table t, Range value_range) {
  JointSpring spring;
  const Value stiffness = t["stiffness"], damping = t["damping"], rest = t["rest"];
  t.finish();
  if (!stiffness && !damping)
    t.fail("does nothing: give stiffness, damping or both");
  stiffness.get(spring.stiffness);
  damping.get(spring.damping);
  rest.get(spring.rest, value_range);
  return spring;
}

void refuse(std::initializer_list<const Value*> values, std::string_view why) {
  for (const Value* v : values)
    if (*v)
      v->fail(fmt::format("has no meaning for {}", why));
}

Gear read_gear(Table t) {
  Gear gear;
  const Value body = t.need("body"), multiplier = t["multiplier"], offset = t["offset"];
  t.finish();
  gear.where = place_of(body);
  body.get(gear.body);
  multiplier.get(gear.multiplier);
  offset.get(gear.offset);
  return gear;
}

// The owner of a joint decides which keys the joint may have.
enum class JointOf { driven_body, dynamic_body, dynamic_child, bodies };

Joint read_joint(Table t, JointOf of) {
  const bool dynamic = of != JointOf::driven_body, between = of == JointOf::bodies;
  Joint joint;
  const auto of_body = [&](const char* key) { return between ? Value(nullptr, "", {}) : t[key]; };
  const Value type = t.need("type"), axis = t["axis"], origin = t["origin"], rotation = t["rotation"], min = t["min"],
              max = t["max"], speed = of_body("speed"), acceleration = of_body("acceleration"),
              value = of_body("value"), start_speed = of_body("start_speed"), friction = t["friction"],
              armature = t["armature"], motor = of_body("motor"), spring = t["spring"], gear = of_body("gear");
  const BetweenKeys keys{of_body("interpolation"), of_body("repeat")};
  t.finish();
  type.get(joint.type);
  origin.get(joint.origin);
  rotation.get(joint.rotation);
  joint.where = value ? place_of(value) : type.label(t.path());
  const bool fixed = joint.type == JointType::fixed, ball = joint.type == JointType::ball;
  if (dynamic) {
    if (fixed && of == JointOf::dynamic_body)
      type.fail("= \"fixed\" leaves a body with mass or density and without a parent no way to move; allowed: "
                "revolute, prismatic, ball");
    refuse({&speed, &acceleration}, "the joint of a body with mass or density, which nothing commands; allowed: "
                                    "start_speed, friction and motor");
    if (value && !value.is_number())
      value.must_be("a number, from where a body with mass or density starts");
    keys.refuse("keyframes");
  } else {
    if (ball)
      type.fail("= \"ball\" is for a body with mass or density: allowed is one of revolute, prismatic, fixed");
    refuse({&start_speed, &friction, &armature, &motor, &spring, &gear},
           "the joint of a body without mass or density, which moves as it is told; "
           "allowed: value, speed and acceleration");
  }
  if (fixed) {
    refuse(
        {&axis, &min, &max, &speed, &acceleration, &value, &start_speed, &friction, &armature, &motor, &spring, &gear},
        "a fixed joint: allowed with revolute and prismatic");
    keys.refuse("keyframes");
    return joint;
  }
  if (ball)
    refuse({&min, &value, &start_speed, &armature, &motor, &spring, &gear},
           "a ball joint; allowed: axis, origin, rotation, max and friction");
  const bool slides = joint.type == JointType::prismatic;
  const std::string_view unit = slides ? "m" : "degrees", strength_unit = slides ? "N" : "N m";
  const Range range = range_of_value(joint.type), above_0{1e-9, 1e9, unit},
              either_way{-1e6, 1e6, slides ? "m/s" : "degrees/s"};
  axis.get(joint.axis);
  if (glm::length(joint.axis) == 0.0)
    axis.fail("must not be [0, 0, 0]");
  min.get(joint.min, range);
  max.get(joint.max, ball ? Range{0.0, 180.0, unit} : range);
  if (of == JointOf::bodies && (joint.min > 0.0 || joint.max < 0.0) && !ball)
    (joint.min > 0.0 ? min : max).fail("must let the joint be where it is at the start, at the value 0");
  if (joint.min > joint.max)
    max.or_override(min).fail(
        fmt::format("makes max {} lie below min {}: the joint could be nowhere", joint.max, joint.min));
  friction.get(joint.friction, {0.0, 1e12, strength_unit});
  armature.get(joint.armature, {0.0, 1e12, slides ? "kg" : "kg m2"});
  start_speed.get(joint.start_speed, either_way);
  if (motor)
    joint.motor = read_motor(motor, either_way, range, strength_unit);
  if (spring)
    joint.spring = read_spring(spring.table(), range);
  if (gear)
    joint.gear = read_gear(gear.table());
  speed.get(joint.speed, above_0);
  acceleration.get(joint.acceleration, above_0);
  if (!value.is_array())
    keys.refuse("value = [[time, value], ..]");
  joint.value = read_joint_value(value, range, keys);
  return joint;
}

}  // namespace

Range range_of_value(JointType type) {
  return {-1e6, 1e6, type == JointType::prismatic ? "m" : "degrees"};
}

JointValue read_joint_value(const Value& value, Range range, const BetweenKeys& between) {
  if (value.is_array())
    return read_track(value, range, between);
  if (value.is_word()) {
    Formula formula{"", place_of(value)};
    value.get(formula.text);
    return formula;
  }
  double number = 0.0;
  value.get(number, range);
  return number;
}

MotionKeys::MotionKeys(Table& t)
    : velocity_(t["velocity"]), spin_(t["spin"]), keyframes_(t["keyframes"]), interpolation_(t["interpolation"]),
      repeat_(t["repeat"]), motion_(t["motion"]), parent_(t["parent"]), joint_(t["joint"]) {}

void MotionKeys::get(BodySpec& b) const {
  const bool turns_on_joint = is_dynamic(b) && joint_ && spin_;  // allowed where it is a ball joint
  const Value* first = nullptr;                                  // of those that exclude each other
  for (const Value* v : {&velocity_, &keyframes_, &motion_, &joint_})
    if (const Value* given = *v ? v : v == &velocity_ && spin_ && !turns_on_joint ? &spin_ : nullptr) {
      if (first)
        given->or_override(*first).fail(
            fmt::format("and {} exclude each other: a body moves by velocity and spin, keyframes, motion, or a joint",
                        first->path()));
      first = given;
    }
  if (is_dynamic(b))
    refuse({&keyframes_, &motion_}, "a body with mass or density, which moves by what pushes it; allowed: "
                                    "velocity and spin, with which it starts, or a joint");
  if (parent_) {
    parent_.get(b.parent);
    b.parent_where = place_of(parent_);
    if (b.parent.empty())
      parent_.fail("must not be empty");
    if (is_dynamic(b) && !joint_)
      parent_.fail("needs a joint beside it, which holds the body with mass or density to it");
  }
  velocity_.get(b.velocity);
  spin_.get(b.spin);
  const BetweenKeys between{interpolation_, repeat_};
  if (!keyframes_)
    between.refuse("keyframes");
  if (keyframes_) {
    b.motion = read_keyframes(keyframes_, between);
  } else if (motion_) {
    Functions functions;
    Table t = motion_.table();
    const Value position = t["position"], rotation = t["rotation"];
    t.finish();
    if (!position && !rotation)
      motion_.fail("gives no motion: give position, rotation or both");
    read_formulas(position, functions.position);
    read_formulas(rotation, functions.rotation);
    b.motion = functions;
  } else if (joint_) {
    const JointOf of = !is_dynamic(b) ? JointOf::driven_body : parent_ ? JointOf::dynamic_child : JointOf::dynamic_body;
    const Joint& joint = std::get<Joint>(b.motion = read_joint(joint_.table(), of));
    if (turns_on_joint && joint.type != JointType::ball)
      spin_.or_override(joint_).fail(
          "has no meaning beside this joint: allowed with a ball joint; others have start_speed");
  }
}

JointSpec read_joint_between(Table t, const Scene& scene) {
  JointSpec spec;
  const Value name = t.need("name"), bodies = t.need("bodies");
  name.get(spec.name);
  check_name(name, spec.name, scene.joints, "joint");
  if (!bodies.is_array() || bodies.elements().empty() || bodies.elements().size() > 2)
    bodies.must_be("[\"NAME\", \"NAME\"], or [\"NAME\"] for a joint to the world");
  const std::vector<Value> names = bodies.elements();
  names[0].get(spec.body);
  if (names.size() > 1)
    names[1].get(spec.parent);
  spec.joint = read_joint(std::move(t), JointOf::bodies);
  return spec;
}

}  // namespace talus::reading
