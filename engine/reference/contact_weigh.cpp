// How a grain's contacts share its mass (p2, pbd).
#include "engine/reference/contact_weigh.h"

namespace talus::reference {

void contact_weigh(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    float weights = 0.0f;
    each_contact(f, i, [&](std::size_t slot) { weights += weight_at(args, f, i, slot); });
    f.contact_weights[weights_at(args, i, args.iteration)] = weights;
  }
}

}  // namespace talus::reference
