#pragma once
// The work that all functions of talus_c.h share: finding handles, checking arguments, turning exceptions into results.
#include "engine/c/talus_c.h"
#include "engine/gpu/device.h"
#include "engine/talus.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

// The handles of talus_c.h. Their texts stay where they are until they are freed.
struct talus_devices {
  std::vector<talus::gpu::DeviceInfo> infos;
  std::vector<std::string> missing;  // as one text each
};
struct talus_scene {
  talus::Scene scene;
  std::once_flag written;  // when the text is first asked for
  std::string text;        // as TOML
};
struct talus_prepared {
  talus::Prepared prepared;
};
struct talus_simulation {
  talus::Simulation simulation;
  talus::DeviceSummary device;
  std::mutex in_use;                                       // held by the call that uses it
  std::array<std::shared_ptr<const std::byte>, 4> viewed;  // by talus_view_grains()
};
struct talus_checkpoint {
  std::vector<std::byte> bytes;
};

namespace talus::c {

// An error of the C interface itself.
struct Failure : std::runtime_error {
  Failure(talus_result result_in, const std::string& sentence) : std::runtime_error(sentence), result(result_in) {}
  talus_result result;
};
[[noreturn]] void refuse(const std::string& sentence);  // TALUS_ERROR_INVALID_ARGUMENT

// The result that stands for the exception being handled, whose sentence talus_last_error() has from now on.
talus_result result_of_exception() noexcept;

template <class Act> talus_result guarded(Act&& act) noexcept {
  try {
    act();
    return TALUS_OK;
  } catch (...) {
    return result_of_exception();
  }
}

// The handles of a type that were given out and not freed, with what they stand for. Pointers that come from outside
// are looked up here before anything is read through them.
template <class T> class Handles {
public:
  static Handles& all() {
    static Handles& handles = *new Handles;  // outlives all that still has one at the end of the program
    return handles;
  }

  T* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    T* handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<T> find(const T* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      refuse(handle ? "a handle is of another type, or was freed" : "a handle is null");
    return found->second;
  }
  void remove(const T* handle) {
    std::shared_ptr<T> last = find(handle);  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    objects_.erase(handle);
  }

private:
  std::mutex mutex_;
  std::unordered_map<const T*, std::shared_ptr<T>> objects_;
};

template <class T> std::shared_ptr<std::remove_const_t<T>> object_of(T* handle) {
  return Handles<std::remove_const_t<T>>::all().find(handle);
}
template <class T> T* new_handle(auto&&... members) {
  return Handles<T>::all().add(std::shared_ptr<T>(new T{std::forward<decltype(members)>(members)...}));
}
template <class T> void free_handle(T* handle) {
  if (handle)
    Handles<T>::all().remove(handle);
}

// A simulation for one call.
class Use {
public:
  // while_under_way: also between talus_start() and talus_finish().
  explicit Use(talus_simulation* handle, bool while_under_way = false);
  Simulation* operator->() const { return &used_->simulation; }
  Simulation& operator*() const { return used_->simulation; }
  talus_simulation& handle() const { return *used_; }

private:
  std::shared_ptr<talus_simulation> used_;
  std::unique_lock<std::mutex> lock_;
};

// Held where Vulkan may be loaded: its functions are those of the whole program.
std::mutex& loading_vulkan();

// A pointer that the caller gives, which must be there. name: the argument's.
template <class T> T& given(T* pointer, const char* name) {
  if (!pointer)
    refuse(std::string(name) + " is null");
  return *pointer;
}
std::filesystem::path path_of(const char* utf8, const char* name);
void check_index(std::uint64_t index, std::uint64_t count, const char* what);  // what: "body"

// Fewest bytes that a struct with a size has had in any header of this binary interface: up to and without the first
// member that was added later.
template <class Struct> inline constexpr std::uint32_t first_size = sizeof(Struct);
template <> inline constexpr std::uint32_t first_size<talus_grain_arrays> = offsetof(talus_grain_arrays, spins);
template <> inline constexpr std::uint32_t first_size<talus_grain_view> = offsetof(talus_grain_view, spins);

template <class Struct> std::uint32_t size_of(const Struct& theirs, const char* name) {
  if (theirs.size < first_size<Struct>)
    refuse(std::string(name) + ".size is " + std::to_string(theirs.size) + ": set it to the struct's, " +
           std::to_string(sizeof(Struct)) + " bytes");
  return theirs.size;
}

// A struct from the caller: members that its header does not have are 0, and so must be those that this library does
// not know.
template <class Struct> Struct taken(const Struct* theirs, const char* name) {
  const std::uint32_t size = size_of(given(theirs, name), name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(theirs);
  for (std::size_t b = sizeof(Struct); b < size; ++b)
    if (bytes[b] != 0)
      refuse(std::string(name) + " has members that this version of the library does not know");
  Struct ours{};
  std::memcpy(&ours, theirs, std::min<std::size_t>(size, sizeof(Struct)));
  return ours;
}

// A struct to the caller: the members that both know; others of the caller's are 0.
template <class Struct> void hand_out(Struct ours, Struct* theirs, const char* name) {
  const std::uint32_t size = size_of(given(theirs, name), name);
  ours.size = size;
  std::memset(theirs, 0, size);
  std::memcpy(theirs, &ours, std::min<std::size_t>(size, sizeof(Struct)));
}

// Room for `there` elements in the caller's array of `capacity`; false: only the count is asked for.
bool has_room(const void* array, std::uint64_t capacity, std::uint64_t there, std::uint64_t* count);

glm::dvec3 vector_from(const double* xyz, const char* name);
inline void vector_to(const auto& vector, auto* xyz) {
  for (int axis = 0; axis < 3; ++axis)
    xyz[axis] = vector[axis];
}
Pose pose_from(const talus_pose* pose, const char* name);
talus_pose pose_to(const Pose& pose);

}  // namespace talus::c
