#include "viewer/shell.h"

namespace viewer {

#ifdef _WIN32
std::string quoted(const std::string& text) {
  return '"' + text + '"';
}
#else
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}
#endif

}  // namespace viewer
