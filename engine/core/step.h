#pragma once
// The order of one step, as plain code, per solver method. Nothing here waits for the device.
#include "engine/core/executor.h"
#include "engine/scene/scene.h"

namespace talus {

struct StepPlan {
  std::uint32_t grains;    // places in memory in this step, those of grains that are gone too
  bool incremental;        // lists are rebuilt incrementally where few grains have moved
  std::uint32_t emitters;  // that may still release grains, all of them or none
  std::uint32_t worlds;
  std::uint32_t bodies;  // of all worlds
  std::uint32_t sinks;
  std::uint32_t shapes;           // shape-matched bodies of all worlds
  bool clumps;                    // there are some
  bool sleeps;                    // grains at rest sleep
  bool soil;                      // grains come out of the ground, with springs
  std::uint32_t carried;          // grains that stand for bodies
  std::uint32_t rigid;            // dynamic bodies
  std::uint32_t linkages;         // of dynamic bodies that joints hold together, of all worlds
  std::uint32_t body_points;      // by which they touch
  std::uint32_t ground_places;    // around bodies that feel the ground by its surface, where samples of it may lie
  std::uint32_t cloth;            // vertices
  std::uint32_t fine;             // places of fine grains in memory, those that are gone too
  bool fine_emitted;              // fine grains come with those that emitters release
  bool crowding;                  // fine grains make room for each other
  std::uint32_t batch;            // step that the batch began with, whose motions are the first of body_motions
  std::uint32_t held;             // grains in the hand
  glm::vec3 hand, hand_velocity;  // m, where it is at the start of the step; m/s
  Solver solver;                  // substeps > 0
  float h;                        // s, of a substep

  bool operator==(const StepPlan&) const = default;
};

// Builds the neighbour lists of the grains where they are, if they are void or too old for the substep to come. Changes
// nothing else that a step would not change in the same way. Where slots run out, Status.halt says so.
void build_lists(Executor& executor, const StepPlan& plan);

// What grains feel, into measures and contact_lines. listed: those that the lists are of, not the ones born since.
void evaluate_contacts(Executor& executor, const StepPlan& plan, std::uint32_t listed,
                       std::uint32_t gate = gates_total);

// Bodies where they are at the start of the step; pose_bodies: without the grains that stand for them.
void pose_bodies(Executor& executor, const StepPlan& plan);
void move_bodies(Executor& executor, const StepPlan& plan);

// What a depth camera sees of the grains, and of the bodies where they were last moved to. pixels: of its images in all
// worlds.
void see_depth(Executor& executor, const StepPlan& plan, std::uint32_t camera, std::uint32_t pixels, bool ground,
               bool heights);

// Runs one step from substep `from` on (0, unless an earlier attempt was halted inside the step) up to substep `to`,
// and with the last one its end.
void step(Executor& executor, const StepPlan& plan, std::uint32_t from = 0, std::uint32_t to = ~0u);

// Where passes are recorded and run later (Executor::defers), those behind closed gates take time as well: on a GPU
// about 1 us each, and the 33 passes that renew lists half of a substep of 50,000 grains. A stride is a substep that
// renews lists where they hold no longer, and a number of substeps that do not: where lists expire, these are passed
// over until the next stride. So the device alone knows how far a stride gets; its state has the same bits as after
// step(). Strides begin between steps or within one, stop after so many steps of the batch, and are followed by
// end_strides().
struct Stride {
  std::uint32_t waiting;  // substeps that wait for the next stride where lists hold no longer, > 0
  std::uint32_t steps;    // of the batch
};
// Is all that the scene has such that a stride does it as step() does?
bool can_stride(const StepPlan& plan);
void stride(Executor& executor, const StepPlan& plan, const Stride& stride);
void end_strides(Executor& executor, const StepPlan& plan);

}  // namespace talus
