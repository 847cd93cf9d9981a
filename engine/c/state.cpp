// The state of a simulation: grains, bodies, shape-matched bodies, cloth, and the images of depth cameras.
#include "engine/c/border.h"
#include "engine/core/executor.h"
#include "engine/core/fields.h"

namespace talus::c {
namespace {

// Writes one value per element, or three, unless the array is null.
template <class T> void fill(T* array, const auto& elements, auto&& value) {
  if (!array)
    return;
  for (const auto& element : elements)
    *array++ = value(element);
}
void fill_vectors(auto* array, const auto& elements, auto&& vector) {
  if (!array)
    return;
  for (const auto& element : elements) {
    vector_to(vector(element), array);
    array += 3;
  }
}

// Capacities and counts of arrays in a struct: the counts go out first, so that they are there where room is lacking.
[[noreturn]] void too_small(const char* what, std::uint64_t there, std::uint64_t capacity) {
  throw Failure(TALUS_ERROR_TOO_SMALL, "there are " + std::to_string(there) + " " + what +
                                           ", and the arrays have room for " + std::to_string(capacity));
}

void read_grains(const std::vector<GrainState>& there, talus_grain_arrays* theirs) {
  talus_grain_arrays out = taken(theirs, "grains");
  if (out.reserved != 0)
    refuse("grains.reserved must be 0");
  out.count = there.size();
  hand_out(out, theirs, "grains");
  const bool wanted =
      out.ids || out.positions || out.velocities || out.radii || out.materials || out.worlds || out.spins;
  if (wanted && out.capacity < out.count)
    too_small("grains", out.count, out.capacity);
  fill(out.ids, there, [](const GrainState& g) { return g.id; });
  fill_vectors(out.positions, there, [](const GrainState& g) { return g.position; });
  fill_vectors(out.velocities, there, [](const GrainState& g) { return g.velocity; });
  fill(out.radii, there, [](const GrainState& g) { return g.radius; });
  fill(out.materials, there, [](const GrainState& g) { return g.material; });
  fill(out.worlds, there, [](const GrainState& g) { return g.world; });
  fill_vectors(out.spins, there, [](const GrainState& g) { return g.spin; });
}

talus_body_load load_from(const BodyLoad& load) {
  talus_body_load out{};
  vector_to(load.force, out.force);
  vector_to(load.torque, out.torque);
  vector_to(load.force_filtered, out.force_filtered);
  vector_to(load.torque_filtered, out.torque_filtered);
  out.uncounted = load.uncounted;
  return out;
}

void read_loads(const std::vector<BodyLoad>& there, talus_body_load* loads, std::uint64_t capacity,
                std::uint64_t* count) {
  if (has_room(loads, capacity, there.size(), count))
    std::ranges::transform(there, loads, load_from);
}

std::uint32_t number_of(const Simulation& simulation, std::uint32_t kind, const char* name, std::uint32_t world) {
  switch (kind) {
  case TALUS_KIND_BODY:
    return simulation.body(name, world);
  case TALUS_KIND_SHAPE:
    return simulation.shape(name, world);
  case TALUS_KIND_CLOTH:
    return simulation.cloth(name, world);
  case TALUS_KIND_DEPTH_CAMERA:
    return simulation.depth_camera(name);
  }
  refuse("parts of kind " + std::to_string(kind) + " have no state of their own: see talus_find()");
}

const DepthCameraSpec& camera_of(const Simulation& simulation, std::uint32_t camera) {
  check_index(camera, simulation.scene().depth_cameras.size(), "depth camera");
  return simulation.scene().depth_cameras[camera];
}

}  // namespace
}  // namespace talus::c

using namespace talus::c;

talus_result talus_read_grains(talus_simulation* simulation, talus_grain_arrays* grains) {
  return guarded([&] { read_grains(Use(simulation)->grains(), grains); });
}

talus_result talus_read_fine_grains(talus_simulation* simulation, talus_grain_arrays* grains) {
  return guarded([&] { read_grains(Use(simulation)->fine_grains(), grains); });
}

talus_result talus_view_grains(talus_simulation* simulation, talus_grain_view* view) {
  return guarded([&] {
    const Use used(simulation);
    talus::Executor& executor = used->executor();
    talus_grain_view out{};
    out.stride = sizeof(talus::shared::Grain);
    out.count = used->grain_places();
    auto& held = used.handle().viewed;
    if (out.count > 0) {
      decltype(talus_simulation::viewed) now{
          executor.hold(talus::FieldId::grains), executor.hold(talus::FieldId::grain_id),
          executor.hold(talus::FieldId::grain_tag), executor.hold(talus::FieldId::grain_spin)};
      if (!now[0])
        throw Failure(TALUS_ERROR_UNAVAILABLE, "grains lie on the device: talus_read_grains() copies them, "
                                               "talus_get_buffer() says where they are");
      held = std::move(now);
      out.grains = reinterpret_cast<const float*>(held[0].get());
      out.ids = reinterpret_cast<const uint32_t*>(held[1].get());
      out.materials = reinterpret_cast<const uint32_t*>(held[2].get());
      out.spins = reinterpret_cast<const float*>(held[3].get());
    }
    hand_out(out, view, "view");
  });
}

