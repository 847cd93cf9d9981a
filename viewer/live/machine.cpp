#include "viewer/live/machine.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace viewer {

using talus::BodySpec, talus::Joint, talus::JointType;

namespace {

struct Pair {
  int less, more, pad;
};
// In the order of the joints: those at hand come first.
constexpr std::array<Pair, 7> pairs{{{GLFW_KEY_L, GLFW_KEY_J, GLFW_GAMEPAD_AXIS_LEFT_X},
                                     {GLFW_KEY_K, GLFW_KEY_I, GLFW_GAMEPAD_AXIS_LEFT_Y},
                                     {GLFW_KEY_O, GLFW_KEY_U, GLFW_GAMEPAD_AXIS_RIGHT_Y},
                                     {GLFW_KEY_M, GLFW_KEY_N, GLFW_GAMEPAD_AXIS_RIGHT_X},
                                     {GLFW_KEY_H, GLFW_KEY_Y, -1},
                                     {GLFW_KEY_G, GLFW_KEY_T, -1},
                                     {GLFW_KEY_V, GLFW_KEY_B, -1}}};

constexpr double usual_turn = 45.0, usual_slide = 0.2;  // degrees/s, m/s, of joints without a limit
constexpr double usual_drive = 0.3, usual_lift = 0.15;  // m/s
constexpr float dead_zone = 0.15f;                      // of a stick

bool is_driven(const BodySpec& body) {
  return !talus::is_dynamic(body) && body.parent.empty() &&
         (std::holds_alternative<talus::Keyframes>(body.motion) ||
          std::holds_alternative<talus::Functions>(body.motion) || body.velocity != glm::dvec3(0.0) ||
          body.spin != glm::dvec3(0.0));
}

float stick(int axis) {
  GLFWgamepadstate state;
  if (axis < 0 || !glfwGetGamepadState(GLFW_JOYSTICK_1, &state))
    return 0.0f;
  const float value = -state.axes[axis];  // up and left are positive here
  return std::abs(value) < dead_zone ? 0.0f : value;
}

}  // namespace

void Machine::start(const talus::Scene& scene) {
  axes_.clear();
  add_joints(scene);
  if (axes_.empty())
    add_bodies(scene);
  axes_.resize(std::min(axes_.size(), pairs.size()));
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    axes_[a].less = pairs[a].less;
    axes_[a].more = pairs[a].more;
    axes_[a].pad = pairs[a].pad;
  }
  told_.assign(axes_.size(), 0.0f);
}

void Machine::add_joints(const talus::Scene& scene) {
  for (std::uint32_t b = 0; b < scene.bodies.size(); ++b) {
    const auto* joint = std::get_if<Joint>(&scene.bodies[b].motion);
    if (!joint || (joint->type != JointType::revolute && joint->type != JointType::prismatic))
      continue;
    if (talus::is_dynamic(scene.bodies[b]) && !joint->motor)
      continue;
    const bool turns = joint->type == JointType::revolute;
    const double usual = turns ? usual_turn : usual_slide;
    axes_.push_back({.name = scene.bodies[b].name,
                     .body = b,
                     .most = std::min(usual, joint->speed),
                     .unit = turns ? "degrees/s" : "m/s"});
  }
}

// The first that moves by itself: a blade, a plate, a paddle.
void Machine::add_bodies(const talus::Scene& scene) {
  const auto found = std::ranges::find_if(scene.bodies, is_driven);
  if (found == scene.bodies.end())
    return;
  const auto body = static_cast<std::uint32_t>(found - scene.bodies.begin());
  const auto add = [&](const char* way, Axis::Kind kind, double most, const char* unit) {
    axes_.push_back({.name = found->name + " " + way, .body = body, .kind = kind, .most = most, .unit = unit});
  };
  add("around", Axis::Kind::around, usual_turn, "degrees/s");
  add("ahead", Axis::Kind::ahead, usual_drive, "m/s");
  add("up", Axis::Kind::up, usual_lift, "m/s");
}

void Machine::read(GLFWwindow* window, bool keys) {
  for (Axis& axis : axes_) {
    float lever = stick(axis.pad);
    if (keys)
      lever += static_cast<float>(glfwGetKey(window, axis.more) == GLFW_PRESS) -
               static_cast<float>(glfwGetKey(window, axis.less) == GLFW_PRESS);
    axis.lever = std::clamp(lever, -1.0f, 1.0f);
  }
}

// In the world, along the body as it is turned now.
Input Machine::twist(const talus::Simulation& simulation, std::uint32_t body) const {
  const glm::dmat3 turned = glm::mat3_cast(simulation.body_state(body).pose.rotation);
  DriveBody drive{simulation.scene().bodies[body].name, glm::dvec3(0.0), glm::dvec3(0.0)};
  const glm::dvec3 ahead = normalize(glm::dvec3(turned[0].x, turned[0].y, 1e-12));
  for (const Axis& axis : axes_) {
    const double value = axis.lever * axis.most;
    if (axis.kind == Axis::Kind::ahead)
      drive.velocity += value * ahead;
    else if (axis.kind == Axis::Kind::up)
      drive.velocity.z += value;
    else
      drive.spin.z += glm::radians(value);
  }
  return drive;
}

std::vector<Input> Machine::inputs(const talus::Simulation& simulation) {
  std::vector<Input> inputs;
  bool body_moves = false;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    Axis& axis = axes_[a];
    const bool moved = axis.lever != told_[a];
    axis.driven |= moved;
    if (axis.kind != Axis::Kind::joint)
      body_moves |= moved || (axis.driven && axis.lever != 0.0f);
    else if (moved)
      inputs.push_back(DriveJoint{axis.name, axis.lever * axis.most});
    told_[a] = axis.lever;
  }
  if (body_moves)
    inputs.push_back(twist(simulation, axes_.front().body));
  return inputs;
}

std::string Machine::key_name(int key) {
  const char* name = glfwGetKeyName(key, 0);
  std::string text = name ? name : "?";
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace viewer
