#pragma once
// Normal force of a grain's contacts [N], as the last substep left them (Settings.force).
#include "engine/reference/dem_contact.h"
#include "engine/reference/relative.h"
#include "engine/reference/triangle.h"

namespace talus::reference {

class ContactForces {
public:
  ContactForces(const Args& args, const Fields& f, uint i)
      : args_(args), f_(f), settings_(f.settings[0]), i_(i), w_(f.grains[i].velocity.w) {
    if (settings_.solver.force >= force_correction && by_mean(settings_))
      each_contact(f, i,
                   [&](std::size_t slot) { weights_ += f.contact_state[normal_at(f, slot)] > 0.0f ? 1.0f : 0.0f; });
  }

  float of(std::size_t slot, const Contact& c) const {
    const float w_sum = w_ + c.inverse_mass, h = args_.h;
    if (!(w_sum > 0.0f))
      return 0.0f;
    if (settings_.solver.force == force_spring) {
      if (c.gap >= 0.0f)
        return 0.0f;
      const DemSpring spring = spring_of(args_, f_, i_, partner_at(f_, i_, slot), c);
      return dem_force(c, spring, vec3(f_.grains[i_].velocity), w_sum, h);
    }
    const float sum = f_.contact_state[normal_at(f_, slot)];
    if (!(sum > 0.0f))
      return 0.0f;
    if (settings_.solver.force == force_impulse)
      return sum / h;
    const float share = weights_ > 0.0f ? 1.0f / weights_ : 1.0f;
    return share *
           (settings_.solver.force == force_displacement && !by_weight(settings_) ? settings_.solver.sor : 1.0f) * sum /
           (h * h * w_sum);
  }

private:
  const Args& args_;
  const Fields& f_;
  const Settings& settings_;
  uint i_;
  float w_, weights_ = 0.0f;  // contacts of which a mean is taken
};

}  // namespace talus::reference
