#include "engine/talus.h"
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  talus::Simulation simulation(talus::load_scene(argv[1]), {.device = "cpu"});
  simulation.advance(20);
  const talus::Measure measure = simulation.measure();
  std::printf("%u grains after %g s, highest at %g m\n", measure.grains, simulation.time(), measure.height);
  return measure.grains > 0 ? 0 : 1;
}
