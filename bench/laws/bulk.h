#pragma once
// What cases of many grains share: how they are packed, and what is measured on a packing.
#include "bench/laws/law.h"
#include <functional>
#include <span>

namespace bench {

// Grains of which nothing depends on the method's own time step: each chooses its substeps.
talus::Scene bulk_scene(const talus::Solver& solver, double friction, double rolling = 0.0);

double volume_of(double radius);  // m3, of a ball
talus::GrainGroup group_of(double radius, talus::Shape shape, std::optional<unsigned> count = {});

// Grains of that radius that fall into an upright tube of `inner` radius [m], by dem; and where they come to rest.
talus::Scene tube_scene(unsigned count, double radius, double inner, double friction, double rolling);
std::vector<glm::dvec3> settled_in(const LawContext& context, const talus::Scene& tube);

// A closed tube or a drum: a body around a hollow cylinder about z of that radius and half length [m], turned by
// `rotation` [degrees].
talus::BodySpec hollow_cylinder(const char* name, double inner, double half_length, glm::dvec3 rotation);

// Contacts of a grain that bears load, in the bulk between two heights: mean over the grains with two contacts or more.
double coordination(std::span<const talus::GrainState> grains, const talus::Domain& domain, double from, double to);

}  // namespace bench
