// Velocity time stepping and sequential positions: contacts that push by impulses.
#include "engine/reference/impulse.h"
#include "engine/reference/load.h"

namespace talus::reference {
namespace {

using Method = ImpulseMethod;

// Impulse per residual of a Jacobi iteration.
float rate_of(const Fields& f, uint i, uint partner, float w, float other_w, bool split, float omega) {
  TALUS_ASSERT(w + other_w > 0.0f, i, partner, w, other_w);
  const bool grains_both = partner < body_partner;
  const float other_load = grains_both ? static_cast<float>(f.contact_load[partner]) : 1.0f;
  return impulse_rate(w, other_w, static_cast<float>(f.contact_load[i]), other_load, grains_both, split, omega);
}

// The same of any.
float rate_of(const Fields& f, uint i, uint partner, float w, float other_w) {
  const Settings& settings = f.settings[0];
  if (settings.solver.iteration == iteration_gauss_seidel)
    return settings.solver.omega / (w + other_w);
  return rate_of(f, i, partner, w, other_w, settings.solver.iteration == iteration_mass_splitting,
                 settings.solver.omega);
}

}  // namespace

Push restore_contact(const Args& args, Fields& f, uint i, std::size_t slot, Method method, uint& load) {
  const Settings& settings = f.settings[0];
  const bool memory = settings.contacts.memory, impulses = settings.contacts.impulses;
  const Grain& grain = f.grains[i];
  const float h = args.h, fall = h * glm::length(settings.domain.gravity), r = grain.position.w, w = grain.velocity.w;
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner);
  const vec3 relative = vec3(grain.velocity) - c.velocity;
  const float r_min = std::min(r, c.radius);
  load += impulse_near(c, relative, r_min, fall, h);
  vec4 sum = impulses ? vec4_at(f.contact_state, sum_at(f, slot)) : vec4(0.0f);
  const bool rotates = settings.solver.rotation != rotation_off, rolls = settings.solver.rotation == rotation_rolling;
  vec3 shear(0.0f), rolling_impulse(0.0f), roll(0.0f);
  Push push;
  const PairLaw& law = law_of(f, i, partner);
  float friction = law.friction_static;
  if (sum != vec4(0.0f)) {
    if (memory)
      shear = vec3_at(f.contact_state, shear_at(f, slot));
    const float warm = is_body(partner) ? std::min(settings.solver.warm_start, warm_most) : settings.solver.warm_start;
    vec3 friction_impulse(sum);
    const float hold = impulse_adhesion_limit(law.adhesion, c.gap, r_min, h), pressed = sum.w;
    if (!rotates) {
      impulse_warm_start(c, law, relative, w + c.inverse_mass, hold, across_share(c, w), warm, memory, h,
                         friction_impulse, sum.w, shear, friction);
    } else {
      const Turn t = turn_with(f, i, partner, c);
      impulse_warm_start(c, law, relative + turn_slip(c, t), t.ease, hold, 1.0f, warm, memory, h, friction_impulse,
                         sum.w, shear, friction);
      if (rolls) {
        rolling_impulse = vec3_at(f.contact_state, roll_sum_at(f, slot));
        if (memory)
          roll = vec3_at(f.contact_state, roll_at(f, slot));
        impulse_warm_start_rolling(t, law, pressed + hold, hold, sum.w, warm, rolling_memory_share(method), h,
                                   rolling_impulse, roll);
      }
      push.couple = turn_couple(c, t, friction_impulse, rolling_impulse);
    }
    sum = vec4(friction_impulse, sum.w);
    push.impulse = sum.w * c.normal + friction_impulse;
  }
  put(f.contact_state, sum_at(f, slot), sum);
  if (memory)
    put(f.contact_state, shear_at(f, slot), shear);
  if (memory && law.friction_static != law.friction_kinetic)
    f.contact_state[friction_at(f, slot)] = friction;
  if (settings.contacts.restitution)
    f.contact_state[rebound_at(f, slot)] = impulse_rebound(c, law, glm::dot(relative, c.normal), fall, h);
  const bool momentum = settings.solver.iteration == iteration_improved_jacobi;
  if (momentum)
    put(f.contact_state, change_at(f, slot), vec4(0.0f));
  if (rolls) {
    put(f.contact_state, roll_sum_at(f, slot), rolling_impulse);
    if (memory)
      put(f.contact_state, roll_at(f, slot), roll);
    if (momentum)
      put(f.contact_state, roll_change_at(f, slot), vec3(0.0f));
  }
  return push;
}

