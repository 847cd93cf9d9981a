#pragma once
// What somebody who mistyped a word may have meant.
#include <string>
#include <string_view>
#include <vector>

namespace talus::reading {

// "; did you mean radius?", or nothing where no word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

// Why there is no such key, and what to use instead, where other programs have one; else nothing. path: of the key, as
// material.sand.restitution.
std::string why_absent(std::string_view path);

}  // namespace talus::reading
