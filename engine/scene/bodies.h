#pragma once
// What follows from the description of a body.
#include "engine/geometry/pose.h"
#include "engine/geometry/solid.h"

namespace talus {

// From angles about the fixed axes x, then y, then z, in degrees.
glm::dquat rotation_of(const glm::dvec3& degrees);

// Its own position and rotation.
Pose pose_of(const BodySpec& body);

// Its shape, where its frame is.
Solid solid_of(const BodySpec& body, const Pose& pose);

// Radius of a ball around the body's origin that holds it, m; infinite for planes.
double reach_of(const BodySpec& body);

// Greatest speed inside the domain of a point at most `reach` [m] away from an origin that moves, m/s.
double speed_of(double reach, const glm::dvec3& origin, const glm::dvec3& velocity, const glm::dvec3& spin,
                const Domain& domain);

}  // namespace talus
