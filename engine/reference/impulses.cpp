// Velocity time stepping and sequential positions: contacts that push by impulses.
#include "engine/reference/impulse.h"
#include "engine/reference/load.h"

namespace talus::reference {
namespace {

using Method = ImpulseMethod;

// Impulse by which adhesion can pull in a substep: over the cross-section of the smaller grain, fading out over the
// gap.
float hold_of(const Args& args, const PairLaw& law, const Contact& c, float r) {
  if (law.adhesion == 0.0f)
    return 0.0f;
  const float radius = std::min(r, c.radius);
  const float fade = std::clamp(2.0f - c.gap / (adhesion_reach * radius), 0.0f, 1.0f);
  return fade * args.h * law.adhesion * pi * radius * radius;
}

// Does a contact with this impulse slide? It was at the edge of a friction cone when the last substep ended, and has
// not turned back since.
bool slides(const PairLaw& law, vec3 drag, vec3 slip, float grip, float w_sum) {
  if (glm::dot(drag, slip) > turned_back * w_sum * glm::dot(drag, drag))
    return false;
  const float length = glm::length(drag);
  return std::abs(length - law.friction_kinetic * grip) <= 1e-4f * law.friction_kinetic * grip ||
         length >= (1.0f - 1e-4f) * law.friction_static * grip;
}

// A tangential vector of a contact whose normal has turned: of the same length, unless little of it is left in the new
// plane.
vec3 turned(vec3 t, vec3 normal) {
  const vec3 u = t - glm::dot(t, normal) * normal;
  const float before = glm::dot(t, t), after = glm::dot(u, u);
  return after > 0.0f ? std::min(std::sqrt(before / after), 2.0f) * u : vec3(0.0f);
}

// Shortens t to `length` where it is longer than `limit`.
vec3 bounded(vec3 t, float limit, float length) {
  const float now = glm::length(t);
  return now > limit ? t * (length / now) : t;
}

// Impulse per residual.
float rate_of(const Fields& f, uint i, uint partner, float w, float other_w) {
  const Settings& settings = f.settings[0];
  const float w_sum = w + other_w;
  if (settings.iteration == iteration_gauss_seidel)
    return settings.omega / w_sum;
  const float own_load = static_cast<float>(f.contact_load[i]);
  const float other_load = partner < body_partner ? static_cast<float>(f.contact_load[partner]) : 1.0f;
  const float w_shared = own_load * w + other_load * other_w;
  if (settings.iteration == iteration_mass_splitting)
    return settings.omega / w_shared;
  const float uneven = partner < body_partner ? std::abs(w - other_w) / w_sum : 0.0f;
  return (1.0f - uneven_share * uneven) * settings.omega / std::max(w_sum, w_shared / load_most);
}

}  // namespace

vec3 recall_contact(const Args& args, Fields& f, uint i, std::size_t slot, uint& load) {
  const Settings& settings = f.settings[0];
  const bool memory = settings.options & option_memory, impulses = settings.options & option_impulses;
  const Grain& grain = f.grains[i];
  const float h = args.h, fall = h * glm::length(settings.gravity), r = grain.position.w, w = grain.velocity.w;
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner);
  const vec3 relative = vec3(grain.velocity) - c.velocity;
  load += c.gap < std::max(h * (glm::length(relative) + fall), contact_near * std::min(r, c.radius));
  const vec4 before = impulses ? vec4_at(f.contact_sum, slot) : vec4(0.0f);
  vec4 sum(0.0f);
  vec3 shear(0.0f), push(0.0f);
  const PairLaw& law = law_of(f, i, partner);
  float friction = law.friction_static;
  if (before != vec4(0.0f)) {
    const float hold = hold_of(args, law, c, r), grip = before.w + hold;
    if (memory && grip > grip_least * hold) {
      const vec3 slip = relative - glm::dot(relative, c.normal) * c.normal;
      const float w_sum = w + c.inverse_mass;
      if (slides(law, vec3(before), slip, grip, w_sum))
        friction = law.friction_kinetic;
      const float limit = friction * grip * w_sum * h / (memory_share * c.across_share(w));
      shear = bounded(turned(vec3_at(f.contact_shear, slot), c.normal) + h * slip, limit, limit);
    }
    const float warm = is_body(partner) ? std::min(settings.warm_start, warm_most) : settings.warm_start;
    const float pressure = std::max(warm * before.w, -hold);
    const float limit = friction * (pressure + hold);
    const vec3 drag = bounded(warm * turned(vec3(before), c.normal), limit, limit);
    sum = vec4(drag, pressure);
    push = pressure * c.normal + drag;
  }
  put(f.contact_sum, slot, sum);
  if (memory)
    put(f.contact_shear, slot, shear);
  if (memory && law.friction_static != law.friction_kinetic)
    f.contact_friction[slot] = friction;
  if (settings.iteration == iteration_improved_jacobi)
    put(f.contact_change, slot, vec4(0.0f));
  return push;
}

