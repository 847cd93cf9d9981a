// Devices, scenes and prepared scenes.
#include "engine/c/border.h"
#include "engine/gpu/instance.h"
#include "engine/scene/text.h"

namespace talus::c {
namespace {

std::vector<std::string> overrides_of(const char* const* overrides, std::uint64_t count) {
  if (count > 0)
    given(overrides, "overrides");
  std::vector<std::string> texts;
  for (std::uint64_t k = 0; k < count; ++k)
    texts.emplace_back(&given(overrides[k], "an override"));
  return texts;
}

template <class Spec> const char* name_of(const std::vector<Spec>& specs, std::uint32_t index, const char* what) {
  check_index(index, specs.size(), what);
  return specs[index].name.c_str();
}

const char* name_of(const Scene& scene, std::uint32_t kind, std::uint32_t index) {
  switch (kind) {
  case TALUS_KIND_MATERIAL:
    return name_of(scene.materials, index, "material");
  case TALUS_KIND_BODY:
    return name_of(scene.bodies, index, "body");
  case TALUS_KIND_SHAPE:
    return name_of(scene.shapes, index, "shape");
  case TALUS_KIND_CLOTH:
    return name_of(scene.cloths, index, "cloth");
  case TALUS_KIND_SINK:
    return name_of(scene.sinks, index, "sink");
  case TALUS_KIND_DEPTH_CAMERA:
    return name_of(scene.depth_cameras, index, "depth camera");
  }
  refuse("there is no kind " + std::to_string(kind) + " of parts: see TALUS_KIND_*");
}

talus_scene_info info_of(const Scene& scene) {
  talus_scene_info info{};
  info.worlds = scene.worlds;
  info.title = scene.title.c_str();
  info.seed = scene.seed;
  info.dt = scene.dt;
  info.end = scene.end;
  vector_to(scene.domain.min, info.domain_min);
  vector_to(scene.domain.max, info.domain_max);
  info.substeps = static_cast<std::uint32_t>(scene.solver.substeps);
  const auto count = [](const auto& parts) { return static_cast<std::uint32_t>(parts.size()); };
  info.materials = count(scene.materials);
  info.emitters = count(scene.emitters);
  info.sinks = count(scene.sinks);
  info.bodies = count(scene.bodies);
  info.shapes = count(scene.shapes);
  info.cloths = count(scene.cloths);
  info.depth_cameras = count(scene.depth_cameras);
  return info;
}

thread_local std::string restart_key;

}  // namespace
}  // namespace talus::c

using namespace talus::c;

talus_result talus_devices_list(talus_devices** devices) {
  return guarded([&] {
    given(devices, "devices");
    const std::lock_guard lock(loading_vulkan());
    talus::gpu::Instance instance;
    std::vector<talus::gpu::DeviceInfo> infos = talus::gpu::list_devices(instance);
    std::vector<std::string> reasons;
    for (const talus::gpu::DeviceInfo& info : infos) {
      std::string& missing = reasons.emplace_back();
      for (const std::string& sentence : info.missing)
        missing += missing.empty() ? sentence : "; " + sentence;
      if (!info.usable && missing.empty())
        missing = "Talus cannot use it";
    }
    *devices = new_handle<talus_devices>(std::move(infos), std::move(reasons));
  });
}

talus_result talus_devices_count(const talus_devices* devices, uint32_t* count) {
  return guarded([&] { given(count, "count") = static_cast<uint32_t>(object_of(devices)->infos.size()); });
}

talus_result talus_devices_get(const talus_devices* devices, uint32_t index, talus_device_info* info) {
  return guarded([&] {
    const auto list = object_of(devices);
    check_index(index, list->infos.size(), "device");
    const talus::gpu::DeviceInfo& device = list->infos[index];
    talus_device_info out{};
    out.index = device.index;
    out.name = device.name.c_str();
    out.driver = device.driver.c_str();
    out.api_version = device.api_version.c_str();
    out.type = device.type.c_str();
    out.missing = list->missing[index].c_str();
    out.memory_bytes = device.memory_bytes;
    hand_out(out, info, "info");
  });
}

talus_result talus_devices_free(talus_devices* devices) {
  return guarded([&] { free_handle(devices); });
}

talus_result talus_scene_parse(const char* text, const char* name, const char* const* overrides,
                               uint64_t override_count, talus_scene** scene) {
  return guarded([&] {
    given(scene, "scene");
    *scene = new_handle<talus_scene>(
        talus::parse_scene(&given(text, "text"), name ? name : "scene", overrides_of(overrides, override_count)));
  });
}

talus_result talus_scene_load(const char* file, const char* const* overrides, uint64_t override_count,
                              talus_scene** scene) {
  return guarded([&] {
    given(scene, "scene");
    *scene = new_handle<talus_scene>(talus::load_scene(path_of(file, "file"), overrides_of(overrides, override_count)));
  });
}

talus_result talus_scene_free(talus_scene* scene) {
  return guarded([&] { free_handle(scene); });
}

talus_result talus_scene_text(const talus_scene* scene, const char** text) {
  return guarded([&] {
    given(text, "text");
    const auto found = object_of(scene);
    std::call_once(found->written, [&] { found->text = talus::to_toml(found->scene); });
    *text = found->text.c_str();
  });
}

talus_result talus_scene_describe(const talus_scene* scene, talus_scene_info* info) {
  return guarded([&] { hand_out(info_of(object_of(scene)->scene), info, "info"); });
}

talus_result talus_scene_name(const talus_scene* scene, uint32_t kind, uint32_t index, const char** name) {
  return guarded([&] { given(name, "name") = name_of(object_of(scene)->scene, kind, index); });
}

talus_result talus_scene_needs_restart(const talus_scene* running, const talus_scene* changed, const char** key) {
  return guarded([&] {
    given(key, "key");
    const auto found = talus::needs_restart(object_of(running)->scene, object_of(changed)->scene);
    restart_key = found.value_or("");
    *key = found ? restart_key.c_str() : nullptr;
  });
}

talus_result talus_prepare(const talus_scene* scene, talus_prepared** prepared) {
  return guarded([&] {
    given(prepared, "prepared");
    *prepared = new_handle<talus_prepared>(talus::prepare(object_of(scene)->scene));
  });
}

talus_result talus_prepared_free(talus_prepared* prepared) {
  return guarded([&] { free_handle(prepared); });
}
