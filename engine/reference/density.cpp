// The density of fine grains, and how they make room where it is too high.
#include "shaders/shared/density.h"
#include "engine/reference/near.h"

namespace talus::reference {
namespace {

struct CrowdPlace {
  ivec3 node;   // the lowest one around it
  vec3 within;  // 0 .. 1 from there
};

CrowdPlace density_place(vec3 p, const Settings& settings) {
  const vec3 c = glm::clamp((p - settings.domain.min) * settings.density_grid.inverse, vec3(-1e6f), vec3(1e6f));
  const vec3 low = glm::floor(c);
  return {ivec3(low), c - low};
}

struct CrowdNode {
  uint slot, key, index;
};

// The nodes around a place: corner x + 2 y + 4 z. What density_slot, density_key and density_index say of them is put
// together from the two planes of nodes per axis.
class CrowdNodes {
public:
  CrowdNodes(const CrowdPlace& place, const Settings& settings) {
    const uvec3 bits = settings.density_grid.bits;
    for (int a = 0; a < 3; ++a)
      for (int side = 0; side < 2; ++side) {
        ivec3 node(0);
        node[a] = grid_wrap(place.node[a] + side, settings.density_grid.nodes[a]);
        const ivec3 block = density_block_of(node);
        planes_[a][side] = {density_slot(block, bits), density_key(block, bits), density_index(node, bits)};
      }
  }
  CrowdNode operator[](int corner) const {
    const CrowdNode &x = planes_[0][corner & 1], &y = planes_[1][corner >> 1 & 1], &z = planes_[2][corner >> 2];
    return {x.slot | y.slot | z.slot, x.key | y.key | z.key, x.index | y.index | z.index};
  }

private:
  CrowdNode planes_[3][2];
};

float weight_of(vec3 within, int corner) {
  const auto along = [&](int a) { return corner >> a & 1 ? within[a] : 1.0f - within[a]; };
  return along(0) * along(1) * along(2);
}

// Is a fine grain counted? It is where one near it may have to make room.
bool is_counted(const Fields& f, vec4 grain) {
  return grain.w > 0.0f && motion_near(f, vec3(grain)) == near_stirs;
}

// How far it is to where another image of a body is the nearer one [m].
float to_other_image(vec3 offset, const Settings& settings) {
  float least = 3.4e38f;
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      least = std::min(least, 0.5f * (settings.domain.max[a] - settings.domain.min[a]) - std::abs(offset[a]));
  return least;
}

}  // namespace

Distance nearest_body(const Fields& f, vec3 p, float time, float& clear) {
  const Settings& settings = f.settings[0];
  Distance nearest{vec3(0.0f), 3.4e38f};
  clear = 1e6f;
  for (uint b = 0; b < settings.bodies.count; ++b) {
    const Body& body = f.bodies[b];
    const vec3 offset = shortest(p - body.motion.position, settings);
    const float gone = fine_away * time * glm::length(velocity_at(body.motion, offset));
    const float reach = body.reach + density_sight * settings.density_grid.edges.x + gone,
                away2 = glm::dot(offset, offset);
    if (body.parts == 0)
      continue;
    if (away2 > reach * reach) {
      clear = std::min(clear, std::sqrt(away2) - body.reach);
      continue;
    }
    const Distance d = from_body(f, b, offset);
    clear = std::min({clear, d.value, body.far, to_other_image(offset, settings)});
    if (d.value < nearest.value)
      nearest = d;
  }
  return nearest;
}

void density_clear(const Args&, Fields& f, uint begin, uint end) {
  for (uint n = begin; n < end; ++n) {
    f.density_count[n] = 0;
    if (n % density_block == 0)
      f.density_owner[n / density_block] = ~0u;
  }
}

void density_mark(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    if (!is_counted(f, f.fine_grains[i].position))
      continue;
    const CrowdPlace place = density_place(vec3(f.fine_grains[i].position), f.settings[0]);
    const CrowdNodes nodes(place, f.settings[0]);
    for (int c = 0; c < 8; ++c)
      atomic_min(f.density_owner[nodes[c].slot], nodes[c].key);
  }
}

void density_fill(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    const vec4 grain = f.fine_grains[i].position;
    if (!is_counted(f, grain))
      continue;
    const CrowdPlace place = density_place(vec3(grain), settings);
    const float units = static_cast<float>(density_unit) * (grain.w * grain.w * grain.w * settings.fine.volume);
    const CrowdNodes nodes(place, settings);
    for (int c = 0; c < 8; ++c) {
      const float share = units * weight_of(place.within, c);
      if (share < 1.0f)
        continue;
      const CrowdNode node = nodes[c];
      TALUS_ASSERT(node.index / density_block == node.slot, c, node.index, node.slot);
      if (f.density_owner[node.slot] == node.key)
        atomic_ref(f.density_count[node.index]).fetch_add(static_cast<uint>(share), std::memory_order_relaxed);
      else
        atomic_ref(f.status[0].fine.apart).fetch_add(1, std::memory_order_relaxed);
    }
  }
}

vec3 room(const Fields& f, vec4 grain, float aim, float most, const Distance& body) {
  if (!(most > 0.0f))
    return vec3(0.0f);
  TALUS_ASSERT(aim > 0.0f && grain.w > 0.0f, aim, grain.w);
  const Settings& settings = f.settings[0];
  const vec3 p(grain);
  const CrowdPlace place = density_place(p, settings);
  float walls[3][2];  // the share that walls leave of the nodes in the two planes per axis
  for (int a = 0; a < 3; ++a)
    for (int side = 0; side < 2; ++side) {
      walls[a][side] = 1.0f;
      const float ahead = static_cast<float>(side) - place.within[a];
      for (uint wall = 2 * static_cast<uint>(a);
           settings.domain.axis[a] == axis_wall && wall <= 2 * static_cast<uint>(a) + 1; ++wall)
        walls[a][side] *= free_share((wall_distance(p, wall, settings) - grain.w) * settings.density_grid.inverse[a] +
                                     (wall % 2 == 0 ? ahead : -ahead));
    }
  const CrowdNodes nodes(place, settings);
  std::array<float, 8> excess;
  for (int c = 0; c < 8; ++c) {
    const vec3 corner = vec3(c & 1, c >> 1 & 1, c >> 2) - place.within;  // from the grain, in edges
    const float share =
        free_share((body.value - grain.w + glm::dot(body.gradient, corner * settings.density_grid.edges)) *
                   settings.density_grid.inverse.x) *
        walls[0][c & 1] * walls[1][c >> 1 & 1] * walls[2][c >> 2];
    const CrowdNode node = nodes[c];
    const float count = f.density_owner[node.slot] == node.key ? static_cast<float>(f.density_count[node.index]) : 0.0f;
    excess[static_cast<std::size_t>(c)] = std::clamp(
        count / (aim * settings.density_grid.full * std::max(share, density_share)) - density_free, 0.0f, density_most);
  }
  // Slope of the trilinear interpolant, per edge.
  vec3 slope(0.0f);
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 8; ++c) {
      vec3 within = place.within;
      within[a] = c >> a & 1 ? 1.0f : 0.0f;
      slope[a] += (c >> a & 1 ? 1.0f : -1.0f) * weight_of(within, c) * excess[static_cast<std::size_t>(c)];
    }
  const vec3 way = -density_gain * settings.density_grid.edges * slope;
  const float length = glm::length(way), limit = std::min(most, density_way * settings.density_grid.radius);
  return length > limit ? way * (limit / length) : way;
}

}  // namespace talus::reference
