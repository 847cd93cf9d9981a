#include "engine/bound_fields.h"
#include "engine/talus.h"
#include <fmt/format.h>
#include <string>

namespace talus {

namespace shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

FieldId field_named(std::string_view name, std::string_view pass) {
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].name == name)
      return static_cast<FieldId>(f);
  throw DeviceError(fmt::format("pass {} binds a buffer variable {}, and there is no field of that name", pass, name));
}

}  // namespace

std::span<const std::uint32_t> shader_of(Pass pass) {
  return shaders::find_shader(std::string(info(pass).name) + ".comp");
}

std::vector<BoundField> bound_fields(Pass pass, std::span<const gpu::BufferBinding> bindings) {
  std::vector<BoundField> bound;
  for (const gpu::BufferBinding& binding : bindings) {
    const FieldId field = field_named(binding.member, info(pass).name);
    if (binding.stride != info(field).stride)
      throw DeviceError(fmt::format("pass {} sees field {} in elements of {} bytes, but the host's have {}",
                                    info(pass).name, binding.member, binding.stride, info(field).stride));
    bound.push_back({field, binding});
  }
  return bound;
}

}  // namespace talus
