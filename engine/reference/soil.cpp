// Grains that come out of the ground, and bodies that feel its surface.
#include "engine/reference/load.h"
#include "engine/reference/soil_top.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace talus::reference {

#include "shaders/shared/laws/ground.h"

namespace {

bool is_fresh(const Fields& f, uint i) {
  const SoilOrigin& origin = f.soil_origin[i];
  return origin.tile > 0 && origin.since == f.worlds[world_of(f, i)].clock;
}

// The tile's spring between grain i and a partner (grain j, if the partner is a grain); null if the tile has none, or
// if the two do not lie as they do in the tile.
const SoilSpring* spring_in_tile(const Fields& f, uint i, uint partner, uint j) {
  const uint tile = f.soil_origin[i].tile;
  if (tile == 0 || (is_grain(partner) && f.soil_origin[j].tile == 0))
    return nullptr;
  TALUS_ASSERT(tile < f.soil_first.size(), i, tile, f.soil_first.size());
  const uint name = is_grain(partner) ? f.soil_origin[j].tile - 1 : partner;
  const vec3 apart =
      is_grain(partner) ? shortest(vec3(f.grains[j].position) - vec3(f.grains[i].position), f.settings[0]) : vec3(0.0f);
  const float most = soil_in_place * f.grains[i].position.w;
  for (uint s = f.soil_first[tile - 1]; s < f.soil_first[tile]; ++s) {
    const SoilSpring& spring = f.soil_springs[s];
    const vec3 off = is_grain(partner) ? apart - spring.apart : vec3(0.0f);
    if (spring.partner == name && squared(off) <= most * most)
      return &spring;
  }
  return nullptr;
}

}  // namespace

void soil_springs(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint first = settings.worlds.count == 1 ? 0 : world_of(f, i) * settings.worlds.places;
    const bool fresh = is_fresh(f, i);
    for (uint k = 0; k < f.contact_count_next[i]; ++k) {
      const std::size_t slot = next_slot(f, i, k);
      const uint partner = f.contact_partner[slot], j = is_grain(partner) ? first + partner : i;
      if (!fresh && !is_fresh(f, j))
        continue;
      const SoilSpring* const spring = spring_in_tile(f, i, partner, j);
      const float to_speed = args.h * (f.grains[i].velocity.w + (is_grain(partner) ? f.grains[j].velocity.w : 0.0f));
      put(f.contact_state, shear_at(f, slot), spring ? to_speed * spring->shear : vec3(0.0f));
      if (settings.contacts.roll != state_none)
        put(f.contact_state, roll_at(f, slot), spring ? to_speed * spring->roll : vec3(0.0f));
    }
  }
}

namespace {

// Bodies that feel the ground by its surface. The shader says how they share the samples.
class Ground {
public:
  Ground(const Args& args, Fields& f)
      : f_(f), settings_(f.settings[0]), site_(f.soil_site[0]), h_(args.h), pitch_(site_.edge / vec2(site_.samples)),
        along_(site_.count * site_.samples) {}

  void press(uint k) {
    const uint places = site_.span * site_.span, own = k / places, world = own / site_.bodies;
    const auto at = sample_near(body_of_place(world, own % site_.bodies), k % places);
    if (!at)
      return;
    const vec2 place = site_.min + (vec2(*at) + 0.5f) * pitch_;
    if (!is_near(body_of_place(world, own % site_.bodies), place))
      return;
    for (uint other = 0; other < own % site_.bodies; ++other)
      if (is_near(body_of_place(world, other), place))
        return;
    GroundSample& ground = f_.ground_samples[(world * along_.y + (*at).y) * along_.x + (*at).x];
    const float top = is_bare(world, *at) ? surface_at(world, place) : -1e30f;
    std::optional<uint> presses;
    vec3 point(0.0f);
    float lowest = top;
    for (uint other = own % site_.bodies; other < site_.bodies; ++other) {
      const uint body = body_of_place(world, other);
      if (!is_near(body, place))
        continue;
      const vec3 there = lowest_point(body, place, lowest);
      if (const float z = f_.bodies[body].motion.position.z + there.z; z < lowest) {
        lowest = z;
        presses = body;
        point = there;
      }
    }
    if (presses)
      bear(k, *presses, point, top - lowest, ground);
    else if (ground.mobilized != 0.0f)
      ground = {vec3(0.0f), 0.0f, ground.sunk, ground.dug};
  }

private:
  uint body_of_place(uint world, uint place) const { return world * settings_.bodies.count + f_.ground_bodies[place]; }

