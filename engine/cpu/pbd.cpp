// Position-based dynamics, a pack at a time: operation by operation what the reference does.
#include "engine/cpu/displacements.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

using namespace reference;

// Once, not in every clone.
[[gnu::noinline]] void touch_other(const Args& args, Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  pbd_touch(args, f, i, slot, mean);
}
[[gnu::noinline]] void part_other(const Fields& f, uint i, std::size_t slot, PbdMean& mean) {
  pbd_part(f, i, slot, mean);
}

class Pbd : public Displacements {
public:
  using Displacements::Displacements;

  void solve() {
    each_row([&](const Row& row, const Contact& c) { solve(row, c); });
    PbdMean means[lanes];
    touch_others(means, [&](uint i, std::size_t slot, PbdMean& mean) {
      if (args.iteration == 0)
        put(f.contact_sum, slot, vec4(0.0f));
      touch_other(args, f, i, slot, mean);
    });
    move(settings.sor, means);
  }

  void stabilize() {
    each_row([&](const Row& row, const Contact& c) { part(row, c); });
    PbdMean means[lanes];
    touch_others(means, [&](uint i, std::size_t slot, PbdMean& mean) { part_other(f, i, slot, mean); });
    const ints moves = weights_ > 0.0f;
    const vecs correction = correction_ / weights_;
    Grains after = grains;
    after.position = select(moves, grains.position + correction, grains.position);
    store_grains(&f.grains_next[first], there, after);
    const floats shift = static_cast<float>(args.iterations) * sqrt(dot(correction, correction));
    for (uint k = 0; k < there; ++k)
      if (moves[k])
        atomic_max(f.worlds[world_of(f, first)].shift_bits, std::bit_cast<uint>(static_cast<float>(shift[k])));
  }

private:
  // As pbd_touch.
  void solve(const Row& row, const Contact& c) {
    const bool after = settings.options & option_friction_after, last = args.iteration + 1 == args.iterations;
    const floats w = grains.inverse_mass;
    const vecs4 kept = load_vecs4(f.contact_sum, row.slot),
                sum = args.iteration == 0 ? select(row.mask, vecs4{}, kept) : kept;
    ints touches = c.gap < -gap_least * min(grains.radius, c.radius);
    if (after && last)
      touches |= sum.w > 0.0f;
    const ints active = row.mask & (w + c.inverse_mass > 0.0f) & touches;
    if (by_weight_)
      weights_next_ += row.mask & ~active & (sum.w > 0.0f) ? contact_weight(c, sum.w) : floats{};
    if (!any(active)) {
      if (args.iteration == 0)
        store_vecs4(f.contact_sum, row.slot, sum);
      return;
    }
    const floats w_other = c.inverse_mass * rise(c), w_sum = w + w_other;
    Shares shares{all(1.0f), all(1.0f)};
    if (split_) {
      shares.normal = shares.tangential = w_sum / shared_w(row, w_other);
    } else if (by_weight_) {
      const ints closes = args.iteration > 0 ? ~(sum.w > 0.0f) : ints{};
      const floats overlap = max(-c.gap, floats{});
      const floats bears = after && last ? (sum.w > 0.0f ? sum.w : sum.w + overlap) : sum.w + overlap;
      shares = shares_by_weight(row, w_other, contact_weight(c, bears), closes, weight_over_pbd);
    }

    const vecs way = way_of(c), slip = way - dot(way, c.normal) * c.normal;
    const floats pushed = shares.normal * max(-c.gap, floats{}), normal = sum.w + pushed;
    vecs before;
    floats bound = pushed;
    if (after) {
      bound = last ? h_ * h_ * shares.tangential * glm::length(settings.gravity) : floats{};
    } else if (!(settings.options & option_per_iteration)) {
      before = sum.xyz;
      bound = normal;
    }
    const Law law = laws(row);
    vecs drag = before - dot(before, c.normal) * c.normal + shares.tangential * slip;
    const floats length = sqrt(dot(drag, drag));
    drag = select(length > law.friction_static * bound, min(law.friction_kinetic * bound / length, all(1.0f)) * drag,
                  drag);
    store_vecs4(f.contact_sum, row.slot, select(active, vecs4{drag, normal}, sum));
    add(active, all(1.0f), (w / w_sum) * (pushed * c.normal - (drag - before)));
    if (by_weight_)
      weights_next_ += active & (normal > 0.0f) ? contact_weight(c, normal) : floats{};
  }

  // Mass scaling.
  floats rise(const Contact& c) const {
    if (settings.mass_scaling == 0.0f)
      return all(1.0f);
    const floats rise = (c.gap + grains.radius + c.radius) * dot(c.normal, all(settings.down));
    floats scaled = min(max(settings.mass_scaling * rise, all(-60.0f)), all(60.0f));
    for (uint k = 0; k < lanes; ++k)
      scaled[k] = std::exp(scaled[k]);
    return scaled;
  }

  // As pbd_part.
  void part(const Row& row, const Contact& c) {
    const floats w = grains.inverse_mass;
    const ints active = row.mask & (w > 0.0f) & (c.gap < 0.0f);
    const floats weight =
        settings.options & option_plain_mean ? all(1.0f) : 1.0f / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w));
    add(active, weight, -(weight * w / (w + c.inverse_mass) * c.gap) * c.normal);
  }
};

}  // namespace

TALUS_CLONES void pbd_solve(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Pbd(args, f, first).solve();
}

TALUS_CLONES void pbd_stabilize(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Pbd(args, f, first).stabilize();
}

}  // namespace talus::TALUS_CPU
#endif
