#include "bench/pass_bytes.h"
#include "engine/executor.h"
#include "engine/gpu/shader.h"
#include <algorithm>
#include <string>

namespace talus::shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace bench {
namespace {

using talus::FieldId;

double elements_in_use(talus::Simulation& simulation, FieldId id) {
  talus::Executor& executor = simulation.executor();
  const auto held = static_cast<double>(executor.size(id));
  const auto used = [&](double count) { return std::min(held, count); };
  switch (talus::info(id).extent) {
  case talus::Extent::grains:
    return used(simulation.grain_places());
  case talus::Extent::fine:
    return used(simulation.fine_places());
  case talus::Extent::slots:
    return used(talus::read_field<talus::Status>(executor, FieldId::status, 1)[0].slots);
  default:
    return held;
  }
}

}  // namespace

double bytes_of_pass(talus::Simulation& simulation, std::string_view pass) {
  const auto code = talus::shaders::find_shader(std::string(pass) + ".comp");
  if (code.empty())
    return 0.0;
  double bytes = 0.0;
  for (const talus::gpu::BufferBinding& binding : talus::gpu::reflect(pass, code).buffers) {
    const auto field = std::ranges::find(talus::field_infos, binding.member, &talus::FieldInfo::name);
    if (field == talus::field_infos.end())
      continue;
    const auto id = static_cast<FieldId>(field - talus::field_infos.begin());
    const double times = binding.access == talus::gpu::BufferAccess::read_write ? 2.0 : 1.0;
    bytes += times * static_cast<double>(field->stride) * elements_in_use(simulation, id);
  }
  return bytes;
}

bool of_rebuild(std::string_view pass) {
  if (pass == "contact_check" || pass == "contact_load" || pass == "contact_lines")
    return false;
  return std::ranges::any_of(std::initializer_list<std::string_view>{"grid_", "contact_", "linked_", "body_clear",
                                                                     "body_survey", "body_mark", "shape_find",
                                                                     "cloth_find", "cloth_sort"},
                             [&](std::string_view prefix) { return pass.starts_with(prefix); });
}

}  // namespace bench
