#pragma once
// How finely places are told apart, which are float32: coarser the further they are from the origin.
#include "engine/scene/scene.h"
#include <optional>

namespace talus {

// The place of a scene furthest from the origin along an axis, of those where its grains may be.
struct Furthest {
  double coordinate = 0.0;         // m
  int axis = 0;                    // x, y, z
  std::string where;               // "FILE:LINE:COLUMN" of what puts grains there; empty: unknown
  std::optional<bool> domain_max;  // it is an end of the domain, the upper one
};
Furthest furthest_of(const Scene& scene);

double float_spacing(double coordinate);  // m, of the values next to it, towards 0

// Shares of the smallest radius. A contact at rest overlaps by 1 % of it or so: where places are coarser than that,
// grains never rest, and a bed of them heats up. From a tenth of that on it shows.
inline constexpr double spacing_most = 0.01, spacing_warned = 0.001;

// One sentence about the spacing of float32 where grains may be, without the place in the file; nothing where it is
// below `most` of the smallest radius.
std::optional<std::string> coarse_places(const Scene& scene, const Furthest& furthest, double most);

// "FILE:LINE:COLUMN: this ", or what is known of where it is.
std::string place_of(const Scene& scene, const Furthest& furthest);

// Throws SceneError where the spacing is more than spacing_most.
void check_spacing(const Scene& scene);

}  // namespace talus
