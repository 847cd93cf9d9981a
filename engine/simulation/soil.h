#pragma once
// The ground of a scene in a run: when grains come out of it and go back.
#include "engine/simulation/commands.h"
#include "engine/simulation/grain_slots.h"
#include "engine/soil/exchange.h"

namespace talus {

// Owns nothing but what follows from the model: columns, and which grains stand for their surface, are fields.
//
// Between calls: the mass of the columns and of the grains that came out of them and are not gone is that of the start,
// to the quantum.
//
// Needs the model, the fields, which it writes between steps, the state of the run, and how bodies move.
class SoilExchanges {
public:
  SoilExchanges(Model& model, FieldMemory& memory, RunState& run, const Commands& commands);

  // Steps from where the run is until the ground has to be looked at again: at least 1.
  std::uint64_t steps_until_look() const;
  // Exchanges soil in the worlds whose turn it is. Grains of all worlds get new lists where anything changed. Throws
  // ResourceError.
  void look();

  SoilSummary summary() const;  // of all worlds
  SoilHeights heights(std::uint32_t world) const;
  // For drawing: the surface of a world's ground. in_use: the fields may not be read now, and it is that of the last
  // call that could.
  const std::vector<SoilSurfaceGrain>& surface(std::uint32_t world, bool in_use);

private:
  std::uint64_t local_step(std::uint32_t world) const { return commands_.drives().local(run_.step(), world); }
  std::uint64_t period() const;  // steps between two looks, where there is ground
  void look(std::uint32_t world);
  std::vector<SoilTool> tools_of(std::uint32_t world) const;
  SoilState read(std::uint32_t world) const;
  void write(std::uint32_t world, const SoilState& state);
  // Says of which columns no grains lie on after a look, and makes the surface of those that have changed anew.
  void mend_surface(std::uint32_t world, std::span<const shared::SoilColumn> before, const SoilState& state);
  void make_room(shared::uint missing);

  Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  const Commands& commands_;
  std::vector<std::vector<std::array<glm::dvec3, 2>>>
      edges_;                // of the surface of each body, in its frame [m]; none of a plane
  std::vector<Pose> start_;  // of the bodies: one that never left it, and does not move, digs nothing
  // What was drawn last.
  struct Drawn {
    std::vector<shared::SoilColumn> columns;
    std::vector<shared::SoilOrigin> origins;
    std::vector<shared::GroundSample> samples;
    std::vector<SoilSurfaceGrain> surface;
  };
  std::vector<Drawn> drawn_;  // by world
};

}  // namespace talus
