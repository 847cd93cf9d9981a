// Contact lists: the search for grains by packs, and slots by slices, whose rows lie side by side. The same lists as
// the reference's.
#include "engine/cpu/laws.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// Those where grains are for their lists: xyz, w radius, which tells more than that of lists that are rebuilt
// incrementally.
template <Neighbourhood by> Grains load_places(const Fields& f, uint first) {
  return load_grains([&](uint k) -> const void* {
    if constexpr (by == Neighbourhood::incremental)
      return f.list_position.data() + first + k;  // which may be read beyond its end
    else
      return f.grains.data() + first + k;
  });
}

// The grains in and around a cell, side by side; most often it is the cell of the grain before, too.
template <Neighbourhood by> class Around {
public:
  void look(const Fields& f, ivec3 home, uint world) {
    if (known_ && home == home_ && world == world_)
      return;
    known_ = true;
    home_ = home;
    world_ = world;
    count_ = 0;
    const uvec3 bits = f.settings[0].grid.bits;
    const ivec3 low = wrap_cell(home - 1, f.worlds[world]), high = wrap_cell(home + 1, f.worlds[world]);
    const uint table = f.worlds[world].lists.table * grid_cells(bits);
    before_ = world * f.settings[0].worlds.places - f.grid_start[table];
    for (const int z : {low.z, home.z, high.z})
      for (const int y : {low.y, home.y, high.y}) {
        const uint first = table + grid_key({low.x, y, z}, bits), middle = table + grid_key({home.x, y, z}, bits),
                   last = table + grid_key({high.x, y, z}, bits);
        if (last == first + 2)
          add(f, first, last + 1);
        else
          for (const uint key : {first, middle, last})
            add(f, key, key + 1);
        if (by == Neighbourhood::incremental)
          for (const uint key : {first, middle, last})
            add_linked(f, key);
      }
    reserve(count_ + lanes);
    std::fill_n(&x_[count_], lanes, std::numeric_limits<float>::infinity());  // nowhere
  }

  // Those that grain i may touch, until the next call.
  std::span<const uint> near(const Fields& f, uint i) {
    const Settings& settings = f.settings[0];
    const bool periodic = settings.domain.axis.x == axis_periodic || settings.domain.axis.y == axis_periodic ||
                          settings.domain.axis.z == axis_periodic;
    const vecs at = all(position_of<by>(f, i));
    const float r = f.grains[i].position.w, skin = f.worlds[world_].lists.skin;
    const float *x = x_.data(), *y = y_.data(), *z = z_.data(), *radius = radius_.data();
    const uint *place = place_.data(), end = count_;
    uint *const near = near_.data(), count = 0;
    const auto reached = [&](uint k) {
      vecs d = at - vecs{load<floats>(x + k), load<floats>(y + k), load<floats>(z + k)};
      if (periodic)
        d = shortest(d, settings);
      const floats reach = r + load<floats>(radius + k) + skin;
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
    TALUS_ASSERT(count <= end && count <= near_.size(), i, count, end);
    return {near, count};
  }

private:
  bool known_ = false;
  ivec3 home_{0};
  uint world_ = 0, count_ = 0;
  uint before_ = 0;  // places less what grid_start counts
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
    const uint end = before_ + f.grid_start[end_cell];
    TALUS_ASSERT(f.grid_start[first_cell] <= f.grid_start[end_cell] && end <= f.grains.size(), first_cell, end_cell,
                 end);
    for (uint first = before_ + f.grid_start[first_cell]; first < end; first += lanes) {
      reserve(count_ + lanes);
      const Grains g = load_places<by>(f, first);
      const floats nowhere = all(std::numeric_limits<float>::infinity());
      store(&x_[count_], by == Neighbourhood::incremental ? g.radius > 0.0f ? g.position.x : nowhere : g.position.x);
      store(&y_[count_], g.position.y);
      store(&z_[count_], g.position.z);
      store(&radius_[count_], g.radius);
      store(&place_[count_], lane_numbers + static_cast<int>(first));
      count_ += std::min(lanes, end - first);
    }
  }

  void add_linked(const Fields& f, uint cell) {
    each_linked(f, cell, [&](uint j) {
      reserve(count_ + lanes);
      const vec4& place = f.list_position[j];
      x_[count_] = place.x;
      y_[count_] = place.y;
      z_[count_] = place.z;
      radius_[count_] = -place.w;
      place_[count_++] = j;
    });
  }
};

