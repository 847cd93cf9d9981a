#pragma once
#include "engine/gpu/shader.h"

namespace talus::gpu {

// The shader with its specialization constants as constants, `constants` in place of their defaults, and so what is
// computed from them alone, and without the code that these switch off (prune.h). Not every driver leaves that out
// where a specialization constant does: SwiftShader runs it for no invocation. spirv: a valid module.
std::vector<std::uint32_t> freeze(std::span<const std::uint32_t> spirv, std::span<const Constant> constants);

// Finds which of the constants the shader's code reads: a compiler declares others, which its includes have. spirv: a
// valid module.
std::vector<Constant> constants_read(std::span<const std::uint32_t> spirv, std::span<const Constant> constants);

}  // namespace talus::gpu
