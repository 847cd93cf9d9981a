#pragma once
// What a dynamic body weighs, and where it can touch bodies and walls.
#include "engine/scene/scene.h"

namespace talus {

// In the body's frame.
struct MassProperties {
  double mass = 0.0;        // kg
  glm::dvec3 center{0.0};   // m, of mass
  glm::dmat3 inertia{0.0};  // kg m2, about the center
  double volume = 0.0;      // m3
};

// Eigenvalues of a symmetric matrix, such as an inertia, the least one first, and its orthonormal eigenvectors.
struct PrincipalAxes {
  glm::dvec3 moments;
  glm::dmat3 axes;  // columns
};
PrincipalAxes principal_axes(glm::dmat3 inertia);

// The symmetric matrix of BodySpec::inertia.
glm::dmat3 inertia_matrix(const std::array<double, 6>& elements);

// May these be the principal moments of a body, the least one first? They are above 0, and the greatest is at most the
// sum of the others, but for .1 % by which a file may have rounded it.
bool can_be_inertia(const glm::dvec3& moments);

// Of the solid that the parts of a dynamic body make together. Exact for a single part, and for parts that do not
// overlap; else to some 1e-3, which takes a second for some thousand triangles. Throws SceneError where it has no
// volume or no end.
VolumeProperties volume_of(const BodySpec& body);

// The same with its mass, of even density; from what has been read, where there is that. Where the body itself says
// mass, centre and inertia, these, and the volume of the box around its parts, which need have no inside then.
MassProperties mass_of(const BodySpec& body);

// Throws SceneError where a part cannot be one of a dynamic body. weighed: the parts say what it weighs.
void check_dynamic_parts(const BodySpec& body, bool weighed);

// A ball inside a body that touches its surface: what is round touches others with few of them, corners are balls of
// radius 0.
struct ContactPoint {
  glm::dvec3 place;  // m, in the body
  double radius;     // m
};

// By which a dynamic body touches bodies and walls: all corners of boxes, circles along rims, the centres of balls, and
// points over flat faces and meshes with about this spacing [m]; none that lies inside another part or where one has
// been taken away. At most `most`: the spacing grows where there would be more.
std::vector<ContactPoint> contact_points(const BodySpec& body, double spacing, std::size_t most = 4096);
constexpr double contact_points_per_reach = 8.0;  // of a dynamic body, along a line as long as its reach

}  // namespace talus
