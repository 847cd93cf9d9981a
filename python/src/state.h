#pragma once
// States as arrays.
#include "arrays.h"
#include "engine/io/contacts.h"

namespace talus_python {

struct Grains {
  Column<std::uint32_t> id;
  Columns3<float> position, velocity;
  Column<float> radius;
  Column<std::uint32_t> material, world;
  Columns3<float> spin;
};
Grains grains_of(std::vector<talus::GrainState> grains);

struct Clumps {
  Column<std::uint32_t> first, spheres, material, world;
  Column<double> mass;
  Columns3<double> position;
  Columns4<double> rotation;
  Columns3<double> velocity, spin;
};
Clumps clumps_of(const std::vector<talus::ClumpState>& clumps);

struct Contacts {
  Column<std::uint32_t> world, grain, kind, partner;
  Columns3<float> point, normal, friction;
};
Contacts contacts_of(std::vector<talus::ContactState> contacts);

struct GrainMemory {
  Columns3<float> position;
  Column<float> radius;
  Columns3<float> velocity;
  Column<float> inverse_mass;
  Column<std::uint32_t> id, tag;
  Columns3<float> surface_velocity;
  bool in_place;
};

struct Loads {
  Array<float> force, torque, force_filtered, torque_filtered;
  Array<std::uint32_t> uncounted;
};
// shape: of the loads, one after another.
Loads loads_of(std::vector<talus::BodyLoad> loads, const std::vector<std::size_t>& shape);

struct Cloth {
  Columns3<float> position, velocity;
  Columns3<std::uint32_t> triangles;
  double strain_mean, strain_max, kinetic_energy;
};

}  // namespace talus_python
