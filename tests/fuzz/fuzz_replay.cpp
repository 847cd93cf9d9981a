// Recordings of inputs: what reads them; and those of small scenes, played for some steps.
#include "small.h"
#include "viewer/inputs.h"
#include "viewer/status.h"

using namespace talus;
using namespace viewer;

namespace {

void play(const Inputs& inputs) {
  const Scene scene = parse_scene(inputs.scene_text, "scene.toml");
  if (!talus_fuzz::is_small(scene) || !talus_fuzz::steps_are_small(scene) ||
      scene.solver.iteration == Iteration::gauss_seidel)
    return;
  Simulation simulation(scene, {.device = "cpu", .threads = 1});
  Replay replay(inputs);
  for (int step = 0; step < 10; ++step) {
    replay.play(simulation);
    if (replay.done(simulation))
      break;
    if (!talus_fuzz::is_small(simulation.scene()) || !talus_fuzz::steps_are_small(simulation.scene()))
      break;
    simulation.advance(1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const talus_fuzz::Folder folder;
  try {
    const Inputs inputs = Inputs::load(folder.write("inputs.json", talus_fuzz::text_of(data, size)));
    inputs.save(folder.path() / "again.json");
    if (Inputs::load(folder.path() / "again.json").inputs != inputs.inputs)
      __builtin_trap();
    play(inputs);
  } catch (const UsageError&) {
  } catch (const SceneError&) {
  } catch (const StateError&) {
  } catch (const ResourceError&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
