// Position-based dynamics (Macklin et al. 2014, Sommer and Schwanecke 2022).
#include "engine/reference/load.h"
#include "engine/reference/relative.h"
#include <bit>

namespace talus::reference {
namespace {

// What the contact in `slot` changes the distance vector of grain i and its partner by, and the part of it that falls
// to grain i; false where the two do not overlap. The sums go on in `slot`.
struct Change {
  vec3 way;
  float part, impulse;  // h [s] times the impulse per way [kg]
};
bool solve(const Args& args, Fields& f, uint i, uint partner, const Contact& c, std::size_t slot, Change& change) {
  const Settings& settings = f.settings[0];
  const float w = f.grains[i].velocity.w;
  vec4& sum = f.contact_sum[slot];
  const bool after = settings.options & option_friction_after, last = args.iteration + 1 == args.iterations;
  const bool touches = c.gap < -gap_least * std::min(f.grains[i].position.w, c.radius);
  if (!(w + c.inverse_mass > 0.0f) || !(touches || (after && last && sum.w > 0.0f)))
    return false;
  // Mass scaling: w exp(k z) at height z, of which only the ratio of the two matters.
  const float rise = (c.gap + f.grains[i].position.w + c.radius) * glm::dot(c.normal, settings.down);
  const float w_other = c.inverse_mass * std::exp(std::clamp(settings.mass_scaling * rise, -60.0f, 60.0f)),
              w_sum = w + w_other;
  float share = 1.0f;
  if (settings.iteration == iteration_mass_splitting)
    share = w_sum / (w * parts(f, i) + w_other * (is_grain(partner) ? parts(f, partner) : 1.0f));

  const vec3 way = relative_way(args, f, i, c), slip = way - glm::dot(way, c.normal) * c.normal;
  const float pushed = share * std::max(-c.gap, 0.0f), normal = sum.w + pushed;
  vec3 before(0.0f);
  float bound = pushed;
  if (after) {
    bound = last ? args.h * args.h * glm::length(settings.gravity) : 0.0f;
  } else if (!(settings.options & option_per_iteration)) {
    before = vec3(sum);
    bound = normal;
  }
  const PairLaw& law = law_of(f, i, partner);
  vec3 drag = before - glm::dot(before, c.normal) * c.normal + share * c.across_share(w) * slip;
  const float length = glm::length(drag);
  if (length > law.friction_static * bound)
    drag *= std::min(law.friction_kinetic * bound / length, 1.0f);
  sum = vec4(drag, normal);
  change = {pushed * c.normal - (drag - before), w / w_sum, 1.0f / w_sum};
  return true;
}

void clear_sums(Fields& f, uint i) {
  for (uint k = 0; k < f.contact_count[i]; ++k)
    if (const std::size_t slot = contact_slot(f, i, k); !is_triangle(f.contact_partner[slot]))
      f.contact_sum[slot] = vec4(0.0f);
}

}  // namespace

void pbd_stabilize(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const float w = f.grains[i].velocity.w;
    vec3 correction(0.0f);
    float weights = 0.0f;
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const uint partner = partner_at(f, i, contact_slot(f, i, k));
      if (is_triangle(partner))
        continue;
      const Contact c = contact_with(f, i, partner);
      if (!(w > 0.0f) || c.gap >= 0.0f)
        continue;
      const float weight = mean_weight(f, w, c);
      correction -= weight * w / (w + c.inverse_mass) * c.gap * c.normal;
      weights += weight;
    }
    f.grains_next[i] = f.grains[i];
    if (weights > 0.0f) {
      correction /= weights;
      f.grains_next[i].position += vec4(correction, 0.0f);
      const float shift = static_cast<float>(args.iterations) * glm::length(correction);
      atomic_max(f.worlds[world_of(f, i)].shift_bits, std::bit_cast<uint>(shift));
    }
  }
}

void pbd_solve(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const bool split = settings.iteration == iteration_mass_splitting;
  for (uint i = begin; i < end; ++i) {
    const float w = f.grains[i].velocity.w;
    vec3 correction(0.0f);
    float weights = 0.0f;
    if (args.iteration == 0)
      clear_sums(f, i);
    BodyPushes pushes;
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      const Contact c = contact_with(f, i, partner, args.h);
      Change change;
      if (!solve(args, f, i, partner, c, slot, change))
        continue;
      const float weight = split ? 1.0f : mean_weight(f, w, c);
      correction += weight * change.part * change.way;
      weights += weight;
      if (is_body(partner))
        pushes.note(f, i, partner, c.point, weight * change.impulse * change.way);
    }
    f.grains_next[i] = f.grains[i];
    const float scale = split || !(weights > 0.0f) ? settings.sor : settings.sor / weights;
    pushes.add(f, i, scale / args.h);
    if (w > 0.0f && weights > 0.0f)
      displace(args, f.grains_next[i], scale * correction);
  }
}

// Every contact once, from its grain that is first in memory, applied to both before the next one looks.
void pbd_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  const float sor = f.settings[0].sor;
  if (args.iteration == 0)
    for (uint i = 0; i < args.grains; ++i)
      clear_sums(f, i);
  for (uint i = 0; i < args.grains; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      if (partner < i)
        continue;
      const Contact c = contact_with(f, i, partner, args.h);
      Change change;
      if (!solve(args, f, i, partner, c, slot, change))
        continue;
      const vec3 push = sor * change.part * change.way;
      displace(args, f.grains[i], push);
      if (is_body(partner))
        add_load(f, i, partner, c.point, sor * change.impulse / args.h * change.way);
      if (is_grain(partner)) {
        displace(args, f.grains[partner], sor * (change.part - 1.0f) * change.way);
        mirror_sum(f, i, partner, slot);
      }
    }
}

}  // namespace talus::reference
