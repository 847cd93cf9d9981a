#pragma once
// What of a scene can be put elsewhere before it starts.
#include "engine/geometry/bounds.h"
#include "engine/geometry/pose.h"
#include "engine/scene/scene.h"
#include <string>
#include <vector>

namespace viewer {

struct Movable {
  enum class Kind { body, shape, cloth, grains, emitter, sink, depth_camera };
  Kind kind;
  std::size_t number;  // index into the scene's list of this kind
  bool operator==(const Movable&) const = default;
};

// All of them, kind after kind. Grains of a file stay where the file has them, and are not among these.
std::vector<Movable> movables_of(const talus::Scene& scene);

std::string name_of(const talus::Scene& scene, const Movable& what);  // "body blade", "emitter 1"

// Boxes, balls and upright cylinders that grains fill or are poured in have no rotation.
bool can_turn(const talus::Scene& scene, const Movable& what);

// Where it is at the scene's start.
struct Standing {
  talus::Pose pose;   // in the world
  talus::Bounds box;  // m, around it, in the frame of the pose; infinite around a body with a plane
};
glm::dvec3 middle_of(const Standing& standing);  // m, of the box in the world; without an end, the pose's place
Standing standing_of(const talus::Scene& scene, const Movable& what);

// The scene with it where the motion `by` of the world takes it, and with it what has its frame: bodies whose parent it
// is, and their cameras. A body's joint moves along, and its keyframes and formulas go out from its new place; a
// [[joint]] between two bodies stays. A depth camera with a target is moved without it, and turned with it. Lengths
// and angles are rounded to 1e-9 m and degrees.
talus::Scene moved(talus::Scene scene, const Movable& what, const talus::Pose& by);

}  // namespace viewer
