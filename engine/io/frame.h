#pragma once
// A state as it is exported.
#include "engine/io/points.h"
#include "engine/talus.h"
#include <optional>
#include <vector>

namespace talus {

struct ExportOptions {
  bool contacts = false;  // contacts as well, and the force on each grain
};

// Taken from a simulation between two steps, and written while it goes on.
struct Frame {
  double time = 0.0;  // s
  std::uint64_t step = 0;
  bool rotates = false;                           // grains have spins
  std::vector<GrainState> grains;                 // sorted by world and id
  std::optional<std::vector<GrainState>> fine;    // of scenes with [upsampling]
  std::optional<ContactFields> contacts;          // where they were asked for
  std::optional<std::vector<ClumpState>> clumps;  // of scenes with clumps
  std::vector<ClothState> cloths;                 // of all worlds
  std::vector<BodyState> bodies;                  // of all worlds
  std::vector<SoilHeights> ground;                // of all worlds of scenes with [soil]
};
Frame frame_of(Simulation& simulation, const ExportOptions& options = {});

// The points of a frame that are written. The contacts are computed here, on the thread that writes.
struct FramePoints {
  Points grains;
  std::optional<Points> fine, contacts;
};
FramePoints points_of(const Frame& frame);

}  // namespace talus
