#pragma once
// What follows from the description of a body.
#include "engine/geometry/pose.h"
#include "engine/geometry/solid.h"
#include "engine/scene/scene.h"
#include <unordered_map>

namespace talus {

// From angles about the fixed axes x, then y, then z, in degrees.
glm::dquat rotation_of(const glm::dvec3& degrees);

// Such angles [degrees] of a rotation: rotation_of() of them is that rotation.
glm::dvec3 angles_of(const glm::dquat& rotation);

// Bodies by name, of a scene that stays as it is.
class BodyNames {
public:
  explicit BodyNames(const Scene& scene);
  std::optional<std::size_t> find(const std::string& name) const;

private:
  std::unordered_map<std::string_view, std::size_t> bodies_;
};

// Of each body those whose names its `ignores` has. Throws SceneError for a name that no other body has.
std::vector<std::vector<std::size_t>> ignored_bodies(const Scene& scene);

// Its own position and rotation.
Pose pose_of(const BodySpec& body);

// The shape of these parts, where their frame is, without what grains meet as particles. far: m, up to there distances
// from meshes are right.
Solid solid_of(const std::vector<BodyPart>& parts, const Pose& pose, double far = 0.0);
Solid solid_of(const BodySpec& body, const Pose& pose, double far = 0.0);

// A box around it, where its frame is; infinite with a plane, and the origin of the frame without parts.
Bounds bounds_of(const std::vector<BodyPart>& parts, const Pose& pose);
Bounds bounds_of(const BodySpec& body, const Pose& pose);

// What work() returns, which takes the part's mesh: what is wrong with the mesh, a MeshError, is thrown on as a
// SceneError with the place at which the scene names it.
auto with_place(const MeshPart& part, auto&& work) {
  try {
    return work();
  } catch (const MeshError& e) {
    throw SceneError(part.where.empty() ? e.what() : part.where + ": " + e.what());
  }
}

// Are these grains that stand for a mesh?
bool is_boundary(const BodyPart& part);

// Radius of a ball around the body's origin that holds it, m; infinite for planes.
double reach_of(const BodySpec& body);

// Greatest speed inside the domain of a point at most `reach` [m] away from an origin that moves, m/s.
double speed_of(double reach, const glm::dvec3& origin, const glm::dvec3& velocity, const glm::dvec3& spin,
                const Domain& domain);

}  // namespace talus
