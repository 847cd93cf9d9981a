#include "engine/c/border.h"
#include "engine/base/atomic_file.h"
#include "engine/geometry/mesh.h"
#include "engine/gpu/error.h"
#include <cmath>
#include <new>

namespace talus::c {
namespace {

thread_local std::string last_error;
thread_local bool without_memory = false;  // for the sentence of the last error

// The sentence itself may find no memory.
talus_result failed(talus_result result, const char* sentence) noexcept {
  try {
    last_error = sentence;
    without_memory = false;
  } catch (...) {
    without_memory = true;
  }
  return result;
}

}  // namespace

void refuse(const std::string& sentence) {
  throw Failure(TALUS_ERROR_INVALID_ARGUMENT, sentence);
}

// Derived exceptions come before those that they derive from.
talus_result result_of_exception() noexcept {
  try {
    throw;
  } catch (const Failure& e) {
    return failed(e.result, e.what());
  } catch (const SceneError& e) {
    return failed(TALUS_ERROR_SCENE, e.what());
  } catch (const MeshError& e) {
    return failed(TALUS_ERROR_SCENE, e.what());
  } catch (const VerifyError& e) {
    return failed(TALUS_ERROR_VERIFY, e.what());
  } catch (const StateError& e) {
    return failed(TALUS_ERROR_STATE, e.what());
  } catch (const ResourceError& e) {
    return failed(TALUS_ERROR_RESOURCE, e.what());
  } catch (const gpu::OutOfMemory& e) {
    return failed(TALUS_ERROR_RESOURCE, e.what());
  } catch (const gpu::DeviceLost& e) {
    return failed(TALUS_ERROR_RESOURCE, e.what());
  } catch (const DeviceError& e) {
    return failed(TALUS_ERROR_DEVICE, e.what());
  } catch (const gpu::Error& e) {
    return failed(TALUS_ERROR_DEVICE, e.what());
  } catch (const CheckpointError& e) {
    return failed(TALUS_ERROR_CHECKPOINT, e.what());
  } catch (const ExportError& e) {
    return failed(TALUS_ERROR_CHECKPOINT, e.what());  // files of checkpoints are all that is written
  } catch (const std::invalid_argument& e) {
    return failed(TALUS_ERROR_INVALID_ARGUMENT, e.what());
  } catch (const std::out_of_range& e) {
    return failed(TALUS_ERROR_INVALID_ARGUMENT, e.what());
  } catch (const std::bad_alloc&) {
    return failed(TALUS_ERROR_MEMORY, "the host's memory ran out");
  } catch (const std::length_error&) {
    return failed(TALUS_ERROR_MEMORY, "more memory is needed than can be addressed");
  } catch (const std::exception& e) {
    return failed(TALUS_ERROR_INTERNAL, e.what());
  } catch (...) {
    return failed(TALUS_ERROR_INTERNAL, "an unknown exception");
  }
}

Use::Use(talus_simulation* handle, bool while_under_way)
    : used_(object_of(handle)), lock_(used_->in_use, std::try_to_lock) {
  if (!lock_)
    throw Failure(TALUS_ERROR_SEQUENCE, "another thread is in a call with this simulation");
  if (!while_under_way && used_->simulation.under_way())
    throw Failure(TALUS_ERROR_SEQUENCE, "steps are under way: talus_finish() takes them over first");
}

std::mutex& loading_vulkan() {
  static std::mutex mutex;
  return mutex;
}

std::filesystem::path path_of(const char* utf8, const char* name) {
  const char* text = &given(utf8, name);
  return std::filesystem::path(reinterpret_cast<const char8_t*>(text));
}

void check_index(std::uint64_t index, std::uint64_t count, const char* what) {
  if (index >= count)
    refuse("there is no " + std::string(what) + " " + std::to_string(index) + ": there are " + std::to_string(count));
}

bool has_room(const void* array, std::uint64_t capacity, std::uint64_t there, std::uint64_t* count) {
  given(count, "count");
  if (!array && capacity > 0)
    refuse("the array is null, and its capacity is " + std::to_string(capacity));
  *count = there;
  if (array && capacity < there)
    throw Failure(TALUS_ERROR_TOO_SMALL, "there are " + std::to_string(there) +
                                             " elements, and the array has room for " + std::to_string(capacity));
  return array != nullptr;
}

glm::dvec3 vector_from(const double* xyz, const char* name) {
  given(xyz, name);
  return {xyz[0], xyz[1], xyz[2]};
}

Pose pose_from(const talus_pose* pose, const char* name) {
  const talus_pose& p = given(pose, name);
  return {{p.position[0], p.position[1], p.position[2]},
          glm::dquat(p.rotation[3], p.rotation[0], p.rotation[1], p.rotation[2])};
}

talus_pose pose_to(const Pose& pose) {
  talus_pose out{};
  vector_to(pose.position, out.position);
  out.rotation[0] = pose.rotation.x;
  out.rotation[1] = pose.rotation.y;
  out.rotation[2] = pose.rotation.z;
  out.rotation[3] = pose.rotation.w;
  return out;
}

}  // namespace talus::c

const char* talus_last_error(void) {
  return talus::c::without_memory ? "the host's memory ran out" : talus::c::last_error.c_str();
}

const char* talus_result_name(talus_result result) {
  switch (result) {
#define TALUS_RESULT(name)                                                                                             \
  case name:                                                                                                           \
    return #name;
    TALUS_RESULT(TALUS_OK)
    TALUS_RESULT(TALUS_ERROR_INVALID_ARGUMENT)
    TALUS_RESULT(TALUS_ERROR_SCENE)
    TALUS_RESULT(TALUS_ERROR_DEVICE)
    TALUS_RESULT(TALUS_ERROR_RESOURCE)
    TALUS_RESULT(TALUS_ERROR_STATE)
    TALUS_RESULT(TALUS_ERROR_VERIFY)
    TALUS_RESULT(TALUS_ERROR_CHECKPOINT)
    TALUS_RESULT(TALUS_ERROR_SEQUENCE)
    TALUS_RESULT(TALUS_ERROR_TOO_SMALL)
    TALUS_RESULT(TALUS_ERROR_UNAVAILABLE)
    TALUS_RESULT(TALUS_ERROR_MEMORY)
    TALUS_RESULT(TALUS_ERROR_INTERNAL)
#undef TALUS_RESULT
  }
  return "unknown";
}

uint32_t talus_version(void) {
  return TALUS_VERSION_MAJOR << 16 | TALUS_VERSION_MINOR << 8 | TALUS_VERSION_PATCH;
}

const char* talus_version_text(void) {
#define TALUS_TEXT_OF(number) #number
#define TALUS_TEXT(number) TALUS_TEXT_OF(number)
  return TALUS_TEXT(TALUS_VERSION_MAJOR) "." TALUS_TEXT(TALUS_VERSION_MINOR) "." TALUS_TEXT(TALUS_VERSION_PATCH);
#undef TALUS_TEXT
#undef TALUS_TEXT_OF
}
