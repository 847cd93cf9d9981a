#include "engine/io/format.h"
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <stdexcept>

namespace talus {

Format parse_format(std::string_view name) {
  const auto* known = std::ranges::find(format_names, name);
  if (known == format_names.end())
    throw std::invalid_argument(fmt::format("unknown format '{}'; use {} or {}", name,
                                            fmt::join(std::span(format_names).first(format_names.size() - 1), ", "),
                                            format_names.back()));
  return static_cast<Format>(known - format_names.begin());
}

}  // namespace talus
