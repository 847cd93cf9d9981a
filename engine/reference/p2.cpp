// Parallel Particles (Holz 2014).
#include "engine/reference/space.h"

namespace talus::reference {
namespace {

// Shares of the overlap and of the approach that one of n iterations corrects, so that all n together equal one step of
// implicit Euler of a spring-damper between two masses: equations 21 and 28 with 1/m = w.
struct Relaxation {
  float overlap, approach;
};
Relaxation relaxation(const PairLaw& law, float w, float h, float n) {
  const float ct = h * law.damping * w, kt = h * h * law.stiffness * w;
  if (!(ct + kt > 0.0f))
    return {0.0f, 0.0f};
  const float share = -std::expm1(-std::log1p(ct + kt) / n) / (ct + kt);
  return {share * kt, share * ct};
}

}  // namespace

void p2_solve(const Args& args, Fields& f, uint begin, uint end) {
  const float h = args.h;
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    const vec3 v(grain.velocity);
    const float w = grain.velocity.w;
    vec3 correction(0.0f);
    float weights = 0.0f;
    // Most contacts of a grain have one law and one mass: the two logarithms are worth keeping.
    const PairLaw* last_law = nullptr;
    float last_w = 0.0f;
    Relaxation relax{};
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = f.contact_partner[slot];
      const Contact c = contact_with(f, i, partner);
      vec4& sum = f.contact_sum[slot];
      if (args.iteration == 0)
        sum = vec4(0.0f, 0.0f, 0.0f, -1.0f);
      const float w_sum = w + c.inverse_mass;
      if (sum.w < 0.0f && (c.gap > 0.0f || !(w_sum > 0.0f)))
        continue;
      sum.w = std::max(sum.w, 0.0f);

      const PairLaw& law = law_of(f, i, partner);
      if (&law != last_law || w_sum != last_w) {
        relax = relaxation(law, w_sum, h, static_cast<float>(args.iterations));
        last_law = &law;
        last_w = w_sum;
      }

      const vec3 way = h * (v - c.velocity);
      const float approach = glm::dot(way, c.normal);
      const float normal = std::max(0.0f, sum.w - relax.overlap * c.gap - relax.approach * approach);

      const vec3 before(sum);
      vec3 tangent = before - glm::dot(before, c.normal) * c.normal + way - approach * c.normal;
      const float length = glm::length(tangent);
      if (length > law.friction_static * normal)
        tangent *= law.friction_kinetic * normal / length;

      // The mean is over masses at the contact: the paper's where partners are alike.
      const float weight = 1.0f / (w + (c.inverse_mass > 0.0f ? c.inverse_mass : w));
      correction += weight * w / w_sum * ((normal - sum.w) * c.normal - (tangent - before));
      weights += weight;
      sum = vec4(tangent, normal);
    }
    Grain& next = f.grains_next[i];
    next = grain;
    if (w > 0.0f && weights > 0.0f) {
      correction /= weights;
      next.position = vec4(vec3(grain.position) + correction, grain.position.w);
      next.velocity = vec4(v + correction / h, w);
    }
  }
}

}  // namespace talus::reference
