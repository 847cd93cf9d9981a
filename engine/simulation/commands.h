#pragma once
// What bodies and the hand are told, and how bodies move.
#include "engine/motion/drives.h"
#include "engine/simulation/field_memory.h"
#include "engine/simulation/hand.h"
#include "engine/simulation/run_state.h"
#include "engine/talus.h"
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace talus {

// The commands that are in force at some time.
struct CommandState {
  std::vector<Drives::Course> courses;  // what scripted and commanded bodies were told, by world
  Hand hand;
  std::map<std::uint32_t, RigidCommand> rigid;  // what dynamic bodies were told before newer commands
};

// Owns the drives of scripted and commanded bodies, the hand, and the commands that newer ones replaced since the last
// step. Commands to dynamic bodies are in the field `rigid_commands`.
//
// Between calls:
// - Commands that were replaced are kept until take_replaced(): what the state of the last step was told.
// - The field `held` is hand().held.
// - A command that throws has changed nothing.
//
// Needs the model, whose notes tell of speeds beyond a joint's limit, the fields, and the step that the run is at.
class Commands {
public:
  Commands(Model& model, FieldMemory& memory, const RunState& run);

  const Drives& drives() const { return drives_; }
  const Hand& hand() const { return hand_; }
  BodyState body_state(std::uint32_t body) const;
  JointState joint_state(std::uint32_t body) const;
  std::optional<JointLoad> joint_load(std::uint32_t body) const;
  // Where the bodies of a world are now. Passes have moved the dynamic ones.
  std::vector<Pose> poses(std::uint32_t world) const;

  // Commands, as Simulation has them.
  void place_body(std::uint32_t body, const Pose& at);
  void move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits);
  void drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits);
  void move_joint(std::uint32_t body, double value);
  void drive_joint(std::uint32_t body, double speed);
  void push_joint(std::uint32_t body, double torque);
  void push_body(std::uint32_t body, const Wrench& wrench);
  void grab(const glm::dvec3& at, std::vector<HandGrain> held);
  void move_hand(const glm::dvec3& at);
  void release();

  void write_motions(std::uint64_t steps);  // how bodies move in the next steps
  void advance(std::uint64_t steps) { drives_.advance(steps); }

  // What was in force before the first command since the last step; nothing where there was no command. Commands
  // forgets it.
  std::optional<CommandState> take_replaced() { return std::exchange(replaced_, {}); }
  void forget_replaced() { replaced_.reset(); }
  CommandState current() const { return {drives_.courses(), hand_, {}}; }
  void restore(const CommandState& state);
  void restore(const std::vector<Drives::Course>& courses, Hand hand);
  void set_course(std::uint32_t world, Drives::Course course) {
    TALUS_ASSERT(world < model_.worlds(), world, model_.worlds());
    drives_.set(world, std::move(course));
  }
  void set_drives(Drives drives) { drives_ = std::move(drives); }  // after the scene was changed

private:
  void remember();  // before a command
  void command(std::uint32_t body, const std::function<void(RigidCommand&)>& change);
  void hold(Hand hand);
  RigidState rigid_state(std::uint32_t body) const;
  std::optional<std::uint32_t> linked_joint(std::uint32_t body) const;  // in Linkages::joints
  LinkState link_state(std::uint32_t world, std::uint32_t joint) const;
  JointState linked_state(std::uint32_t world, std::uint32_t joint, double unit) const;
  const Joint* dynamic_joint(std::uint32_t body) const;  // null where the body is not dynamic or turns freely
  void note_limit(std::uint32_t body, double speed);

  Model& model_;
  FieldMemory& memory_;
  const RunState& run_;
  Drives drives_;
  Hand hand_;
  std::optional<CommandState> replaced_;
};

}  // namespace talus
