/* Pours sand on a blade, pushes it with the blade, and tells what the blade feels. */
#include <stdio.h>
#include <stdlib.h>
#include <talus_c.h>

static const char* const scene_text = "[time]\n"
                                      "dt = 0.004\n"
                                      "[domain]\n"
                                      "min = [-0.3, -0.1, 0.0]\n"
                                      "max = [0.3, 0.1, 0.5]\n"
                                      "[[material]]\n"
                                      "preset = \"sand\"\n"
                                      "[[grains]]\n"
                                      "material = \"sand\"\n"
                                      "radius = 0.01\n"
                                      "count = 400\n"
                                      "fill.box = { min = [-0.1, -0.1, 0.0], max = [0.3, 0.1, 0.4] }\n"
                                      "[[body]]\n"
                                      "name = \"blade\"\n"
                                      "box.size = [0.02, 0.18, 0.1]\n"
                                      "position = [-0.2, 0.0, 0.05]\n";

/* Ends the program with the sentence of the error. */
static void must(talus_result result) {
  if (result != TALUS_OK) {
    fprintf(stderr, "%s: %s\n", talus_result_name(result), talus_last_error());
    exit(1);
  }
}

int main(void) {
  talus_scene* scene = NULL;
  talus_simulation* simulation = NULL;
  talus_options options = {0};
  talus_twist forwards = {{0.2, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  talus_body_load load;
  talus_grain_arrays grains = {0};
  uint64_t bodies, k;
  uint32_t blade;
  float furthest = -1.0f;

  must(talus_scene_parse(scene_text, "blade.toml", NULL, 0, &scene));
  options.size = sizeof options;
  options.device = "cpu";
  must(talus_simulation_create(scene, &options, &simulation));
  must(talus_find(simulation, TALUS_KIND_BODY, "blade", 0, &blade));
  must(talus_advance(simulation, 100)); /* the sand comes to rest */
  must(talus_drive_body(simulation, blade, &forwards, NULL));
  must(talus_advance(simulation, 200));
  must(talus_body_loads(simulation, &load, 1, &bodies));

  grains.size = sizeof grains;
  must(talus_read_grains(simulation, &grains)); /* how many there are */
  grains.capacity = grains.count;
  grains.positions = malloc(3 * grains.count * sizeof(float));
  if (!grains.positions)
    return 1;
  must(talus_read_grains(simulation, &grains));
  for (k = 0; k < grains.count; ++k)
    if (grains.positions[3 * k] > furthest)
      furthest = grains.positions[3 * k];

  printf("Talus %s: %u grains up to x = %.3f m push the blade with %.2f N\n", talus_version_text(),
         (unsigned)grains.count, furthest, load.force_filtered[0]);
  free(grains.positions);
  must(talus_simulation_free(simulation));
  must(talus_scene_free(scene));
  return grains.count == 400 && bodies == 1 && load.force_filtered[0] < 0.0f ? 0 : 1;
}
