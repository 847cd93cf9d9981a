#pragma once
#include "engine/gpu/adoption.h"
#include "engine/gpu/error.h"
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace talus::gpu {

// What the validation layer had to say: errors and warnings, performance hints left out. Safe to use from any thread.
class ValidationLog {
public:
  std::size_t count() const;                  // of all messages since the last clear
  std::vector<std::string> messages() const;  // the first 256 of them
  void clear();
  void add(std::string message);

private:
  mutable std::mutex mutex_;
  std::size_t count_ = 0;
  std::vector<std::string> messages_;
};

struct InstanceOptions {
  // Validation layer with synchronization checks; unset: where the environment variable TALUS_VALIDATION is 1.
  std::optional<bool> validation;
  std::vector<const char*> extensions;  // that must be there, such as those a window surface needs
  bool print = false;                   // validation messages to stderr as well
};

// Whether an instance that is made with this wish validates.
bool wants_validation(std::optional<bool> wish);

// The connection to Vulkan. Outlives everything made from it. Throws NoDevice where there is no Vulkan 1.3 loader or no
// driver, Error where a wanted extension is missing, or where validation is wanted and its layer is not installed.
class Instance {
public:
  explicit Instance(const InstanceOptions& options = {});
  // Adopts an application's instance, which outlives this object and is not destroyed. Throws Error.
  explicit Instance(const Adoption& application);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return handle_; }
  bool validation() const { return validation_; }
  bool debug_utils() const { return debug_utils_; }  // labels and names can be given
  ValidationLog& log() { return log_; }

private:
  ValidationLog log_;
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool validation_ = false;
  bool debug_utils_ = false;
  bool print_ = false;
  bool adopted_ = false;

  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                   VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT*, void*);
};

}  // namespace talus::gpu
