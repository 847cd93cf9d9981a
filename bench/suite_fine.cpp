// The suites upsampling and render: what fine grains and pictures cost.
#include "bench/fine_scenes.h"
#include "bench/scenes.h"
#include "bench/suite.h"
#include "engine/gpu/device.h"
#include "viewer/renderer.h"
#include <cmath>
#include <fmt/format.h>

namespace bench {
namespace {

double fine_ms(const talus::Simulation& simulation) {
  double ms = 0.0;
  for (const talus::PassTime& pass : simulation.pass_times())
    ms += is_fine(pass.name) ? pass.ms : 0.0;
  return ms;
}

// To where its grains are in motion, if there is time.
void set_in_motion(Target& target, talus::Simulation& simulation) {
  const talus::Scene& scene = simulation.scene();
  simulation.advance(2);
  const auto steps = static_cast<std::uint64_t>(std::ceil(target.pick(in_motion(scene), 0.02) / scene.dt));
  const Stopwatch watch;
  simulation.advance(2);
  target.need_time(watch.stop(1).real_s / 2.0 * static_cast<double>(steps), "setting it in motion");
  simulation.advance(steps);
}

Trial fine_trial(Target& target, const std::string& name) {
  talus::Options options = target.options;
  options.timing = true;
  talus::Simulation simulation(fine_scene(name, target.run.quick), options);
  set_in_motion(target, simulation);
  auto replay = std::make_shared<Replay>(std::move(simulation));
  return [replay](std::uint64_t steps) {
    const double before = fine_ms(replay->simulation);
    Sample sample = replay->advance(steps);
    add_quality(sample, replay->simulation);
    const double ms = fine_ms(replay->simulation) - before, fine = replay->simulation.fine_count();
    const double frames = 60.0 * sample.counters["simulated_s"];
    sample.counters["fine_grains"] = fine;
    sample.counters["fine_ms_per_frame"] = ms / frames;
    sample.counters["ms_per_frame"] = 1e3 * sample.real_s / frames;
    sample.counters["fine_ns_per_grain_and_frame"] = 1e6 * ms / (frames * std::max(fine, 1.0));
    return std::vector{sample};
  };
}

Trial render_trial(Target& target, unsigned grains, int width, int height) {
  const talus::Scene scene = settling_box(talus::Method::dem, grains);
  target.need_memory(bytes_per_grain(scene) * grains, fmt::format("{} grains", grains));
  auto simulation = std::make_shared<talus::Simulation>(scene, target.options);
  simulation->advance(1);
  auto renderer = std::make_shared<talus::Renderer>(scene, width, height, simulation->gpu_device());
  return [=](std::uint64_t pictures) {
    const Stopwatch watch;
    for (std::uint64_t k = 0; k < pictures; ++k)
      renderer->draw(*simulation);
    Sample sample = watch.stop(pictures);
    sample.label = "drawn on " + renderer->device().info().name;
    sample.counters = {{"grains", grains},
                       {"pixels", static_cast<double>(width) * height},
                       {"pictures_per_s", static_cast<double>(pictures) / sample.real_s}};
    return std::vector{sample};
  };
}

}  // namespace

std::vector<Case> upsampling_cases(Target& target) {
  std::vector<Case> cases;
  std::vector<std::string> names = fine_scenes();
  if (target.run.quick)
    names = {"sandcastle"};
  for (const std::string& name : names)
    cases.push_back({name, "", 0, [&target, name] { return fine_trial(target, name); }});
  return cases;
}

std::vector<Case> render_cases(Target& target) {
  const auto [width, height] = target.pick(std::pair{1280, 720}, std::pair{320, 180});
  const std::string family = fmt::format("box/{}x{}", width, height);
  std::vector<Case> cases;
  for (const unsigned grains :
       target.pick(std::vector{1000u, 10'000u, 100'000u, 1'000'000u, 4'000'000u}, std::vector{1000u}))
    cases.push_back(
        {fmt::format("{}/{}", family, grains), family, 0,
         [&target, grains, width = width, height = height] { return render_trial(target, grains, width, height); }});
  return cases;
}

}  // namespace bench
