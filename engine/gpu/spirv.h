#pragma once
// SPIR-V word by word.
#include "engine/base/assert.h"
#include <cstddef>
#include <cstdint>
#include <span>
#define SPV_ENABLE_UTILITY_CODE  // spv::HasResultAndType
#include <spirv_cross/spirv.hpp>

namespace talus::gpu {

using Instruction = std::span<const std::uint32_t>;

inline constexpr std::size_t spirv_header_words = 5;

inline spv::Op op_of(Instruction in) {
  return static_cast<spv::Op>(in[0] & spv::OpCodeMask);
}

// The id that the instruction defines; 0: none.
inline std::uint32_t result_of(Instruction in) {
  bool result = false, type = false;
  spv::HasResultAndType(op_of(in), &result, &type);
  return result ? in[type ? 2 : 1] : 0;
}

// spirv: a valid module.
void each_instruction(std::span<const std::uint32_t> spirv, auto visit) {
  for (std::size_t at = spirv_header_words; at < spirv.size();) {
    const std::size_t words = spirv[at] >> spv::WordCountShift;
    TALUS_ASSERT(words > 0 && at + words <= spirv.size(), at, words, spirv.size());
    visit(spirv.subspan(at, words));
    at += words;
  }
}

}  // namespace talus::gpu
