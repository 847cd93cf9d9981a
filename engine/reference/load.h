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
  TALUS_ASSERT(load_words * load_copies * (std::size_t{body} + 1) <= f.body_sums.size(), i, body, f.body_sums.size());
  return &f.body_sums[load_words * (load_copies * body + i / group_size % load_copies)];
}

// A body gets this impulse [N s] at a point away from its origin, and a couple [N m s].
inline void add_to_record(Fields& f, uint* record, vec3 point, vec3 impulse, vec3 couple = vec3(0.0f)) {
  const vec3 force = f.settings[0].bodies.quanta.x * impulse,
             torque = f.settings[0].bodies.quanta.y * (glm::cross(point, impulse) + couple);
  const float numbers[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  if (!std::ranges::all_of(numbers, [](float x) { return std::abs(x) < 0x1p62f; })) {
    atomic_ref(record[load_uncounted]).fetch_add(1);
    return;
  }
  for (std::size_t n = 0; n < 6; ++n) {
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(numbers[n])));
    const auto low = static_cast<uint>(whole), high = static_cast<uint>(whole >> 32);
    const uint before = atomic_ref(record[2 * n]).fetch_add(low);
    atomic_ref(record[2 * n + 1]).fetch_add(high + (before + low < before));
  }
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
inline Received take_records(Fields& f, uint* records, uint copies, uint word_too) {
  TALUS_ASSERT(word_too >= 12 && word_too < load_words, word_too);
  std::array<std::uint64_t, 6> sums{};
  uint word = 0;
  for (uint copy = 0; copy < copies; ++copy) {
    uint* const record = records + load_words * copy;
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[n] += static_cast<std::uint64_t>(record[2 * n + 1]) << 32 | record[2 * n];
    word += record[word_too];
    std::fill_n(record, 12, 0u);
    record[word_too] = 0;
  }
  const auto sums_of = [&](std::size_t n) {
    return vec3(static_cast<std::int64_t>(sums[n]), static_cast<std::int64_t>(sums[n + 1]),
                static_cast<std::int64_t>(sums[n + 2]));
  };
  return {f.settings[0].bodies.load_quantum.x * sums_of(0), f.settings[0].bodies.load_quantum.y * sums_of(3), word};
}
inline Received take_records(Fields& f, uint body, uint word_too) {
  TALUS_ASSERT(load_words * load_copies * (std::size_t{body} + 1) <= f.body_sums.size(), body, f.body_sums.size());
  return take_records(f, &f.body_sums[load_words * load_copies * body], load_copies, word_too);
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
