#include "engine/io/report.h"
#include "engine/core/executor.h"
#include "engine/core/setup.h"
#include "engine/io/table.h"
#include "engine/scene/words.h"
#include "engine/simulation/robot.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

double ratio(double a, double b) {
  return b > 0.0 ? a / b : 0.0;
}

using Json = nlohmann::ordered_json;

Json json_of(const auto& v) {
  return {v.x, v.y, v.z};
}

template <class T> Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// One value says where the body is.
bool slides_or_turns(const BodySpec& body) {
  const Joint* joint = std::get_if<Joint>(&body.motion);
  return joint && (joint->type == JointType::revolute || joint->type == JointType::prismatic);
}

Json bodies_json(const Simulation& simulation) {
  Json bodies = Json::array();
  const Scene& scene = simulation.scene();
  const std::vector<BodyLoad> loads = simulation.body_loads();
  for (std::size_t b = 0; b < loads.size(); ++b) {
    const BodySpec& body = scene.bodies[b % scene.bodies.size()];
    const auto [pose, twist] = simulation.body_state(static_cast<std::uint32_t>(b));
    const glm::dquat& q = pose.rotation;
    bodies.push_back({{"name", name_in_world(scene, body.name, b / scene.bodies.size())},
                      {"position", json_of(pose.position)},
                      {"rotation", {q.x, q.y, q.z, q.w}},
                      {"velocity", json_of(twist.velocity)},
                      {"angular_velocity", json_of(twist.spin)},
                      {"force", json_of(loads[b].force)},
                      {"torque", json_of(loads[b].torque)},
                      {"force_filtered", json_of(loads[b].force_filtered)},
                      {"torque_filtered", json_of(loads[b].torque_filtered)},
                      {"uncounted_pushes", loads[b].uncounted}});
    if (slides_or_turns(body)) {
      const JointState joint = simulation.joint_state(static_cast<std::uint32_t>(b));
      bodies.back()["joint"] = {{"value", joint.value}, {"speed", joint.speed}};
      if (const auto load = simulation.joint_load(static_cast<std::uint32_t>(b)))
        bodies.back()["joint"].update(
            Json{{"force", json_of(load->force)}, {"torque", json_of(load->torque)}, {"along", load->along}});
    }
  }
  return bodies;
}

Json robots_json(Simulation& simulation) {
  Json robots = Json::array();
  const Scene& scene = simulation.scene();
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    for (const RobotSpec& spec : scene.robots) {
      const Robot robot(simulation, spec.name, w);
      const std::vector<double> values = robot.positions(), speeds = robot.velocities(), torques = robot.torques(),
                                efforts = robot.efforts();
      Json joints = Json::array();
      for (std::size_t j = 0; j < values.size(); ++j)
        joints.push_back({{"name", robot.joints()[j]},
                          {"value", values[j]},
                          {"speed", speeds[j]},
                          {"torque", torques[j]},
                          {"effort", efforts[j]}});
      robots.push_back({{"name", name_in_world(scene, spec.name, w)}, {"links", spec.links}, {"joints", joints}});
    }
  return robots;
}

Json shapes_json(const Simulation& simulation) {
  Json shapes = Json::array();
  const Scene& scene = simulation.scene();
  for (std::size_t s = 0; s < scene.worlds * scene.shapes.size(); ++s) {
    const auto [pose, velocity] = simulation.shape_state(static_cast<std::uint32_t>(s));
    const glm::dquat& q = pose.rotation;
    const std::string& name = scene.shapes[s % scene.shapes.size()].name;
    shapes.push_back({{"name", name_in_world(scene, name, s / scene.shapes.size())},
                      {"position", json_of(pose.position)},
                      {"rotation", {q.x, q.y, q.z, q.w}},
                      {"velocity", json_of(velocity)}});
  }
  return shapes;
}

glm::dvec3 middle_of(const ClothState& cloth) {
  glm::dvec3 sum{0.0};
  for (const glm::vec3& p : cloth.positions)
    sum += glm::dvec3(p);
  return sum / static_cast<double>(cloth.positions.size());
}

