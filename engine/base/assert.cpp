#include "engine/base/assert.h"
#include <cstdio>
#include <cstdlib>

namespace talus::detail {

void assertion_failed(const char* condition, const char* file, int line, const char* names,
                      std::initializer_list<AssertedValue> values) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  if (values.size() > 0)
    std::fprintf(stderr, "  %s:", names);
  for (const AssertedValue& value : values)
    if (value.whole)
      std::fprintf(stderr, " %lld", value.number);
    else
      std::fprintf(stderr, " %.9g", value.real);
  if (values.size() > 0)
    std::fputc('\n', stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace talus::detail
