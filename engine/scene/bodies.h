#pragma once
// What follows from the description of a body.
#include "engine/geometry/solid.h"

namespace talus {

// From angles about the fixed axes x, then y, then z, in degrees.
glm::dquat rotation_of(const glm::dvec3& degrees);

// Its shape in the world, where it starts.
Solid solid_of(const BodySpec& body);

// Radius of a ball around the body's origin that holds it, m; infinite for planes.
double reach_of(const BodySpec& body);

// Greatest speed of a point of the body inside the domain, m/s.
double speed_of(const BodySpec& body, const Domain& domain);

}  // namespace talus
