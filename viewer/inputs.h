#pragma once
// What an operator does to a running scene, step by step: recorded, written to a file, and played back to the same
// bits.
#include "engine/talus.h"
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace viewer {

// See the members of talus::Simulation of these names. Bodies by their names.
struct DriveJoint {
  std::string body;
  double speed;  // degrees/s or m/s
  bool operator==(const DriveJoint&) const = default;
};
struct MoveJoint {
  std::string body;
  double value;  // degrees or m
  bool operator==(const MoveJoint&) const = default;
};
struct DriveBody {
  std::string body;
  glm::dvec3 velocity, spin;  // m/s, rad/s
  bool operator==(const DriveBody&) const = default;
};
struct PushBody {
  std::string body;
  glm::dvec3 force, torque;  // N, N m
  bool operator==(const PushBody&) const = default;
};
// A setting: viewer/parameters.h.
struct SetParameter {
  std::string key;
  double value;
  bool operator==(const SetParameter&) const = default;
};
struct Grab {
  glm::dvec3 at;  // m
  double radius;
  bool operator==(const Grab&) const = default;
};
struct MoveHand {
  glm::dvec3 at;  // m
  bool operator==(const MoveHand&) const = default;
};
struct Release {
  bool operator==(const Release&) const = default;
};
// Grains fall from around a place for a while: viewer/pour.h.
struct Pour {
  glm::dvec3 at;  // m
  bool operator==(const Pour&) const = default;
};
// talus::Simulation::remove_grains and push_grains. Release ends a push.
struct Dig {
  glm::dvec3 at;  // m
  double radius;
  bool operator==(const Dig&) const = default;
};
struct Push {
  glm::dvec3 at;  // m
  double radius;
  bool operator==(const Push&) const = default;
};
// A ball is taken out of a body: viewer/cut.h.
struct Cut {
  std::string body;  // empty: there was none, which act() tells
  glm::dvec3 at;     // m, in the body's frame
  double radius;
  bool operator==(const Cut&) const = default;
};
using Input = std::variant<DriveJoint, MoveJoint, DriveBody, PushBody, SetParameter, Grab, MoveHand, Release, Pour, Dig,
                           Push, Cut>;

// Between two steps. Throws std::logic_error or SceneError for what cannot be, and changes nothing then.
void act(talus::Simulation& simulation, const Input& input);

struct Inputs {
  std::filesystem::path scene;
  std::string scene_text;  // all of it as TOML, for whoever has not the file, or another one of that name
  std::uint64_t end = 0;   // step at which the recording ended ..
  std::uint64_t hash = 0;  // .. and the state's hash there
  std::string device;      // on which these bits come again
  std::vector<std::pair<std::uint64_t, Input>> inputs;  // by step: before it is done
  std::filesystem::path file;                           // that they were read from; empty: from none

  void save(const std::filesystem::path& file) const;     // throws talus::ExportError
  static Inputs load(const std::filesystem::path& file);  // throws UsageError with the place
  std::string place(std::size_t input) const;             // "FILE: inputs[3]"
  talus::Scene parse() const;                             // scene_text; throws UsageError with the place
};

// Plays back: applies those that are due at the simulation's step.
class Replay {
public:
  explicit Replay(Inputs inputs) : inputs_(std::move(inputs)) {}
  const Inputs& inputs() const { return inputs_; }
  // The step at which the next ones are due, or the end is.
  std::uint64_t next() const;
  void play(talus::Simulation& simulation);  // throws UsageError with the place of an input that cannot be
  std::string last() const;                  // place and step of the last one that was played; empty: none was
  bool done(const talus::Simulation& simulation) const { return simulation.step() >= inputs_.end; }

private:
  Inputs inputs_;
  std::size_t played_ = 0;
};

}  // namespace viewer
