// What a simulation tells: plain values, and arrays that are views of what the engine returned.
#include "state.h"
#include "module.h"
#include "repr.h"
#include <nanobind/stl/string.h>

namespace talus_python {

using namespace nb::literals;

Grains grains_of(std::vector<talus::GrainState> grains) {
  using talus::GrainState;
  auto kept = std::make_unique<std::vector<GrainState>>(std::move(grains));
  static const GrainState none{};
  const GrainState& first = kept->empty() ? none : kept->front();
  const std::size_t n = kept->size(), stride = sizeof(GrainState);
  const nb::capsule owner = owner_of(std::move(kept));
  return {member_of<Column<std::uint32_t>>(&first.id, stride, {n}, owner),
          member_of<Columns3<float>>(&first.position.x, stride, {n, 3}, owner),
          member_of<Columns3<float>>(&first.velocity.x, stride, {n, 3}, owner),
          member_of<Column<float>>(&first.radius, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.material, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.world, stride, {n}, owner),
          member_of<Columns3<float>>(&first.spin.x, stride, {n, 3}, owner)};
}

Clumps clumps_of(const std::vector<talus::ClumpState>& clumps) {
  struct Row {
    std::array<double, 3> position, velocity, spin;
    std::array<double, 4> rotation;
    double mass;
    std::uint32_t first, spheres, material, world;
  };
  auto kept = std::make_unique<std::vector<Row>>();
  for (const talus::ClumpState& c : clumps) {
    const auto three = [](const glm::dvec3& v) { return std::array{v.x, v.y, v.z}; };
    const glm::dquat& q = c.pose.rotation;
    kept->push_back({three(c.pose.position),
                     three(c.velocity),
                     three(c.spin),
                     {q.x, q.y, q.z, q.w},
                     c.mass,
                     c.first,
                     c.spheres,
                     c.material,
                     c.world});
  }
  static const Row none{};
  const Row& first = kept->empty() ? none : kept->front();
  const std::size_t n = kept->size(), stride = sizeof(Row);
  const nb::capsule owner = owner_of(std::move(kept));
  return {member_of<Column<std::uint32_t>>(&first.first, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.spheres, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.material, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.world, stride, {n}, owner),
          member_of<Column<double>>(&first.mass, stride, {n}, owner),
          member_of<Columns3<double>>(first.position.data(), stride, {n, 3}, owner),
          member_of<Columns4<double>>(first.rotation.data(), stride, {n, 4}, owner),
          member_of<Columns3<double>>(first.velocity.data(), stride, {n, 3}, owner),
          member_of<Columns3<double>>(first.spin.data(), stride, {n, 3}, owner)};
}

Contacts contacts_of(std::vector<talus::ContactState> contacts) {
  using talus::ContactState;
  static_assert(sizeof(ContactState::Partner) == sizeof(std::uint32_t));
  auto kept = std::make_unique<std::vector<ContactState>>(std::move(contacts));
  static const ContactState none{};
  const ContactState& first = kept->empty() ? none : kept->front();
  const std::size_t n = kept->size(), stride = sizeof(ContactState);
  const nb::capsule owner = owner_of(std::move(kept));
  return {member_of<Column<std::uint32_t>>(&first.world, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.grain, stride, {n}, owner),
          member_of<Column<std::uint32_t>>(reinterpret_cast<const std::uint32_t*>(&first.kind), stride, {n}, owner),
          member_of<Column<std::uint32_t>>(&first.partner, stride, {n}, owner),
          member_of<Columns3<float>>(&first.point.x, stride, {n, 3}, owner),
          member_of<Columns3<float>>(&first.normal.x, stride, {n, 3}, owner),
          member_of<Columns3<float>>(&first.friction.x, stride, {n, 3}, owner)};
}

Loads loads_of(std::vector<talus::BodyLoad> loads, const std::vector<std::size_t>& shape) {
  using talus::BodyLoad;
  auto kept = std::make_unique<std::vector<BodyLoad>>(std::move(loads));
  static const BodyLoad none{};
  const BodyLoad& first = kept->empty() ? none : kept->front();
  const nb::capsule owner = owner_of(std::move(kept));
  std::vector<std::size_t> vectors = shape;
  vectors.push_back(3);
  std::vector<std::int64_t> strides(vectors.size(), 1);
  std::int64_t stride = sizeof(BodyLoad) / sizeof(float);
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= static_cast<std::int64_t>(shape[axis]))
    strides[axis] = stride;
  const auto vector = [&](const glm::vec3& member) {
    return Array<float>(&member.x, vectors.size(), vectors.data(), owner, strides.data());
  };
  return {vector(first.force), vector(first.torque), vector(first.force_filtered), vector(first.torque_filtered),
          Array<std::uint32_t>(&first.uncounted, shape.size(), shape.data(), owner, strides.data())};
}

