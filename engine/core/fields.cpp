#include "engine/core/fields.h"
#include <cstdlib>
#include <utility>

namespace talus {
namespace {

constexpr std::array<std::string_view, copies.size()> suffixes{"", "_next", "_valid"};

// Calls f with the copies of the field: now, next, valid.
template <class F> auto visit(Fields& fields, FieldId id, F f) {
  switch (id) {
#define X(name, ...)                                                                                                   \
  case FieldId::name:                                                                                                  \
    return f(fields.name, fields.name##_next, fields.name##_valid);
    TALUS_FIELDS(X)
#undef X
  }
  std::abort();
}

// What has the life of a grain is moved word by word, and is where a state is taken up.
constexpr bool consistent(const FieldInfo& field) {
  return field.follows == Follows::nothing || (field.saved && field.doubled && field.stride % sizeof(uint) == 0);
}
static_assert(std::ranges::all_of(field_infos, consistent));

// A tail begins where its header ends, and each has a single copy.
constexpr bool consistent_block(const FieldInfo& field) {
  if (!field.header)
    return true;
  const auto single = [](const FieldInfo& f) { return !f.saved && !f.doubled && !f.rolled_back; };
  const FieldInfo& header = field_infos[static_cast<std::size_t>(*field.header)];
  return single(field) && single(header) && header.extent == Extent::one && !header.header;
}
static_assert(std::ranges::all_of(field_infos, consistent_block));

}  // namespace

std::string name_of(FieldCopy field) {
  return std::string(info(field.id).name).append(suffixes[static_cast<std::size_t>(field.copy)]);
}

std::optional<FieldCopy> field_named(std::string_view name) {
  for (std::size_t f = 0; f < field_count; ++f)
    for (const Copy copy : copies)
      if (const FieldCopy field{static_cast<FieldId>(f), copy};
          has_copy(field_infos[f], copy) && name.starts_with(field_infos[f].name) && name == name_of(field))
        return field;
  return std::nullopt;
}

std::span<std::byte> Fields::bytes(FieldCopy field) {
  TALUS_ASSERT(has_copy(info(field.id), field.copy), field.id, field.copy);
  return visit(*this, field.id, [&](auto& now, auto& next, auto& valid) {
    auto& column = field.copy == Copy::now ? now : field.copy == Copy::next ? next : valid;
    return std::as_writable_bytes(std::span(column));
  });
}

void Fields::resize(FieldId id, std::size_t count) {
  visit(*this, id, [&](auto& now, auto& next, auto& valid) {
    resize_column(now, count);
    if (has_copy(info(id), Copy::next))
      resize_column(next, count);
    if (has_copy(info(id), Copy::valid))
      resize_column(valid, count);
  });
}

void Fields::swap(FieldId id) {
  TALUS_ASSERT(info(id).doubled, id);
  visit(*this, id, [](auto& now, auto& next, auto&) { std::swap(now, next); });
}

}  // namespace talus
