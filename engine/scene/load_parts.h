#pragma once
// What the readers of a scene's tables share (load.cpp has the schema's frame).
#include "engine/scene/reader.h"
#include "engine/scene/scene.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace talus::reading {

// A radius: one number or [min, max].
struct Radii {
  double min = 0, max = 0;
};
Radii read_radius(const Value& radius);

// clump of [[grains]] or [[emitter]], which the method must know. folder: of the scene.
std::optional<Clump> read_clump(const Value& clump, const Solver& solver, const std::filesystem::path& folder);

// The material of that name.
std::uint32_t material_of(const Value& name, const std::vector<Material>& materials);

// The two numbers of [x, y].
inline std::vector<Value> both(const Value& value, std::string_view what) {
  if (!value.is_array() || value.elements().size() != 2)
    value.must_be(fmt::format("[x, y] with {}", what));
  return value.elements();
}

// The name of one more, which `at` gives: not empty, and not taken by another. kind: what they are.
inline void check_name(const Value& at, const std::string& name, bool taken, std::string_view kind) {
  if (name.empty())
    at.fail("must not be empty");
  if (taken)
    at.fail(fmt::format("\"{}\" is taken by another {}: names must differ", name, kind));
}
template <class T>
void check_name(const Value& at, const std::string& name, const std::vector<T>& others, std::string_view kind) {
  check_name(at, name, std::ranges::find(others, name, &T::name) != others.end(), kind);
}

// What says how to go between keyframes.
struct BetweenKeys {
  Value interpolation, repeat;

  void get(auto& keyframes) const {
    interpolation.get(keyframes.interpolation);
    repeat.get(keyframes.repeat);
  }
  void refuse(const std::string& owner) const;  // fails where one of the two is given
};

// Reads the value of a joint over time: a number, a formula of t, or a list of [time, value].
JointValue read_joint_value(const Value& value, Range range, const BetweenKeys& between);
Range range_of_value(JointType type);

// The keys of a [[body]] that move it: taken with the others, read later.
class MotionKeys {
public:
  explicit MotionKeys(Table& t);
  void get(BodySpec& body) const;

private:
  Value velocity_, spin_, keyframes_, interpolation_, repeat_, motion_, parent_, joint_;
};

// What a shape is for. met: grains push against it, and a mesh says how. filled: grains are placed in it; meshes are
// closed. sheet: a mesh is cloth, or drawn alone, and its holes stay.
enum class PartUse { met, filled, sheet };
inline constexpr std::string_view shapes_allowed = "plane, box, sphere, capsule, cylinder, cone, torus, mesh, gear";

// A shape and where it is in the frame of what has it.
struct PlacedPart {
  BodyPart part;
  std::optional<Value> key;       // that says where it is; none: at the origin
  std::optional<Shape> as_given;  // where corners or a base say it, which part gives back to rounding
};

// One of the shapes that a part can have, beside the keys that all of them have; folder: of the scene.
std::optional<PlacedPart> read_part_shape(Table& t, const std::filesystem::path& folder, PartUse use);

MeshPart read_mesh(Table t, const std::filesystem::path& folder, PartUse use);

// kind = { .., position, rotation }
PlacedPart read_placed_part(const Value& at, std::string_view kind, const std::filesystem::path& folder, PartUse use);

// The parts of what has one shape, or parts = [{..}, ..]. holder: what they are of.
std::vector<BodyPart> read_parts(const std::optional<PlacedPart>& shape, const Value& parts, const Table& holder,
                                 const std::filesystem::path& folder, PartUse use);

// Parts that are put on the ground or taken from it, so that the first may be either; none are no error.
std::vector<BodyPart> read_parts_of_ground(const Value& parts, const std::filesystem::path& folder);

// A [[body]]. scene: what stands before it, and materials. names: of the bodies before it; there may be very many. Its
// own is added.
BodySpec read_body(Table t, const Scene& scene, std::unordered_set<std::string>& names);
// Fails at what says that the ground bears a body by its surface where it cannot.
void check_on_surface(const Value& said, const BodySpec& body, const Scene& scene);

JointSpec read_joint_between(Table t, const Scene& scene);

// A [[robot]] into scene, with the bodies that it is made of, behind those there are. names: as above.
void read_robot(Table t, Scene& scene, std::unordered_set<std::string>& names);

// A [[cloth]], likewise.
ClothSpec read_cloth(Table t, const Scene& scene);

// A [[sink]], likewise.
SinkSpec read_sink(Table t, const Scene& scene);

// A [[depth_camera]], likewise.
DepthCameraSpec read_depth_camera(Table t, const Scene& scene);

// [upsampling], likewise; none where the scene has no such table.
std::optional<Upsampling> read_upsampling(const Value& at, const Scene& scene);

// [soil], likewise; none where the scene has no such table.
std::optional<Soil> read_soil(const Value& at, const Scene& scene);

// What fills a shape: grains that an emitter releases, particles of a shape-matched body, which may be at points, or
// grains, which may come from a file, too.
enum class FillUse { emitted, particles, grains };

// The shape that a fill or an emitter has, and the key that holds it. scene: its domain and materials.
struct PlacedShape {
  Shape shape;
  Value at;
};
PlacedShape read_shape(const Value& holder, FillUse use, const std::filesystem::path& folder, const Scene& scene);

}  // namespace talus::reading
