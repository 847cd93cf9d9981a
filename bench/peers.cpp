#include "bench/peers.h"
#include "bench/context.h"
#include "bench/measure.h"
#include "bench/scenes.h"
#include "bench/suite.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
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
// damped as dem damps. A step is a share of a collision's time that is still stable.
struct Springs {
  double kn, kt, gamma;  // N/m, N/m, 1/s
  double dt;             // s
};
Springs springs_for(const talus::Scene& scene, double radius) {
  const double m_eff = 0.5 * grain_mass(scene, radius), kn = 1400.0, zeta = 0.12;
  const double collision = std::numbers::pi * std::sqrt(m_eff / kn);
  return {kn, 2.0 / 7.0 * kn, 2.0 * zeta * std::sqrt(kn / m_eff), collision / 25.0};
}

std::string in_quotes(const fs::path& path) {
  return fmt::format("'{}'", path.string());
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
  std::function<std::string(const Setup&)> command;
};

std::string lammps_variables(const Setup& setup) {
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
                                                             {"dt", s.dt},
                                                             {"steps", std::ceil(setup.scene.end / s.dt)}})
    out += fmt::format(" -var {} {:.9g}", name, value);
  return out + " -var grains " + setup.name("grains.data") + " -var final " + setup.name("final.txt");
}

Peer lammps_like(const std::string& name, std::initializer_list<const char*> programs) {
  const fs::path found = program(programs);
  return {name, found.empty() ? fmt::format("not installed; Debian: apt install {}", name) : "",
          [=](const Setup& setup) {
            return fmt::format("{} -log none -in {}{}", in_quotes(found),
                               in_quotes(fs::path(TALUS_PEERS) / ("box_settle." + name)), lammps_variables(setup));
          }};
}

Peer bullet() {
  constexpr int rate = 540;  // 1/s; it has no stiffness, the step decides the overlap: 14 % at 240, 0.5 % at 960
  const std::string found = TALUS_BULLET;
  return {"bullet", found.empty() ? "not built; Debian: apt install libbullet-dev, and configure again" : "",
          [=](const Setup& setup) {
            return fmt::format("{} {} {:.9g} {:.9g} {} {:.0f} {}", in_quotes(found), setup.name("grains.data"),
                               setup.edge(), setup.scene.materials.at(0).friction_kinetic, rate, rate * setup.scene.end,
                               setup.name("final.txt"));
          }};
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Sample sample_of(double seconds, const Setup& setup, std::span<const talus::GrainState> grains) {
  Sample sample;
  sample.real_s = seconds;
  const Overlap overlap = overlap_of(grains, setup.scene.domain);
  sample.counters = {{"grains", static_cast<double>(grains.size())},
                     {"wall_s_per_simulated_s", seconds / setup.scene.end},
                     {"overlap_mean", overlap.mean},
                     {"overlap_max", overlap.max},
                     {"packing", bed_packing(grains, setup.scene.domain)}};
  return sample;
}

Measured run_talus(const Setup& setup, const std::string& name) {
  talus::Simulation simulation(setup.scene, {.device = "cpu", .timing = false});
  const Stopwatch watch;
  simulation.advance(static_cast<std::uint64_t>(std::llround(setup.scene.end / setup.scene.dt)));
  const double seconds = watch.stop(1).real_s;
  return {name, {sample_of(seconds, setup, simulation.grains())}, ""};
}

Measured run_peer(const Peer& peer, const Setup& setup, const std::string& name) {
  if (!peer.missing.empty())
    return {name, {}, peer.missing};
  const int status =
      std::system(fmt::format("cd {} && {} >log.txt 2>&1", in_quotes(setup.folder), peer.command(setup)).c_str());
  const std::string log = text_of(setup.folder / "log.txt");
  const auto grains = final_grains(text_of(setup.folder / "final.txt"), setup.radius());
  const double seconds = loop_time(log);
  if (status != 0 || !std::isfinite(seconds) || grains.size() != *setup.scene.grains.at(0).count)
    return {name, {}, "it failed: " + log.substr(log.size() - std::min<std::size_t>(log.size(), 300))};
  return {name, {sample_of(seconds, setup, grains)}, ""};
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

void print(const Measured& m) {
  if (!m.skipped.empty()) {
    fmt::print("{:<26} {}\n", m.name, m.skipped);
    return;
  }
  fmt::print("{:<26} {:>12.4g} {:>10.4f} {:>10.3f} {:>9.3f}\n", m.name, m.counter("wall_s_per_simulated_s"),
             m.counter("overlap_mean"), m.counter("overlap_max"), m.counter("packing"));
}

}  // namespace

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

double loop_time(const std::string& printed) {
  const std::string mark = "Loop time of ";
  const std::size_t at = printed.rfind(mark);
  return at == printed.npos ? NAN : std::strtod(printed.c_str() + at + mark.size(), nullptr);
}

std::vector<talus::GrainState> final_grains(const std::string& dump, double radius) {
  std::vector<talus::GrainState> grains;
  const std::size_t at = dump.rfind("ITEM: ATOMS");
  if (at == dump.npos)
    return grains;
  std::istringstream in(dump.substr(std::min(dump.find('\n', at), dump.size())));
  talus::GrainState g{};
  g.radius = static_cast<float>(radius);
  while (in >> g.id >> g.position.x >> g.position.y >> g.position.z)
    grains.push_back(g);
  return grains;
}

void run_peers(const PeersOptions& options) {
  pin(options.core);
  const std::vector<Peer> peers{
      {"talus", "", {}}, lammps_like("lammps", {"lmp", "lammps"}), lammps_like("liggghts", {"liggghts"}), bullet()};
  for (const std::string& name : options.only)
    if (std::ranges::find(peers, name, &Peer::name) == peers.end())
      throw UsageError(fmt::format("--only {}: there are talus, lammps, liggghts and bullet", name));
  Results results{machine_context(), {}};
  results.context["device"] = {{"name", "CPU"}, {"type", "CPU path"}};
  results.context["core"] = options.core;
  fmt::print("{:<26} {:>12} {:>10} {:>10} {:>9}\n", "on one core", "s per s", "overlap", "greatest", "packing");
  for (const unsigned n : options.grains) {
    const fs::path folder = fs::temp_directory_path() / fmt::format("talus-bench-{:08x}.peers", std::random_device{}());
    fs::create_directories(folder);
    const Setup setup{settling_box(talus::Method::dem, n), folder};
    std::ofstream(folder / "grains.data")
        << grains_file(talus::Simulation(setup.scene, {.device = "cpu"}).grains(), setup.scene);
    for (const Peer& peer : peers) {
      if (!options.only.empty() && std::ranges::find(options.only, peer.name) == options.only.end())
        continue;
      const std::string name = fmt::format("peers/{}/{}", peer.name, n);
      fs::remove(folder / "final.txt");
      results.measured.push_back(peer.command ? run_peer(peer, setup, name) : run_talus(setup, name));
      print(results.measured.back());
      std::fflush(stdout);
    }
    fs::remove_all(folder);
    if (!options.out.empty())
      write_results(options.out, results);
  }
}

}  // namespace bench
