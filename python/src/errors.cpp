// The engine's exceptions by their names, with the same sentence.
#include "engine/base/atomic_file.h"
#include "engine/geometry/mesh.h"
#include "engine/gpu/error.h"
#include "engine/talus.h"
#include "module.h"
#include <string>

namespace talus_python {

namespace nb = nanobind;

void bind_errors(nb::module_& m) {
  const std::string name = std::string(nb::cast<nb::str>(m.attr("__name__")).c_str()) + ".Error";
  const nb::object base =
      nb::steal(PyErr_NewExceptionWithDoc(name.c_str(), "Base class of all errors of Talus.", nullptr, nullptr));
  m.attr("Error") = base;
  const auto say = [](nb::handle error, const char* doc) { error.attr("__doc__") = doc; };

  say(nb::exception<talus::SceneError>(m, "SceneError", base),
      "A scene is wrong. The message says FILE:LINE:COLUMN, or the key as Python has it, what is wrong\n"
      "and what is allowed.");
  say(nb::exception<talus::MeshError>(m, "MeshError", base),
      "A mesh cannot be read or used. The message names the file.");
  say(nb::exception<talus::ResourceError>(m, "ResourceError", base),
      "The device was lost or memory ran out. The message says what was needed and what there is.");
  say(nb::exception<talus::ExportError>(m, "ExportError", base),
      "A file cannot be written. The message names the file.");
  say(nb::exception<talus::CheckpointError>(m, "CheckpointError", base),
      "A checkpoint cannot be read, or belongs to another scene.");
  const nb::exception<talus::DeviceError> device(m, "DeviceError", base);
  say(device, "There is no such device, or it lacks something that Talus needs.");
  const nb::exception<talus::StateError> state(m, "StateError", base);
  say(state, "The state is not a number any more. The simulation stands at its last valid state.");
  say(nb::exception<talus::VerifyError>(m, "VerifyError", state),
      "With verify=True: a pass differs from its reference. The message names pass, field, element and both values.");

  // A device that is opened or drawn on says these itself.
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* error) {
        try {
          std::rethrow_exception(thrown);
        } catch (const talus::gpu::Error& e) {
          PyErr_SetString(static_cast<PyObject*>(error), e.what());
        }
      },
      device.ptr());
}

}  // namespace talus_python
