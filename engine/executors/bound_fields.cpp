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

void check_tail(Pass pass, const gpu::BufferBinding& binding, FieldId header) {
  const std::optional<FieldCopy> tail = talus::field_named(binding.tail);
  if (!tail || info(tail->id).header != header)
    throw DeviceError(fmt::format("pass {} has {} behind {} in one block, and there is no field of that name that lies "
                                  "there",
                                  info(pass).name, binding.tail, binding.member));
  if (binding.tail_stride != info(tail->id).stride)
    throw DeviceError(fmt::format("pass {} sees field {} in elements of {} bytes, but the host's have {}",
                                  info(pass).name, binding.tail, binding.tail_stride, info(tail->id).stride));
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
    if (info(field->id).header)
      throw DeviceError(fmt::format("pass {} binds field {} alone, which lies behind {} in one block", info(pass).name,
                                    binding.member, info(*info(field->id).header).name));
    if (!binding.tail.empty())
      check_tail(pass, binding, field->id);
    bound.push_back({*field, binding});
  }
  return bound;
}

}  // namespace talus
