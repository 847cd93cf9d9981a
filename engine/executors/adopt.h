#pragma once
// Talus on the Vulkan device of an application: its own renderer then draws the simulation's buffers, without a copy
// and in the same frame (engine/simulation/shared_buffers.h).
//
//   VkPhysicalDeviceVulkan12Features features_12 = ..;      // the application's own wishes
//   VkPhysicalDeviceVulkan13Features features_13 = ..;
//   talus::enable_needs(features_12, features_13);          // and what Talus needs; device_needs() lists it
//   vkCreateDevice(physical_device, &create, nullptr, &device);
//   auto open = talus::adopt({.get_instance_proc_addr = vkGetInstanceProcAddr, .instance = instance,
//                             .api_version = VK_API_VERSION_1_3, .physical_device = physical_device, .device = device,
//                             .created_with = &create, .queue_family = family, .queue = queue});
//   talus::Simulation simulation(scene, {.on = open});      // any number of them, on one thread
//
// Ownership: instance, device and queue stay the application's. Talus creates and destroys objects of its own on
// the device, submits to the queue, and waits for its own submissions alone: it never calls vkDeviceWaitIdle or
// vkQueueWaitIdle, and destroys nothing that it did not make. The returned pointer and all simulations on it go before
// the device does.
//
// Functions: Talus calls Vulkan through get_instance_proc_addr, and links no loader. The pointers that it loads are
// those of the loader's dispatch, so that one set of them serves any number of instances and devices in the process:
// adopted ones, those of several applications or plug-ins, and those that Talus opens itself. They have names of their
// own, so that the application may link Vulkan's loader, or have a volk of its own and call volkLoadDevice() in it. All
// handles that are in use at a time come from one loader; a second loader in the process is an error while devices of
// the first are open. Functions of extensions that only a layer knows are not used.
//
// Threads: all simulations on a device, and what else uses it through Talus, are on one thread at a time. The queue may
// be used by other threads where lock and unlock are given.
#include "engine/core/options.h"
#include "engine/gpu/adoption.h"
#include <memory>

namespace talus {

using Adoption = gpu::Adoption;
using DeviceNeeds = gpu::DeviceNeeds;
using gpu::device_needs;
using gpu::enable_needs;

// For Options::on. Throws DeviceError, whose sentences name each handle that is missing, each feature and extension
// that the device was made without, and what else it lacks. A device without an optional extension is slower (passes
// behind closed gates are dispatched with nothing to do), or does not export; results are the same bits.
std::shared_ptr<OpenDevice> adopt(const Adoption& application);

// For Options::on: a device of Talus' own, as options.device and options.validation name it, whose buffers and, where
// the driver can, whose timeline go to another API (CUDA, OpenGL, a second device of Vulkan) as file descriptors:
// SharedBuffers::export_fd() and export_timeline(). Throws DeviceError; it names VK_KHR_external_memory_fd where the
// device lacks it.
std::shared_ptr<OpenDevice> open_to_export(const Options& options);

}  // namespace talus
