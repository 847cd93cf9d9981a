#pragma once
// What follows from the description of a body.
#include "engine/scene/scene.h"
#include <glm/gtc/quaternion.hpp>

namespace talus {

// From angles about the fixed axes x, then y, then z, in degrees.
glm::dquat rotation_of(const glm::dvec3& degrees);

// Radius of a ball around the body's origin that holds it, m; infinite for planes.
double reach_of(const BodySpec& body);

// Greatest speed of a point of the body inside the domain, m/s.
double speed_of(const BodySpec& body, const Domain& domain);

}  // namespace talus
