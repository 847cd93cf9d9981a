// Explicit dynamics: one pass per substep.
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include "engine/reference/search.h"

namespace talus::reference {
namespace {

// contacts(i, change): adds to `change` what all contacts of grain i change its velocity by [m/s].
template <class Contacts> void advance(const Args& args, Fields& f, uint begin, uint end, Contacts contacts) {
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i) {
    vec3 change(0.0f);
    contacts(i, change);
    const Grain& grain = f.grains[i];
    const float r = grain.position.w, w = grain.velocity.w;
    const vec3 v =
        w > 0.0f ? vec3(grain.velocity) + (change + args.h * f.settings[0].domain.gravity) : vec3(grain.velocity);
    f.grains_next[i] = {vec4(vec3(grain.position) + args.h * v, r), vec4(v, w)};
    finish.grain(i, f.grains_next[i]);
  }
  finish.flush();
}

}  // namespace

void dem(const Args& args, Fields& f, uint begin, uint end) {
  const bool memory = f.settings[0].contacts.memory;
  advance(args, f, begin, end, [&](uint i, vec3& change) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (is_triangle(f.contact_partner[slot]))
        continue;
      const vec3 shear = respond(args, f, i, partner_at(f, i, slot),
                                 memory ? vec3_at(f.contact_state, shear_at(f, slot)) : vec3(0.0f), change);
      if (memory)
        put(f.contact_state, shear_at(f, slot), shear);
    }
  });
}

void dem_one_loop(const Args& args, Fields& f, uint begin, uint end) {
  advance(args, f, begin, end, [&](uint i, vec3& change) {
    search(args, f, i, [&](uint partner) { respond(args, f, i, partner, vec3(0.0f), change); });
  });
}

void dem_two_loops(const Args& args, Fields& f, uint begin, uint end) {
  std::vector<uint> found;
  advance(args, f, begin, end, [&](uint i, vec3& change) {
    found.clear();
    search(args, f, i, [&](uint partner) { found.push_back(partner); });
    for (const uint partner : found)
      respond(args, f, i, partner, vec3(0.0f), change);
  });
}

}  // namespace talus::reference
