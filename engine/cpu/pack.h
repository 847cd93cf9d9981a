#pragma once
// Grains side by side, as many as there are lanes, and row after row what they may touch.
#include "engine/cpu/laws.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

// What is in a row of the lists: of the lanes in `mask`, in these slots, with grains at these places.
struct Row {
  ints mask;
  std::size_t slot;   // of the first lane
  std::size_t state;  // its first component in contact_state
  ints other;
  uint quads[lanes];  // 4 * place: x86 scales an address by 8 at most, and a grain takes 32 bytes, its spin 16
  Grains grains;

  uint place(uint lane) const { return quads[lane] / 4; }
};

// Returns the record of the grain that a lane of a row meets.
template <class Record> const void* record_of(const Record* records, const Row& row, uint lane) {
  static_assert(sizeof(Record) % 4 == 0);
  return reinterpret_cast<const char*>(records) + sizeof(Record) / 4 * row.quads[lane];
}

class Pack {
public:
  Pack(const Args& args, Fields& f, uint first)
      : args(args), f(f), settings(f.settings[0]), first(first), there(std::min(lanes, args.grains - first)),
        grains(load_grains([&](uint k) { return f.grains.data() + first + k; })),  // which may be read beyond its end
        first_place_(static_cast<int>(reference::world_of(f, first) * settings.worlds.places)),
        at_(lane_numbers + static_cast<int>(first)) {
    const ints count = load<ints>(&f.contact_count[first]);
    count_ = lane_numbers < static_cast<int>(there) ? count : ints{};
    for (uint k = 0; k < lanes; ++k)
      rows_ = std::max(rows_, lane(count_, k));
    const uint rows = rows_ > 0 ? reference::rows_of(f, first / slice_grains, reference::world_of(f, first)) : 0;
    TALUS_ASSERT(first % lanes == 0 && first < args.grains, first, args.grains);
    TALUS_ASSERT(rows_ <= static_cast<int>(rows), first, rows_, rows);
    next_slice_ = rows * slice_grains;
    first_slot_ = reference::contact_slot(f, first, 0);
    first_state_ = state_words_ == 0 ? 0 : reference::first_component(first_slot_, state_words_);
    const uint own = material_at(first);
    for (uint k = 1; k < lanes && alike_; ++k)
      alike_ = one_material_ || (k < there && material_at(first + k) == own);
    if (alike_)
      law_ = same(f.pair_laws[own * (settings.contacts.materials + 1) + own]);
  }

  const Args& args;
  Fields& f;
  const Settings& settings;
  uint first, there;  // grain of the first lane; how many lanes have one
  Grains grains;

  // Where a row has the members of contact_state, of its first lane.
  std::size_t sum_at(const Row& row) const { return row.state + sum_; }
  std::size_t normal_at(const Row& row) const { return sum_at(row) + 3 * slice_grains; }
  std::size_t shear_at(const Row& row) const { return row.state + shear_; }
  std::size_t roll_at(const Row& row) const { return row.state + roll_; }
  std::size_t roll_sum_at(const Row& row) const { return row.state + roll_sum_; }
  std::size_t change_at(const Row& row) const { return row.state + change_; }
  std::size_t roll_change_at(const Row& row) const { return row.state + roll_change_; }
  std::size_t friction_at(const Row& row) const { return row.state + friction_; }
  std::size_t rebound_at(const Row& row) const { return row.state + settings.contacts.rebound * slice_grains; }

