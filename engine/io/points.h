#pragma once
// The columns of exported points, which are grains, fine grains and contacts. All formats write the same columns, which
// are declared in points.cpp: a quantity is added there once.
#include "engine/io/contacts.h"
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <variant>
#include <vector>

namespace talus {

// A quantity that points have.
struct Quantity {
  std::string_view name;                  // of the array in vtp and others that hold arrays
  std::string_view unit;                  // "": none
  std::string_view extxyz;                // what OVITO calls it
  std::array<std::string_view, 4> parts;  // names of the components in csv and ply
  std::size_t components() const {
    std::size_t n = 0;
    while (n < parts.size() && !parts[n].empty())
      ++n;
    return n;
  }
};

inline constexpr Quantity position_quantity{"position", "m", "pos", {"x", "y", "z"}};
inline constexpr Quantity velocity_quantity{"velocity", "m/s", "velo", {"vx", "vy", "vz"}};
inline constexpr Quantity world_quantity{"world", "", "world", {"world"}};
inline constexpr Quantity body_quantity{"body", "", "body", {"body"}};
inline constexpr Quantity cloth_quantity{"cloth", "", "cloth", {"cloth"}};

// A quantity of all points: their components one after another.
struct PointColumn {
  const Quantity* quantity;
  std::variant<std::vector<float>, std::vector<std::uint32_t>> values;
};

struct Points {
  double time = 0.0;  // s
  std::size_t count = 0;
  std::vector<PointColumn> columns;

  // The column of that name, which must be there and of that type, or null.
  const std::vector<float>* reals(std::string_view name) const;
  const std::vector<std::uint32_t>* wholes(std::string_view name) const;
};

// What grains have beside what all have.
struct GrainExtras {
  bool spin = false;                                    // angular velocity [rad/s]
  const std::vector<ContactState>* contacts = nullptr;  // force: sum of the contacts' forces [N]
  const std::vector<ClumpState>* clumps = nullptr;      // orientation: that of the clump, and of a single sphere none
};

// grains: sorted by world and id, as Simulation gives them. Points are sorted by id, those of one id by world.
Points grain_points(const std::vector<GrainState>& grains, double time, const GrainExtras& extras);
Points contact_points(const std::vector<ContactState>& contacts, double time);

// Appends the components of point i to a text, each as the shortest number that reads back as the same.
void append_row(fmt::memory_buffer& text, const Points& points, std::size_t i, char separator);

}  // namespace talus
