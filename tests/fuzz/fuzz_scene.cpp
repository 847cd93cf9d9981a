// Scenes as text: what reads, checks, prepares and starts them. A small one makes a step, and is the same once written
// and read again.
#include "engine/scene/text.h"
#include "engine/talus.h"
#include "small.h"

using namespace talus;

namespace {

// A mesh that scenes may name.
constexpr std::string_view cube = R"(v 0 0 0
v .1 0 0
v 0 .1 0
v .1 .1 0
v 0 0 .1
v .1 0 .1
v 0 .1 .1
v .1 .1 .1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
)";

void simulate(const Scene& scene) {
  Prepared prepared = prepare(scene);
  if (!talus_fuzz::steps_are_small(prepared.scene) || prepared.scene.solver.iteration == Iteration::gauss_seidel)
    return;
  Simulation simulation(std::move(prepared), {.device = "cpu", .threads = 1});
  simulation.advance(1);
  simulation.measure();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const talus_fuzz::Folder folder;
  static const std::string name = (folder.write("cube.obj", cube).parent_path() / "scene.toml").string();
  try {
    const Scene scene = parse_scene(std::string(talus_fuzz::text_of(data, size)), name);
    const std::string text = to_toml(scene);
    if (to_toml(parse_scene(text, name)) != text)
      __builtin_trap();
    if (!talus_fuzz::is_small(scene))
      return 0;
    advise(scene);
    simulate(scene);
  } catch (const SceneError&) {
  } catch (const StateError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}