// Once, not in every clone.
template <Neighbourhood by, class Found>
[[gnu::noinline]] void search_grains_of_one(const Fields& f, uint i, Found found) {
  search_grains<by>(f, i, found);
}
template <Neighbourhood by, class Found>
[[gnu::noinline]] void search_rest(const Args& args, const Fields& f, uint i, Found found) {
  search_others<by>(args, f, i, found);
}

// Calls found(partner) as reference::search_grains does.
template <Neighbourhood by, class Found>
void search_grains_by_lanes(const Fields& f, uint i, Around<by>& around, Found found) {
  const Settings& settings = f.settings[0];
  if (settings.cloth.vertices > 0 || settings.shapes.particles > 0)  // few scenes have what is made of grains
    return search_grains_of_one<by>(f, i, found);
  const uint world = world_of(f, i);
  around.look(f, cell_of(position_of<by>(f, i), settings, f.worlds[world]), world);
  const bool of_clump = settings.clumps.kinds > 0 && sphere_of(f.grain_tag[i]) > 0,
             fixed = f.grains[i].velocity.w == 0.0f;
  for (const uint j : around.near(f, i))
    if ((!of_clump || !same_clump(f, i, j)) && (!fixed || f.grains[j].velocity.w > 0.0f))
      found(j);
}

// .. as reference::search does.
template <Neighbourhood by, class Found>
void search_by_lanes(const Args& args, const Fields& f, uint i, Around<by>& around, Found found) {
  if (is_gone(f.grains[i]))
    return;
  search_grains_by_lanes(f, i, around, found);
  search_rest<by>(args, f, i, found);
}

// Which contacts of the old lists remember anything. Grains that are in one slice now were in few before.
class Remembering {
public:
  explicit Remembering(const Fields& f) : f_(f) {}

  // Bit k: the k-th of a grain that has contacts, by its row, of the first `most`.
  static constexpr uint most = 64;
  std::uint64_t of(uint row) {
    Slice& slice = slices_[row / slice_grains % std::size(slices_)];
    if (slice.number != row / slice_grains) {
      slice = {row / slice_grains, {}};
      look(slice);
    }
    return slice.bits[row % slice_grains];
  }

private:
  struct Slice {
    uint number = no_partner;
    std::uint64_t bits[slice_grains] = {};
  };

  const Fields& f_;
  Slice slices_[32];

  void look(Slice& slice) const {
    const uint first = slice.number * slice_grains;
    const uint world = world_of(f_, first);
    const uint rows = std::min(rows_of(f_, slice.number, world), most);
    const std::size_t slot = contact_slot(f_, first, 0);
    const ContactSettings& contacts = f_.settings[0].contacts;
    with_kept(f_, [&](auto kept) {
      const float* row = f_.contact_state.data() + state_at(f_, slot, contacts.kept_first);
      for (uint k = 0; k < rows; ++k, row += contacts.state_words * slice_grains)
        for (uint part = 0; part < slice_grains; part += lanes) {
          ints some{};
          for (uint c = 0; c < kept; ++c)
            some |= load<ints>(row + part + c * slice_grains);
          for (uint those = bits_of(some != 0); those; those &= those - 1)
            slice.bits[part + static_cast<uint>(std::countr_zero(those))] |= std::uint64_t{1} << k;
        }
    });
  }
};

// Nothing is remembered by the contacts of the new lists in these rows; counts: of their grains.
void forget(Fields& f, std::size_t slot, uint rows, const uint* counts) {
  const uint stride = f.settings[0].contacts.state_words * slice_grains;
  with_kept(f, [&](auto kept) {
    float* row = f.contact_state.data() + state_at(f, slot, f.settings[0].contacts.kept_first);
    for (uint k = 0; k < rows; ++k, row += stride)
      for (uint part = 0; part < slice_grains; part += lanes) {
        const ints there = static_cast<int>(k) < load<ints>(counts + part);
        for (uint c = 0; c < kept; ++c) {
          float* const x = row + part + c * slice_grains;
          store(x, there ? floats{} : load<floats>(x));
        }
      }
  });
}

// Once, not in every clone.
[[gnu::noinline]] void mark_one(const Args& args, Fields& f, uint i) {
  reference::incremental_mark(args, f, i, i + 1);
}
[[gnu::noinline]] void history_some(const Args& args, Fields& f, uint begin, uint end) {
  reference::history_save(args, f, begin, end);
}
[[gnu::noinline]] void restore_one(const Args& args, Fields& f, uint element) {
  reference::history_restore(args, f, element, element + 1);
}

}  // namespace

