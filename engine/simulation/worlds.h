#pragma once
// Worlds of a simulation, side by side in its fields, and shelves, on which states of worlds are kept.
#include "engine/simulation/commands.h"
#include "engine/simulation/grain_slots.h"

namespace talus {

// Owns how each world starts, and the shelves.
//
// Between calls:
// - What the host knows of a world (WorldCourse) describes the world's shares of the fields.
// - The field `shelves` has room for one state of shelf_bytes_ bytes on each shelf; a shelf that is filled knows how
//   long the share of each saved field was.
// - Nothing that is done to a world changes a bit of another.
//
// Needs the model, the fields, and the parts that know something of a world: the state of the run, commands, emission
// schedules and the slots of grains.
class Worlds {
public:
  Worlds(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, Emission& emission,
         GrainSlots& grains, std::vector<WorldStart> starts);

  // As Simulation has them. All check their arguments before anything is changed.
  void reset(std::span<const std::uint32_t> which, std::span<const std::uint64_t> seeds);
  void fork(std::uint32_t from, std::span<const std::uint32_t> to);
  void save(std::uint32_t world, std::uint32_t shelf);
  void restore(std::uint32_t shelf, std::span<const std::uint32_t> which);

private:
  // The host's knowledge of a world.
  struct WorldCourse {
    World state{};
    std::uint32_t at_start = 0;  // grains that it had at its start
    EmissionSchedule schedule;
    Drives::Course course;
  };
  // The part of a kept world's state that is not on the device.
  struct Shelf {
    bool filled = false;
    std::uint64_t step = 0;  // at which the shelf was filled, of the run
    WorldCourse world;
    std::vector<std::size_t> shares;  // bytes of saved fields, in their order
  };

  void fill(std::uint32_t world, const WorldStart& start);
  WorldCourse course_of(std::uint32_t world) const;
  void become(std::span<const std::uint32_t> which, const WorldCourse& other);  // after their shares were copied
  Shelf& shelf_at(std::uint32_t shelf);
  void widen_shelves(std::size_t bytes);

  const Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  Commands& commands_;
  Emission& emission_;
  GrainSlots& grains_;
  std::vector<WorldStart> starts_;
  std::vector<Shelf> shelves_;
  std::size_t shelf_bytes_ = 0;
};

}  // namespace talus
