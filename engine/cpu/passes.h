#pragma once
// Hot passes again, for those who run on the CPU: vectorised, and held to the reference.
#include "engine/passes.h"

namespace talus::cpu {

void contact_count(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
void contact_fill(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);
void dem(const Args& args, Fields& fields, std::uint32_t begin, std::uint32_t end);

// These passes, with those replaced that are here.
PassFunctions fastest(PassFunctions passes);

}  // namespace talus::cpu
