// How contacts share the masses of a pack of grains (p2, pbd), operation by operation what the reference does.
#include "engine/reference/contact_weigh.h"
#include "engine/cpu/displacements.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {
namespace {

// Once, not in every clone.
[[gnu::noinline]] float weight_of_other(const Args& args, const Fields& f, uint i, std::size_t slot) {
  return reference::weight_at(args, f, i, slot);
}

class Weigh : public Displacements {
public:
  using Displacements::Displacements;

  void run() {
    floats weights{};
    const bool adheres = settings.solver.force == force_correction;  // p2
    each_row([&](const Row& row, const Contact& c) {
      const floats adhesion_limit = adheres ? adhesion_limit_of(laws(row), c) : floats{};
      floats weight;
      if (split_) {
        const floats pressure = args.iteration > 0 ? load<floats>(&f.contact_state[normal_at(row)]) : floats{};
        weight = takes_part(c, grains.radius, pressure, adhesion_limit) ? all(1.0f) : floats{};
      } else
        weight = weight_of(c, contact_bears(c, floats{}, adhesion_limit));
      weights += row.mask ? weight : floats{};
    });
    each_other([&](uint k, std::size_t slot) { weights[k] += weight_of_other(args, f, first + k, slot); });
    put_weights(args.iteration, weights);
  }
};

}  // namespace

TALUS_FLATTEN void contact_weigh(const Args& args, Fields& f, uint begin, uint end) {
  for (uint first = begin; first < end; first += lanes)
    Weigh(args, f, first).run();
}

}  // namespace talus::TALUS_CPU
#endif