Json cloths_json(const Simulation& simulation) {
  Json cloths = Json::array();
  const Scene& scene = simulation.scene();
  const std::vector<ClothSpec>& specs = scene.cloths;
  for (std::size_t c = 0; c < scene.worlds * specs.size(); ++c) {
    const ClothState state = simulation.cloth_state(static_cast<std::uint32_t>(c));
    cloths.push_back({{"name", name_in_world(scene, specs[c % specs.size()].name, c / specs.size())},
                      {"vertices", state.positions.size()},
                      {"triangles", state.triangles.size()},
                      {"strain_mean", state.strain_mean},
                      {"strain_max", state.strain_max},
                      {"position", json_of(middle_of(state))},
                      {"kinetic_energy", state.kinetic_energy}});
  }
  return cloths;
}

Json sinks_json(const Simulation& simulation) {
  Json sinks = Json::array();
  const Scene& scene = simulation.scene();
  const std::vector<std::uint32_t> counts = simulation.sink_counts();
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const std::string& name = scene.sinks[s % scene.sinks.size()].name;
    sinks.push_back({{"name", name_in_world(scene, name, s / scene.sinks.size())}, {"grains", counts[s]}});
  }
  return sinks;
}

Json emitters_json(const Simulation& simulation) {
  Json emitters = Json::array();
  for (const EmitterCounts& c : simulation.emitter_counts())
    emitters.push_back({{"born", c.born}, {"waiting", c.waiting}, {"given_up", c.given_up}});
  return emitters;
}

// Calls visit(axis, crossings) for the periodic axes.
void each_periodic_axis(const Simulation& simulation, auto&& visit) {
  const auto crossings = simulation.periodic_crossings();
  for (std::size_t a = 0; a < 3; ++a)
    if (simulation.scene().domain.axis[a] == Axis::periodic)
      visit("xyz"[a], crossings[a]);
}

Json crossings_json(const Simulation& simulation) {
  Json periodic_crossings = Json::array();
  each_periodic_axis(simulation, [&](char axis, const SeamCrossings& c) {
    periodic_crossings.push_back({{"axis", std::string(1, axis)}, {"up", c.up}, {"down", c.down}});
  });
  return periodic_crossings;
}

// null where the scene has no ground.
Json soil_json(const Simulation& simulation) {
  const auto soil = simulation.soil();
  if (!soil)
    return nullptr;
  Json materials = Json::object();
  for (const SoilMaterialSummary& m : soil->materials)
    materials[m.name] = {{"mass_kg", m.mass}, {"grid_mass_kg", m.grid_mass}, {"quanta", m.quanta}};
  return {{"mass_kg", soil->mass},
          {"grid_mass_kg", soil->grid_mass},
          {"quanta", soil->quanta},
          {"materials", materials},
          {"live_grains", soil->live_grains},
          {"rough_grains", soil->rough_grains},
          {"loosened_kg", soil->loosened_mass},
          {"swell", soil->swell},
          {"deepest_track_m", soil->deepest_track}};
}

// Tells what the processes that share the simulation have done; null where there is one.
Json ranks_json(const Simulation& simulation) {
  const std::vector<RankSummary> ranks = simulation.ranks();
  if (ranks.empty())
    return nullptr;
  Json each = Json::array();
  double computing = 0.0, most = 0.0, communicating = 0.0, everywhere = 0.0, bytes = 0.0;
  for (const RankSummary& rank : ranks) {
    each.push_back({{"device", rank.device >= 0.0 ? Json(static_cast<int>(rank.device)) : Json("cpu")},
                    {"grains", rank.grains},
                    {"ghosts", rank.ghosts},
                    {"computing_s", rank.computing_s},
                    {"everywhere_s", rank.everywhere_s},
                    {"communicating_s", rank.communicating_s},
                    {"bytes_sent", rank.bytes_sent}});
    computing += rank.computing_s;
    most = std::max(most, rank.computing_s);
    everywhere += rank.everywhere_s;
    communicating += rank.communicating_s;
    bytes += rank.bytes_sent;
  }
  return {{"count", ranks.size()},
          {"imbalance", ratio(most * static_cast<double>(ranks.size()), computing)},
          {"communicating_share", ratio(communicating, computing + everywhere + communicating)},
          {"bytes_sent", bytes},
          {"each", each}};
}

}  // namespace

