#include "engine/fields.h"
#include <cstdlib>
#include <utility>

namespace talus {
namespace {

// Calls f with the vector of the field.
template <class F> auto visit(Fields& fields, FieldId id, F f) {
  switch (id) {
#define X(name, ...)                                                                                                   \
  case FieldId::name:                                                                                                  \
    return f(fields.name);
    TALUS_FIELDS(X)
#undef X
  }
  std::abort();
}

}  // namespace

std::span<std::byte> Fields::bytes(FieldId id) {
  return visit(*this, id, [](auto& v) { return std::as_writable_bytes(std::span(v)); });
}

void Fields::resize(FieldId id, std::size_t count) {
  visit(*this, id, [&](auto& v) { v.resize(count); });
}

void Fields::swap(FieldId a, FieldId b) {
  visit(*this, a, [&](auto& va) {
    visit(*this, b, [&](auto& vb) {
      if constexpr (std::is_same_v<decltype(va), decltype(vb)>)
        std::swap(va, vb);
      else
        std::abort();
    });
  });
}

}  // namespace talus
