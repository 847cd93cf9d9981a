#pragma once
// Whether a state that somebody hands over is one that the passes can go on from.
#include "engine/core/fields.h"
#include "engine/simulation/checkpoint_file.h"
#include "engine/soil/stacks.h"
#include <optional>
#include <string>

namespace talus {

// Limits of the numbers in a state; those of one world where nothing else is said.
struct StateBounds {
  const Settings& settings;   // rows: of contact slots, as many as the state brings
  std::uint32_t places = 0;   // in memory, of grains
  std::uint32_t ids = 0;      // numbers of grains are below this
  std::uint32_t initial = 0;  // grains at the start of the only world
  std::uint32_t materials = 0;
  std::vector<std::uint32_t> parts;            // of each body
  std::vector<std::uint32_t> clump_spheres;    // of each kind of clump
  const SoilStacks* soil = nullptr;            // none: the scene has no ground
  std::vector<std::uint32_t> emitter_spheres;  // of a grain of each emitter
  std::vector<std::uint32_t> due;              // by world and emitter: emitted grains that are due up to now
  std::uint32_t fine_initial = 0;              // fine grains at the start
  std::uint32_t fine_due = 0;                  // fine grains that come with the emitted grains that are due up to now
  std::uint32_t fine_places = 0;
};

// The first thing that is not as any run leaves it: an index or a count that leads out of a field, a number that is not
// finite. The fields have their sizes already.
std::optional<std::string> wrong_in(const Checkpoint& checkpoint, const StateBounds& bounds);

}  // namespace talus
