#include "engine/base/read_double.h"
#ifndef __cpp_lib_to_chars
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <locale.h>
#include <string>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#endif

namespace talus {

#ifdef __cpp_lib_to_chars
std::from_chars_result read_double(const char* begin, const char* end, double& value) {
  return std::from_chars(begin, end, value);
}
#else
// By strtod, which reads more than from_chars: spaces and a plus sign ahead, hexadecimal digits. It needs a text that
// ends with a zero, and a locale whose decimal point is a point.
std::from_chars_result read_double(const char* begin, const char* end, double& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const auto stops = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) || c == 'x' || c == 'X' || c == 0;
  };
  const std::string word(begin, std::find_if(begin, end, stops));
  if (word.empty() || word[0] == '+')
    return {begin, std::errc::invalid_argument};
  char* after = nullptr;
  const double read = strtod_l(word.c_str(), &after, plain);
  if (after == word.c_str())
    return {begin, std::errc::invalid_argument};
  const char* const stop = begin + (after - word.c_str());
  const bool named = std::isalpha(static_cast<unsigned char>(word[word[0] == '-']));  // inf
  if (std::isinf(read) && !named)
    return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}
#endif

}  // namespace talus
