#include "engine/soil/column.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <numeric>

namespace talus {

using shared::SoilColumn;

namespace {

void set_mixture(SoilColumn& column, const Mixture& mixture) {
  column.mass = sum_of(mixture);
  column.others = {mixture[1], mixture[2], mixture[3]};
  column.disturbed = 1;
}

}  // namespace

Mixture only(std::uint32_t material, std::uint32_t mass) {
  Mixture mixture{};
  mixture.at(material) = mass;
  return mixture;
}

std::uint32_t sum_of(const Mixture& mixture) {
  return std::accumulate(mixture.begin(), mixture.end(), std::uint32_t{0});
}

Mixture operator+(Mixture a, const Mixture& b) {
  std::ranges::transform(a, b, a.begin(), std::plus());
  return a;
}

Mixture operator-(Mixture a, const Mixture& b) {
  for (std::size_t m = 0; m < a.size(); ++m) {
    TALUS_ASSERT(a[m] >= b[m], m, a[m], b[m]);
    a[m] -= b[m];
  }
  return a;
}

// What rounding leaves goes to the first materials of which more is there.
Mixture part_of(const Mixture& mixture, std::uint32_t mass) {
  const std::uint32_t all = sum_of(mixture);
  TALUS_ASSERT(mass <= all, mass, all);
  Mixture part{};
  if (mass == 0)
    return part;
  for (std::size_t m = 0; m < part.size(); ++m)
    part[m] = static_cast<std::uint32_t>(std::uint64_t{mixture[m]} * mass / all);
  std::uint32_t left = mass - sum_of(part);
  for (std::size_t m = 0; m < part.size() && left > 0; ++m)
    if (part[m] < mixture[m]) {
      ++part[m];
      --left;
    }
  TALUS_ASSERT(left == 0, left);
  return part;
}

Mixture mixture_of(const SoilColumn& column) {
  return {column.mass - (column.others.x + column.others.y + column.others.z), column.others.x, column.others.y,
          column.others.z};
}

double volume_of(const SoilColumn& column) {
  return (column.mass - column.loose) + static_cast<double>(column.loose) * static_cast<double>(column.swell);
}

void add_firm(SoilColumn& column, const Mixture& soil) {
  set_mixture(column, mixture_of(column) + soil);
}

void take_firm(SoilColumn& column, const Mixture& soil) {
  TALUS_ASSERT(sum_of(soil) <= column.mass - column.loose, sum_of(soil), column.mass, column.loose);
  set_mixture(column, mixture_of(column) - soil);
}

void add_loose(SoilColumn& column, const Mixture& soil, double swell) {
  const std::uint32_t mass = sum_of(soil);
  if (mass == 0)
    return;
  const double before = static_cast<double>(column.loose) * static_cast<double>(column.swell);
  set_mixture(column, mixture_of(column) + soil);
  column.loose += mass;
  column.swell = static_cast<float>((before + mass * swell) / column.loose);
}

void take_loose(SoilColumn& column, const Mixture& soil) {
  const std::uint32_t mass = sum_of(soil);
  TALUS_ASSERT(mass <= column.loose, mass, column.loose);
  set_mixture(column, mixture_of(column) - soil);
  column.loose -= mass;
  if (column.loose == 0)
    column.swell = 1.0f;
}

}  // namespace talus
