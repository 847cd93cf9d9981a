#pragma once
// What a pass binds, as its shader says it.
#include "engine/core/passes.h"
#include "engine/gpu/shader.h"

namespace talus {

struct BoundField {
  FieldCopy field;
  gpu::BufferBinding binding;
};

// The shader of a pass in this build; empty where it has none.
std::span<const std::uint32_t> shader_of(Pass pass);

// Fields by the names of buffer variables; what passes know as `followed` is this one, in words. Throws
// DeviceError where there is no such field, or one of another size.
std::vector<BoundField> bound_fields(Pass pass, std::span<const gpu::BufferBinding> bindings,
                                     FieldId followed = FieldId::grains);

}  // namespace talus
