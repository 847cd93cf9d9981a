#pragma once
// What follows from the description of a body.
#include "engine/geometry/solid.h"
#include "engine/scene/scene.h"

namespace talus {

// From angles about the fixed axes x, then y, then z, in degrees.
glm::dquat rotation_of(const glm::dvec3& degrees);

// Its shape in the world, where it starts, without what grains meet as particles. far: m, up to there distances from
// meshes are right.
Solid solid_of(const BodySpec& body, double far = 0.0);

// Are these grains that stand for a mesh?
bool is_skin(const BodyPart& part);

// Radius of a ball around the body's origin that holds it, m; infinite for planes.
double reach_of(const BodySpec& body);

// Greatest speed of a point of the body inside the domain, m/s.
double speed_of(const BodySpec& body, const Domain& domain);

}  // namespace talus