  // The sample at a place in the square around a body, if there is one.
  std::optional<uvec2> sample_near(uint body, uint place) const {
    const uvec2 here(place % site_.span, place / site_.span);
    uvec2 at;
    for (int a = 0; a < 2; ++a) {
      const int count = static_cast<int>(along_[a]);
      const float from = (f_.bodies[body].motion.position[a] - f_.bodies[body].reach - site_.min[a]) / pitch_[a];
      const int to = static_cast<int>(std::floor(std::clamp(from, -1e6f, 1e6f))) + static_cast<int>(here[a]);
      if (settings_.domain.axis[a] == axis_periodic ? here[a] >= along_[a] : (to < 0 || to >= count))
        return {};
      at[a] = static_cast<uint>((to % count + count) % count);
    }
    return at;
  }

  bool is_bare(uint world, uvec2 sample) const {
    const uvec2 column = sample / site_.samples;
    return f_.ground_bare[(world * site_.count.y + column.y) * site_.count.x + column.x] != 0;
  }

  // m, z of the surface: linear between the middles of columns.
  float surface_at(uint world, vec2 place) const {
    const vec2 at = (place - site_.min) / site_.edge - 0.5f;
    const vec2 lower = glm::floor(at), t = at - lower;
    const glm::ivec2 low(lower);
    float tops[4];
    for (int c = 0; c < 4; ++c) {
      glm::ivec2 there = low + glm::ivec2(c & 1, c >> 1);
      for (int a = 0; a < 2; ++a) {
        const int count = static_cast<int>(site_.count[a]);
        there[a] =
            settings_.domain.axis[a] == axis_periodic ? (there[a] + count) % count : std::clamp(there[a], 0, count - 1);
      }
      tops[c] = soil_top(f_, (world * site_.count.y + static_cast<uint>(there.y)) * site_.count.x +
                                 static_cast<uint>(there.x));
    }
    const float front = tops[0] + t.x * (tops[1] - tops[0]), back = tops[2] + t.x * (tops[3] - tops[2]);
    return front + t.y * (back - front);
  }

  vec2 from_middle(uint body, vec2 place) const {
    return vec2(shortest(vec3(place - vec2(f_.bodies[body].motion.position), 0.0f), settings_));
  }
  bool is_near(uint body, vec2 place) const {
    const vec2 way = from_middle(body, place);
    return way.x * way.x + way.y * way.y < f_.bodies[body].reach * f_.bodies[body].reach;
  }

  // The lowest point over a place of a body that reaches below `top` [m] there, from the body's origin; z is 1e30 where
  // it does not.
  vec3 lowest_point(uint body, vec2 place, float top) const {
    const vec2 way = from_middle(body, place);
    const float reach = f_.bodies[body].reach, near = ground_near * std::min(pitch_.x, pitch_.y);
    const float half_chord = std::sqrt(std::max(reach * reach - (way.x * way.x + way.y * way.y), 0.0f));
    float z = std::min(top - f_.bodies[body].motion.position.z, half_chord);
    bool inside = false;
    for (uint n = 0; n < ground_ways && z > -half_chord; ++n) {
      const Distance d = from_body(f_, body, vec3(way, z));
      inside = inside || d.value < 0.0f;
      if (inside && std::abs(d.value) < near)
        return vec3(way, z);
      z = inside ? std::max(z + d.value / std::max(-d.gradient.z, ground_steepest), (ground_near - 1.0f) * half_chord)
                 : z - std::max(d.value, near);
    }
    return vec3(way, 1e30f);
  }

  void bear(uint k, uint body, vec3 point, float depth, GroundSample& ground) {
    const BodyMotion& m = f_.bodies[body].motion;
    const vec3 below = point - vec3(0.0f, 0.0f, ground_below * std::min(pitch_.x, pitch_.y));
    const vec3 normal = from_body(f_, body, below).gradient, v = m.velocity + glm::cross(m.spin, point);
    const float area = pitch_.x * pitch_.y / std::max(-normal.z, ground_steepest);
    const float gravity = glm::length(settings_.domain.gravity);
    const float pressure = ground_pressure(site_.law, depth, -v.z, gravity, h_, ground.sunk, ground.dug);
    const vec3 slip = h_ * (v - glm::dot(v, normal) * normal);
    const vec3 stress = ground_shear(site_.law, pressure, slip, normal, gravity, h_, ground.sunk, ground.shear,
                                     ground.mobilized, ground.dug) -
                        pressure * normal;
    add_to_record(f_, record_of(f_, k, body), point, h_ * area * stress);
  }

  Fields& f_;
  const Settings& settings_;
  const SoilSite& site_;
  float h_;
  vec2 pitch_;
  uvec2 along_;
};

}  // namespace

void ground_press(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  Ground ground(args, f);
  for (uint k = begin; k < end; ++k)
    ground.press(k);
}

}  // namespace talus::reference
