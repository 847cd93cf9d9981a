#pragma once
// The contacts of dem in a substep (shaders/shared/laws/dem.h, hertz.h).
#include "engine/reference/activity.h"
#include "engine/reference/finish.h"
#include "engine/reference/load.h"

namespace talus::reference {

inline DemSpring spring_of(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const float w = f.grains[i].velocity.w, r = f.grains[i].position.w, w_sum = w + c.inverse_mass;
  const float share = partner < body_partner && w_sum > 0.0f ? dem_share(w, r, c.inverse_mass, c.radius) : 1.0f;
  if (f.settings[0].solver.hertz)
    return hertz_spring(c, r, w_sum, share, law_of(f, i, partner), partner < body_partner, args.h);
  return dem_spring(share, w_sum, law_of(f, i, partner), args.h, f.settings[0].solver.material_stiffness,
                    f.settings[0].contacts.restitution);
}

// The springs of a contact, across the normal and against rolling, in units of velocity [m/s].
struct Springs {
  vec3 shear{0.0f}, roll{0.0f};

  void unload(const Contact& c, float approach, float h) {
    shear = hertz_unloaded(c, approach, h, shear);
    roll = hertz_unloaded(c, approach, h, roll);
  }
};

// Changes of a grain's velocity and spin by its contacts in this substep [m/s]; whether one of them touches.
struct DemChange {
  vec3 velocity{0.0f}, spin{0.0f};
  bool touched = false;
  bool stirred = false;  // the grain sleeps, and a body or a grain that moves is in its list
};

// Does the slice of grain i weigh?
inline bool weighs(const Fields& f, uint i) {
  if (f.settings[0].sleep.window == 0)
    return false;
  TALUS_ASSERT(i / slice_grains < f.slice_activity.size(), i, f.slice_activity.size());
  return f.slice_activity[i / slice_grains].state & slice_weighs;
}

// A contact of grain i adds to the load of a body (add_load) and, where the slice weighs, to what this does to the
// body.
inline void bear(Fields& f, uint i, uint partner, vec3 point, vec3 impulse, vec3 couple = vec3(0.0f)) {
  add_load(f, i, partner, point, impulse, couple);
  if (!weighs(f, i))
    return;
  SliceActivity& slice = f.slice_activity[i / slice_grains];
  if (!add_numbers(f, slice.load, point, -impulse, -couple))
    atomic_max(slice.body, several_bodies);
}

// Adds what a contact does to grain i to `change`; returns the contact's springs, which were `springs` before.
inline Springs respond(const Args& args, Fields& f, uint i, uint partner, Springs springs, DemChange& change) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  const float h = args.h, w = grain.velocity.w;
  const Contact c = contact_with<true>(f, i, partner);
  const PairLaw& law = law_of(f, i, partner);
  const DemSpring spring = spring_of(args, f, i, partner, c);
  const DemContact d = dem_contact(c, spring, law, vec3(grain.velocity), w, grain.position.w, change.velocity,
                                   h * settings.domain.gravity, partner >= body_partner, settings.contacts.reach > 0.0f,
                                   settings.contacts.restitution, h);
  if (!d.touches)
    return {};
  TALUS_ASSERT(d.w_sum > 0.0f, i, partner, d.w_sum);
  change.touched = true;
  if (settings.solver.hertz)
    springs.unload(c, d.approach, h);
  if (settings.solver.rotation == rotation_off) {
    const vec3 response =
        dem_respond(d, c, spring, law, across_share(c, w), settings.contacts.restitution, h, springs.shear);
    change.velocity += w / d.w_sum * response;
    if (is_body(partner))
      bear(f, i, partner, c.point, response / d.w_sum);
    return springs;
  }
  const Turn t = turn_with(f, i, partner, c);
  const float across = is_grain(partner) ? 1.0f : across_share_of_surfaces(c, t, w);
  const DemTurn turn = dem_turn(d, c, t, spring, law, across, settings.solver.rotation == rotation_rolling,
                                settings.contacts.restitution, h, springs.shear, springs.roll);
  change.velocity += w / d.w_sum * turn.response;
  change.spin += w / d.w_sum * f.grain_spin[i].w * turn.couple;
  if (is_body(partner))
    bear(f, i, partner, surface_point(c), turn.response / d.w_sum, grain.position.w / d.w_sum * turn.rolling);
  return springs;
}

