// talus_hashes STEPS [KEY=VALUE...] SCENE...: simulates each scene for so many steps and prints its name and its state hash.
#include "engine/talus.h"
#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int count, char** words) try {
  std::vector<std::string> overrides, scenes;
  for (int i = 2; i < count; ++i)
    (std::string_view(words[i]).find('=') == std::string_view::npos ? scenes : overrides).emplace_back(words[i]);
  if (scenes.empty()) {
    std::fputs("usage: talus_hashes STEPS [KEY=VALUE...] SCENE...\n", stderr);
    return 2;
  }
  for (const std::string& scene : scenes) {
    talus::Simulation simulation(talus::load_scene(scene, overrides), {.device = "cpu", .timing = false});
    simulation.advance(std::strtoull(words[1], nullptr, 10));
    std::printf("%-24s %016llx\n", std::filesystem::path(scene).stem().string().c_str(),
                static_cast<unsigned long long>(simulation.state_hash()));
    std::fflush(stdout);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
