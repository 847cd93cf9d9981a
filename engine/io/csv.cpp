#include "engine/base/atomic_file.h"
#include "engine/io/writers.h"
#include <fmt/format.h>
#include <iterator>

namespace talus {

void write_csv(const std::filesystem::path& file, const Points& points) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const PointColumn& c : points.columns)
    for (std::size_t k = 0; k < c.quantity->components(); ++k)
      fmt::format_to(out, "{}{}", text.size() > 0 ? "," : "", c.quantity->parts[k]);
  fmt::format_to(out, "\n");
  for (std::size_t i = 0; i < points.count; ++i) {
    append_row(text, points, i, ',');
    text.push_back('\n');
  }
  write_file(file, {text.data(), text.size()});
}

}  // namespace talus
