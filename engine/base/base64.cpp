#include "engine/base/base64.h"
#include <array>
#include <cstdint>

namespace talus {

std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint32_t, 256> value;
  value.fill(64);
  for (std::uint32_t d = 0; d < 64; ++d)
    value[static_cast<unsigned char>(digits[d])] = d;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const std::uint32_t digit = value[static_cast<unsigned char>(c)];
    if (digit == 64)
      return {};
    bits = bits << 6 | digit;
    held += 6;
    if (held >= 8)
      out += static_cast<char>(bits >> (held -= 8));
  }
  return out;
}

}  // namespace talus
