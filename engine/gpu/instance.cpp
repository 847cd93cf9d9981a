#include "engine/gpu/instance.h"
#include "engine/gpu/functions.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace talus::gpu {

namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
constexpr std::size_t messages_kept = 256;

std::vector<VkExtensionProperties> instance_extensions(const char* layer) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(layer, &count, nullptr) < 0)
    return {};
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateInstanceExtensionProperties(layer, &count, list.data());
  list.resize(count);
  return list;
}

bool has_layer(const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "Listing the Vulkan layers");
  std::vector<VkLayerProperties> list(count);
  check(vkEnumerateInstanceLayerProperties(&count, list.data()), "Listing the Vulkan layers");
  return std::ranges::any_of(list, [&](const auto& l) { return std::strcmp(l.layerName, name) == 0; });
}

}  // namespace

std::size_t ValidationLog::count() const {
  std::scoped_lock lock(mutex_);
  return count_;
}

std::vector<std::string> ValidationLog::messages() const {
  std::scoped_lock lock(mutex_);
  return messages_;
}

void ValidationLog::clear() {
  std::scoped_lock lock(mutex_);
  count_ = 0;
  messages_.clear();
}

void ValidationLog::add(std::string message) {
  std::scoped_lock lock(mutex_);
  ++count_;
  if (messages_.size() < messages_kept)
    messages_.push_back(std::move(message));
}

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                    VkDebugUtilsMessageTypeFlagsEXT,
                                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto* self = static_cast<Instance*>(user);
  const char* text = data->pMessage ? data->pMessage : "";
  if (self->print_)
    fmt::print(stderr, "Vulkan: {}\n", text);
  self->log_.add(text);
  return VK_FALSE;
}

bool wants_validation(std::optional<bool> wish) {
  const char* variable = std::getenv("TALUS_VALIDATION");
  return wish.value_or(variable && std::strcmp(variable, "1") == 0);
}

Instance::Instance(const InstanceOptions& options) : print_(options.print) {
  if (volkInitialize() != VK_SUCCESS) {
    throw NoDevice(
        "There is no Vulkan loader on this machine: install one (libvulkan1, or the GPU's driver), or run with "
        "--device cpu.");
  }
  const std::uint32_t version = volkGetInstanceVersion();
  if (version < VK_API_VERSION_1_3) {
    throw NoDevice(fmt::format("The Vulkan loader here is {}.{}, and 1.3 is needed: update it.",
                               VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)));
  }

  validation_ = wants_validation(options.validation);
  if (validation_ && !has_layer(validation_layer)) {
    throw Error(fmt::format("Validation is asked for, but the layer {} is not installed: install it (Debian: "
                            "vulkan-validationlayers), or run without validation.",
                            validation_layer));
  }

  const auto offered = instance_extensions(nullptr);
  std::vector<const char*> extensions;
  for (const char* name : options.extensions) {
    if (!offers(offered, name))
      throw Error(fmt::format("This machine's Vulkan lacks the instance extension {}.", name));
    extensions.push_back(name);
  }
  const auto enable_if_offered = [&](const char* name, const std::vector<VkExtensionProperties>& list) {
    if (!offers(list, name))
      return false;
    if (std::ranges::none_of(extensions, [&](const char* e) { return std::strcmp(e, name) == 0; })) {
      extensions.push_back(name);
    }
    return true;
  };
  const bool portability = enable_if_offered(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME, offered);
  debug_utils_ = enable_if_offered(VK_EXT_DEBUG_UTILS_EXTENSION_NAME, offered);
  enable_if_offered(VK_KHR_SURFACE_EXTENSION_NAME, offered);

  auto messenger = make<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = this;

  const VkValidationFeatureEnableEXT checks[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  auto features = make<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = checks;

  auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = application.pEngineName = "talus";
  application.apiVersion = VK_API_VERSION_1_3;

  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  if (portability)
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  const bool listen = validation_ && debug_utils_;
  if (validation_) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &validation_layer;
    if (listen)
      info.pNext = &messenger;
    if (enable_if_offered(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME, instance_extensions(validation_layer))) {
      features.pNext = info.pNext;
      info.pNext = &features;
    }
  }
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult created = vkCreateInstance(&info, nullptr, &handle_);
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER) {
    throw NoDevice(
        "There is a Vulkan loader but no driver on this machine: install the GPU's driver (or Mesa's lavapipe, "
        "mesa-vulkan-drivers). Only the CPU path of a simulation works without; drawing does not.");
  }
  check(created, "Creating a Vulkan instance");
  try {
    take_functions(handle_, vkGetInstanceProcAddr);
  } catch (...) {
    reinterpret_cast<PFN_vkDestroyInstance>(vkGetInstanceProcAddr(handle_, "vkDestroyInstance"))(handle_, nullptr);
    throw;
  }
  if (listen) {
    check(vkCreateDebugUtilsMessengerEXT(handle_, &messenger, nullptr, &messenger_),
          "Listening to the validation layer");
  }
}

Instance::Instance(const Adoption& application) : handle_(application.instance), adopted_(true) {
  check_handles(application);
  take_functions(handle_, application.get_instance_proc_addr);
  debug_utils_ = application.debug_utils && vkSetDebugUtilsObjectNameEXT;
}

Instance::~Instance() {
  if (messenger_)
    vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_ && !adopted_)
    vkDestroyInstance(handle_, nullptr);
  if (handle_)
    leave_functions();
}

}  // namespace talus::gpu
