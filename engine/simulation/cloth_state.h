#pragma once
// What a sheet of cloth looks like, from its vertices in the fields.
#include "engine/talus.h"
#include <span>

namespace talus {

// vertices: those of the sheet, in its order.
ClothState cloth_state_of(const ClothSheet& sheet, std::span<const shared::Grain> vertices,
                          const shared::Settings& settings);

}  // namespace talus
