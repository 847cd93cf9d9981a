// Fine grains: when they move, the order in which they lie, and how they come and go.
#include "shaders/shared/fine.h"
#include "engine/reference/follow.h"
#include "engine/reference/near.h"
#include "engine/reference/schedule.h"
#include "shaders/shared/random.h"
#include <utility>

namespace talus::reference {
namespace {

bool is_advecting(const Fields& f, uint i) {
  return !is_gone(f.grains[i]) && f.grain_id[i] - f.settings[0].cloth.first >= f.settings[0].cloth.vertices;
}

void count(Fields& f, vec3 place) {
  atomic_ref(f.near_count[near_key_at(place, f.settings[0])]).fetch_add(1, std::memory_order_relaxed);
}

void put_in_order(Fields& f, vec3 place, uint i) {
  const uint key = near_key_at(place, f.settings[0]);
  const uint left = atomic_ref(f.near_count[key]).fetch_sub(1, std::memory_order_relaxed) - 1;
  TALUS_ASSERT(f.near_start[key] + left < f.near_start[key + 1], i, key, left);
  f.near_order[f.near_start[key] + left] = i;
}

// Writes the motion of a coarse grain to the blocks of near cells that it matters to (shared/fine.h).
void tell_of_motion(Fields& f, vec3 p, vec3 velocity) {
  const float speed2 = squared(velocity);
  if (speed2 == 0.0f)
    return;
  const Settings& settings = f.settings[0];
  static_assert(near_stirring2 < density_still * density_still);
  const bool stirs = speed2 > near_stirring2;
  const float sees = near_reach * settings.near_grid.radius;
  const vec3 reach = stirs ? sees + 2.0f * settings.density_grid.edges : vec3(sees);
  const ivec3 first(glm::floor(near_place(p - reach, settings))), last(glm::floor(near_place(p + reach, settings))),
      count = settings.near_grid.cells;
  const auto home = [&](ivec3 cell) {
    for (int a = 0; a < 3; ++a)
      cell[a] = count[a] > 0 ? grid_home(cell[a], count[a]) : cell[a];
    return cell;
  };
  for (int z = first.z; z <= last.z; z = near_next(z, last.z, count.z))
    for (int y = first.y; y <= last.y; y = near_next(y, last.y, count.y))
      for (int x = first.x; x <= last.x; x = near_next(x, last.x, count.x))
        atomic_max(f.near_motion[near_block(home({x, y, z}), settings.near_grid.bits)],
                   stirs ? near_stirs : near_moves);
}

// Where it goes: after those of its cell with lower numbers.
std::size_t rank(const Fields& f, vec3 place, uint number, auto number_of) {
  const uint key = near_key_at(place, f.settings[0]);
  const auto first = f.near_order.begin() + f.near_start[key], last = f.near_order.begin() + f.near_start[key + 1];
  TALUS_ASSERT(first < last, key, number);  // it is among them itself
  return f.near_start[key] +
         static_cast<std::size_t>(std::count_if(first, last, [&](uint other) { return number_of(other) < number; }));
}

}  // namespace

void fine_plan(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  const bool runs = status.halt == halt_none, last = args.fine.last != 0;
  bool moves = false, sorts = false;
  if (runs) {
    status.fine.time += args.fine.span;
    status.fine.travel += args.fine.span * f.worlds[0].motion.speed;
    const float ahead = args.h * static_cast<float>(fine_point) * f.worlds[0].motion.speed;
    moves =
        (last && status.fine.time >= 0.999f * settings.fine.step) || status.fine.travel + ahead > settings.fine.travel;
  }
  if (moves) {
    const float drift = status.fine.drift + status.fine.travel;
    sorts = drift > settings.density_grid.radius;
    status.fine.drift = sorts ? 0.0f : drift;
    status.fine.h = status.fine.time;
    status.fine.time = status.fine.travel = 0.0f;
    status.fine.moves += 1;
  }
  const bool coasts = runs && last && !moves;
  if (moves || coasts)
    status.fine.body_way_before = std::exchange(status.fine.body_way, 0.0f);
  const Dispatch none = groups(0), fine = groups(groups_for(args.fine.places)),
                 chunks = groups(scan_chunks_of(grid_cells(settings.near_grid.bits)));
  f.gates[gate_fine] = moves ? fine : none;
  f.gates[gate_fine_grains] = moves ? groups(groups_for(args.grains)) : none;
  f.gates[gate_fine_chunks] = moves ? chunks : none;
  f.gates[gate_fine_blocks] = moves ? groups(groups_for(near_blocks(settings.near_grid.bits))) : none;
  f.gates[gate_fine_density] =
      moves ? groups(groups_for(grid_cells(settings.density_grid.bits) * density_block)) : none;
  f.gates[gate_fine_sort] = sorts ? fine : none;
  f.gates[gate_fine_sort_chunks] = sorts ? chunks : none;
  f.gates[gate_fine_coast] = coasts ? fine : none;
}

void fine_count(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    if (!is_gone(f.fine_grains[i]))
      count(f, vec3(f.fine_grains[i].position));
}

void fine_fill(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    if (!is_gone(f.fine_grains[i]))
      put_in_order(f, vec3(f.fine_grains[i].position), i);
}

void fine_rank(const Args&, Fields& f, uint begin, uint end) {
  const uint there = f.near_start[grid_cells(f.settings[0].near_grid.bits)];
  TALUS_ASSERT(there <= f.fine_grains.size(), there, f.fine_grains.size());
  const auto number_of = [&](uint i) { return f.fine_tag[i] >> fine_tag_shift; };
  for (uint k = begin; k < end; ++k) {
    if (k >= there) {
      f.near_from[k] = no_grain;
      continue;
    }
    const uint from = f.near_order[k];
    TALUS_ASSERT(from < f.fine_grains.size() && !is_gone(f.fine_grains[from]), k, from);
    f.near_from[rank(f, vec3(f.fine_grains[from].position), number_of(from), number_of)] = from;
  }
}

void fine_gather(const Args& args, Fields& f, uint begin, uint end) {
  gather_field(args, f, [&](auto put) {
    for (uint k = begin; k < end; ++k)
      put(k, f.near_from[k], k);
  });
}

void fine_commit(const Args& args, Fields& f, uint begin, uint end) {
  commit_field(args, f, [&](auto put) {
    for (uint k = begin; k < end; ++k)
      put(k);
  });
}

void advecting_clear(const Args&, Fields& f, uint begin, uint end) {
  std::fill(f.near_motion.begin() + begin, f.near_motion.begin() + end, near_still);
}

void advecting_count(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    if (is_advecting(f, i)) {
      count(f, vec3(f.grains[i].position));
      tell_of_motion(f, vec3(f.grains[i].position), vec3(f.grains[i].velocity));
    }
}

void advecting_fill(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    if (is_advecting(f, i))
      put_in_order(f, vec3(f.grains[i].position), i);
}

void advecting_gather(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const uint there = f.near_start[grid_cells(settings.near_grid.bits)];
  TALUS_ASSERT(there <= f.advecting.size(), there, f.advecting.size());
  for (uint k = begin; k < std::min(end, there); ++k) {
    const uint from = f.near_order[k], id = f.grain_id[from];
    TALUS_ASSERT(is_advecting(f, from), k, from, id);
    const Grain& grain = f.grains[from];
    const float radius = grain.position.w, reach = near_reach * radius;
    const bool solid = grain.velocity.w == 0.0f || (id >= settings.shapes.first && id < settings.emission.first);
    f.advecting[rank(f, vec3(grain.position), id, [&](uint i) { return f.grain_id[i]; })] = {
        vec4(vec3(grain.position), 1.0f / (reach * reach)), vec4(vec3(grain.velocity), solid ? -radius : radius)};
  }
}

void fine_sink(const Args&, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint i = begin; i < end; ++i) {
    Grain& grain = f.fine_grains[i];
    const vec3 p(grain.position);
    if (is_gone(grain) || sink_of(f, p, f.fine_tag[i] & tag_material_mask) == f.settings[0].emission.sinks)
      continue;
    grain = {vec4(p, 0.0f), vec4(0.0f)};
    atomic_ref(f.status[0].fine.gone).fetch_add(1);
  }
}

