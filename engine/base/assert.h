#pragma once
// TALUS_ASSERT(condition, values...): an invariant of the engine's own. Where it does not hold, the program prints the
// condition, its place and the values, and aborts. Assertions are on where TALUS_ASSERTIONS is defined (the CMake
// option of that name: Debug builds and the preset sanitize have it), and the elements of vectors and spans are then
// checked by the standard library too. Elsewhere an assertion compiles to nothing: its operands are parsed and not
// evaluated.
//
// An assertion is for a mistake in the engine. What a user or a file may get wrong throws an error that names it.
#include <initializer_list>
#include <type_traits>

namespace talus::detail {

// A number as assertions print it: whole numbers exactly.
struct AssertedValue {
  bool whole;
  long long number;
  double real;
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) constexpr AssertedValue(T value)
      : whole(!std::is_floating_point_v<T>), number(static_cast<long long>(value)), real(static_cast<double>(value)) {}
};

// names: the values' expressions, as the assertion has them.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const char* names,
                                   std::initializer_list<AssertedValue> values);

}  // namespace talus::detail

#ifdef TALUS_ASSERTIONS
#define TALUS_ASSERT(condition, ...)                                                                                   \
  ((condition) ? static_cast<void>(0)                                                                                  \
               : ::talus::detail::assertion_failed(#condition, __FILE__, __LINE__, #__VA_ARGS__, {__VA_ARGS__}))
#else
#define TALUS_ASSERT(condition, ...) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
