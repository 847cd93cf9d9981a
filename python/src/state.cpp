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
  nb::class_<Grains>(m, "Grains", "Grains sorted by id, as arrays of N; read-only views of one copy.")
      .def_ro("id", &Grains::id, handed_over, "uint32 [N].")
      .def_ro("position", &Grains::position, handed_over, "[m], float32 [N, 3].")
      .def_ro("velocity", &Grains::velocity, handed_over, "[m/s], float32 [N, 3].")
      .def_ro("radius", &Grains::radius, handed_over, "[m], float32 [N].")
      .def_ro("material", &Grains::material, handed_over, "Index into Scene.materials, uint32 [N].")
      .def_ro("world", &Grains::world, handed_over, "uint32 [N].")
      .def_ro("spin", &Grains::spin, handed_over,
              "Angular velocity [rad/s], float32 [N, 3]; 0 where grains do not rotate, and of fine grains.")
      .def("to_dict", &columns_of,
           "Columns id, x, y, z, vx, vy, vz, radius, material, world, wx, wy, wz: for pandas.DataFrame and its like.")
      .def("__len__", [](const Grains& g) { return g.id.shape(0); })
      .def("__repr__", [](const Grains& g) { return "Grains(" + text_of(g.id.shape(0)) + ")"; });

  nb::class_<Contacts>(m, "Contacts",
                       "Contacts that press, once for each pair, as arrays of N; read-only views of one copy. Forces "
                       "are those on `grain`; its partner gets the opposite.")
      .def_ro("world", &Contacts::world, handed_over, "uint32 [N].")
      .def_ro("grain", &Contacts::grain, handed_over, "Id, the lower one of two grains, uint32 [N].")
      .def_ro("kind", &Contacts::kind, handed_over, "Of the partner, uint32 [N]. 0: grain, 1: body, 2: wall.")
      .def_ro("partner", &Contacts::partner, handed_over,
              "Id of the other grain, index into Scene.bodies, or 2 axis, + 1 at domain.max, uint32 [N].")
      .def_ro("point", &Contacts::point, handed_over,
              "[m], float32 [N, 3], in the middle of the overlap; of a body or a wall: on its surface.")
      .def_ro("normal", &Contacts::normal, handed_over, "Normal force [N], float32 [N, 3].")
      .def_ro("friction", &Contacts::friction, handed_over, "Across the normal [N], float32 [N, 3].")
      .def("__len__", [](const Contacts& c) { return c.grain.shape(0); })
      .def("__repr__", [](const Contacts& c) { return "Contacts(" + text_of(c.grain.shape(0)) + ")"; });

  nb::class_<Clumps>(m, "Clumps",
                     "Clumps that move, sorted by world and first, as arrays of N; read-only views of one copy.")
      .def_ro("first", &Clumps::first, handed_over,
              "The id of the first of its spheres, whose ids follow one another, uint32 [N].")
      .def_ro("spheres", &Clumps::spheres, handed_over, "Number of spheres, uint32 [N].")
      .def_ro("material", &Clumps::material, handed_over, "Index into Scene.materials, uint32 [N].")
      .def_ro("world", &Clumps::world, handed_over, "uint32 [N].")
      .def_ro("mass", &Clumps::mass, handed_over, "[kg], float64 [N].")
      .def_ro("position", &Clumps::position, handed_over, "Of the centre of mass [m], float64 [N, 3].")
      .def_ro("rotation", &Clumps::rotation, handed_over,
              "Quaternion x, y, z, w, from the frame of its principal axes, the least moment of inertia first, to the "
              "world,\nfloat64 [N, 4].")
      .def_ro("velocity", &Clumps::velocity, handed_over, "Of the centre of mass [m/s], float64 [N, 3].")
      .def_ro("spin", &Clumps::spin, handed_over, "Angular velocity [rad/s], float64 [N, 3].")
      .def("__len__", [](const Clumps& c) { return c.first.shape(0); })
      .def("__repr__", [](const Clumps& c) { return "Clumps(" + text_of(c.first.shape(0)) + ")"; });

  nb::class_<GrainMemory>(
      m, "GrainMemory",
      "Grains as they lie in memory: in any order, P places, of which those of radius 0 are empty. "
      "Read-only.\n\nOn the CPU path the engine's own memory (in_place), which the next step changes "
      "and may leave for\nanother: ask anew after each advance(). On a device a copy.")
      .def_ro("position", &GrainMemory::position, handed_over, "[m], float32 [P, 3].")
      .def_ro("radius", &GrainMemory::radius, handed_over, "[m], float32 [P]; 0: no grain is here.")
      .def_ro("velocity", &GrainMemory::velocity, handed_over, "[m/s], float32 [P, 3].")
      .def_ro("inverse_mass", &GrainMemory::inverse_mass, handed_over, "[1/kg], float32 [P]; 0: fixed.")
      .def_ro("id", &GrainMemory::id, handed_over, "uint32 [P].")
      .def_ro("tag", &GrainMemory::tag, handed_over, "Material in the low 8 bits, world in the 24 above; uint32 [P].")
      .def_ro("surface_velocity", &GrainMemory::surface_velocity, handed_over,
              "Radius times angular velocity [m/s], float32 [P, 3]; of no places where grains do not rotate.")
      .def_ro("in_place", &GrainMemory::in_place, "Not a copy.")
      .def("__repr__", [](const GrainMemory& g) -> std::string {
        return Repr("GrainMemory")("places", g.id.shape(0))("in_place", g.in_place);
      });

  nb::class_<Loads>(m, "Loads",
                    "What pushes bodies, in the axes of the world, torque about the body's origin: means over a step, "
                    "and\nfiltered. B bodies in the order of Scene.bodies; Simulation.load_history() puts an axis of "
                    "steps before it.")
      .def_ro("force", &Loads::force, handed_over, "[N], float32 [B, 3].")
      .def_ro("torque", &Loads::torque, handed_over, "[N m], float32 [B, 3].")
      .def_ro("force_filtered", &Loads::force_filtered, handed_over, "[N], float32 [B, 3].")
      .def_ro("torque_filtered", &Loads::torque_filtered, handed_over, "[N m], float32 [B, 3].")
      .def_ro("uncounted", &Loads::uncounted, handed_over, "Pushes since the start that are not in it, uint32 [B].")
      .def("__repr__", [](const Loads& l) {
        const std::size_t axes = l.uncounted.ndim();
        return "Loads(" + (axes > 1 ? text_of(l.uncounted.shape(0)) + " steps, " : "") +
               text_of(l.uncounted.shape(axes - 1)) + " bodies)";
      });

  using talus::BodyState;
  nb::class_<BodyState>(m, "BodyState", "A body in the world; its velocities are those of the step to come.")
      .def_prop_ro(
          "position", [](const BodyState& b) { return array_of(b.pose.position); }, handed_over,
          "Of its origin [m], float64 [3].")
      .def_prop_ro(
          "rotation", [](const BodyState& b) { return array_of(b.pose.rotation); }, handed_over,
          "Quaternion x, y, z, w of length 1, float64 [4].")
      .def_prop_ro(
          "velocity", [](const BodyState& b) { return array_of(b.twist.velocity); }, handed_over,
          "Of its origin [m/s], float64 [3].")
      .def_prop_ro(
          "spin", [](const BodyState& b) { return array_of(b.twist.spin); }, handed_over, "[rad/s], float64 [3].")
      .def("__repr__", [](const BodyState& b) -> std::string {
        return Repr("BodyState")("position", b.pose.position)("rotation", b.pose.rotation)(
            "velocity", b.twist.velocity)("spin", b.twist.spin);
      });

  using talus::ShapeState;
  nb::class_<ShapeState>(m, "ShapeState", "A body of particles that keep their places.")
      .def_prop_ro(
          "position", [](const ShapeState& s) { return array_of(s.pose.position); }, handed_over,
          "Of its centre of mass [m], float64 [3].")
      .def_prop_ro(
          "rotation", [](const ShapeState& s) { return array_of(s.pose.rotation); }, handed_over,
          "From how it was given: quaternion x, y, z, w, float64 [4].")
      .def_prop_ro(
          "velocity", [](const ShapeState& s) { return array_of(s.velocity); }, handed_over,
          "Mean of its particles [m/s], float64 [3].")
      .def("__repr__", [](const ShapeState& s) -> std::string {
        return Repr("ShapeState")("position", s.pose.position)("rotation", s.pose.rotation)("velocity", s.velocity);
      });

  using talus::JointLoad;
  nb::class_<JointLoad>(m, "JointLoad")
      .def_prop_ro(
          "force", [](const JointLoad& l) { return array_of(l.force); }, handed_over,
          "On the body, a mean over the last step, in the axes of the world [N], float64 [3].")
      .def_prop_ro(
          "torque", [](const JointLoad& l) { return array_of(l.torque); }, handed_over,
          "About the joint, without what acts along its axis [N m], float64 [3].")
      .def_ro("along", &JointLoad::along, "N m (revolute) or N (prismatic): motor, friction, spring and limits.")
      .def("__repr__", [](const JointLoad& l) -> std::string {
        return Repr("JointLoad")("force", l.force)("torque", l.torque)("along", l.along);
      });
  using talus::JointState;
  nb::class_<JointState>(m, "JointState")
      .def_ro("value", &JointState::value, "Degrees or m.")
      .def_ro("speed", &JointState::speed, "The same per s, in the step to come.")
      .def("__repr__",
           [](const JointState& j) -> std::string { return Repr("JointState")("value", j.value)("speed", j.speed); });

  nb::class_<Cloth>(m, "Cloth", "A sheet of cloth: V vertices in the order of its grid or mesh, T triangles.")
      .def_ro("position", &Cloth::position, handed_over,
              "[m], float32 [V, 3]; across a periodic axis next to the others.")
      .def_ro("velocity", &Cloth::velocity, handed_over, "[m/s], float32 [V, 3].")
      .def_ro("triangles", &Cloth::triangles, handed_over, "Corners, uint32 [T, 3].")
      .def_ro("strain_mean", &Cloth::strain_mean, "How much longer than at rest the sides that stretch are, a share.")
      .def_ro("strain_max", &Cloth::strain_max, "That of the one with most.")
      .def_ro("kinetic_energy", &Cloth::kinetic_energy, "[J].")
      .def("__repr__", [](const Cloth& c) -> std::string {
        return Repr("Cloth")("vertices", c.position.shape(0))("triangles", c.triangles.shape(0))(
            "strain_mean", c.strain_mean)("strain_max", c.strain_max)("kinetic_energy", c.kinetic_energy);
      });

  using talus::Measure;
  nb::class_<Measure>(m, "Measure", "The state in a few numbers, over grains and vertices of cloth alike.")
      .def_ro("grains", &Measure::grains)
      .def_ro("contacts_mean", &Measure::contacts_mean, "Touching contacts per grain.")
      .def_ro("contacts_max", &Measure::contacts_max)
      .def_ro("penetration_mean", &Measure::penetration_mean, "Over touching contacts, in radii of the smaller grain.")
      .def_ro("penetration_max", &Measure::penetration_max)
      .def_ro("kinetic_energy", &Measure::kinetic_energy, "[J].")
      .def_prop_ro(
          "momentum", [](const Measure& measure) { return array_of(measure.momentum); }, handed_over,
          "[kg m/s], float64 [3].")
      .def_ro("speed_max", &Measure::speed_max, "[m/s].")
      .def_ro("height", &Measure::height, "Top of the highest grain above the domain's floor [m].")
      .def("__repr__", [](const Measure& m) -> std::string {
        return Repr("Measure")("grains", m.grains)("contacts_mean", m.contacts_mean)("contacts_max", m.contacts_max)(
            "penetration_mean", m.penetration_mean)("penetration_max", m.penetration_max)(
            "kinetic_energy", m.kinetic_energy)("momentum", m.momentum)("speed_max", m.speed_max)("height", m.height);
      });

  using talus::DeviceSummary;
  nb::class_<DeviceSummary>(m, "DeviceSummary", "What a simulation runs on.")
      .def_ro("name", &DeviceSummary::name)
      .def_ro("driver", &DeviceSummary::driver)
      .def_ro("api_version", &DeviceSummary::api_version)
      .def_ro("type", &DeviceSummary::type)
      .def("__repr__", [](const DeviceSummary& d) -> std::string {
        return Repr("DeviceSummary")("name", d.name)("driver", d.driver)("api_version", d.api_version)("type", d.type);
      });

  using talus::PassTime;
  nb::class_<PassTime>(m, "PassTime", "How long a pass took in all.")
      .def_ro("name", &PassTime::name)
      .def_ro("calls", &PassTime::calls)
      .def_ro("ms", &PassTime::ms, "[ms].")
      .def("__repr__", [](const PassTime& p) -> std::string {
        return Repr("PassTime")("name", p.name)("calls", p.calls)("ms", p.ms);
      });
}

}  // namespace talus_python