  // Calls touch(row, contacts) for the rows in which grains are. They come first, in each lane. periodic: may an axis
  // be? one_division: as contact_of_grains. ahead: the contacts of a row are found before what the row ahead of it does
  // is done, since a processor that looks ahead by some hundred instructions works on both at once; two rows take
  // turns, since to copy what is known of one is a fifth of the work.
  template <bool ahead = true, class Touch>
  void each_row(Touch touch, bool periodic = true, bool one_division = false) {
    const auto look = [&](int k, Row& row, Contact& contact) {
      const bool there = load_row(k, row);
      if (there)
        contact = contacts(row, periodic, one_division);
      return there;
    };
    Row row;
    Contact contact;
    if constexpr (!ahead) {
      for (int k = 0; look(k, row, contact); ++k)
        touch(row, contact);
      return;
    }
    Row next;
    Contact next_contact;
    if (!look(0, row, contact))
      return;
    for (int k = 1;; k += 2) {
      const bool second = look(k, next, next_contact);
      touch(row, contact);
      if (!second)
        return;
      const bool first = look(k + 1, row, contact);
      touch(next, next_contact);
      if (!first)
        return;
    }
  }

  // Calls touch(partners, mask, slot) for the rows in which there is something else, after each_row.
  template <class Touch> void each_row_of_others(Touch touch) const {
    for (int k = others_; k < rows_; ++k) {
      const std::size_t slot = first_slot_ + static_cast<uint>(k) * slice_grains;
      const auto partner = load<uints>(&f.contact_partner[slot]);
      touch(partner, (k < count_) & (ints)(partner >= body_partner), slot);
    }
  }
  // Calls touch(lane, slot) for each of them.
  template <class Touch> void each_other(Touch touch) const {
    each_row_of_others([&](uints, ints mask, std::size_t slot) {
      for (uint lane = 0; lane < lanes; ++lane)
        if (mask[lane])
          touch(lane, slot + lane);
    });
  }

  // The slot that the next slice has in the row of this one.
  std::size_t ahead(std::size_t slot) const { return slot + next_slice_; }
  // Asks for components that the next slice has there: rows are too short for a processor to foresee where the next
  // ones begin.
  template <class Field> void ask_ahead(const Field& of, std::size_t at, uint components) const {
    const auto* const next = of.data() + at;
    for (uint c = 0; c < components; ++c)
      __builtin_prefetch(next + c * slice_grains);
  }

  // Where grains rotate: the spins of these grains, and what a row needs of the spins of both sides.
  vecs4 spins() const {
    return load_spins([&](uint k) { return f.grain_spin.data() + first + k; });
  }
  Turn turn_of(const Row& row, const Contact& c, const vecs4& own) const {
    vecs4 other = load_spins([&](uint k) { return record_of(f.grain_spin.data(), row, k); });
    return turn_of_grains(c, own.xyz, own.w, grains.inverse_mass, grains.radius, other.xyz, other.w,
                          1.0f / (grains.radius + c.radius));
  }

  // The laws of a row's pairs, until the next call. Most rows are of one material, also where there are more: to look
  // for the law of each lane takes a sixth of the time of dem in the bed of an excavator, and to see that they are
  // alike a fifth of that.
  const Law& laws(const Row& row) {
    if (one_material_ || are_alike(row))
      return law_;
    mixed_ = laws_of([&](uint k) { return material_at(row.place(k)); });
    return mixed_;
  }
  // partner(k): material of lane k's partner.
  template <class Material> Law laws_of(Material partner) const {
    TALUS_ASSERT(there > 0 && there <= lanes, first, there);
    if (one_material_)
      return same(f.pair_laws[partner(0)]);
    const PairLaw* of[lanes];
    bool alike = true;
    for (uint k = 0; k < lanes; ++k) {
      const uint lane = std::min(k, there - 1), own = material_at(first + lane);
      of[k] = &f.pair_laws[own * (settings.contacts.materials + 1) + partner(lane)];
      alike = alike && of[k] == of[0];
    }
    if (alike)
      return same(*of[0]);
    float members[10][lanes];
    for (uint k = 0; k < lanes; ++k) {
      members[0][k] = of[k]->friction_static;
      members[1][k] = of[k]->friction_kinetic;
      members[2][k] = of[k]->stiffness;
      members[3][k] = of[k]->damping;
      members[4][k] = of[k]->adhesion;
      members[5][k] = of[k]->rolling;
      members[6][k] = of[k]->restitution;
      members[7][k] = of[k]->rebound_ratio;
      members[8][k] = of[k]->rebound_kappa;
      members[9][k] = of[k]->tangential;
    }
    return {load<floats>(members[0]), load<floats>(members[1]), load<floats>(members[2]), load<floats>(members[3]),
            load<floats>(members[4]), load<floats>(members[5]), load<floats>(members[6]), load<floats>(members[7]),
            load<floats>(members[8]), load<floats>(members[9])};
  }

private:
  uint material_at(uint place) const { return one_material_ ? 0 : reference::material_of(f.grain_tag[place]); }
  // Are all grains of a row of the material of these?
  bool are_alike(const Row& row) const {
    if (!alike_)
      return false;
    const uint own = f.grain_tag[first];
    uint differ = 0;
    for (uint k = 0; k < lanes; ++k)
      differ |= f.grain_tag[row.place(k)] ^ own;
    return (differ & tag_material_mask) == 0;
  }

