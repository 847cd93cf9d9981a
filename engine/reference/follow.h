#pragma once
// What follows grains is brought to where they go, field after field: on fields of any type, by their bytes.
#include "engine/core/passes.h"
#include <cstring>
#include <type_traits>

namespace talus::reference {

// Calls f with the bytes of an element, as a constant where that is a common number.
template <class F> void with_stride(const Args& args, F f) {
  switch (args.followed.words) {
  case 1:
    return f(std::integral_constant<std::size_t, sizeof(uint)>());
  case 8:
    return f(std::integral_constant<std::size_t, 8 * sizeof(uint)>());
  default:
    return f(args.followed.words * sizeof(uint));
  }
}

// Calls each(f) with f(k, from, number) for each place k that the grain at `from` comes to; where that is no_grain, the
// field has there what it starts with, and the place that number in its world.
template <class Each> void gather_field(const Args& args, Fields& f, Each each) {
  const auto field = static_cast<FieldId>(args.followed.field);
  const std::byte* const now = f.bytes(field).data();
  std::byte* const next = f.bytes({field, Copy::next}).data();
  TALUS_ASSERT(args.followed.words * sizeof(uint) == info(field).stride, field, args.followed.words,
               info(field).stride);
  TALUS_ASSERT(f.bytes(field).size() == f.bytes({field, Copy::next}).size(), field);
  with_stride(args, [&](auto stride) {
    each([&](std::size_t k, std::size_t from, uint number) {
      TALUS_ASSERT((k + 1) * stride <= f.bytes({field, Copy::next}).size(), field, k);
      TALUS_ASSERT(from == no_grain || (from + 1) * stride <= f.bytes(field).size(), field, k, from);
      if (from != no_grain) {
        std::memcpy(next + k * stride, now + from * stride, stride);
        return;
      }
      const uint word = args.followed.start == start_place ? number : args.followed.start == start_none ? ~0u : 0u;
      for (std::size_t at = k * stride; at < (k + 1) * stride; at += sizeof word)
        std::memcpy(next + at, &word, sizeof word);
    });
  });
}

// Calls each(f), and f(k) takes the sorted element of place k back to the field's own name.
template <class Each> void commit_field(const Args& args, Fields& f, Each each) {
  const auto field = static_cast<FieldId>(args.followed.field);
  std::byte* const now = f.bytes(field).data();
  const std::byte* const next = f.bytes({field, Copy::next}).data();
  TALUS_ASSERT(args.followed.words * sizeof(uint) == info(field).stride, field, args.followed.words,
               info(field).stride);
  with_stride(args, [&](auto stride) {
    each([&](std::size_t k) {
      TALUS_ASSERT((k + 1) * stride <= f.bytes(field).size(), field, k);
      std::memcpy(now + k * stride, next + k * stride, stride);
    });
  });
}

}  // namespace talus::reference
