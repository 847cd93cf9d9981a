#pragma once
// Normal force and friction of a grain's contacts [N], as the last substep left them (Settings.force).
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

  // Friction on grain i [N], across the normal, in a contact whose normal force `normal` is not 0.
  vec3 friction(std::size_t slot, const Contact& c, float normal) const {
    if (settings_.solver.force == force_spring)
      return dem_friction(slot, c);
    // Impulses push the grain, corrections are what it is held back by.
    const vec4 sum = vec4_at(f_.contact_state, sum_at(f_, slot));
    return (settings_.solver.force == force_impulse ? normal : -normal) / sum.w * across(vec3(sum), c);
  }

private:
  static vec3 across(vec3 v, const Contact& c) { return v - glm::dot(v, c.normal) * c.normal; }

  // The friction force [N] that springs and dampers give in the next substep, where no other contact has changed the
  // velocity of the grain before.
  vec3 dem_friction(std::size_t slot, const Contact& c) const {
    const uint partner = partner_at(f_, i_, slot);
    const PairLaw& law = law_of(f_, i_, partner);
    const DemSpring spring = spring_of(args_, f_, i_, partner, c);
    const Grain& grain = f_.grains[i_];
    const float h = args_.h;
    const DemContact d = dem_contact(c, spring, law, vec3(grain.velocity), w_, grain.position.w, vec3(0.0f),
                                     h * settings_.domain.gravity, partner >= body_partner,
                                     settings_.contacts.reach > 0.0f, settings_.contacts.restitution, h);
    if (!d.touches)
      return vec3(0.0f);
    vec3 shear = settings_.contacts.memory ? vec3_at(f_.contact_state, shear_at(f_, slot)) : vec3(0.0f), response;
    if (settings_.solver.hertz)
      shear = hertz_unloaded(c, d.approach, h, shear);
    if (settings_.solver.rotation == rotation_off) {
      response = dem_respond(d, c, spring, law, across_share(c, w_), settings_.contacts.restitution, h, shear);
    } else {
      const Turn t = turn_with(f_, i_, partner, c);
      const float share = is_grain(partner) ? 1.0f : across_share_of_surfaces(c, t, w_);
      vec3 roll(0.0f);
      response = dem_turn(d, c, t, spring, law, share, false, settings_.contacts.restitution, h, shear, roll).response;
    }
    return across(response, c) / (h * d.w_sum);
  }

  const Args& args_;
  const Fields& f_;
  const Settings& settings_;
  uint i_;
  float w_, weights_ = 0.0f;  // contacts of which a mean is taken
};

}  // namespace talus::reference