vec3 iterate_contact(const Args& args, Fields& f, uint i, std::size_t slot, Method method) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner, method == Method::sp ? args.h : 0.0f);
  const float w = grain.velocity.w, w_sum = w + c.inverse_mass;
  if (!(w_sum > 0.0f))
    return vec3(0.0f);

  const vec3 relative = vec3(grain.velocity) - c.velocity;
  const float approach = glm::dot(relative, c.normal);
  float residual;
  if (method == Method::sp) {
    residual = settings.kv * approach + settings.kc * c.gap / args.h;
  } else {
    residual = approach + (c.gap < 0.0f ? settings.gamma : 1.0f) * c.gap / args.h;
  }
  vec3 slip = relative - approach * c.normal;
  if (settings.options & option_memory)
    slip += memory_share / args.h * vec3_at(f.contact_shear, slot);

  const PairLaw& law = law_of(f, i, partner);
  float friction_static = law.friction_static, friction_kinetic = law.friction_kinetic, beta = args.beta;
  const bool momentum = settings.iteration == iteration_improved_jacobi;
  const vec4 before = vec4_at(f.contact_sum, slot), last = momentum ? vec4_at(f.contact_change, slot) : vec4(0.0f);
  if (friction_static != friction_kinetic) {
    if (settings.options & option_memory)
      friction_static = friction_kinetic = f.contact_friction[slot];
    else if (residual * last.w + glm::dot(slip, vec3(last)) > 0.0f)
      beta = 0.0f;  // friction falls as sliding begins: momentum that has overshot would slide on
  }
  const float hold = hold_of(args, law, c, grain.position.w);
  const float rate = rate_of(f, i, partner, w, c.inverse_mass);
  const vec4 start = before + beta * last;
  const float pressure = std::max(start.w - rate * residual, -hold);
  const float grip = pressure + hold;
  const vec3 drag = bounded(vec3(start) - glm::dot(vec3(start), c.normal) * c.normal - rate * c.across_share(w) * slip,
                            friction_static * grip, friction_kinetic * grip);
  const vec4 sum(drag, pressure), change = sum - before;
  put(f.contact_sum, slot, sum);
  if (momentum)
    put(f.contact_change, slot, change);
  return change.w * c.normal + vec3(change);
}

namespace {

void recall(const Args& args, Fields& f, uint begin, uint end, Method method) {
  const Settings& settings = f.settings[0];
  const bool parallel = settings.iteration != iteration_gauss_seidel;
  const float h = args.h;
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    vec3 v(grain.velocity), push(0.0f);
    const float r = grain.position.w, w = grain.velocity.w;
    uint load = 0;
    each_contact(f, i, [&](std::size_t slot) { push += recall_contact(args, f, i, slot, load); });
    if (parallel)
      f.contact_load[i] = std::max(load, 1u);
    if (w > 0.0f)
      v += w * push + h * settings.gravity;
    vec3 p(grain.position);
    if (method == Method::sp)
      p += h * v;
    f.grains_next[i] = {vec4(p, r), vec4(v, w)};
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
    vec3 impulse(0.0f);
    each_contact(f, i, [&](std::size_t slot) { impulse += iterate_contact(args, f, i, slot, method); });
    f.grains_next[i] = f.grains[i];
    push(args, f.grains_next[i], impulse, method);
  }
}

// Every contact once, from the side that comes first; the next one sees what it did.
void gauss_seidel(const Args& args, Fields& f, Method method) {
  for (uint i = 0; i < args.grains; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      if (partner < i)
        continue;
      const vec3 impulse = iterate_contact(args, f, i, slot, method);
      push(args, f.grains[i], impulse, method);
      if (partner >= body_partner)
        continue;
      push(args, f.grains[partner], -impulse, method);
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
      const vec4 sum = vec4_at(f.contact_sum, slot);
      if (!is_body(partner) || sum == vec4(0.0f) ||
          (args.iteration < args.iterations && f.bodies[body_of(partner)].split == 0.0f))
        continue;
      const Contact c = contact_with(f, i, partner, method == Method::sp ? args.h : 0.0f);
      add_load(f, i, partner, c.point, sum.w * c.normal + vec3(sum));
    }
}

}  // namespace

void vts_recall(const Args& args, Fields& f, uint begin, uint end) {
  recall(args, f, begin, end, Method::vts);
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
void sp_recall(const Args& args, Fields& f, uint begin, uint end) {
  recall(args, f, begin, end, Method::sp);
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
