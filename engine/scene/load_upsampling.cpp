// The table of fine grains.
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus::reading {

namespace {

constexpr double finest = 0.05;  // of the smallest coarse radius

// Of the coarse grains that have fine ones; infinite where there are none.
double smallest_coarse(const Scene& scene) {
  double radius = std::numeric_limits<double>::infinity();
  for (const GrainGroup& group : scene.grains)
    if (!group.fixed)
      radius = std::min(radius, group.radius_min);
  for (const Emitter& emitter : scene.emitters)
    radius = std::min(radius, emitter.radius_min);
  return radius;
}

}  // namespace

std::optional<Upsampling> read_upsampling(const Value& at, const Scene& scene) {
  if (!at)
    return {};
  Table t = at.table();
  Upsampling u;
  const Value radius = t.need("radius"), step = t["step"], packing = t["packing"], friction = t["friction"],
              advection = t["advection"];
  t.finish();
  const double coarse = smallest_coarse(scene);
  if (coarse == std::numeric_limits<double>::infinity())
    at.fail("has no coarse grains to go with: add [[grains]] that are not fixed, or [[emitter]]");
  const Radii r = read_radius(radius);
  u.radius_min = r.min;
  u.radius_max = r.max;
  u.where = radius.place();
  if (r.max >= coarse)
    radius.fail(
        fmt::format("must be below that of all coarse grains: the smallest of these is {} m, not {} m", coarse, r.max));
  if (r.min < finest * coarse)
    radius.fail(fmt::format("must be at least a twentieth of that of all coarse grains, {} m, not {} m",
                            finest * coarse, r.min));
  if (step.is_word()) {
    std::string word;
    step.get(word);
    if (word != "auto")
      step.must_be(fmt::format("a number from time.dt = {} to 1 (s), or \"auto\"", scene.dt));
  } else
    step.get(u.step, {scene.dt, 1, "s"});
  packing.get(u.packing);
  friction.get(u.friction);
  advection.get(u.advection);
  return u;
}

}  // namespace talus::reading
