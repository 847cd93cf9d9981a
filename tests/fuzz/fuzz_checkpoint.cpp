// Checkpoints: what reads the file, and a simulation that takes the state over. Inputs begin as what this version
// saves, and most get their checksums right again, since nothing gets past them by chance.
#include "engine/base/cache.h"
#include "engine/simulation/checkpoint_file.h"
#include "engine/talus.h"
#include "small.h"
#include <cstring>
#include <fstream>
#include <iterator>

using namespace talus;

namespace {

// Grains, a body on a joint, a dynamic one, an emitter and a sink.
constexpr const char* scene_text = R"([time]
dt = 0.004
end = 1
[domain]
min = [0, 0, 0]
max = [0.2, 0.2, 0.4]
[solver]
substeps = 1
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
fill.points = [[0.05, 0.05, 0.02], [0.1, 0.1, 0.02]]
[[emitter]]
material = "sand"
radius = 0.02
rate = 20
stop = 0.1
shape.box = { min = [0, 0, 0.3], max = [0.2, 0.2, 0.4] }
[[body]]
name = "gate"
position = [0.1, 0.1, 0.2]
joint = { type = "revolute", axis = [0, -1, 0], min = -60, max = 60 }
parts = [ { box = { size = [0.05, 0.05, 0.01] } } ]
[[body]]
name = "ball"
density = 500
position = [0.15, 0.05, 0.1]
parts = [ { sphere = { radius = 0.02 } } ]
[[sink]]
name = "drain"
parts = [ { box = { size = [0.01, 0.01, 0.01] } } ]
)";

// Where the sizes of its blocks hold together.
void mend_checksums(std::uint8_t* data, std::size_t size) {
  constexpr std::size_t header = 16, sum = 8, name_and_data = 12;
  for (std::size_t at = header; at + sum + name_and_data <= size;) {
    std::uint32_t name = 0;
    std::uint64_t content = 0;
    std::memcpy(&name, data + at + sum, sizeof name);
    std::memcpy(&content, data + at + sum + sizeof name, sizeof content);
    const std::size_t left = size - at - sum - name_and_data;
    if (name > left || content > left - name)
      return;
    const std::size_t block = name_and_data + name + static_cast<std::size_t>(content);
    // As the file does: part after part.
    const auto* bytes = reinterpret_cast<const std::byte*>(data) + at + sum;
    std::uint64_t value = checksum_of_nothing;
    for (const std::size_t part : {sizeof name, sizeof content, std::size_t{name}, static_cast<std::size_t>(content)}) {
      value = checksum({bytes, part}, value);
      bytes += part;
    }
    std::memcpy(data + at, &value, sizeof value);
    at += sum + block;
  }
}

Simulation& simulation() {
  static Simulation one(parse_scene(scene_text, "scene.toml"), {.device = "cpu", .threads = 1, .contact_slots = 16});
  return one;
}

// After some steps, so that all blocks have something in them.
const Checkpoint& saved() {
  static const Checkpoint one = [] {
    simulation().advance(12);
    simulation().grab({0.05, 0.05, 0.02}, 0.03);
    return simulation().checkpoint();
  }();
  return one;
}

const talus_fuzz::Folder& folder() {
  static const talus_fuzz::Folder one;
  return one;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_most,
                                               unsigned seed) {
  static const std::string file = [] {
    write_checkpoint(folder().path() / "saved", saved());
    std::ifstream in(folder().path() / "saved", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  if (size < 16 && file.size() <= size_most)
    size = file.copy(reinterpret_cast<char*>(data), file.size());
  size = LLVMFuzzerMutate(data, size, size_most);
  if (seed % 8 != 0)
    mend_checksums(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Checkpoint& before = saved();
  Checkpoint read;
  try {
    read = read_checkpoint(folder().write("state", talus_fuzz::text_of(data, size)));
  } catch (const CheckpointError&) {
    return 0;
  }
  read.scene_text = before.scene_text;
  try {
    simulation().resume(read);
    simulation().checkpoint();
    simulation().measure();
    simulation().advance(2);
    simulation().checkpoint();
  } catch (const CheckpointError&) {
  } catch (const StateError&) {  // numbers that lead to an invalid state
  } catch (const SceneError&) {  // or to a time at which the scene says nothing
  }
  static const std::uint64_t hash = [&] {
    simulation().resume(before);
    return simulation().state_hash();
  }();
  simulation().resume(before);
  if (simulation().state_hash() != hash)
    __builtin_trap();
  return 0;
}
