#include "bench/peers.h"
#include "bench/context.h"
#include "bench/files.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include "bench/suite.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <numbers>
#include <random>
#include <sstream>
#ifdef __linux__
#include <sched.h>
#endif

namespace bench {
namespace {

namespace fs = std::filesystem;

// What all spring contacts share: stiff enough for a mean overlap of about 1.5 % of a radius under 20 layers, and
// damped as dem damps.
struct Springs {
  double kn, kt, gamma;  // N/m, N/m, 1/s
  double collision;      // s, half a period of two equal grains
};
Springs springs_for(const talus::Scene& scene, double radius) {
  const double m_eff = 0.5 * grain_mass(scene, radius), kn = 1400.0, zeta = 0.11;
  return {kn, 2.0 / 7.0 * kn, 2.0 * zeta * std::sqrt(kn / m_eff), std::numbers::pi * std::sqrt(m_eff / kn)};
}

// The first of the programs that PATH has; empty: none.
fs::path program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  for (const char* name : names) {
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
      if (fs::exists(fs::path(folder) / name))
        return fs::path(folder) / name;
  }
  return {};
}

// A run of one number of grains: where its files are, and what all engines are told.
struct Setup {
  talus::Scene scene;
  fs::path folder;
  std::string name(const std::string& file) const { return in_quotes(folder / file); }
  double edge() const { return scene.domain.max.x; }
  double radius() const { return scene.grains.at(0).radius_max; }
};

struct Peer {
  std::string name, missing;  // missing: what to do; empty: it is there
  std::vector<unsigned>
      steps;  // in the unit of time, such as a collision's time; from few, long steps to many, short ones
  double (*unit)(const Setup&) = nullptr;  // s
  // Has a contact no stiffness of its own, so that the step decides the overlap?
  bool rigid = false;
  std::function<std::string(const Setup&, double step)> command;  // step: s
};

double collision_time(const Setup& setup) {
  return springs_for(setup.scene, setup.radius()).collision;
}

std::string lammps_variables(const Setup& setup, double step) {
  const Springs s = springs_for(setup.scene, setup.radius());
  std::string out;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, double>>{{"edge", setup.edge()},
                                                             {"kn", s.kn},
                                                             {"kt", s.kt},
                                                             {"gamma", s.gamma},
                                                             {"gammat", 0.5 * s.gamma},
                                                             {"mu", setup.scene.materials.at(0).friction_kinetic},
                                                             {"skin", 0.2 * setup.radius()},
                                                             {"dt", step},
                                                             {"steps", std::ceil(setup.scene.end / step)}})
    out += fmt::format(" -var {} {:.9g}", name, value);
  // Spins stay 0 where nothing integrates them.
  out += setup.scene.solver.rotation ? " -var integrate nve/sphere" : " -var integrate nve";
  return out + " -var grains " + setup.name("grains.data") + " -var final " + setup.name("final.txt");
}

Peer lammps_like(const std::string& name, std::initializer_list<const char*> programs) {
  const fs::path found = program(programs);
  return {name,
          found.empty() ? fmt::format("not installed; Debian: apt install {}", name) : "",
          {2, 3, 4, 5, 6, 8, 10, 15, 25},
          collision_time,
          false,
          [=](const Setup& setup, double step) {
            return fmt::format("{} -log none -in {}{}", in_quotes(found),
                               in_quotes(fs::path(TALUS_PEERS) / ("box_settle." + name)),
                               lammps_variables(setup, step));
          }};
}

Peer bullet() {
  const std::string found = TALUS_BULLET;
  return {"bullet",
          found.empty() ? "not built; Debian: apt install libbullet-dev, and configure again" : "",
          {240, 300, 360, 420, 480, 540, 600, 720, 960},
          [](const Setup&) { return 1.0; },
          true,
          [=](const Setup& setup, double step) {
            return fmt::format("{} {} {:.9g} {:.9g} {:.9g} {:.0f} {} {}", in_quotes(found), setup.name("grains.data"),
                               setup.edge(), setup.scene.materials.at(0).friction_kinetic, 1.0 / step,
                               setup.scene.end / step, setup.scene.solver.rotation ? 1 : 0, setup.name("final.txt"));
          }};
}

// Two times as long as the scene, of which the box falls in the first and rests in the second.
struct Times {
  double falling = NAN, resting = NAN;  // s, of the wall
};

Sample sample_of(const Times& times, const Setup& setup, std::span<const talus::GrainState> grains) {
  Sample sample;
  sample.real_s = times.falling;
  const Overlap overlap = overlap_of(grains, setup.scene.domain);
  sample.counters = {{"grains", static_cast<double>(grains.size())},
                     {"wall_s_per_simulated_s", times.falling / setup.scene.end},
                     {"wall_s_per_simulated_s_at_rest", times.resting / setup.scene.end},
                     {"overlap_mean", overlap.mean},
                     {"overlap_max", overlap.max},
                     {"speed_rms", speed_rms(grains)},
                     {"packing", bed_packing(grains, setup.scene.domain)}};
  return sample;
}