talus_result talus_find(talus_simulation* simulation, uint32_t kind, const char* name, uint32_t world,
                        uint32_t* number) {
  return guarded([&] { given(number, "number") = number_of(*Use(simulation), kind, &given(name, "name"), world); });
}

talus_result talus_body_state(talus_simulation* simulation, uint32_t body, talus_pose* pose, talus_twist* twist) {
  return guarded([&] {
    given(pose, "pose");
    given(twist, "twist");
    const talus::BodyState state = Use(simulation)->body_state(body);
    *pose = pose_to(state.pose);
    vector_to(state.twist.velocity, twist->velocity);
    vector_to(state.twist.spin, twist->spin);
  });
}

talus_result talus_get_joint_load(talus_simulation* simulation, uint32_t body, talus_joint_load* load, int* known) {
  return guarded([&] {
    given(load, "load");
    given(known, "known");
    const std::optional<talus::JointLoad> found = Use(simulation)->joint_load(body);
    *known = found.has_value();
    if (!found)
      return;
    vector_to(found->force, load->force);
    vector_to(found->torque, load->torque);
    load->along = found->along;
  });
}

talus_result talus_joint_state(talus_simulation* simulation, uint32_t body, double* value, double* speed) {
  return guarded([&] {
    given(value, "value");
    given(speed, "speed");
    const talus::JointState state = Use(simulation)->joint_state(body);
    *value = state.value;
    *speed = state.speed;
  });
}

talus_result talus_body_loads(talus_simulation* simulation, talus_body_load* loads, uint64_t capacity,
                              uint64_t* count) {
  return guarded([&] { read_loads(Use(simulation)->body_loads(), loads, capacity, count); });
}

talus_result talus_load_history(talus_simulation* simulation, talus_body_load* loads, uint64_t capacity,
                                uint64_t* count) {
  return guarded([&] {
    const Use used(simulation);
    read_loads(used->load_history(), loads, capacity, count);
  });
}

talus_result talus_shape_state(talus_simulation* simulation, uint32_t shape, talus_pose* pose, double velocity[3]) {
  return guarded([&] {
    given(pose, "pose");
    given(velocity, "velocity");
    const Use used(simulation);
    check_index(shape, used->worlds() * used->scene().shapes.size(), "shape");
    const talus::ShapeState state = used->shape_state(shape);
    *pose = pose_to(state.pose);
    vector_to(state.velocity, velocity);
  });
}

talus_result talus_read_cloth(talus_simulation* simulation, uint32_t cloth, talus_cloth_arrays* arrays) {
  return guarded([&] {
    talus_cloth_arrays out = taken(arrays, "arrays");
    if (out.reserved != 0)
      refuse("arrays.reserved must be 0");
    const talus::ClothState state = Use(simulation)->cloth_state(cloth);
    out.vertices = state.positions.size();
    out.triangles = state.triangles.size();
    out.strain_mean = state.strain_mean;
    out.strain_max = state.strain_max;
    out.kinetic_energy = state.kinetic_energy;
    hand_out(out, arrays, "arrays");
    if ((out.positions || out.velocities) && out.vertex_capacity < out.vertices)
      too_small("vertices", out.vertices, out.vertex_capacity);
    if (out.corners && out.triangle_capacity < out.triangles)
      too_small("triangles", out.triangles, out.triangle_capacity);
    const auto itself = [](const auto& vector) { return vector; };
    fill_vectors(out.positions, state.positions, itself);
    fill_vectors(out.velocities, state.velocities, itself);
    fill_vectors(out.corners, state.triangles, itself);
  });
}

talus_result talus_depth_size(talus_simulation* simulation, uint32_t camera, uint32_t* width, uint32_t* height) {
  return guarded([&] {
    given(width, "width");
    given(height, "height");
    const Use used(simulation);
    const glm::uvec2 size = camera_of(*used, camera).size;
    *width = size.x;
    *height = size.y;
  });
}

talus_result talus_read_depth(talus_simulation* simulation, uint32_t camera, float* pixels, uint64_t capacity,
                              uint64_t* count) {
  return guarded([&] {
    const Use used(simulation);
    const glm::uvec2 size = camera_of(*used, camera).size;
    if (has_room(pixels, capacity, uint64_t{used->worlds()} * size.x * size.y, count))
      std::ranges::copy(used->depth(camera), pixels);
  });
}
