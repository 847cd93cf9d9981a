#pragma once
// What the readers of a scene's tables share (load.cpp has the schema's frame).
#include "engine/scene/reader.h"
#include "engine/scene/scene.h"

namespace talus::reading {

inline constexpr Range place_range{-1e6, 1e6, "m"};
inline constexpr Range length_range{1e-6, 1e6, "m"};
inline constexpr Range radius_range{1e-6, 1e3, "m"};
inline constexpr Range angle_range{-1e4, 1e4, "degrees"};
inline constexpr Range speed_range{-1e4, 1e4, "m/s"};
inline constexpr Range time_range{0, 1e6, "s"};
inline constexpr Range friction_range{0, 10};
inline constexpr Range adhesion_range{0, 1e9, "Pa"};

// The material of that name.
std::uint32_t material_of(const Value& name, const std::vector<Material>& materials);

// The keys of a [[body]] that move it: taken with the others, read later.
class MotionKeys {
public:
  explicit MotionKeys(Table& t);
  void get(BodySpec& body) const;

private:
  Value velocity_, spin_, keyframes_, interpolation_, repeat_, motion_, parent_, joint_;
};

// A [[body]]. scene: what stands before it, names and materials.
BodySpec read_body(Table t, const Scene& scene);

}  // namespace talus::reading
