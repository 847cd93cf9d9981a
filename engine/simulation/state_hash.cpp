#include "engine/base/cache.h"
#include "engine/simulation/evaluation.h"
#include <algorithm>

namespace talus {

std::uint64_t hash_of(const Model& model, const FieldMemory& memory, const GrainSlots& grains,
                      std::optional<std::uint32_t> world) {
  const GrainsRead s = grains.read();
  std::uint64_t sum = checksum_of_nothing;
  const auto add = [&](const auto& value) { sum = checksum(std::as_bytes(std::span(&value, 1)), sum); };
  // Hashed fields that follow these grains, with so many elements at most.
  const auto read = [&](Follows what, std::size_t elements) {
    std::vector<std::pair<FieldId, std::vector<std::byte>>> fields;
    each_follower(what, [&](FieldId id) {
      const std::size_t count = std::min(memory.executor().size(id), elements);
      if (info(id).hashed > 0 && count > 0)
        memory.executor().read(id, fields.emplace_back(id, std::vector<std::byte>(count * info(id).stride)).second);
    });
    return fields;
  };
  const auto add_element = [&](FieldId id, std::span<const std::byte> of_all, std::size_t i) {
    sum = checksum(of_all.subspan(i * info(id).stride, info(id).hashed), sum);
  };
  const auto of_grains = read(Follows::grains, s.ids.size());
  for (const std::uint32_t i : s.by_id) {
    if (world && s.world_of(i) != *world)
      continue;
    for (const auto& [id, bytes] : of_grains) {
      if (id == FieldId::grain_id)
        add(grains.number_alone(s.world_of(i), s.ids[i]));
      else
        add_element(id, bytes, i);
    }
  }
  for (const GrainState& fine : grains.read_fine()) {  // without how loose they are
    add(fine.id);
    add(fine.position);
    add(fine.velocity);
    add(fine.radius);
    add(fine.material);
  }
  for (const auto& [id, bytes] : read(Follows::nothing, ~std::size_t{0})) {  // each world has as many elements
    const std::size_t all = bytes.size() / info(id).stride, each = all / model.worlds();
    const std::size_t first = world.value_or(0) * each, end = world ? first + each : all;
    for (std::size_t k = first; k < end; ++k)
      add_element(id, bytes, k);
  }
  return sum;
}

}  // namespace talus
