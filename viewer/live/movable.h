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

// Boxes, balls and upright cylinders that grains fill or are poured in cannot turn.
bool can_turn(const talus::Scene& scene, const Movable& what);
// What grains fill or are poured in has no angles of its own: the box around it stays along the axes of the world.
bool has_angles(const Movable& what);

// Where something is, and how large.
struct Standing {
  talus::Pose pose;   // in the world
  talus::Bounds box;  // m, around it, in the frame of the pose; infinite around a body with a plane
};
// m, of the box, in the world; of a box without an end the place of the pose.
glm::dvec3 middle_of(const Standing& standing);
// At the start of the scene.
Standing standing_of(const talus::Scene& scene, const Movable& what);

// The scene with it where the motion `by` of the world takes it. What has a body as its parent goes with the body, as
// do depth cameras on it and its own joint; keyframes and formulas go out from its new place, along the axes that they
// had. A [[joint]] between two bodies stays where it is. A depth camera that looks at a target goes on looking at it
// where it is moved, and takes it along where it is turned. Lengths are rounded to 1e-9 m, angles to 1e-9 degrees.
talus::Scene moved(talus::Scene scene, const Movable& what, const talus::Pose& by);

}  // namespace viewer
