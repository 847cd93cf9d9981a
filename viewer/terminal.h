#pragma once
// Output of the program. Names and files bring text of their own, which must not drive the terminal: control
// characters are shown as \x1b. What stdout could not take does not end a run; it is an error at the program's end.
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace viewer {

// With control characters but tabs and ends of lines, and bytes that are no UTF-8, as \xNN.
std::string printable(std::string_view text);

void print_text(std::FILE* file, std::string_view text);

template <class... T> void print_out(fmt::format_string<T...> format, T&&... arguments) {
  print_text(stdout, fmt::format(format, std::forward<T>(arguments)...));
}
template <class... T> void print_err(fmt::format_string<T...> format, T&&... arguments) {
  print_text(stderr, fmt::format(format, std::forward<T>(arguments)...));
}

// Has stdout taken everything? Else throws talus::ExportError.
void finish_output();

}  // namespace viewer