// A body is in the lists of a slice that weighs.
inline void note_body(Fields& f, uint i, uint body) {
  uint& noted = f.slice_activity[i / slice_grains].body;
  uint before = 0;
  while (before == 0 && !atomic_ref(noted).compare_exchange_weak(before, body + 1)) {
  }
  if (before != 0 && before != body + 1)
    atomic_max(noted, several_bodies);
}

// Sleepers beside grain i are watched where it is awake, and it is itself where it sleeps beside a body that moves.
// Does a sleeper meet what rests?
inline bool meets_rest(Fields& f, uint i, uint partner, DemChange& change) {
  if (!sleeps(f, i)) {
    if (is_grain(partner) && rests(vec3(f.grains[partner].velocity), f.grains[partner].velocity.w))
      watch(f, partner);
    return false;
  }
  const bool stirs = is_grain(partner) ? vec3(f.grains[partner].velocity) != vec3(0.0f)
                                       : is_body(partner) && !stands_still(f, body_of(partner));
  change.stirred = change.stirred || stirs;
  if (stirs && !is_grain(partner))
    watch(f, i);
  return !stirs;
}

// As respond, of the contact in `slot`, whose springs are kept in contact_state where contacts have a memory. Those of
// a sleeper with what rests stay as they are, on both sides, whichever of the two has a slice that runs.
inline void respond_in(const Args& args, Fields& f, uint i, std::size_t slot, DemChange& change) {
  const bool memory = f.settings[0].contacts.memory,
             rolls = memory && f.settings[0].solver.rotation == rotation_rolling;
  Springs springs;
  if (memory)
    springs.shear = vec3_at(f.contact_state, shear_at(f, slot));
  if (rolls)
    springs.roll = vec3_at(f.contact_state, roll_at(f, slot));
  const uint partner = partner_at(f, i, slot);
  const bool kept = f.settings[0].sleep.window > 0 && meets_rest(f, i, partner, change);
  if (is_body(partner) && weighs(f, i))
    note_body(f, i, body_of(partner));
  springs = respond(args, f, i, partner, springs, change);
  if (kept)
    return;
  if (memory)
    put(f.contact_state, shear_at(f, slot), springs.shear);
  if (rolls)
    put(f.contact_state, roll_at(f, slot), springs.roll);
}

// Do contacts and gravity act on grain i in this substep? On a sleeper they do where it is stirred or unsettled.
inline bool is_acted_on(Fields& f, uint i, bool stirred) {
  if (!sleeps(f, i))
    return true;
  uint& unsettled = f.slice_activity[i / slice_grains].unsettled;
  unsettled |= (stirred ? 1u : 0u) << i % slice_grains;
  return unsettled >> i % slice_grains & 1;
}

// A substep of explicit dynamics. contacts(i, change): adds to `change` what all contacts of grain i do.
template <class Contacts> void dem_substep(const Args& args, Fields& f, uint begin, uint end, Contacts contacts) {
  Finish finish(args, f);
  const SleepSettings& sleep = f.settings[0].sleep;
  each_listed(args, f, begin, end, [&](uint first, uint last) {
    for (uint i = first; i < last; ++i) {
      DemChange change;
      contacts(i, change);
      const Grain& grain = f.grains[i];
      const float r = grain.position.w, w = grain.velocity.w;
      vec3 v(grain.velocity), way(0.0f);
      if (!is_acted_on(f, i, change.stirred))
        change = {};
      else if (w > 0.0f)
        v += change.velocity + args.h * f.settings[0].domain.gravity;
      if (!sleeps(f, i)) {  // of a sleeper activity_settle decides whether that moves it
        if (sleep.window > 0 && change.touched)
          v = slowed(v, sleep.drag, sleep.slow);
        way = args.h * v;
      }
      f.grains_next[i] = {vec4(vec3(grain.position) + way, r), vec4(v, w)};
      if (f.settings[0].solver.rotation != rotation_off)
        f.grain_spin_next[i] = f.grain_spin[i] + vec4(change.spin, 0.0f);
      finish.grain(i, f.grains_next[i]);
    }
  });
  finish.flush();
}

}  // namespace talus::reference
