#include "engine/geometry/raster.h"
#include "engine/base/read_double.h"
#include "engine/base/read_file.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace talus {

namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return out;
}

// Words between blanks, with the line of each.
class Words {
public:
  explicit Words(std::string_view text) : left_(text) {}

  std::string_view next() {  // empty at the end
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t skipped = std::min(left_.find_first_not_of(blanks), left_.size());
    line_ += std::ranges::count(left_.substr(0, skipped), '\n');
    left_.remove_prefix(skipped);
    const std::string_view word = left_.substr(0, left_.find_first_of(blanks));
    left_.remove_prefix(word.size());
    return word;
  }
  std::string_view peek() const { return Words(*this).next(); }
  std::ptrdiff_t line() const { return line_; }  // of the last word, from 1 on

private:
  std::string_view left_;
  std::ptrdiff_t line_ = 1;
};

std::optional<double> finite_number(std::string_view word) {
  if (word.starts_with('+'))
    word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = read_double(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return {};
  return value;
}

}  // namespace

Raster read_ascii_grid(std::string_view text) {
  Words words(text);
  std::optional<double> columns, rows, cell, no_data, x, y;
  const std::pair<std::string_view, std::optional<double>*> keys[] = {
      {"ncols", &columns}, {"nrows", &rows},  {"cellsize", &cell}, {"nodata_value", &no_data},
      {"xllcorner", &x},   {"xllcenter", &x}, {"yllcorner", &y},   {"yllcenter", &y}};
  // The header: pairs of a key and a number, until a word is a number.
  while (!finite_number(words.peek())) {
    const std::string_view word = words.next();
    const auto key = std::ranges::find(keys, lower_case(word), [](const auto& k) { return k.first; });
    if (key == std::end(keys))
      throw std::runtime_error(word.empty() ? "ends within its header"
                                            : fmt::format("line {}: {} is no key of an ASCII grid's header",
                                                          words.line(), word.substr(0, 40)));
    if (*key->second)
      throw std::runtime_error(fmt::format("line {}: {} is given twice", words.line(), key->first));
    const std::string_view value = words.next();
    *key->second = finite_number(value);
    if (!*key->second)
      throw std::runtime_error(fmt::format("line {}: {} needs a number, not {}", words.line(), key->first,
                                           value.empty() ? "the end of the file" : value.substr(0, 40)));
  }
  for (const auto& [name, value] : keys)
    if (!*value && value != &no_data)
      throw std::runtime_error(fmt::format("its header has no {}", name));
  const auto count = [](std::string_view name, double value) {
    if (!(value >= 1.0 && value <= double{raster_samples_most}) || value != std::floor(value))
      throw std::runtime_error(fmt::format("{} is {}, not a whole number from 1 on", name, value));
    return static_cast<std::uint32_t>(value);
  };
  Raster raster;
  raster.size = {count("ncols", *columns), count("nrows", *rows)};
  const std::size_t samples = std::size_t{raster.size.x} * raster.size.y;
  if (samples > raster_samples_most)
    throw std::runtime_error(
        fmt::format("has {} x {} samples: the limit is {}", raster.size.x, raster.size.y, raster_samples_most));
  if (!(*cell > 0.0))
    throw std::runtime_error(fmt::format("cellsize is {}: it must be above 0", *cell));
  raster.cell.emplace(*cell);
  if (samples > text.size())
    throw std::runtime_error(fmt::format("is too short for {} x {} numbers", raster.size.x, raster.size.y));
  raster.values.resize(samples);
  for (std::uint32_t row = 0; row < raster.size.y; ++row)
    for (std::uint32_t column = 0; column < raster.size.x; ++column) {
      const std::string_view word = words.next();
      const auto value = finite_number(word);
      if (!value)
        throw std::runtime_error(
            fmt::format("line {}: row {}, column {} {}", words.line(), row + 1, column + 1,
                        word.empty() ? "is missing" : fmt::format("is {}, not a number", word.substr(0, 40))));
      raster.values[raster.index(column, row)] =
          value == no_data ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(*value);
    }
  if (const std::string_view word = words.next(); !word.empty())
    throw std::runtime_error(fmt::format("line {}: {} follows the last of {} x {} numbers", words.line(),
                                         word.substr(0, 40), raster.size.x, raster.size.y));
  return raster;
}

Raster load_raster(const std::filesystem::path& file) {
  const std::string kind = lower_case(file.extension().string());
  try {
    if (kind == ".png")
      return read_png(read_file(file, raster_bytes_most));
    if (kind == ".tif" || kind == ".tiff")
      return read_tiff(read_file(file, raster_bytes_most));
    if (kind == ".asc")
      return read_ascii_grid(read_file(file, raster_bytes_most));
    throw std::runtime_error("is none of the files that heights are read from: .png, .tif, .tiff, .asc");
  } catch (const std::runtime_error& e) {
    throw RasterError(fmt::format("{}: {}", file.string(), e.what()));
  }
}

}  // namespace talus