void fine_emit(const Args&, Fields& f, uint begin, uint end) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  const Settings& settings = f.settings[0];
  const World& world = f.worlds[0];  // the only one
  const uint first = settings.emission.first - status.freed + world.population.born - world.population.released;
  const auto emission_at = [&](uint i) { return f.grain_id[i] - settings.emission.first; };
  const auto count_at = [&](uint i) { return f.fine_first[emission_at(i) + 1] - f.fine_first[emission_at(i)]; };
  uint before = 0;
  for (uint own = 0; own < begin; ++own)
    before += count_at(first + own);
  for (uint own = begin; own < std::min(end, world.population.released); ++own) {
    const uint i = first + own, count = count_at(i);
    TALUS_ASSERT(f.grain_id[i] >= settings.emission.first && emission_at(i) + 1 < f.fine_first.size(), i,
                 f.grain_id[i]);
    const vec4 coarse = f.grains[i].position;
    for (uint k = 0; k < count; ++k) {
      const uint number = settings.fine.first + f.fine_first[emission_at(i)] + k;
      const uint place = settings.fine.first - status.fine.freed + status.fine.born + before + k;
      const auto random = [&](uint n) {
        return static_cast<float>(random_bits(number, n, settings.fine.seed)) * 0x1p-24f;
      };
      TALUS_ASSERT(place < f.fine_grains.size() && is_gone(f.fine_grains[place]), place, number);
      vec3 in_ball(0.0f);
      for (uint t = 0; t < fine_tries; ++t)
        if (const vec3 p = 2.0f * vec3(random(3 * t + 1), random(3 * t + 2), random(3 * t + 3)) - 1.0f;
            squared(p) <= 1.0f) {
          in_ball = p;
          break;
        }
      const float radius = settings.fine.radii.x + random(0) * (settings.fine.radii.y - settings.fine.radii.x);
      f.fine_grains[place] = {vec4(vec3(coarse) + (coarse.w - radius) * in_ball, radius),
                              vec4(vec3(f.grains[i].velocity), 1.0f)};
      f.fine_clear[place] = 0.0f;
      f.fine_tag[place] = (f.grain_tag[i] & tag_material_mask) | number << fine_tag_shift;
    }
    before += count;
    if (own + 1 == world.population.released)
      status.fine.released = before;
  }
}

}  // namespace talus::reference
