#include "bench/pass_bytes.h"
#include "engine/core/executor.h"
#include "engine/executors/bound_fields.h"
#include <algorithm>

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
  case talus::Extent::grains_twice:
    return used(2.0 * simulation.grain_places());
  case talus::Extent::fine:
    return used(simulation.fine_places());
  case talus::Extent::slots:
  case talus::Extent::slot_states: {
    const auto contacts = talus::read_field<talus::Settings>(executor, FieldId::settings, 1)[0].contacts;
    return used(talus::read_field<talus::Status>(executor, FieldId::status, 1)[0].lists.slots *
                static_cast<double>(talus::elements_of_slot(talus::info(id).extent, contacts)));
  }
  default:
    return held;
  }
}

}  // namespace

double bytes_of_pass(talus::Simulation& simulation, std::string_view name) {
  const auto found = std::ranges::find(talus::pass_infos, name, &talus::PassInfo::name);
  constexpr std::array of_few_rows{"incremental_choose", "incremental_keep",  "incremental_save",
                                   "incremental_search", "incremental_refit", "incremental_restore"};
  if (found == talus::pass_infos.end() || std::ranges::count(of_few_rows, name) > 0)
    return 0.0;
  const auto pass = static_cast<talus::Pass>(found - talus::pass_infos.begin());
  const auto code = talus::shader_of(pass);
  if (code.empty())
    return 0.0;
  const auto buffers = talus::gpu::reflect(name, code).buffers;
  // A pass that runs for one field after another has the mean of its runs.
  std::vector<FieldId> fields;
  if (std::ranges::count(buffers, "followed", &talus::gpu::BufferBinding::member) > 0)
    talus::each_follower(name.starts_with("fine_") ? talus::Follows::fine_grains : talus::Follows::grains,
                         [&](FieldId id) {
                           if (simulation.executor().size(id) > 0)
                             fields.push_back(id);
                         });
  if (fields.empty())
    fields.push_back(FieldId::grains);
  double bytes = 0.0;
  for (const FieldId followed : fields)
    for (const auto& [field, binding] : talus::bound_fields(pass, buffers, followed)) {
      const double times = binding.access == talus::gpu::BufferAccess::read_write ? 2.0 : 1.0;
      bytes += times * static_cast<double>(talus::info(field.id).stride) * elements_in_use(simulation, field.id);
    }
  return bytes / static_cast<double>(fields.size());
}

bool of_rebuild(std::string_view pass) {
  if (pass == "contact_check" || pass == "contact_weigh" || pass == "contact_lines")
    return false;
  return std::ranges::any_of(std::initializer_list<std::string_view>{"grid_", "contact_", "linked_", "body_clear",
                                                                     "body_occupancy", "body_mark", "shape_find",
                                                                     "cloth_find", "cloth_sort"},
                             [&](std::string_view prefix) { return pass.starts_with(prefix); });
}

bool of_incremental(std::string_view pass) {
  return pass.starts_with("incremental_");
}

}  // namespace bench
