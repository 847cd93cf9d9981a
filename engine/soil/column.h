#pragma once
// A column of the ground consists of undisturbed soil and, on it, loosened soil, of up to four materials. Their amounts
// are counted in quanta of the volume of grains, so that soil that moves between columns and grains is conserved
// exactly.
#include "shaders/shared/types.h"
#include <array>
#include <cstdint>

namespace talus {

// Quanta of each material of the ground (Soil::materials()).
using Mixture = std::array<std::uint32_t, shared::soil_materials_most>;

Mixture only(std::uint32_t material, std::uint32_t mass);  // of one material
std::uint32_t sum_of(const Mixture& mixture);
Mixture operator+(Mixture a, const Mixture& b);
Mixture operator-(Mixture a, const Mixture& b);  // a has at least as much of each
// As much of it as this, in its proportions, to less than a quantum of each material. mass: at most its sum.
Mixture part_of(const Mixture& mixture, std::uint32_t mass);

Mixture mixture_of(const shared::SoilColumn& column);
// The volume of a column's soil, as the mass of undisturbed soil that would fill it [quanta].
double volume_of(const shared::SoilColumn& column);

// Puts undisturbed soil on that of a column, below what is loose, or takes it.
void add_firm(shared::SoilColumn& column, const Mixture& soil);
void take_firm(shared::SoilColumn& column, const Mixture& soil);
// Puts loosened soil on a column, or takes some of the column's own off. Volumes add up.
void add_loose(shared::SoilColumn& column, const Mixture& soil, double swell);
void take_loose(shared::SoilColumn& column, const Mixture& soil);

}  // namespace talus
