#pragma once
// The exchange of soil between columns and grains: what a tool needs becomes grains, what has come to rest away from
// tools goes back (Holz 2014, sections 7 and 8).
#include "engine/geometry/bounds.h"
#include "engine/soil/stacks.h"
#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace talus {

// A body, and the box that it sweeps until the next look [m], whose sides are along its horizontal motion and across.
struct SoilTool {
  static constexpr double inf = std::numeric_limits<double>::infinity();

  glm::dvec2 along{1.0, 0.0};                    // of length 1; of a tool without such a motion any
  glm::dvec2 low{inf}, high{-inf};               // along, and across: to the left
  double edge = inf;                             // z of its lowest point
  bool moves = false;                            // along, at all
  bool digs = true;                              // false: it stands still, and soil stays ground beside it
  double digs_below = -inf;                      // m, below the soil around it, from which on it digs
  std::vector<std::array<glm::dvec3, 2>> edges;  // of its surface, where it is and where it will be [m]

  glm::dvec2 inside(const glm::dvec2& place) const {  // along and across
    return {glm::dot(place, along), along.x * place.y - along.y * place.x};
  }
  void reach(const glm::dvec3& point) {  // the box holds this point, too
    low = glm::min(low, inside(glm::dvec2(point)));
    high = glm::max(high, inside(glm::dvec2(point)));
    edge = std::min(edge, point.z);
  }
};

// The grains of one world as they lie in memory, and the columns.
struct SoilState {
  std::vector<shared::SoilColumn> columns;
  std::vector<shared::Grain> grains;
  std::vector<shared::uint> ids, tags, rows;
  std::vector<shared::uint> counts;  // contacts in a row of the lists
  std::vector<shared::vec4> spins;   // empty where grains do not rotate
  std::vector<shared::GrainRest> rest;
  std::vector<shared::SoilOrigin> origins;
};

// The ground gives these properties to a grain of one of its materials that comes out.
struct SoilMaterial {
  double density = 0.0;  // kg/m3
  float ease = 0.0f;     // grain_spin.w of a grain that moves
  double slope = 0.0;    // tangent of the angle of repose
};

struct SoilRules {
  double floor = 0.0;    // m, z of the lowest soil
  double margin = 0.0;   // m, of the zone around a tool
  double period = 0.0;   // s, until the next look
  double swell = 1.0;    // Soil::swell
  double overlap = 0.0;  // radii of the smaller one, by which a grain may overlap those that it comes to lie beside
  std::vector<SoilMaterial> materials;        // of SoilStacks::materials()
  shared::uint now = 0;                       // World.clock
  double radius_min = 0.0, radius_max = 0.0;  // m, of the grains that the ground takes in
  shared::uint first = 0;                     // ids from here on are those of grains that come out of the ground
  shared::uint places = 0;                    // in memory, of which grains that come out may take those that are free
  std::function<bool(const glm::dvec3&, double)> blocked;  // is a body in the way of a grain there?
};

struct SoilExchange {
  shared::uint made = 0, taken = 0;  // grains that came out, those of the rough surface too, and that went back
  bool changed = false;              // grains or columns
  shared::uint missing = 0;          // places: nothing is exchanged, since so many more are needed
};

// The grains of the ground's surface that the columns have: as deep as the lowest column beside, and three mean radii
// more, five of loosened soil, so that nothing is seen through. Not those of `origins`, which are grains already. x, y,
// z, radius in the world [m], and a number below 2^24 that is the same as long as the grain is there.
struct SoilSurfaceGrain {
  glm::vec4 sphere;
  shared::uint number;
  shared::uint material;  // index into Scene::materials
};
// depth_below: m, by column, so much deeper than the column their lowest one may be seen, in a track; empty: not at
// all.
std::vector<SoilSurfaceGrain> surface_of(const SoilStacks& stacks, double floor,
                                         std::span<const shared::SoilColumn> columns,
                                         std::span<const shared::SoilOrigin> origins,
                                         std::span<const double> depth_below = {});

// Around each tool that reaches down to the surface, or nearly so, soil becomes grains: in the box beyond it by the
// margin, and ahead of it in the failure wedge of passive earth pressure, tan(45 + 30 / 2 degrees) = 1.73 times as long
// as the soil is high over the tool's lower edge. The floor of the zone is level: where it rose with the lower face of
// the wedge, the force on a blade was 18 to 20 % too high, and 4 to 6 % with a level one. Over a body, and under one
// that is within four mean radii of them, grains stay grains: it may carry them, or come down on them. Soil beside
// loose grains has a rough surface of fixed ones, in their places, three and a half radii thick. Columns outside
// of the zones, whose grains and nearly all of their neighbours' sleep, take these in, as loosened soil where they have
// moved (with_grains). Beside loose grains they stay where they are as fixed ones, so that their neighbours rest on
// what they rested on, and come out of the ground in place. What was disturbed and has no grains slides to the angle of
// repose.
SoilExchange exchange(const SoilStacks& stacks, const SoilRules& rules, std::span<const SoilTool> tools,
                      SoilState& state);

}  // namespace talus
