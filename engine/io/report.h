#pragma once
// What a run tells: the report at its end (JSON) and the metrics on its way (a row of a table).
#include "engine/talus.h"
#include <string>

namespace talus {

// Name of a row or an entry of one world: there is nothing to tell apart where there is one world.
std::string name_in_world(const Scene& scene, const std::string& name, std::size_t world);

// What only the caller knows.
struct RunFacts {
  std::uint64_t first_step = 0;      // 0, or the step that the run was resumed at
  std::uint64_t particle_steps = 0;  // sum of the grains over the steps done
  double wall_s = 0.0;               // s, spent stepping; without set-up, exports and drawing
};

// steps, simulated_s, wall_s and the rates count from first_step on; the state is that of now.
std::string report_json(Simulation& simulation, const RunFacts& facts);

// Of each body the force, the torque and both filtered, of the last step: NAME.force_x and so on; of a dynamic one
// position, velocity and angular velocity as well, and, where it turns about an axis or slides along one, joint_value
// and joint_speed [degrees, m; per s]. Of each cloth the mean position of its vertices,
// strain_mean, strain_max and kinetic_energy. Since the start, of each sink the grains that it took, NAME.grains, and
// of each periodic axis how often grains went through its ends, x.crossed_up and x.crossed_down.
std::string metrics_header(const Scene& scene);
std::string metrics_row(Simulation& simulation);

}  // namespace talus
