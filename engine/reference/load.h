#pragma once
// What contacts with bodies do to them: sums of whole numbers, as those are the same in any order.
#include "engine/reference/space.h"
#include <array>
#include <vector>

namespace talus::reference {

inline bool is_body(uint partner) {
  return partner >= body_partner && partner < wall_partner;
}

// The record that grain i adds to.
inline uint* record_of(Fields& f, uint i, uint body) {
  TALUS_ASSERT(load_words * load_records * (std::size_t{body} + 1) <= f.body_sums.size(), i, body, f.body_sums.size());
  return &f.body_sums[load_words * (load_records * body + i / group_size % load_copies)];
}

// The standing record of a body: what slices that stand do to it in each substep.
inline uint* standing_record(Fields& f, uint body) {
  TALUS_ASSERT(load_words * load_records * (std::size_t{body} + 1) <= f.body_sums.size(), body, f.body_sums.size());
  return &f.body_sums[load_words * (load_records * body + load_copies)];
}

// A whole number of 64 bits is in two words, the low one first.
inline std::uint64_t whole_at(const uint* words) {
  return static_cast<std::uint64_t>(words[1]) << 32 | words[0];
}
inline void add_whole(uint* words, std::uint64_t whole) {
  const auto low = static_cast<uint>(whole), high = static_cast<uint>(whole >> 32);
  const uint before = atomic_ref(words[0]).fetch_add(low);
  atomic_ref(words[1]).fetch_add(high + (before + low < before));
}

// A body gets this impulse [N s] at a point away from its origin, and a couple [N m s], in the first 12 words of a
// record. Returns whether they are small enough to be counted.
inline bool add_numbers(const Fields& f, uint* words, vec3 point, vec3 impulse, vec3 couple) {
  const vec3 force = f.settings[0].bodies.quanta.x * impulse,
             torque = f.settings[0].bodies.quanta.y * (glm::cross(point, impulse) + couple);
  const float numbers[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  if (!std::ranges::all_of(numbers, [](float x) { return std::abs(x) < 0x1p62f; }))
    return false;
  for (std::size_t n = 0; n < 6; ++n)
    add_whole(words + 2 * n, static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(numbers[n]))));
  return true;
}
inline void add_to_record(const Fields& f, uint* record, vec3 point, vec3 impulse, vec3 couple = vec3(0.0f)) {
  if (!add_numbers(f, record, point, impulse, couple))
    atomic_ref(record[load_uncounted]).fetch_add(1);
}

// A contact gave this impulse and this couple to grain i: the body gets the opposite.
inline void add_load(Fields& f, uint i, uint partner, vec3 point, vec3 impulse, vec3 couple = vec3(0.0f)) {
  TALUS_ASSERT(is_body(partner) && body_of(partner) < f.bodies.size(), i, partner);
  add_to_record(f, record_of(f, i, body_of(partner)), point, -impulse, -couple);
}

// Where a contact's friction acts on a body that grain i turns at: where the grain's surface would be without overlap,
// so that what the two get of angular momentum is opposite.
inline vec3 surface_point(const Contact& c) {
  return c.point + c.gap * c.normal;
}

// What a body has received since its records were taken last: their sum, and that of one more of their words.
struct Received {
  vec3 impulse, moment;  // N s; N m s about its origin
  uint word = 0;
};
// standing: a standing record that counts as often as there were substeps.
inline Received take_records(const Fields& f, uint* records, uint copies, uint word_too, const uint* standing = nullptr,
                             uint substeps = 0) {
  TALUS_ASSERT(word_too >= 12 && word_too < load_words, word_too);
  std::array<std::uint64_t, 6> sums{};
  uint word = 0;
  for (uint copy = 0; copy < copies; ++copy) {
    uint* const record = records + load_words * copy;
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[n] += whole_at(record + 2 * n);
    word += record[word_too];
    std::fill_n(record, 12, 0u);
    record[word_too] = 0;
  }
  for (std::size_t n = 0; n < sums.size() && standing; ++n)
    sums[n] += substeps * whole_at(standing + 2 * n);
  const auto sums_of = [&](std::size_t n) {
    return vec3(static_cast<std::int64_t>(sums[n]), static_cast<std::int64_t>(sums[n + 1]),
                static_cast<std::int64_t>(sums[n + 2]));
  };
  return {f.settings[0].bodies.load_quantum.x * sums_of(0), f.settings[0].bodies.load_quantum.y * sums_of(3), word};
}
// As above, for a body: its records are taken, and its standing record counts as often as there were substeps.
inline Received take_records(Fields& f, uint body, uint word_too, uint substeps = 0) {
  TALUS_ASSERT(load_words * load_records * (std::size_t{body} + 1) <= f.body_sums.size(), body, f.body_sums.size());
  return take_records(f, &f.body_sums[load_words * load_records * body], load_copies, word_too,
                      standing_record(f, body), substeps);
}

// What the contacts of one grain with bodies correct, where a mean over all of them decides how much of it is done.
class BodyPushes {
public:
  void note(uint partner, vec3 point, vec3 correction, vec3 couple = vec3(0.0f)) {
    TALUS_ASSERT(is_body(partner), partner);
    pushes_.push_back({partner, point, correction, couple});
  }
  // scale: impulse on the grain per correction, and couple per couple.
  void add(Fields& f, uint i, float scale) const {
    for (const Push& push : pushes_)
      add_load(f, i, push.partner, push.point, scale * push.correction, scale * push.couple);
  }

private:
  struct Push {
    uint partner;
    vec3 point, correction, couple;
  };
  std::vector<Push> pushes_;
};

}  // namespace talus::reference