TALUS_FLATTEN void contact_count(const Args& args, Fields& f, uint begin, uint end) {
  Around<Neighbourhood::sorted> around;
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    uint count = 0;
    search_by_lanes(args, f, i, around, [&](uint partner) {
      if (count < Fields::found_most)
        f.contact_found[Fields::found_most * i + count] = partner;
      ++count;
    });
    f.contact_count_next[i] = count;
    widen_slice(f, e, count);
  }
}

TALUS_FLATTEN void contact_fill(const Args& args, Fields& f, uint begin, uint end) {
  Around<Neighbourhood::sorted> around;
  for (uint e = begin; e < end; e += slice_grains) {
    const uint first = rebuilt_place(f, e);
    if (first >= args.grains)
      continue;
    const uint there = std::min({slice_grains, end - e, args.grains - first}), rows = next_rows(f, first);
    const std::size_t slots = next_slot(f, first, 0);
    uint counts[slice_grains] = {};
    std::ranges::copy_n(&f.contact_count_next[first], there, counts);
    TALUS_ASSERT(std::ranges::max(counts) <= rows, first, std::ranges::max(counts), rows);
    TALUS_ASSERT(slots + std::size_t{rows} * slice_grains <= f.contact_partner.size(), first, slots, rows);
    const uint* const found = &f.contact_found[std::size_t{Fields::found_most} * first];
    for (uint k = 0; k < rows; ++k)
      for (uint lane = 0; lane < there; ++lane)
        f.contact_partner[slots + k * slice_grains + lane] =
            k < counts[lane] && k < Fields::found_most ? found[Fields::found_most * lane + k] : no_partner;
    for (uint lane = 0; lane < there; ++lane) {
      const uint i = first + lane;
      std::size_t slot = slots + lane;
      const auto add = [&](uint partner) {
        f.contact_partner[slot] = in_lists(f, i, partner);
        slot += slice_grains;
        count_contact(f, partner);
      };
      if (counts[lane] > Fields::found_most)
        search_by_lanes(args, f, i, around, add);
      else if (f.settings[0].worlds.count > 1 || f.settings[0].bodies.rigid > 0)
        for (uint k = 0; k < counts[lane]; ++k)
          add(found[Fields::found_most * lane + k]);
    }
  }
}

// By slices: grains that are in one now were in few before.
TALUS_FLATTEN void history_save(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].cloth.vertices > 0)  // triangles remember more than numbers
    return reference::history_save(args, f, begin, end);
  Remembering remembering(f);
  for (uint e = begin; e < end; e += slice_grains) {
    const uint start = rebuilt_place(f, e);
    if (start >= args.grains)
      continue;
    const uint there = std::min({slice_grains, end - e, args.grains - start});
    const uint world = world_of(f, start) * f.settings[0].worlds.places;
    std::uint64_t bits[slice_grains] = {};
    uint longest = 0, total = 0;
    for (uint lane = 0; lane < there; ++lane) {
      const uint row = world + f.grain_row[start + lane], count = f.contact_count[row];
      TALUS_ASSERT(has_rows(f, row, count), row, count);
      longest = std::max(longest, count);
      if (count > 0 && longest <= Remembering::most)
        bits[lane] = remembering.of(row) & (~std::uint64_t{0} >> (Remembering::most - count));
      total += static_cast<uint>(std::popcount(bits[lane]));
    }
    if (longest > Remembering::most) {
      history_some(args, f, e, e + there);
      continue;
    }
    const auto room = history_room(f, world_of(f, start), total);
    uint entry = room.value_or(0);
    for (uint lane = 0; lane < there; ++lane) {
      f.history_first[start + lane] = entry;
      f.history_count[start + lane] = static_cast<uint>(std::popcount(bits[lane]));
      if (!room || !bits[lane])
        continue;
      const std::size_t first = contact_slot(f, world + f.grain_row[start + lane], 0);
      TALUS_ASSERT(f.history_first[start + lane] + f.history_count[start + lane] <=
                       (world_of(f, start) + 1) * f.settings[0].worlds.history,
                   start, lane, f.history_first[start + lane], f.history_count[start + lane]);
      for (; bits[lane]; bits[lane] &= bits[lane] - 1)
        put_aside(f, entry++, first + static_cast<uint>(std::countr_zero(bits[lane])) * slice_grains);
    }
  }
}