std::string name_in_world(const Scene& scene, const std::string& name, std::size_t world) {
  return scene.worlds == 1 ? name : fmt::format("{} of world {}", name, world);
}

std::string report_json(Simulation& simulation, const RunFacts& facts) {
  const Scene& scene = simulation.scene();
  const DeviceSummary device = simulation.device();
  const Json ranks = ranks_json(simulation);  // before the report itself has them exchange what it reads
  const Measure measure = simulation.measure();
  const std::uint64_t steps = simulation.step() - facts.first_step;
  const double simulated = static_cast<double>(steps) * scene.dt;

  Json passes = Json::array();
  for (const PassTime& pass : simulation.pass_times())
    passes.push_back({{"name", pass.name}, {"calls", pass.calls}, {"ms", pass.ms}});

  const Status status = read_field<Status>(simulation.executor(), FieldId::status, 1)[0];
  const Json report = {
      {"scene", scene.source},
      {"title", scene.title},
      {"seed", scene.seed},
      {"device",
       {{"name", device.name}, {"driver", device.driver}, {"api_version", device.api_version}, {"type", device.type}}},
      {"ranks", ranks},
      {"method", word(scene.solver.method)},
      {"iteration", iterations_of(scene.solver.method).empty() ? "none" : word(scene.solver.iteration)},
      {"iterations", scene.solver.iterations},
      {"substeps", scene.solver.substeps},
      {"grains", simulation.grain_count()},
      {"grains_born", simulation.grains_born()},
      {"fine_grains", simulation.fine_count()},
      {"fine_moves", status.fine.moves},
      {"fine_apart", status.fine.apart},
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
      {"incremental_rebuilds", simulation.incremental_rebuilds()},
      {"awake", or_null(simulation.awake())},
      {"grain_updates", or_null(simulation.grain_updates())},
      {"cfl_violations", simulation.cfl_violations()},
      {"passes", passes},
      {"bodies", bodies_json(simulation)},
      {"robots", robots_json(simulation)},
      {"shapes", shapes_json(simulation)},
      {"cloth", cloths_json(simulation)},
      {"emitters", emitters_json(simulation)},
      {"sinks", sinks_json(simulation)},
      {"removed_grains", simulation.removed_grains()},
      {"soil", soil_json(simulation)},
      {"periodic_crossings", crossings_json(simulation)},
      {"memory_bytes", simulation.memory_bytes()},
      {"state_hash", fmt::format("{:016x}", simulation.state_hash())},
  };
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string metrics_header(const Scene& scene) {
  std::string header = "time,step,grains,contacts_mean,contacts_max,penetration_mean,penetration_max,kinetic_energy,"
                       "momentum_x,momentum_y,momentum_z,speed_max,height";
  const auto add_column = [&](std::string_view name, std::string_view quantity) {
    header.append(",").append(csv_field(fmt::format("{}.{}", name, quantity)));
  };
  for (std::size_t b = 0; b < scene.worlds * scene.bodies.size(); ++b) {
    const BodySpec& body = scene.bodies[b % scene.bodies.size()];
    const std::string name = name_in_world(scene, body.name, b / scene.bodies.size());
    const auto add = [&](const std::string& quantity) { add_column(name, quantity); };
    const auto add_vector = [&](const char* quantity) {
      for (const char* axis : {"x", "y", "z"})
        add(fmt::format("{}_{}", quantity, axis));
    };
    for (const char* quantity : {"force", "torque", "force_filtered", "torque_filtered"})
      add_vector(quantity);
    // The motion of the others is the scene's own.
    if (is_dynamic(body))
      for (const char* quantity : {"position", "velocity", "angular_velocity"})
        add_vector(quantity);
    if (is_dynamic(body) && slides_or_turns(body))
      for (const char* quantity : {"joint_value", "joint_speed"})
        add(quantity);
  }
  for (std::size_t c = 0; c < scene.worlds * scene.cloths.size(); ++c)
    for (const char* quantity :
         {"position_x", "position_y", "position_z", "strain_mean", "strain_max", "kinetic_energy"})
      add_column(name_in_world(scene, scene.cloths[c % scene.cloths.size()].name, c / scene.cloths.size()), quantity);
  for (std::size_t s = 0; s < scene.worlds * scene.sinks.size(); ++s)
    add_column(name_in_world(scene, scene.sinks[s % scene.sinks.size()].name, s / scene.sinks.size()), "grains");
  for (std::size_t e = 0; e < scene.worlds * scene.emitters.size(); ++e)
    for (const char* quantity : {"born", "waiting", "given_up"})
      add_column(name_in_world(scene, fmt::format("emitter.{}", e % scene.emitters.size()), e / scene.emitters.size()),
                 quantity);
  for (std::size_t a = 0; a < 3; ++a)
    if (scene.domain.axis[a] == Axis::periodic)
      header += fmt::format(",{0}.crossed_up,{0}.crossed_down", "xyz"[a]);
  if (grains_sleep(scene))
    header += ",awake";
  if (scene.soil)
    header += ",soil.live_grains,soil.rough_grains";
  return header;
}

std::string metrics_row(Simulation& simulation) {
  const Measure m = simulation.measure();
  std::string row = fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", simulation.time(), simulation.step(),
                                m.grains, m.contacts_mean, m.contacts_max, m.penetration_mean, m.penetration_max,
                                m.kinetic_energy, m.momentum.x, m.momentum.y, m.momentum.z, m.speed_max, m.height);
  const std::vector<BodyLoad> loads = simulation.body_loads();
  for (std::uint32_t b = 0; b < loads.size(); ++b) {
    const BodySpec& body = simulation.scene().bodies[b % simulation.scene().bodies.size()];
    for (const glm::vec3& v : {loads[b].force, loads[b].torque, loads[b].force_filtered, loads[b].torque_filtered})
      row += fmt::format(",{},{},{}", v.x, v.y, v.z);
    if (!is_dynamic(body))
      continue;
    const auto [pose, twist] = simulation.body_state(b);
    for (const glm::dvec3& v : {pose.position, twist.velocity, twist.spin})
      row += fmt::format(",{},{},{}", v.x, v.y, v.z);
    if (slides_or_turns(body)) {
      const JointState joint = simulation.joint_state(b);
      row += fmt::format(",{},{}", joint.value, joint.speed);
    }
  }
  for (std::uint32_t c = 0; c < simulation.scene().worlds * simulation.scene().cloths.size(); ++c) {
    const ClothState state = simulation.cloth_state(c);
    const glm::dvec3 p = middle_of(state);
    row += fmt::format(",{},{},{},{},{},{}", p.x, p.y, p.z, state.strain_mean, state.strain_max, state.kinetic_energy);
  }
  for (const std::uint32_t count : simulation.sink_counts())
    row += fmt::format(",{}", count);
  for (const EmitterCounts& c : simulation.emitter_counts())
    row += fmt::format(",{},{},{}", c.born, c.waiting, c.given_up);
  each_periodic_axis(simulation, [&](char, const SeamCrossings& c) { row += fmt::format(",{},{}", c.up, c.down); });
  if (grains_sleep(simulation.scene()))
    row += fmt::format(",{}", simulation.awake().value_or(0));
  if (const auto soil = simulation.soil())
    row += fmt::format(",{},{}", soil->live_grains, soil->rough_grains);
  return row;
}

}  // namespace talus
