#include "engine/io/report.h"
#include "engine/scene/words.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

double ratio(double a, double b) {
  return b > 0.0 ? a / b : 0.0;
}

}  // namespace

std::string report_json(Simulation& simulation, const RunFacts& facts) {
  using Json = nlohmann::ordered_json;
  const Scene& scene = simulation.scene();
  const DeviceSummary device = simulation.device();
  const Measure measure = simulation.measure();
  const std::uint64_t steps = simulation.step() - facts.first_step;
  const double simulated = static_cast<double>(steps) * scene.dt;

  Json passes = Json::array();
  for (const PassTime& pass : simulation.pass_times())
    passes.push_back({{"name", pass.name}, {"calls", pass.calls}, {"ms", pass.ms}});

  const Json report = {
      {"scene", scene.source},
      {"title", scene.title},
      {"seed", scene.seed},
      {"device",
       {{"name", device.name}, {"driver", device.driver}, {"api_version", device.api_version}, {"type", device.type}}},
      {"method", word(scene.solver.method)},
      {"iteration", iterations_of(scene.solver.method).empty() ? "none" : word(scene.solver.iteration)},
      {"iterations", scene.solver.iterations},
      {"substeps", scene.solver.substeps},
      {"grains", simulation.grain_count()},
      {"fine_grains", 0},
      {"dt", scene.dt},
      {"first_step", facts.first_step},
      {"steps", steps},
      {"time", simulation.time()},
      {"simulated_s", simulated},
      {"wall_s", facts.wall_s},
      {"real_time_factor", ratio(simulated, facts.wall_s)},
      {"particle_steps_per_s", ratio(static_cast<double>(facts.particle_steps), facts.wall_s)},
      {"contacts", {{"mean", measure.contacts_mean}, {"max", measure.contacts_max}}},
      {"penetration", {{"mean", measure.penetration_mean}, {"max", measure.penetration_max}}},
      {"kinetic_energy", measure.kinetic_energy},
      {"momentum", {measure.momentum.x, measure.momentum.y, measure.momentum.z}},
      {"speed_max", measure.speed_max},
      {"height", measure.height},
      {"rebuilds", simulation.rebuilds()},
      {"fast", simulation.fast()},
      {"passes", passes},
      {"bodies", Json::array()},
      {"memory_bytes", simulation.memory_bytes()},
      {"state_hash", fmt::format("{:016x}", simulation.state_hash())},
  };
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string metrics_row(double time, std::uint64_t step, const Measure& m) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", time, step, m.grains, m.contacts_mean, m.contacts_max,
                     m.penetration_mean, m.penetration_max, m.kinetic_energy, m.momentum.x, m.momentum.y, m.momentum.z,
                     m.speed_max, m.height);
}

}  // namespace talus
