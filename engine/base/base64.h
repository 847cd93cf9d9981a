#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talus {

// The bytes of a text in base64, up to its first '='; none where another character is in it.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace talus
