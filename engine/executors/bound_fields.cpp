#include "engine/executors/bound_fields.h"
#include "engine/core/options.h"
#include <fmt/format.h>
#include <string>

namespace talus {

namespace shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

std::optional<FieldCopy> field_named(std::string_view name, FieldId followed) {
  if (name == "followed")
    return followed;
  if (name == "followed_next")
    return FieldCopy{followed, Copy::next};
  return talus::field_named(name);
}

}  // namespace

std::span<const std::uint32_t> shader_of(Pass pass) {
  return shaders::find_shader(std::string(info(pass).name) + ".comp");
}

std::vector<BoundField> bound_fields(Pass pass, std::span<const gpu::BufferBinding> bindings, FieldId followed) {
  std::vector<BoundField> bound;
  for (const gpu::BufferBinding& binding : bindings) {
    const std::optional<FieldCopy> field = field_named(binding.member, followed);
    if (!field)
      throw DeviceError(fmt::format("pass {} binds a buffer variable {}, and there is no field of that name",
                                    info(pass).name, binding.member));
    const bool words = binding.member == "followed" || binding.member == "followed_next";
    if (!words && binding.stride != info(field->id).stride)
      throw DeviceError(fmt::format("pass {} sees field {} in elements of {} bytes, but the host's have {}",
                                    info(pass).name, binding.member, binding.stride, info(field->id).stride));
    bound.push_back({*field, binding});
  }
  return bound;
}

}  // namespace talus