// From the history buffer, few contacts beside all new ones, to those.
TALUS_FLATTEN void history_restore(const Args& args, Fields& f, uint begin, uint end) {
  if (f.settings[0].cloth.vertices > 0)
    return reference::history_restore(args, f, begin, end);
  for (uint e = begin; e < end; e += slice_grains) {
    const uint start = rebuilt_place(f, e);
    if (start >= args.grains)
      continue;
    const uint there = std::min({slice_grains, end - e, args.grains - start}), rows = next_rows(f, start);
    const uint world = world_of(f, start) * f.settings[0].worlds.places;
    const std::size_t slots = next_slot(f, start, 0);
    uint counts[slice_grains] = {};
    std::ranges::copy_n(&f.contact_count_next[start], there, counts);
    TALUS_ASSERT(std::ranges::max(counts) <= rows, start, std::ranges::max(counts), rows);
    forget(f, slots, rows, counts);
    for (uint lane = 0; lane < there; ++lane) {
      const uint i = start + lane, count = counts[lane], history_contacts = f.history_count[i];
      constexpr uint most = 64;
      if (history_contacts == 0 || count == 0)
        continue;
      if (count > most) {
        restore_one(args, f, e + lane);
        continue;
      }
      TALUS_ASSERT(history_at(f, f.history_first[i] + history_contacts) <= f.history.size(), i, f.history_first[i],
                   history_contacts);
      // New partners, as the old lists name them.
      uint names[most];
      for (uint k = 0; k < count; ++k) {
        const uint partner = f.contact_partner[slots + lane + k * slice_grains];
        names[k] = is_grain(partner) ? f.grain_row[world + partner] : partner;
      }
      for (uint k = count; k % lanes != 0; ++k)
        names[k] = no_partner;
      for (uint entry = f.history_first[i]; entry < f.history_first[i] + history_contacts; ++entry) {
        const uints name = f.history[history_at(f, entry)] - uints{};
        for (uint k = 0; k < count; k += lanes)
          if (const uint same = bits_of((ints)(load<uints>(names + k) == name)); same) {
            take_back(f, entry, slots + lane + (k + static_cast<uint>(std::countr_zero(same))) * slice_grains);
            break;
          }
      }
    }
  }
}

// Few grains are looked at one by one: those that are far from their place in the lists, or were before.
TALUS_FLATTEN void incremental_mark(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const float limit = f.worlds[0].incremental.distance * f.worlds[0].incremental.distance;
  end = std::min(end, args.grains);
  for (uint first = begin; first < end; first += lanes) {
    const Grains now = load_places<Neighbourhood::sorted>(f, first),
                 listed = load_places<Neighbourhood::incremental>(f, first);
    const vecs way = shortest(now.position - listed.position, settings);
    const ints there = lane_numbers < static_cast<int>(end - first);
    const ints keep = (listed.radius > 0.0f) & ~(dot(way, way) > limit);
    for (uint k = 0; k < std::min(lanes, end - first); ++k)
      f.contact_count_next[first + k] = row_kept;
    for (uint others = bits_of(there & (now.radius != 0.0f) & ~keep); others; others &= others - 1) {
      const uint i = first + static_cast<uint>(std::countr_zero(others));
      mark_one(args, f, i);
    }
  }
}

TALUS_FLATTEN void incremental_choose(const Args& args, Fields& f, uint begin, uint end) {
  if (too_many_displaced(f.worlds[0]))
    return;
  Around<Neighbourhood::incremental> around;
  const std::size_t links = reference::link_at(f.settings[0], 0);
  end = std::min(end, args.grains);
  for (uint first = begin; first < end; first += lanes) {
    // Links first, which lie side by side.
    const ints fresh = (lane_numbers < static_cast<int>(end - first)) & (load<ints>(&f.cell_lists[links + first]) < 0);
    if (bits_of(fresh) == 0)
      continue;
    const floats listed = load_places<Neighbourhood::incremental>(f, first).radius;
    for (uint those = bits_of(fresh & (listed < 0.0f)); those; those &= those - 1) {
      const uint i = first + static_cast<uint>(std::countr_zero(those));
      if (is_gone(f.grains[i]))
        continue;
      each_changed_row(
          f, i, [&](auto found) { search_grains_by_lanes(f, i, around, found); }, [&](uint j) { want_row(f, j); });
    }
  }
}

TALUS_FLATTEN void incremental_search(const Args& args, Fields& f, uint begin, uint end) {
  Around<Neighbourhood::incremental> around;
  incremental_rows_of(
      args, f, begin, end, [&](uint i, auto found) { search_grains_by_lanes(f, i, around, found); },
      [&](uint i, auto found) { search_rest<Neighbourhood::incremental>(args, f, i, found); });
}

}  // namespace talus::TALUS_CPU
#endif
