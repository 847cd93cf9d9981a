// The module talus._core: engine/talus.h and viewer/renderer.h for Python.
#include "module.h"

NB_MODULE(_core, m) {
  m.doc() = "Talus: granular material on any device with Vulkan 1.3, and on the CPU. SI units, z up.";
  talus_python::bind_errors(m);
  talus_python::bind_devices(m);
  talus_python::bind_scene(m);
  talus_python::bind_state(m);
  talus_python::bind_simulation(m);
}
