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

std::from_chars_result read_float(const char* begin, const char* end, float& value) {
  return std::from_chars(begin, end, value);
}
#else
namespace {

// By strtod or strtof, which read more than from_chars: spaces and a plus sign ahead, hexadecimal digits. They need a
// text that ends with a zero, and a locale whose decimal point is a point.
template <class T>
std::from_chars_result read_real(const char* begin, const char* end, T& value,
                                 T (*convert)(const char*, char**, locale_t)) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const auto stops = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) || c == 'x' || c == 'X' || c == 0;
  };
  const std::string word(begin, std::find_if(begin, end, stops));
  if (word.empty() || word[0] == '+')
    return {begin, std::errc::invalid_argument};
  char* after = nullptr;
  const T read = convert(word.c_str(), &after, plain);
  if (after == word.c_str())
    return {begin, std::errc::invalid_argument};
  const char* const stop = begin + (after - word.c_str());
  const bool named = std::isalpha(static_cast<unsigned char>(word[word[0] == '-']));  // inf
  if (std::isinf(read) && !named)
    return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}

}  // namespace

std::from_chars_result read_double(const char* begin, const char* end, double& value) {
  return read_real(begin, end, value, strtod_l);
}

std::from_chars_result read_float(const char* begin, const char* end, float& value) {
  return read_real(begin, end, value, strtof_l);
}
#endif

}  // namespace talus
