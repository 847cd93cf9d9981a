#include "viewer/terminal.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <system_error>

namespace viewer {
namespace {

// Bytes of the character that the text begins with; 0: it is no UTF-8, or a control character.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first < 0xf5                  ? 4
                                                             : 0;
  if (first < 0xc2 || length > text.size())
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : length;  // U+0080 to U+009F drive terminals, too
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length > 0)
      out.append(text.substr(0, length));
    else
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void print_text(std::FILE* file, std::string_view text) {
  const std::string clean = printable(text);
  std::fwrite(clean.data(), 1, clean.size(), file);  // finish_output() asks whether that went well
}

void finish_output() {
  errno = 0;
  const bool failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed)
    return;
  const int why = errno;
  throw talus::ExportError(
      fmt::format("the output cannot be written{}", why ? ": " + std::generic_category().message(why) : std::string()));
}

}  // namespace viewer
