// What bodies cost, and the three ways in which grains meet a mesh.
#include "bench/experiment.h"
#include "bench/scenes.h"
#include "engine/core/executor.h"
#include "engine/geometry/mesh.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace bench {
namespace {

using talus::Scene;

const std::string ours = "this engine's design";

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A box with its edges cut into n pieces, as a closed mesh about the origin.
talus::Mesh box_mesh(const glm::dvec3& size, int n) {
  talus::Mesh mesh;
  for (int a = 0; a < 3; ++a)
    for (const double side : {-0.5, 0.5}) {
      glm::dvec3 x(0.0), y(0.0), at(0.0);
      x[(a + 1) % 3] = size[(a + 1) % 3];
      y[(a + 2) % 3] = size[(a + 2) % 3];
      at[a] = side * size[a];
      if (side < 0.0)
        std::swap(x, y);
      const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
          mesh.vertices.push_back(
              glm::vec3(at + (static_cast<double>(i) / n - 0.5) * x + (static_cast<double>(j) / n - 0.5) * y));
      const auto line = static_cast<std::uint32_t>(n + 1);
      for (std::uint32_t j = 0; j + 1 < line; ++j)
        for (std::uint32_t i = 0; i + 1 < line; ++i) {
          const std::uint32_t k = base + j * line + i;
          mesh.triangles.push_back({k, k + 1, k + line + 1});
          mesh.triangles.push_back({k, k + line + 1, k + line});
        }
    }
  return talus::repair_mesh(std::move(mesh), "box").mesh;
}

talus::BodySpec body_of(std::string name, talus::PartShape shape, glm::dvec3 position = {}) {
  talus::BodySpec body;
  body.name = std::move(name);
  body.position = position;
  body.parts.push_back({std::move(shape)});
  return body;
}

talus::PartShape as_mesh(talus::MeshAs as, const glm::dvec3& size, int pieces) {
  talus::MeshPart part;
  part.as = as;
  part.file = "box";
  part.loaded = std::make_shared<talus::LoadedMesh>(talus::LoadedMesh{box_mesh(size, pieces), true, {}});
  return part;
}

// Grains settling around a lattice of balls, of which the first n are there: cost of a step with them by that without.
// Random places: a cubic lattice would stand without balls and fall with them, and lists are built for what moves.
Result body_cost(const Context& context) {
  const std::vector<unsigned> grain_counts =
      context.quick ? std::vector{500u} : std::vector{10'000u, 50'000u, 200'000u};
  const std::vector<int> body_counts = context.quick ? std::vector{0, 4} : std::vector{0, 1, 4, 16, 64};
  Result result;
  result.summary.columns = {"grains",
                            "bodies",
                            "ms per step",
                            "by no bodies",
                            "lists built per step",
                            "contact pass by no bodies",
                            "a list by no bodies"};
  double worst = 0.0;
  for (const unsigned grains : grain_counts) {
    Series line{fmt::format("{} grains", grains), {}, "linespoints"};
    std::array<double, 3> none{};
    for (const int n : body_counts) {
      const Scene scene = scene_with_balls(grains, n);
      talus::Simulation simulation = simulate(context, scene);
      simulation.advance(context.pick(40, 4));
      const auto ms_of = [&](auto&& which) {
        double ms = 0.0;
        for (const talus::PassTime& pass : simulation.pass_times())
          ms += which(pass.name) ? pass.ms : 0.0;
        return ms;
      };
      const auto contact = [](const std::string& name) { return name == "dem"; };
      const auto lists = [](const std::string& name) {
        return name.starts_with("contact_") || name.starts_with("body_");
      };
      const std::array before{ms_of(contact), ms_of(lists)};
      const std::uint64_t built = simulation.rebuilds();
      const auto steps = static_cast<std::uint64_t>(context.pick(std::max(4.0, 2e6 / grains), 4.0));
      const double wall = seconds_of([&] { simulation.advance(steps); });
      const double builds = static_cast<double>(simulation.rebuilds() - built);
      const std::array<double, 3> cost{1e3 * wall / static_cast<double>(steps), ms_of(contact) - before[0],
                                       (ms_of(lists) - before[1]) / builds};
      if (n == 0)
        none = cost;
      const auto by = [&](std::size_t k) { return none[k] > 0.0 ? cost[k] / none[k] : NAN; };
      worst = std::max(worst, by(0));
      line.points.push_back({n, by(0)});
      result.summary.rows.push_back({std::to_string(grains), std::to_string(n), number(cost[0]), number(by(0)),
                                     number(builds / static_cast<double>(steps)), number(by(1)), number(by(2))});
    }
    result.plot.series.push_back(line);
  }
  result.plot.title = "Cost of a step by the number of bodies";
  result.plot.x = "bodies";
  result.plot.y = "time by that without bodies";
  result.findings.push_back({"64 bodies cost less than 1.6 times none: not bodies times grains",
                             fmt::format("{} times at most", number(worst)), worst < 1.6,
                             "balls among settling grains, dem, 8 substeps"});
  return result;
}

// A plate one radius thick that spans a box without lid or bottom, and grains above it.
struct OnPlate {
  OnPlate(unsigned count, double speed, talus::MeshAs as, bool mesh) {
    const double half = radius * std::sqrt(count / 2.0);
    const glm::dvec3 plate(2.4 * half, 2.4 * half, radius);
    scene = floor_scene(talus::default_solver(talus::Method::dem), 0.5, 240.0, 0, 1);
    scene.solver.substeps = 0;
    scene.domain.axis = {talus::Axis::wall, talus::Axis::wall, talus::Axis::open};
    scene.domain.min = {-1.2 * half, -1.2 * half, -1.0};
    scene.domain.max = {1.2 * half, 1.2 * half, 1.0};
    talus::GrainGroup group;
    group.radius_min = group.radius_max = radius;
    group.shape = talus::BoxFill{{-half, -half, 3.0 * radius}, {half, half, 23.0 * radius}};
    group.count = count;
    group.velocity = {0.0, 0.0, -speed};
    scene.grains.push_back(group);
    scene.bodies.push_back(body_of("plate", mesh ? as_mesh(as, plate, static_cast<int>(plate.x / (4.0 * radius)))
                                                 : talus::PartShape{talus::BoxPart{plate}}));
    scene.bodies[0].material = 0;
  }

  // Grains, not those of a skin, below the plate.
  unsigned leaked(talus::Simulation& simulation) const {
    unsigned below = 0;
    for (const talus::GrainState& g : simulation.grains())
      below += g.id < scene.grains[0].count && g.position.z < 0.0f;
    return below;
  }

  static constexpr double radius = 0.005;  // m
  Scene scene;
};

// Grains thrown at a plate, and others that come to rest on it: by the field, the triangles and the skin of its mesh,
// and by formula.
Result boundary_kinds(const Context& context) {
  struct Kind {
    std::string name;
    talus::MeshAs as = talus::MeshAs::sdf;
    bool mesh = true;
  };
  const std::vector<Kind> kinds{{"formula", {}, false},
                                {"sdf", talus::MeshAs::sdf},
                                {"triangles", talus::MeshAs::triangles},
                                {"particles", talus::MeshAs::particles}};
  const unsigned thrown = context.pick(10'000u, 200u), laid = context.pick(2000u, 200u);
  const double speed = 20.0, rest = context.pick(2.0, 0.3);
  Result result;
  result.summary.columns = {"kind",
                            "leaked of those thrown",
                            "their energy 20 ms after the impact, of that before",
                            "leaked of those laid",
                            "deepest overlap at rest, radii",
                            "kinetic energy at rest, m g r",
                            "wall time to rest by formula",
                            "data, kB"};
  double by_formula = 0.0;
  std::vector<std::string> leaks;  // of the kinds that leak
  for (const Kind& kind : kinds) {
    const OnPlate hard(thrown, speed, kind.as, kind.mesh), soft(laid, 0.0, kind.as, kind.mesh);
    talus::Simulation impact = simulate(context, hard.scene);
    const double before = impact.measure().kinetic_energy;
    go_on(impact, 0.02);
    const double after = impact.measure().kinetic_energy;
    go_on(impact, 0.05);
    talus::Simulation settling = simulate(context, soft.scene);
    const double wall = seconds_of([&] { go_on(settling, rest); });
    const talus::Measure at_rest = settling.measure();
    const unsigned leaked_hard = hard.leaked(impact), leaked_soft = soft.leaked(settling);
    if (leaked_hard + leaked_soft > 0)
      leaks.push_back(fmt::format("{} {}", kind.name, leaked_hard + leaked_soft));
    if (by_formula == 0.0)
      by_formula = wall;
    result.summary.rows.push_back(
        {kind.name, std::to_string(leaked_hard), number(after / before), std::to_string(leaked_soft),
         number(at_rest.penetration_max),
         number(at_rest.kinetic_energy / (grain_mass(soft.scene, OnPlate::radius) * 9.81 * OnPlate::radius)),
         number(wall / by_formula),
         number(4e-3 * static_cast<double>(settling.executor().size(talus::FieldId::shape_data)))});
    result.plot.series.push_back(
        {kind.name, {{static_cast<double>(result.plot.series.size()), wall / by_formula}}, "points"});
  }
  result.plot.title = "Four ways to meet a plate";
  result.plot.x = "kind";
  result.plot.y = "time by that of the formula";
  result.findings.push_back({fmt::format("none of {} grains at {} m/s passes a plate one radius thick, and none of {} "
                                         "that come to rest on it",
                                         thrown, speed, laid),
                             leaks.empty() ? "none, by any kind" : fmt::format("{}", fmt::join(leaks, ", ")),
                             leaks.empty(), "dem, substeps chosen by themselves"});
  return result;
}

}  // namespace

std::vector<Experiment> body_experiments() {
  return {{"body_cost", "Cost of bodies", ours, 12, body_cost},
          {"boundary_kinds", "Three ways to meet a mesh", ours, 4, boundary_kinds}};
}

}  // namespace bench