  Contact contacts(const Row& row, bool periodic, bool one_division) const {
    vecs d = grains.position - row.grains.position;
    if (periodic)
      d = shortest(d, settings);
    const floats up = at_ < row.other ? all(1.0f) : all(-1.0f);
    return contact_of_grains(d, grains.radius, row.grains.velocity, row.grains.radius, row.grains.inverse_mass, up,
                             one_division);
  }

  bool load_row(int k, Row& row) {
    if (k >= rows_)
      return false;
    const std::size_t from_first = static_cast<uint>(k) * slice_grains;
    row.slot = first_slot_ + from_first;
    row.state = first_state_ + state_words_ * from_first;
    TALUS_ASSERT(row.slot + lanes <= f.contact_partner.size(), first, k, row.slot, f.contact_partner.size());
    ask_ahead(f.contact_partner, ahead(row.slot), 1);
    const auto partner = load<uints>(&f.contact_partner[row.slot]);
    const ints within = k < count_;
    row.mask = within & (ints)(partner < triangle_partner);
    if (any(within & ~row.mask))
      others_ = std::min(others_, k);
    if (!any(row.mask))
      return false;
    row.other = row.mask ? (ints)partner + first_place_ : at_;
    TALUS_ASSERT(!any((row.other < 0) | (row.other >= static_cast<int>(f.grains.size() + lanes))), first, k);
    store(row.quads, row.other * 4);
    row.grains = load_grains([&](uint lane) { return record_of(f.grains.data(), row, lane); });
    return true;
  }

  // Copies, since what is stored to fields might be settings for all that the compiler knows.
  uint state_words_ = settings.contacts.state_words, sum_ = settings.contacts.sum * slice_grains,
       shear_ = settings.contacts.shear * slice_grains, roll_ = settings.contacts.roll * slice_grains,
       roll_sum_ = settings.contacts.roll_sum * slice_grains, change_ = settings.contacts.change * slice_grains,
       roll_change_ = settings.contacts.roll_change * slice_grains,
       friction_ = settings.contacts.friction * slice_grains;
  int rows_ = 0, others_ = 1 << 30;       // .. from which on some partners are no grains
  int first_place_;                       // of its world
  std::size_t next_slice_;                // slots from a row to that of the next slice
  std::size_t first_slot_, first_state_;  // of the first row, of the first lane
  bool one_material_ = settings.contacts.materials == 1;
  bool alike_ = true;  // are these grains all there, and of one material?
  Law law_, mixed_;    // of two grains of that material, and where there are more in a row
  ints at_, count_;

  static Law same(const PairLaw& law) {
    return {all(law.friction_static), all(law.friction_kinetic), all(law.stiffness),   all(law.damping),
            all(law.adhesion),        all(law.rolling),          all(law.restitution), all(law.rebound_ratio),
            all(law.rebound_kappa),   all(law.tangential)};
  }
};

}  // namespace talus::TALUS_CPU
#endif