Measured run_talus(const Setup& setup, const std::string& name) {
  talus::Simulation simulation(setup.scene, {.device = "cpu", .timing = false});
  const auto steps = static_cast<std::uint64_t>(std::llround(setup.scene.end / setup.scene.dt));
  const auto timed = [&] {
    const Stopwatch watch;
    simulation.advance(steps);
    return watch.stop(1).real_s;
  };
  Times times;
  times.falling = timed();
  times.resting = timed();
  Sample sample = sample_of(times, setup, simulation.grains());
  sample.counters["step_s"] = simulation.scene().dt / simulation.scene().solver.substeps;
  return {name, {sample}, ""};
}

Measured run_peer(const Peer& peer, const Setup& setup, const std::string& name, double step) {
  fs::remove(setup.folder / "final.txt");
  const int status =
      std::system(fmt::format("cd {} && {} >log.txt 2>&1", in_quotes(setup.folder), peer.command(setup, step)).c_str());
  const std::string log = file_text(setup.folder / "log.txt");
  const auto grains = final_grains(file_text(setup.folder / "final.txt"), setup.radius());
  const std::vector<double> seconds = loop_times(log);
  if (status != 0 || seconds.size() != 2 || grains.size() != *setup.scene.grains.at(0).count)
    return {name, {}, "it failed: " + log.substr(log.size() - std::min<std::size_t>(log.size(), 300))};
  Sample sample = sample_of({seconds[0], seconds[1]}, setup, grains);
  sample.counters["step_s"] = step;
  return {name, {sample}, ""};
}

// This process, and so those that it starts, on one core.
void pin(int core) {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw UsageError(fmt::format("--core {}: there is no such core, or it may not be used", core));
#else
  (void)core;
  throw UsageError("peers runs on Linux alone, where processes can be bound to a core");
#endif
}

void print_peer(const Measured& m) {
  if (!m.skipped.empty()) {
    fmt::print("{:<26} {}\n", m.name, m.skipped);
    return;
  }
  fmt::print("{:<26} {:>10.4g} {:>10.4g} {:>10.2e} {:>9.4f} {:>9.3f} {:>10.1e} {:>8.3f}\n", m.name,
             m.counter("wall_s_per_simulated_s"), m.counter("wall_s_per_simulated_s_at_rest"), m.counter("step_s"),
             m.counter("overlap_mean"), m.counter("overlap_max"), m.counter("speed_rms"), m.counter("packing"));
}

// How many steps an engine needs in its unit of time: as few as are good. They are tried on few grains and hold for
// all. 0: none is.
unsigned steps_needed(const Peer& peer, const Setup& setup) {
  std::vector<StepTrial> trials;
  for (const unsigned steps : peer.steps) {
    const Measured m = run_peer(peer, setup, "", peer.unit(setup) / steps);
    trials.push_back(m.samples.empty() ? StepTrial{} : StepTrial{m.counter("overlap_mean"), m.counter("speed_rms")});
    fmt::print("{}: step {:.3g} s, 1/{}: overlap {:.4f}, {:.1e} m/s\n", peer.name, peer.unit(setup) / steps, steps,
               trials.back().overlap, trials.back().speed_rms);
  }
  // Without rolling friction, grains of a bed roll in their places for seconds, in any engine and with any step: up to
  // 1.5 mm/s of rms speed after a second at rest, by chance. A step that heats the bed shows 50 mm/s and more.
  const double still = 0.01 * std::sqrt(glm::length(setup.scene.domain.gravity) * setup.radius());
  const std::optional<std::size_t> chosen =
      largest_step(trials, peer.rigid ? std::optional(setup.scene.solver.overlap) : std::nullopt, still);
  return chosen ? peer.steps[*chosen] : 0;
}

}  // namespace

std::optional<std::size_t> largest_step(std::span<const StepTrial> trials, std::optional<double> overlap, double still) {
  constexpr double more = 1.05, restless = 2.0;
  const double speed = std::max(restless * trials.back().speed_rms, still);
  std::size_t first = trials.size();
  while (first > 0 && trials[first - 1].speed_rms <= speed)
    --first;
  const auto resting = trials.subspan(first);
  if (resting.empty())
    return {};
  std::vector<double> overlaps;
  std::ranges::transform(resting, std::back_inserter(overlaps), &StepTrial::overlap);
  std::ranges::nth_element(overlaps, overlaps.begin() + static_cast<std::ptrdiff_t>(overlaps.size() / 2));
  const double most = more * overlap.value_or(overlaps[overlaps.size() / 2]);
  const auto found = std::ranges::find_if(resting, [&](const StepTrial& t) { return t.overlap <= most; });
  if (found == resting.end())
    return {};
  return first + static_cast<std::size_t>(found - resting.begin());
}

