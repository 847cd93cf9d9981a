#pragma once
// What an operator can drive in a scene: the joints of an arm, or a body that goes its own way, by pairs of keys, a
// gamepad, or sliders.
#include "engine/talus.h"
#include "viewer/inputs.h"
#include <optional>
#include <string>
#include <vector>

struct GLFWwindow;

namespace viewer {

class Machine {
public:
  // A joint, or one of the ways in which a body without one goes: ahead, up, around.
  struct Axis {
    std::string name;        // "boom", "blade ahead"
    std::uint32_t body = 0;  // index into Scene::bodies
    enum class Kind { joint, ahead, up, around } kind = Kind::joint;
    double most = 0.0;       // degrees/s or m/s, at full lever
    std::string unit;        // of its speed
    int less = 0, more = 0;  // GLFW_KEY_..
    int pad = -1;            // GLFW_GAMEPAD_AXIS_..
    float lever = 0.0f;      // -1 .. 1, now
    bool driven = false;     // by hand, and no more by the scene
  };

  void start(const talus::Scene& scene);
  bool empty() const { return axes_.empty(); }
  std::vector<Axis>& axes() { return axes_; }
  const std::vector<Axis>& axes() const { return axes_; }

  // Levers as keys and the gamepad hold them; where neither does, `set` by the panel, they stay for one frame. keys:
  // whether the keyboard is free for it.
  void read(GLFWwindow* window, bool keys);
  // What has to be told to the simulation: an input per axis or body whose lever moved, and for bodies that turn.
  std::vector<Input> inputs(const talus::Simulation& simulation);

  static std::string key_name(int key);

private:
  std::vector<Axis> axes_;
  std::vector<float> told_;  // levers that the simulation knows

  void add_joints(const talus::Scene& scene);
  void add_bodies(const talus::Scene& scene);
  Input twist(const talus::Simulation& simulation, std::uint32_t body) const;
};

}  // namespace viewer
