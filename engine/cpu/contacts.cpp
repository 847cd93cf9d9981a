// Contact lists: the search of contact_count and contact_fill, eight grains at a time. The same lists as the
// reference's.
#include "engine/cpu/lanes.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// The grains in and around a cell, side by side; most often it is the cell of the grain before, too.
class Around {
public:
  void look(const Fields& f, ivec3 home, uint world) {
    if (known_ && home == home_ && world == world_)
      return;
    known_ = true;
    home_ = home;
    world_ = world;
    count_ = 0;
    const auto key_at = [&](int x, int y, int z) {
      return cell_key(wrap_cell(home + ivec3(x, y, z), f.worlds[world]), f.worlds[world], f.settings[0]);
    };
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        if (const uint first = key_at(-1, y, z), last = key_at(1, y, z); last == first + 2)
          add(f, first, last + 1);
        else
          for (int x = -1; x <= 1; ++x)
            add(f, key_at(x, y, z), key_at(x, y, z) + 1);
    reserve(count_ + lanes);
    std::fill_n(&x_[count_], lanes, std::numeric_limits<float>::infinity());  // nowhere
  }

  // Those that grain i may touch, until the next call.
  std::span<const uint> near(const Fields& f, uint i) {
    const Settings& settings = f.settings[0];
    const bool periodic =
        settings.axis.x == axis_periodic || settings.axis.y == axis_periodic || settings.axis.z == axis_periodic;
    const vecs at = all(vec3(f.grains[i].position));
    const float r = f.grains[i].position.w, margin = f.worlds[world_].margin;
    const float *x = x_.data(), *y = y_.data(), *z = z_.data(), *radius = radius_.data();
    const uint *place = place_.data(), end = count_;
    uint *const near = near_.data(), count = 0;
    const auto reached = [&](uint k) {
      vecs d = at - vecs{load<floats>(x + k), load<floats>(y + k), load<floats>(z + k)};
      if (periodic)
        d = shortest(d, settings);
      const floats reach = r + load<floats>(radius + k) + margin;
      return bits_of((dot(d, d) < reach * reach) & (load<ints>(place + k) != static_cast<int>(i)));
    };
    // Many at a time: how many there are is hard to foretell, and costs as much as testing a few.
    constexpr uint many = 64;
    for (uint first = 0; first < end; first += many) {
      std::uint64_t bits = 0;
      for (uint k = first; k < std::min(first + many, end); k += lanes)
        bits |= static_cast<std::uint64_t>(reached(k)) << (k - first);
      for (; bits; bits &= bits - 1)
        near[count++] = place[first + static_cast<uint>(std::countr_zero(bits))];
    }
    return {near, count};
  }

private:
  bool known_ = false;
  ivec3 home_{0};
  uint world_ = 0, count_ = 0;
  std::vector<float> x_, y_, z_, radius_;
  std::vector<uint> place_, near_;

  void reserve(uint count) {
    if (place_.size() >= count)
      return;
    for (auto* of : {&x_, &y_, &z_, &radius_})
      of->resize(2 * count);
    place_.resize(2 * count);
    near_.resize(2 * count);
  }

  void add(const Fields& f, uint first_cell, uint end_cell) {
    const uint end = first_in_cell(f, end_cell, world_);
    for (uint first = first_in_cell(f, first_cell, world_); first < end; first += lanes) {
      reserve(count_ + lanes);
      const Grains g = load_grains([&](uint k) { return &f.grains[first + k]; });
      store(&x_[count_], g.position.x);
      store(&y_[count_], g.position.y);
      store(&z_[count_], g.position.z);
      store(&radius_[count_], g.radius);
      store(&place_[count_], lane_numbers + static_cast<int>(first));
      count_ += std::min(lanes, end - first);
    }
  }
};

// Once, not in every clone.
template <class Found> [[gnu::noinline]] void search_one(const Args& args, const Fields& f, uint i, Found found) {
  search(args, f, i, found);
}
template <class Found> [[gnu::noinline]] void search_rest(const Args& args, const Fields& f, uint i, Found found) {
  search_others(args, f, i, found);
}

// Calls found(partner) as reference::search does.
template <class Found> void search_lanes(const Args& args, const Fields& f, uint i, Around& around, Found found) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  if (is_gone(grain))
    return;
  // Few grains are fixed, and few scenes have what is made of grains.
  if (settings.cloth > 0 || settings.shaped > 0 || grain.velocity.w == 0.0f)
    return search_one(args, f, i, found);
  const uint world = world_of(f, i);
  around.look(f, cell_of(vec3(grain.position), settings, f.worlds[world]), world);
  for (const uint j : around.near(f, i))
    found(j);
  search_rest(args, f, i, found);
}

}  // namespace

TALUS_CLONES void contact_count(const Args& args, Fields& f, uint begin, uint end) {
  Around around;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint count = 0;
    search_lanes(args, f, i, around, [&](uint partner) {
      if (count < Fields::found_most)
        f.contact_found[Fields::found_most * i + count] = partner;
      ++count;
    });
    f.contact_count_next[i] = count;
    widen_slice(f, e, count);
  }
}

TALUS_CLONES void contact_fill(const Args& args, Fields& f, uint begin, uint end) {
  Around around;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint k = 0;
    const auto add = [&](uint partner) {
      f.contact_partner_next[next_slot(f, i, k++)] = in_lists(f, i, partner);
      count_contact(f, partner);
    };
    if (const uint count = f.contact_count_next[i]; count <= Fields::found_most)
      for (uint c = 0; c < count; ++c)
        add(f.contact_found[Fields::found_most * i + c]);
    else
      search_lanes(args, f, i, around, add);
    while (k < next_rows(f, i))
      f.contact_partner_next[next_slot(f, i, k++)] = no_partner;
  }
}

}  // namespace talus::TALUS_CPU
#endif