Push iterate_contact(const Args& args, Fields& f, uint i, std::size_t slot, Method method) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner, method == Method::sp ? args.h : 0.0f);
  const float w = grain.velocity.w, w_sum = w + c.inverse_mass;
  if (!(w_sum > 0.0f))
    return {};

  const vec3 relative = vec3(grain.velocity) - c.velocity;
  const float approach = glm::dot(relative, c.normal);
  float residual = method == Method::sp ? sp_residual(approach, c.gap, settings.solver.kv, settings.solver.kc, args.h)
                                        : vts_residual(approach, c.gap, settings.solver.gamma, args.h);
  float rate = rate_of(f, i, partner, w, c.inverse_mass), beta = args.beta;
  if (settings.contacts.restitution) {
    const float rebound = f.contact_state[rebound_at(f, slot)];
    residual = rebound_residual(residual, approach, rebound);
    if (settings.solver.iteration != iteration_gauss_seidel)
      rate = rebound_rate(rate, rate_of(f, i, partner, w, c.inverse_mass, true, 1.0f), rebound, args.iteration == 0);
    beta = rebound_beta(beta, rebound, args.iteration == 1);
  }
  const bool rotates = settings.solver.rotation != rotation_off;
  const Turn t = rotates ? turn_with(f, i, partner, c) : Turn{};
  vec3 slip = relative - approach * c.normal;
  if (rotates)
    slip += turn_slip(c, t);
  if (settings.contacts.memory)
    slip += memory_share / args.h * vec3_at(f.contact_state, shear_at(f, slot));

  const PairLaw& law = law_of(f, i, partner);
  float friction_static = law.friction_static, friction_kinetic = law.friction_kinetic;
  const bool momentum = settings.solver.iteration == iteration_improved_jacobi;
  const vec4 before = vec4_at(f.contact_state, sum_at(f, slot)),
             last = momentum ? vec4_at(f.contact_state, change_at(f, slot)) : vec4(0.0f);
  if (!settings.contacts.memory)
    beta = impulse_beta(law, residual, slip, vec3(last), last.w, beta);
  else if (friction_static != friction_kinetic)
    friction_static = friction_kinetic = f.contact_state[friction_at(f, slot)];
  const float adhesion_limit =
      impulse_adhesion_limit(law.adhesion, c.gap, std::min(grain.position.w, c.radius), args.h);
  vec3 friction_impulse(before);
  float pressure = before.w;
  impulse_iterate(c.normal, residual, slip, adhesion_limit, rate, rotates ? w_sum / t.ease : across_share(c, w), beta,
                  friction_static, friction_kinetic, vec3(last), last.w, friction_impulse, pressure);
  const vec4 sum(friction_impulse, pressure), change = sum - before;
  put(f.contact_state, sum_at(f, slot), sum);
  if (momentum)
    put(f.contact_state, change_at(f, slot), change);
  Push push{change.w * c.normal + vec3(change)};
  if (!rotates)
    return push;
  vec3 rolled(0.0f);
  if (settings.solver.rotation == rotation_rolling) {
    const vec3 rolling_before = vec3_at(f.contact_state, roll_sum_at(f, slot)),
               last_rolling = momentum ? vec3_at(f.contact_state, roll_change_at(f, slot)) : vec3(0.0f),
               roll = settings.contacts.memory ? vec3_at(f.contact_state, roll_at(f, slot)) : vec3(0.0f);
    vec3 rolling = rolling_before;
    impulse_iterate_rolling(t, law, roll, pressure + adhesion_limit, rate, w_sum, rolling_relaxation(method),
                            rolling_memory_share(method), beta, args.h, last_rolling, rolling);
    rolled = rolling - rolling_before;
    put(f.contact_state, roll_sum_at(f, slot), rolling);
    if (momentum)
      put(f.contact_state, roll_change_at(f, slot), rolled);
  }
  push.couple = turn_couple(c, t, vec3(change), rolled);
  push.rolling = rolled;
  return push;
}

