#pragma once
// How the bodies move step by step: as the scene says, or as they are commanded.
#include "engine/motion/profile.h"
#include "engine/motion/states.h"
#include "engine/scene/kinematics.h"
#include "shaders/shared/types.h"
#include <cstddef>
#include <map>
#include <optional>
#include <span>

namespace talus {

class Drive {
public:
  // time_zero: s, where step 1 starts. Throws SceneError.
  explicit Drive(const Scene& scene, double time_zero = 0.0);

  double time(std::uint64_t step) const { return time_zero_ + static_cast<double>(step) * dt_; }  // s, after so many

  // Of `count` steps from `step` on, body by body, of a dynamic one what its motor is to do; and the greatest speed of
  // a point of a body in each, m/s.
  struct Batch {
    std::vector<shared::BodyMotion> motions;
    std::vector<float> speeds;
  };
  Batch batch(std::uint64_t step, std::uint64_t count) const;

  void advance(std::uint64_t count);  // so many steps are done

  // Poses of all bodies at the start of a step; where passes move a body, its pose is that of the scene.
  std::vector<Pose> poses(std::uint64_t step) const;

  // See Simulation. step: the one to come.
  BodyState body_state(std::uint64_t step, std::uint32_t body) const;
  void place_body(std::uint64_t step, std::uint32_t body, const Pose& at);
  void move_body(std::uint64_t step, std::uint32_t body, const Pose& target, const BodyLimits& limits);
  void drive_body(std::uint64_t step, std::uint32_t body, const Twist& target, const BodyLimits& limits);
  JointState joint_state(std::uint64_t step, std::uint32_t body) const;
  void move_joint(std::uint64_t step, std::uint32_t body, double target);
  void drive_joint(std::uint64_t step, std::uint32_t body, double target);

  // What has been commanded, and how far it has come.
  struct CommandedBody {
    Pose pose, target;    // in the frame of the parent
    Twist twist, wanted;  // of the step before
    BodyLimits limits;
    std::uint64_t to_target = 0;  // or else to the velocities wanted
  };
  struct CommandedJoint {
    double value = 0.0, target = 0.0;
    double speed = 0.0, wanted = 0.0;  // of the step before
    std::uint64_t to_target = 0;
  };
  struct Commands {
    std::map<std::uint64_t, CommandedBody> bodies;  // by number
    std::map<std::uint64_t, CommandedJoint> joints;
  };
  const Commands& commands() const { return commands_; }
  void set(Commands commands) { commands_ = std::move(commands); }  // of a Drive of the same scene

  // The commands for a checkpoint, and back: nothing where the bytes are none of this scene.
  std::vector<std::byte> to_bytes() const;
  std::optional<Commands> from_bytes(std::span<const std::byte> bytes) const;

private:
  void check(std::uint32_t body, bool jointed) const;
  CommandedBody& command(std::uint64_t step, std::uint32_t body, const BodyLimits& limits);
  CommandedJoint& command_joint(std::uint64_t step, std::uint32_t body);
  double joint_value(std::uint64_t step, std::uint32_t body) const;  // as the scene says
  Commands after_step(const Commands& commands) const;
  std::vector<Move> moves(std::uint64_t step, const Commands& begin, const Commands& end) const;  // in the world
  glm::dvec3 into_periods(glm::dvec3 position) const;
  shared::BodyMotion motor_of(std::size_t body, std::uint64_t step) const;

  double dt_, time_zero_;
  Domain domain_;
  Kinematics kinematics_;
  std::vector<std::string> names_;
  std::vector<bool> dynamic_;  // moved by the passes
  std::vector<double> reach_;
  Commands commands_;
};

}  // namespace talus