std::string grains_file(std::span<const talus::GrainState> grains, const talus::Scene& scene) {
  const talus::Domain& d = scene.domain;
  std::string out = fmt::format("scenes/box_settle.toml\n\n{} atoms\n1 atom types\n0 {:.9g} xlo xhi\n0 {:.9g} ylo yhi\n"
                                "0 {:.9g} zlo zhi\n\nAtoms\n\n",
                                grains.size(), d.max.x, d.max.y, d.max.z);
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const talus::GrainState& g = grains[i];
    out += fmt::format("{} 1 {:.7g} {:.9g} {:.9g} {:.9g} {:.9g}\n", i + 1, 2.0f * g.radius,
                       scene.materials.at(g.material).density, g.position.x, g.position.y, g.position.z);
  }
  out += "\nVelocities\n\n";
  for (std::size_t i = 0; i < grains.size(); ++i)
    out += fmt::format("{} {:.9g} {:.9g} {:.9g} 0 0 0\n", i + 1, grains[i].velocity.x, grains[i].velocity.y,
                       grains[i].velocity.z);
  return out;
}

std::vector<double> loop_times(const std::string& printed) {
  const std::string mark = "Loop time of ";
  std::vector<double> times;
  for (std::size_t at = printed.find(mark); at != printed.npos; at = printed.find(mark, at + 1))
    times.push_back(std::strtod(printed.c_str() + at + mark.size(), nullptr));
  return times;
}

std::vector<talus::GrainState> final_grains(const std::string& dump, double radius) {
  std::vector<talus::GrainState> grains;
  const std::size_t at = dump.rfind("ITEM: ATOMS");
  if (at == dump.npos)
    return grains;
  std::istringstream in(dump.substr(std::min(dump.find('\n', at), dump.size())));
  talus::GrainState g{};
  g.radius = static_cast<float>(radius);
  while (in >> g.id >> g.position.x >> g.position.y >> g.position.z >> g.velocity.x >> g.velocity.y >> g.velocity.z)
    grains.push_back(g);
  return grains;
}

void run_peers(const PeersOptions& options) {
  pin(options.core);
  const std::vector<Peer> peers{{"talus", "", {}, nullptr, false, {}},
                                lammps_like("lammps", {"lmp", "lammps"}),
                                lammps_like("liggghts", {"liggghts"}),
                                bullet()};
  for (const std::string& name : options.only)
    if (std::ranges::find(peers, name, &Peer::name) == peers.end())
      throw UsageError(fmt::format("--only {}: there are talus, lammps, liggghts and bullet", name));
  Results results{machine_context(), {}};
  results.context["device"] = {{"name", "CPU"}, {"type", "CPU path"}};
  results.context["core"] = options.core;
  results.context["rotation"] = options.rotation;
  const fs::path folder = fs::temp_directory_path() / fmt::format("talus-bench-{:08x}.peers", std::random_device{}());
  fs::create_directories(folder);
  const auto setup_of = [&](unsigned grains) {
    Setup setup{settling_box(talus::Method::dem, grains), folder};
    setup.scene.solver.rotation = options.rotation;
    std::ofstream(folder / "grains.data")
        << grains_file(talus::Simulation(setup.scene, {.device = "cpu"}).grains(), setup.scene);
    return setup;
  };
  const auto wanted = [&](const Peer& peer) {
    return options.only.empty() || std::ranges::find(options.only, peer.name) != options.only.end();
  };
  constexpr unsigned few = 1000;  // enough for beds of ten layers, whose overlap can be told
  std::map<std::string, unsigned> steps;
  for (const Peer& peer : peers)
    if (wanted(peer) && peer.command && peer.missing.empty()) {
      const Setup setup = setup_of(few);
      steps[peer.name] = steps_needed(peer, setup);
      if (steps[peer.name])
        fmt::print("{}: largest stable step {:.3g} s, 1/{} of {}\n", peer.name, peer.unit(setup) / steps[peer.name],
                   steps[peer.name], peer.rigid ? "a second" : "a collision's time");
    }
  fmt::print("{:<26} {:>10} {:>10} {:>10} {:>9} {:>9} {:>10} {:>8}\n", "on one core, s per s", "falling", "at rest",
             "step [s]", "overlap", "greatest", "rms [m/s]", "packing");
  for (const unsigned n : options.grains) {
    const Setup setup = setup_of(n);
    for (const Peer& peer : peers) {
      if (!wanted(peer))
        continue;
      const std::string name = fmt::format("peers/{}/{}", peer.name, n);
      if (!peer.command)
        results.measured.push_back(run_talus(setup, name));
      else if (!peer.missing.empty())
        results.measured.push_back({name, {}, peer.missing});
      else if (steps[peer.name] == 0)
        results.measured.push_back({name, {}, "no step was found at which the bed rests"});
      else
        results.measured.push_back(run_peer(peer, setup, name, peer.unit(setup) / steps[peer.name]));
      print_peer(results.measured.back());
      std::fflush(stdout);
    }
    if (!options.out.empty())
      write_results(options.out, results);
  }
  fs::remove_all(folder);
}

}  // namespace bench