namespace {

void turn(const Fields& f, uint i, vec4& spin, vec3 couple) {
  spin = f.grain_spin[i] + vec4(f.grains[i].velocity.w * f.grain_spin[i].w * couple, 0.0f);
}

void restore(const Args& args, Fields& f, uint begin, uint end, Method method) {
  const Settings& settings = f.settings[0];
  const bool parallel = settings.solver.iteration != iteration_gauss_seidel;
  const float h = args.h;
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    vec3 v(grain.velocity);
    Push push;
    const float r = grain.position.w, w = grain.velocity.w;
    uint load = 0;
    each_contact(f, i, [&](std::size_t slot) { push += restore_contact(args, f, i, slot, method, load); });
    if (parallel)
      f.contact_load[i] = std::max(load, 1u);
    if (w > 0.0f)
      v += w * push.impulse + h * settings.domain.gravity;
    vec3 p(grain.position);
    if (method == Method::sp)
      p += h * v;
    f.grains_next[i] = {vec4(p, r), vec4(v, w)};
    if (settings.solver.rotation != rotation_off)
      turn(f, i, f.grain_spin_next[i], push.couple);
  }
}

void push(const Args& args, Grain& grain, vec3 impulse, Method method) {
  const vec3 change = grain.velocity.w * impulse;
  grain.velocity += vec4(change, 0.0f);
  if (method == Method::sp)
    grain.position += vec4(args.h * change, 0.0f);
}

void jacobi(const Args& args, Fields& f, uint begin, uint end, Method method) {
  for (uint i = begin; i < end; ++i) {
    Push all;
    each_contact(f, i, [&](std::size_t slot) { all += iterate_contact(args, f, i, slot, method); });
    f.grains_next[i] = f.grains[i];
    push(args, f.grains_next[i], all.impulse, method);
    if (f.settings[0].solver.rotation != rotation_off)
      turn(f, i, f.grain_spin_next[i], all.couple);
  }
}

// Every contact once, from the side that comes first; the next one sees what it did.
void gauss_seidel(const Args& args, Fields& f, Method method) {
  const bool rotates = f.settings[0].solver.rotation != rotation_off;
  for (uint i = 0; i < args.grains; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      if (partner < i)
        continue;
      const Push own = iterate_contact(args, f, i, slot, method);
      push(args, f.grains[i], own.impulse, method);
      if (rotates)
        turn(f, i, f.grain_spin[i], own.couple);
      if (partner >= body_partner)
        continue;
      TALUS_ASSERT(partner > i && partner < args.grains, i, partner);
      push(args, f.grains[partner], -own.impulse, method);
      if (rotates)
        turn(f, partner, f.grain_spin[partner], own.couple - own.rolling);
      mirror_sum(f, i, partner, slot);
    }
}

// What contacts with bodies have done: their sums. To dynamic bodies between the iterations, to others after the last.
void load_bodies(const Args& args, Fields& f, uint begin, uint end, Method method) {
  for (uint i = begin; i < end; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      const vec4 sum = vec4_at(f.contact_state, sum_at(f, slot));
      if (!is_body(partner) || sum == vec4(0.0f) ||
          (args.iteration < args.iterations && f.bodies[body_of(partner)].split == 0.0f))
        continue;
      const Contact c = contact_with(f, i, partner, method == Method::sp ? args.h : 0.0f);
      const uint rotation = f.settings[0].solver.rotation;
      const vec3 rolling = rotation == rotation_rolling ? vec3_at(f.contact_state, roll_sum_at(f, slot)) : vec3(0.0f);
      add_load(f, i, partner, rotation == rotation_off ? c.point : surface_point(c), sum.w * c.normal + vec3(sum),
               f.grains[i].position.w * rolling);
    }
}

}  // namespace

void vts_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore(args, f, begin, end, Method::vts);
}
void vts_solve(const Args& args, Fields& f, uint begin, uint end) {
  jacobi(args, f, begin, end, Method::vts);
}
void vts_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  gauss_seidel(args, f, Method::vts);
}
void vts_push(const Args& args, Fields& f, uint begin, uint end) {
  load_bodies(args, f, begin, end, Method::vts);
}
void sp_warm_start(const Args& args, Fields& f, uint begin, uint end) {
  restore(args, f, begin, end, Method::sp);
}
void sp_solve(const Args& args, Fields& f, uint begin, uint end) {
  jacobi(args, f, begin, end, Method::sp);
}
void sp_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  gauss_seidel(args, f, Method::sp);
}
void sp_push(const Args& args, Fields& f, uint begin, uint end) {
  load_bodies(args, f, begin, end, Method::sp);
}

}  // namespace talus::reference
