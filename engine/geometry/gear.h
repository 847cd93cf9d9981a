#pragma once
// Involute gears as closed meshes.
#include "engine/geometry/mesh.h"

namespace talus {

// An external gear, spur or helical, with the standard full-depth tooth: it ends one module above the pitch circle and
// 1.25 modules below it. Module and pressure angle are those of the section across the axis, so that two gears of one
// module and opposite helix angles mesh at the distance module (teeth_1 + teeth_2) / 2. Between base and root circle
// the flank is a radial line, without a fillet; undercut is neglected, and so a gear of few teeth (below 17 at 20
// degrees) touches the root of a larger one. No backlash.
struct GearSpec {
  double module = 0.01;          // m, pitch diameter / teeth
  int teeth = 24;                // 4 .. 1000
  double helix_angle = 0.0;      // degrees on the pitch circle, positive: right-handed; within +-60
  double pressure_angle = 20.0;  // degrees, 10 .. 35
  double width = 0.05;           // m, along the axis
  double bore_radius = 0.0;      // m, 0: no bore; below the root circle
  int samples = 8;               // segments of an involute flank, 1 .. 100; its points lie on the involute

  bool operator==(const GearSpec&) const = default;
};

// The section across the axis: the outline counterclockwise about the origin, in polar angles that never fall. A tooth
// is centred on the x axis. Throws MeshError for a spec out of range and for teeth that end in a point below their tip.
std::vector<glm::dvec2> gear_outline(const GearSpec& spec);

// Axis along z, centred on the origin; the outline lies in the plane z = 0 and turns with z. Throws MeshError.
Mesh gear(const GearSpec& spec);

}  // namespace talus