// The columns of csv where grains rotate.
nb::dict columns_of(const Grains& grains) {
  nb::dict columns;
  columns["id"] = nb::cast(grains.id, handed_over);
  const auto split = [&](const Columns3<float>& vectors, std::initializer_list<const char*> names) {
    const nb::object axes = nb::cast(vectors, handed_over).attr("T");
    for (int a = 0; const char* name : names)
      columns[name] = axes[a++];
  };
  split(grains.position, {"x", "y", "z"});
  split(grains.velocity, {"vx", "vy", "vz"});
  columns["radius"] = nb::cast(grains.radius, handed_over);
  columns["material"] = nb::cast(grains.material, handed_over);
  columns["world"] = nb::cast(grains.world, handed_over);
  split(grains.spin, {"wx", "wy", "wz"});
  return columns;
}

void bind_state(nb::module_& m) {
  nb::class_<Grains>(m, "Grains",
                     "N grains sorted by world and id, as arrays: read-only views of one copy, which outlives the\n"
                     "simulation. len(grains) is N.")
      .def_ro("id", &Grains::id, handed_over, "Numbers of the grains, unique within a world, uint32 [N].")
      .def_ro("position", &Grains::position, handed_over, "Centres [m], float32 [N, 3].")
      .def_ro("velocity", &Grains::velocity, handed_over, "Velocities of the centres [m/s], float32 [N, 3].")
      .def_ro("radius", &Grains::radius, handed_over, "Radii [m], float32 [N].")
      .def_ro("material", &Grains::material, handed_over, "Indices into Scene.materials, uint32 [N].")
      .def_ro("world", &Grains::world, handed_over, "Numbers of the worlds, uint32 [N].")
      .def_ro("spin", &Grains::spin, handed_over,
              "Angular velocities [rad/s], float32 [N, 3]; 0 where grains do not rotate, and of fine grains.")
      .def("to_dict", &columns_of, nb::sig("def to_dict(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "Returns the columns id, x, y, z [m], vx, vy, vz [m/s], radius [m], material, world, wx, wy,\n"
           "wz [rad/s], each an array of uint32 [N] or float32 [N], as pandas.DataFrame takes them.")
      .def("__len__", [](const Grains& g) { return g.id.shape(0); })
      .def("__repr__", [](const Grains& g) { return "Grains(" + text_of(g.id.shape(0)) + ")"; });

  nb::class_<Contacts>(m, "Contacts",
                       "N contacts that press, once for each pair, as arrays: read-only views of one copy. Forces are\n"
                       "those on `grain`; its partner gets the opposite. len(contacts) is N.")
      .def_ro("world", &Contacts::world, handed_over, "Numbers of the worlds, uint32 [N].")
      .def_ro("grain", &Contacts::grain, handed_over, "Id of the grain, of two grains the lower one, uint32 [N].")
      .def_ro("kind", &Contacts::kind, handed_over,
              "What the partner is, uint32 [N]; 0: a grain, 1: a body, 2: a wall.")
      .def_ro("partner", &Contacts::partner, handed_over,
              "Partner, uint32 [N]: the id of the other grain, the index of the body in Scene.bodies, or the\n"
              "number of the wall, which is 2 axis at domain.min and 2 axis + 1 at domain.max.")
      .def_ro("point", &Contacts::point, handed_over,
              "Point of contact [m], float32 [N, 3]: the middle of the overlap, or on the surface of the body or wall.")
      .def_ro("normal", &Contacts::normal, handed_over, "Normal force [N], float32 [N, 3].")
      .def_ro("friction", &Contacts::friction, handed_over, "Tangential force [N], float32 [N, 3].")
      .def("__len__", [](const Contacts& c) { return c.grain.shape(0); })
      .def("__repr__", [](const Contacts& c) { return "Contacts(" + text_of(c.grain.shape(0)) + ")"; });

  nb::class_<Clumps>(m, "Clumps",
                     "N clumps (rigid grains of several spheres) that move, sorted by world and first, as arrays:\n"
                     "read-only views of one copy. len(clumps) is N.")
      .def_ro("first", &Clumps::first, handed_over,
              "Id of the first sphere of each clump, uint32 [N]. The ids of its spheres follow one another.")
      .def_ro("spheres", &Clumps::spheres, handed_over, "Number of spheres of each clump, uint32 [N].")
      .def_ro("material", &Clumps::material, handed_over, "Indices into Scene.materials, uint32 [N].")
      .def_ro("world", &Clumps::world, handed_over, "Numbers of the worlds, uint32 [N].")
      .def_ro("mass", &Clumps::mass, handed_over, "Masses [kg], float64 [N].")
      .def_ro("position", &Clumps::position, handed_over, "Centres of mass [m], float64 [N, 3].")
      .def_ro("rotation", &Clumps::rotation, handed_over,
              "Unit quaternions x, y, z, w, float64 [N, 4], from the frame of the principal axes, the least\n"
              "moment of inertia first, to the world.")
      .def_ro("velocity", &Clumps::velocity, handed_over, "Velocities of the centres of mass [m/s], float64 [N, 3].")
      .def_ro("spin", &Clumps::spin, handed_over, "Angular velocities [rad/s], float64 [N, 3].")
      .def("__len__", [](const Clumps& c) { return c.first.shape(0); })
      .def("__repr__", [](const Clumps& c) { return "Clumps(" + text_of(c.first.shape(0)) + ")"; });

  nb::class_<GrainMemory>(
      m, "GrainMemory",
      "Grains as they lie in memory: P slots in any order, of which those of radius 0 are empty. Arrays\n"
      "are read-only.\n\n"
      "On the CPU path the arrays are the engine's own memory (in_place), which the next step changes\n"
      "and may leave for another: call Simulation.grain_memory() anew after each advance(). On a device\n"
      "they are a copy.")
      .def_ro("position", &GrainMemory::position, handed_over, "Centres [m], float32 [P, 3].")
      .def_ro("radius", &GrainMemory::radius, handed_over, "Radii [m], float32 [P]; 0 where the slot is empty.")
      .def_ro("velocity", &GrainMemory::velocity, handed_over, "Velocities of the centres [m/s], float32 [P, 3].")
      .def_ro("inverse_mass", &GrainMemory::inverse_mass, handed_over,
              "Reciprocal masses [1/kg], float32 [P]; 0 where the grain is fixed.")
      .def_ro("id", &GrainMemory::id, handed_over, "Numbers of the grains, unique within a world, uint32 [P].")
      .def_ro("tag", &GrainMemory::tag, handed_over,
              "Material index in the low 8 bits and world in the 24 bits above, uint32 [P].")
      .def_ro("surface_velocity", &GrainMemory::surface_velocity, handed_over,
              "Radius times angular velocity [m/s], float32 [P, 3]; float32 [0, 3] where grains do not rotate.")
      .def_ro("in_place", &GrainMemory::in_place,
              "True if the arrays are the engine's memory, False if they are a copy.")
      .def("__repr__", [](const GrainMemory& g) -> std::string {
        return Repr("GrainMemory")("places", g.id.shape(0))("in_place", g.in_place);
      });

  nb::class_<Loads>(m, "Loads",
                    "Forces and torques of the grains on B bodies, in the order of Scene.bodies, world after world.\n"
                    "Vectors are in the axes of the world, and torques about the body's origin. Arrays of\n"
                    "Simulation.load_history() have an axis of S steps before that of the bodies.")
      .def_ro("force", &Loads::force, handed_over, "Mean force over a step [N], float32 [B, 3] or [S, B, 3].")
      .def_ro("torque", &Loads::torque, handed_over, "Mean torque over a step [N m], float32 [B, 3] or [S, B, 3].")
      .def_ro("force_filtered", &Loads::force_filtered, handed_over,
              "Force after the low-pass filter body.load_filter [N], float32 [B, 3] or [S, B, 3].")
      .def_ro("torque_filtered", &Loads::torque_filtered, handed_over,
              "Torque after the low-pass filter body.load_filter [N m], float32 [B, 3] or [S, B, 3].")
      .def_ro("uncounted", &Loads::uncounted, handed_over,
              "Number of contacts since the start whose force was too large to be counted, uint32 [B] or [S, B].")
      .def("__repr__", [](const Loads& l) {
        const std::size_t axes = l.uncounted.ndim();
        return "Loads(" + (axes > 1 ? text_of(l.uncounted.shape(0)) + " steps, " : "") +
               text_of(l.uncounted.shape(axes - 1)) + " bodies)";
      });

  using talus::BodyState;
  nb::class_<BodyState>(m, "BodyState", "Pose of a body in the world, and its velocities in the step to come.")
      .def_prop_ro(
          "position", [](const BodyState& b) { return array_of(b.pose.position); }, handed_over,
          "Origin of the body [m], float64 [3].")
      .def_prop_ro(
          "rotation", [](const BodyState& b) { return array_of(b.pose.rotation); }, handed_over,
          "Unit quaternion x, y, z, w, float64 [4].")
      .def_prop_ro(
          "velocity", [](const BodyState& b) { return array_of(b.twist.velocity); }, handed_over,
          "Velocity of the origin [m/s], float64 [3].")
      .def_prop_ro(
          "spin", [](const BodyState& b) { return array_of(b.twist.spin); }, handed_over,
          "Angular velocity [rad/s], float64 [3].")
      .def("__repr__", [](const BodyState& b) -> std::string {
        return Repr("BodyState")("position", b.pose.position)("rotation", b.pose.rotation)(
            "velocity", b.twist.velocity)("spin", b.twist.spin);
      });

  using talus::ShapeState;
  nb::class_<ShapeState>(m, "ShapeState",
                         "Pose and velocity of a shape-matched body, whose particles keep their arrangement.")
      .def_prop_ro(
          "position", [](const ShapeState& s) { return array_of(s.pose.position); }, handed_over,
          "Centre of mass [m], float64 [3].")
      .def_prop_ro(
          "rotation", [](const ShapeState& s) { return array_of(s.pose.rotation); }, handed_over,
          "Rotation from the arrangement in the scene: unit quaternion x, y, z, w, float64 [4].")
      .def_prop_ro(
          "velocity", [](const ShapeState& s) { return array_of(s.velocity); }, handed_over,
          "Mean velocity of the particles [m/s], float64 [3].")
      .def("__repr__", [](const ShapeState& s) -> std::string {
        return Repr("ShapeState")("position", s.pose.position)("rotation", s.pose.rotation)("velocity", s.velocity);
      });

  using talus::JointLoad;
  nb::class_<JointLoad>(
      m, "JointLoad",
      "Mean force and torque of the joint of a dynamic body on that body over the last step, in the\n"
      "axes of the world.")
      .def_prop_ro(
          "force", [](const JointLoad& l) { return array_of(l.force); }, handed_over,
          "Force of the joint on the body [N], float64 [3].")
      .def_prop_ro(
          "torque", [](const JointLoad& l) { return array_of(l.torque); }, handed_over,
          "Torque about the joint, without what acts along its axis [N m], float64 [3].")
      .def_ro("along", &JointLoad::along,
              "Sum of motor, friction, spring and limits along the axis [N m of a revolute, N of a prismatic joint].")
      .def("__repr__", [](const JointLoad& l) -> std::string {
        return Repr("JointLoad")("force", l.force)("torque", l.torque)("along", l.along);
      });
  using talus::JointState;
  nb::class_<JointState>(m, "JointState", "Value and speed of the joint that a body hangs on.")
      .def_ro("value", &JointState::value, "Value of the joint [degrees of a revolute, m of a prismatic joint].")
      .def_ro("speed", &JointState::speed, "Speed in the step to come [degrees/s or m/s].")
      .def("__repr__",
           [](const JointState& j) -> std::string { return Repr("JointState")("value", j.value)("speed", j.speed); });

  nb::class_<Cloth>(m, "Cloth", "A sheet of cloth: V vertices in the order of its grid or mesh, and T triangles.")
      .def_ro("position", &Cloth::position, handed_over,
              "Vertices [m], float32 [V, 3]. Across a periodic axis they lie next to each other, as the sheet\n"
              "hangs together.")
      .def_ro("velocity", &Cloth::velocity, handed_over, "Velocities of the vertices [m/s], float32 [V, 3].")
      .def_ro("triangles", &Cloth::triangles, handed_over, "Vertices at the corners of each triangle, uint32 [T, 3].")
      .def_ro("strain_mean", &Cloth::strain_mean,
              "Mean strain of the edges that are stretched, as a share of their rest length.")
      .def_ro("strain_max", &Cloth::strain_max,
              "Greatest strain of an edge, as a share of its rest length; below 0 if all edges are shorter.")
      .def_ro("kinetic_energy", &Cloth::kinetic_energy, "Kinetic energy [J].")
      .def("__repr__", [](const Cloth& c) -> std::string {
        return Repr("Cloth")("vertices", c.position.shape(0))("triangles", c.triangles.shape(0))(
            "strain_mean", c.strain_mean)("strain_max", c.strain_max)("kinetic_energy", c.kinetic_energy);
      });

  using talus::Measure;
  nb::class_<Measure>(m, "Measure", "The state in a few numbers, over grains and vertices of cloth alike.")
      .def_ro("grains", &Measure::grains, "Number of grains, without vertices of cloth.")
      .def_ro("contacts_mean", &Measure::contacts_mean, "Mean number of touching contacts of a grain.")
      .def_ro("contacts_max", &Measure::contacts_max, "Greatest number of touching contacts of a grain.")
      .def_ro("penetration_mean", &Measure::penetration_mean,
              "Mean overlap of touching contacts, in radii of the smaller grain.")
      .def_ro("penetration_max", &Measure::penetration_max, "Greatest overlap, in radii of the smaller grain.")
      .def_ro("kinetic_energy", &Measure::kinetic_energy, "Kinetic energy [J].")
      .def_prop_ro(
          "momentum", [](const Measure& measure) { return array_of(measure.momentum); }, handed_over,
          "Momentum [kg m/s], float64 [3].")
      .def_ro("speed_max", &Measure::speed_max, "Greatest speed [m/s].")
      .def_ro("height", &Measure::height, "Top of the highest grain above the floor of the domain [m].")
      .def("__repr__", [](const Measure& m) -> std::string {
        return Repr("Measure")("grains", m.grains)("contacts_mean", m.contacts_mean)("contacts_max", m.contacts_max)(
            "penetration_mean", m.penetration_mean)("penetration_max", m.penetration_max)(
            "kinetic_energy", m.kinetic_energy)("momentum", m.momentum)("speed_max", m.speed_max)("height", m.height);
      });

  using talus::DeviceSummary;
  nb::class_<DeviceSummary>(m, "DeviceSummary", "What a simulation runs on.")
      .def_ro("name", &DeviceSummary::name, "Name of the device; \"CPU\" of the CPU path.")
      .def_ro("driver", &DeviceSummary::driver,
              "Name and version of the driver; of the CPU path, its instructions and threads.")
      .def_ro("api_version", &DeviceSummary::api_version, "Vulkan version of the device; empty on the CPU path.")
      .def_ro("type", &DeviceSummary::type, "Type as of Device.type; \"CPU path\" of the CPU path.")
      .def("__repr__", [](const DeviceSummary& d) -> std::string {
        return Repr("DeviceSummary")("name", d.name)("driver", d.driver)("api_version", d.api_version)("type", d.type);
      });

  using talus::PassTime;
  nb::class_<PassTime>(m, "PassTime", "How often a pass ran, and how long in all.")
      .def_ro("name", &PassTime::name, "Name of the pass.")
      .def_ro("calls", &PassTime::calls, "Number of times that the pass ran.")
      .def_ro("ms", &PassTime::ms, "Total time of the pass [ms].")
      .def("__repr__", [](const PassTime& p) -> std::string {
        return Repr("PassTime")("name", p.name)("calls", p.calls)("ms", p.ms);
      });
}

}  // namespace talus_python
