#pragma once
// What module.cpp puts together.
#include <nanobind/nanobind.h>

namespace talus_python {

void bind_errors(nanobind::module_& m);
void bind_devices(nanobind::module_& m);
void bind_scene(nanobind::module_& m);
void bind_state(nanobind::module_& m);
void bind_simulation(nanobind::module_& m);

}  // namespace talus_python
