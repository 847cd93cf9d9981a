// Commands to bodies and joints, and the hand.
#include "engine/c/border.h"

namespace talus::c {
namespace {

BodyLimits limits_from(const talus_body_limits* given_limits) {
  if (!given_limits)
    return {};
  const auto limit = [](double value) { return value == 0.0 ? BodyLimits::none : value; };
  return {limit(given_limits->speed), limit(given_limits->acceleration), limit(given_limits->spin),
          limit(given_limits->spin_acceleration)};
}

}  // namespace
}  // namespace talus::c

using namespace talus::c;

talus_result talus_place_body(talus_simulation* simulation, uint32_t body, const talus_pose* at) {
  return guarded([&] { Use(simulation)->place_body(body, pose_from(at, "at")); });
}

talus_result talus_move_body(talus_simulation* simulation, uint32_t body, const talus_pose* target,
                             const talus_body_limits* limits) {
  return guarded([&] { Use(simulation)->move_body(body, pose_from(target, "target"), limits_from(limits)); });
}

talus_result talus_drive_body(talus_simulation* simulation, uint32_t body, const talus_twist* target,
                              const talus_body_limits* limits) {
  return guarded([&] {
    given(target, "target");
    Use(simulation)
        ->drive_body(body, {vector_from(target->velocity, "target.velocity"), vector_from(target->spin, "target.spin")},
                     limits_from(limits));
  });
}

talus_result talus_move_joint(talus_simulation* simulation, uint32_t body, double value) {
  return guarded([&] { Use(simulation)->move_joint(body, value); });
}

talus_result talus_drive_joint(talus_simulation* simulation, uint32_t body, double speed) {
  return guarded([&] { Use(simulation)->drive_joint(body, speed); });
}

talus_result talus_push_joint(talus_simulation* simulation, uint32_t body, double torque) {
  return guarded([&] { Use(simulation)->push_joint(body, torque); });
}

talus_result talus_push_body(talus_simulation* simulation, uint32_t body, const double force[3],
                             const double torque[3]) {
  return guarded([&] {
    Use(simulation)->push_body(body, {vector_from(force, "force"), vector_from(torque, "torque")});
  });
}

talus_result talus_grab(talus_simulation* simulation, const double at[3], double radius, uint32_t* held) {
  return guarded([&] {
    given(held, "held");
    *held = Use(simulation)->grab(vector_from(at, "at"), radius);
  });
}

talus_result talus_move_hand(talus_simulation* simulation, const double at[3]) {
  return guarded([&] { Use(simulation)->move_hand(vector_from(at, "at")); });
}

talus_result talus_release(talus_simulation* simulation) {
  return guarded([&] { Use(simulation)->release(); });
}

talus_result talus_push_grains(talus_simulation* simulation, const double at[3], double radius, uint32_t* pushed) {
  return guarded([&] {
    given(pushed, "pushed");
    *pushed = Use(simulation)->push_grains(vector_from(at, "at"), radius);
  });
}

talus_result talus_remove_grains(talus_simulation* simulation, const double at[3], double radius, uint32_t* removed) {
  return guarded([&] {
    given(removed, "removed");
    *removed = Use(simulation)->remove_grains(vector_from(at, "at"), radius);
  });
}

talus_result talus_removed_grains(talus_simulation* simulation, uint32_t* removed) {
  return guarded([&] {
    given(removed, "removed");
    *removed = Use(simulation)->removed_grains();
  });
}
