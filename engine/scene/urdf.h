#pragma once
// Robots from URDF files (Unified Robot Description Format, https://docs.ros.org, "urdf/XML"), read by urdfdom: links,
// the joints between them, and what they weigh. Knows nothing of scenes. Lengths in m, angles in rad, as the file has
// them; a rotation by roll, pitch and yaw is one about the fixed axes x, then y, then z.
#include "engine/geometry/pose.h"
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace talus {

// "FILE:LINE: what is wrong and what is allowed"
struct UrdfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Geometries, each about its own origin.
struct UrdfBox {
  glm::dvec3 size{0.0};  // m, edges
};
struct UrdfSphere {
  double radius = 0.0;  // m
};
struct UrdfCylinder {  // along z
  double radius = 0.0, length = 0.0;
};
struct UrdfMesh {
  std::string uri;     // as the file names it: package://NAME/.., file://.., or a path from the folder of the file
  double scale = 1.0;  // m per unit of the mesh
};

// Geometry that collides, or that is drawn.
struct UrdfGeometry {
  std::variant<UrdfBox, UrdfSphere, UrdfCylinder, UrdfMesh> geometry;
  Pose pose;  // in the frame of the link
  int line = 0;
};

struct UrdfInertial {
  double mass = 0.0;        // kg
  Pose pose;                // of the centre of mass in the frame of the link, in whose axes the inertia is
  glm::dmat3 inertia{0.0};  // kg m2, about the centre of mass
};

struct UrdfLink {
  std::string name;
  int line = 0;
  std::vector<UrdfGeometry> collisions;
  std::vector<UrdfGeometry> visuals;
  std::string not_drawn;  // "FILE:LINE: what is wrong" with a visual geometry, where one cannot be used; else empty
  std::optional<UrdfInertial> inertial;
  std::optional<glm::dvec4> color;   // rgba of the material of the first visual that has one; sRGB
  std::optional<std::size_t> joint;  // to its parent, index into Urdf::joints; none: the root
};

enum class UrdfJointType { revolute, continuous, prismatic, fixed };

// The pose of the child in the frame of the parent: origin, then the motion about or along the axis.
struct UrdfJoint {
  std::string name;
  int line = 0;
  UrdfJointType type = UrdfJointType::fixed;
  std::size_t parent = 0, child = 0;  // indices into Urdf::links
  Pose origin;
  glm::dvec3 axis{1.0, 0.0, 0.0};  // of length 1
  // Of revolute and prismatic joints, and, but for lower and upper, of continuous ones that have them.
  std::optional<double> lower, upper;  // rad or m
  std::optional<double> velocity;      // rad/s or m/s, above 0
  std::optional<double> effort;        // N m or N, above 0
  double damping = 0.0;                // N m s/rad or N s/m
  double friction = 0.0;               // N m or N
  struct Mimic {
    std::size_t joint = 0;  // index into Urdf::joints, of one that follows no other
    double multiplier = 1.0, offset = 0.0;
  };
  std::optional<Mimic> mimic;  // value = multiplier * value of that joint + offset
};

inline bool moves(const UrdfJoint& joint) {
  return joint.type != UrdfJointType::fixed;
}

// A tree of links. Links and joints are in the order of the file.
struct Urdf {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::size_t root = 0;
};

// file: stands for the file in messages. Throws UrdfError for what is no URDF, and for what Talus does not have:
// planar and floating joints, geometries other than boxes, spheres, cylinders and meshes, and meshes that are scaled
// differently along their axes. Sensors, transmissions, textures and extensions of other programs are passed over.
Urdf parse_urdf(const std::string& text, const std::string& file);
Urdf load_urdf(const std::filesystem::path& file);

// The links, each after its parent, and children in the order of the file.
std::vector<std::size_t> links_from_root(const Urdf& robot);

// Where the folders of packages are, by their names.
using UrdfPackages = std::map<std::string, std::filesystem::path>;

// The path of what a URDF file names. package://NAME/PATH: in packages.at(NAME), or else in the folder NAME that is one
// of those above the file, or lies in one of them. Throws std::runtime_error with the reason.
std::filesystem::path find_urdf_file(const std::string& uri, const std::filesystem::path& urdf,
                                     const UrdfPackages& packages);

}  // namespace talus
