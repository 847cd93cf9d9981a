// Where bodies are, and which cells they reach into.
#include "engine/reference/load.h"
#include "engine/reference/rigid.h"
#include "engine/reference/search.h"
#include <utility>

namespace talus::reference {

namespace {

void place_rigid(Fields& f, uint b) {
  Body& body = f.bodies[b];
  const Rigid& rigid = f.rigid[b];
  body.motion = f.rigid_states[b].motion;
  body.asleep = f.rigid_states[b].rest.state == rest_asleep;
  const mat3 turn = matrix_of(body.motion.rotation);
  body.pivot = turn * rigid.pivot;
  body.inverse_mass = rigid.inverse_mass;
  body.inverse_inertia = turn * rigid.inverse_inertia * glm::transpose(turn);
}

// As the host has it of a dynamic body: where its motor's target is and how fast that moves, and the motor's speed.
void command_motor(const BodyMotion& scheduled, float since, RigidCommand& command) {
  if (command.motor_scheduled & 1u) {
    command.motor_target = scheduled.position.x + since * scheduled.velocity.x;
    command.motor_speed = scheduled.velocity.x;
  }
  if (command.motor_scheduled & 2u)
    command.motor_speed = scheduled.position.y + since * scheduled.velocity.y;
}

}  // namespace

void body_move(const Args& args, Fields& f, uint begin, uint end) {
  if (step_of_batch(args, f) >= args.steps)  // the batch is done, and no motion is scheduled
    return;
  for (uint b = begin; b < end; ++b) {
    const BodyMotion& scheduled =
        f.body_motions[step_of_batch(args, f) * f.settings[0].worlds.count * f.settings[0].bodies.count + b];
    const float since = args.h * static_cast<float>(f.status[0].substep);
    if (f.settings[0].bodies.rigid > 0 && f.rigid[b].mass > 0.0f) {
      place_rigid(f, b);
      command_motor(scheduled, since, f.rigid_commands[b]);
      continue;
    }
    BodyMotion m = scheduled;
    m.rotation = then_turned(m.rotation, turn_for(m.spin, since));
    m.position += since * m.velocity;
    f.bodies[b].motion = m;
  }
}

void body_carry(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  for (uint i = begin; i < end; ++i) {
    const uint k = f.grain_id[i] - settings.bodies.carried_first;
    if (k >= settings.bodies.carried)
      continue;
    TALUS_ASSERT(f.carried[k].body < settings.bodies.count, i, k, f.carried[k].body);
    const BodyMotion& m = f.bodies[world_of(f, i) * settings.bodies.count + f.carried[k].body].motion;
    const vec3 offset = rotated(m.rotation, f.carried[k].place);
    vec3 p = m.position + offset;
    for (int a = 0; a < 3; ++a)
      if (settings.domain.axis[a] == axis_periodic) {
        const float edge = settings.domain.max[a] - settings.domain.min[a];
        p[a] -= edge * std::floor((p[a] - settings.domain.min[a]) / edge);
      }
    f.grains[i].position = vec4(p, f.grains[i].position.w);
    f.grains[i].velocity = vec4(m.velocity + glm::cross(m.spin, offset), f.grains[i].velocity.w);
    if (settings.solver.rotation != rotation_off)
      f.grain_spin[i] = vec4(f.grains[i].position.w * m.spin, 0.0f);
  }
}

void body_clear(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const uint cells = grid_cells(settings.grid.bits), words = body_words(settings.bodies.count);
  const bool whole = f.status[0].lists.rebuilding > 0;
  for (uint k = begin; k < end; ++k) {
    const uint world = f.rebuilding[k / cells], body = k % cells;
    if (world >= settings.worlds.count || (!whole && f.cell_taken[k] == 0))
      continue;
    for (uint word = 0; word < words; ++word)
      f.cell_lists[k * words + word] = whole ? body_word_of_all(settings.bodies.count, word) : 0;
    if (!whole)  // incrementally rebuilt lists keep count of contacts
      continue;
    f.cell_taken[k] = 0;
    if (settings.bodies.rigid > 0 && body < settings.bodies.count)
      f.body_contacts[world * settings.bodies.count + body] = 0;
  }
}

void body_occupancy(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end;) {  // world after world
    uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      return;
    World& world = f.worlds[world_of(f, i)];
    const uint last = std::min(i + (end - e), places_end(args, f, world_of(f, i)));
    ivec3 low(cells_none), high(-cells_none);
    for (; i < last; ++i, ++e) {
      if (is_gone(f.grains[i]))
        continue;
      const vec4& place = settings.grid.incremental ? f.list_position[i] : f.grains[i].position;
      const ivec3 cell = cell_of(vec3(place), settings, world);
      const uint key = cell_key(cell, world, settings), words = body_words(settings.bodies.count);
      atomic_ref(f.cell_taken[key]).store(1, std::memory_order_relaxed);
      for (uint word = key * words; word < (key + 1) * words; ++word)
        atomic_ref(f.cell_lists[word]).store(0, std::memory_order_relaxed);
      low = glm::min(low, cell);
      high = glm::max(high, cell);
    }
    for (int a = 0; a < 3; ++a) {
      atomic_min(world.grid.low[a], low[a]);
      atomic_max(world.grid.high[a], high[a]);
    }
  }
}

namespace {

// The cells that a body's box and the bounds of all grains have in common.
struct CellBox {
  ivec3 first, last;
  bool empty() const { return glm::any(glm::lessThan(last, first)); }
};

// m, how much further than its radius a grain looks for bodies: the skin. Where lists are rebuilt incrementally, marks
// stay while no body is further than a share of half the skin from where the lists know it, so that it may be twice as
// far from where it was marked.
float mark_margin(const Fields& f, const World& world) {
  return (f.settings[0].grid.incremental ? 1.0f + incremental_share : 1.0f) * world.lists.skin;
}

// reach: m, from the body to the middle of a cell.
CellBox cells_around(const Fields& f, uint body, const World& world, float reach) {
  const Settings& settings = f.settings[0];
  const Body& b = f.bodies[body];
  const vec3 center = b.motion.position + rotated(b.motion.rotation, b.box_middle);
  const vec3 around = half_around(b.motion.rotation, b.box_half) + reach;
  const auto cell_at = [&](float x, int a) {
    return static_cast<int>(
        std::floor(std::clamp((x - settings.domain.min[a]) * world.grid.inverse_cell[a], -1e6f, 1e6f)));
  };
  CellBox box;
  for (int a = 0; a < 3; ++a) {
    box.first[a] = cell_at(center[a] - around[a], a);
    box.last[a] = cell_at(center[a] + around[a], a);
    if (const int period = world.grid.cells[a]; period == 0) {
      box.first[a] = std::max(box.first[a], world.grid.low[a]);
      box.last[a] = std::min(box.last[a], world.grid.high[a]);
    } else if (box.last[a] - box.first[a] >= period) {
      box.first[a] = 0;
      box.last[a] = period - 1;
    }
  }
  return box;
}

// Cubes of cells around a body, of 2 half cells an edge.
class Cubes {
public:
  Cubes(const Fields& f, uint body, const World& world)
      : f_(f), body_(body), radius_(world.radius), margin_(mark_margin(f, world)),
        edge_(1.0f / world.grid.inverse_cell), diagonal_(length_of(edge_)) {}

  // How far a grain in such a cube looks: what it is away from the middle, at most, its radius and the margin; and
  // somewhat more, for distances that are interpolated, more so far from the surface, and for rounding.
  float reach(float half) const { return 1.01f * (half * (diagonal_ + 2.0f * radius_) + 0.5f * radius_ + margin_); }

  // Distance of the middle of one around `at`, in cells; below every reach where that does not stand for all grains in
  // it: they look at the nearer side of the body.
  float distance(vec3 at, float half) const {
    const Settings& settings = f_.settings[0];
    const vec3 way = shortest(settings.domain.min + at * edge_ - f_.bodies[body_].motion.position, settings);
    for (int a = 0; a < 3; ++a)
      if (settings.domain.axis[a] == axis_periodic &&
          std::abs(way[a]) > 0.5f * (settings.domain.max[a] - settings.domain.min[a]) - half * edge_[a])
        return -1e30f;
    return from_body(f_, body_, way).value;
  }

  float diagonal() const { return diagonal_; }

private:
  const Fields& f_;
  uint body_;
  float radius_, margin_;  // m, of the largest grain; how much further it looks
  vec3 edge_;              // m, of a cell
  float diagonal_;         // m
};

// Do a body's distances tell how far it is, as far as marking needs? Those from triangles do not.
bool tells_distance(const Fields& f, uint body) {
  const Body& b = f.bodies[body];
  for (uint k = 0; k < b.parts; ++k)
    if ((part_kind(f, b.first_part + k) & solid_kind_mask) == solid_triangles)
      return false;
  return true;
}

// body: in its world. moved: bodies are to be searched for again in the rows of the cell's grains.
void mark(Fields& f, uint body, uint cell, bool moved) {
  TALUS_ASSERT(body < f.settings[0].bodies.count && f.cell_taken[cell] != 0, body, cell);
  atomic_ref(f.cell_lists[cell * body_words(f.settings[0].bodies.count) + body / 32]).fetch_or(1u << (body % 32));
  if (!moved)
    return;
  each_linked(f, cell, [&](uint i) { touch_row(f, i); });
  for (uint i = first_in_cell(f, cell, 0); i < first_in_cell(f, cell + 1, 0); ++i)
    if (f.list_position[i].w > 0.0f)
      touch_row(f, i);
}

// What threads first to last of those of a body do.
void mark_cells(Fields& f, uint body, uint first, uint last) {
  const uint own = body % f.settings[0].bodies.count;
  const World& world = f.worlds[body / f.settings[0].bodies.count];
  const bool moved = f.status[0].lists.rebuilding == 0 && has_moved(f, body) &&
                     !too_many_displaced(world);  // and lists are rebuilt incrementally
  const Cubes around(f, body, world);
  const float cell_reach = around.reach(0.5f), cube_reach = around.reach(1.0f);
  const CellBox box = cells_around(f, body, world, cell_reach);
  if (box.empty())
    return;
  const uvec3 bits = f.settings[0].grid.bits;
  // By cubes of eight cells: one distance for all of them first.
  const uvec3 cubes = uvec3(box.last - box.first + 2) / 2u;
  const uint table = grid_cells(bits), before = world.lists.table * table;
  TALUS_ASSERT(world.lists.table < f.settings[0].worlds.count && first < last && last <= body_threads, body,
               world.lists.table, first, last);
  const bool wide = cubes.x > table / cubes.y / cubes.z;  // few grains in a wide space: all of them look at the body
  const bool by_distance = tells_distance(f, body);
  // Middles of cells are at most this far from that of their cube: nearer to the body, all of them reach it.
  const float all_reach = cell_reach - 0.5f * around.diagonal();
  const uint elements = wide ? table : cubes.x * cubes.y * cubes.z;
  for (uint row = 0; row < elements; row += body_threads)
    for (uint k = row + first; k < std::min(row + last, elements); ++k) {
      if (wide) {
        if (f.cell_taken[before + k])
          mark(f, own, before + k, moved);
        continue;
      }
      const ivec3 corner = box.first + 2 * ivec3(k % cubes.x, k / cubes.x % cubes.y, k / cubes.x / cubes.y);
      ivec3 home = corner;
      for (int a = 0; a < 3; ++a)
        if (const int period = world.grid.cells[a]; period > 0)
          home[a] = grid_home(corner[a], period);
      std::array<uint, 8> keys;
      uint taken = 0;
      for (uint c = 0; c < 8; ++c) {
        const ivec3 cell = wrap_cell(home + ivec3(c & 1, c >> 1 & 1, c >> 2), world);
        keys[c] = cell_key(cell, world, f.settings[0]);
        taken |= f.cell_taken[keys[c]] << c;
      }
      if (taken == 0)
        continue;
      const float d = by_distance ? around.distance(vec3(corner) + 1.0f, 1.0f) : -1e30f;
      if (d >= cube_reach)
        continue;
      for (uint c = 0; c < 8; ++c)
        if ((taken >> c & 1) && (d < all_reach || around.distance(vec3(corner) + vec3(c & 1, c >> 1 & 1, c >> 2) + 0.5f,
                                                                  0.5f) < cell_reach))
          mark(f, own, keys[c], moved);
    }
}

}  // namespace

void body_mark(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint k = begin / body_threads; k * body_threads < end; ++k) {
    const uint thread = k * body_threads, world = f.rebuilding[k / settings.bodies.count];
    const uint body = world * settings.bodies.count + k % settings.bodies.count;
    if (world < settings.worlds.count && f.bodies[body].parts > 0)  // not of grains alone
      mark_cells(f, body, std::max(begin, thread) - thread, std::min(end - thread, body_threads));
  }
}

void body_sum(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  const Settings& settings = f.settings[0];
  const float dt = args.h * static_cast<float>(args.substeps);
  for (uint b = begin; b < end; ++b) {
    TALUS_ASSERT(dt > 0.0f && b < f.bodies.size(), dt, b);
    BodyLoad& load = f.body_load[b];
    const bool dynamic = f.bodies[b].split > 0.0f;
    Received received = take_records(f, b, load_uncounted, dynamic ? 0 : args.substeps);
    if (dynamic) {  // taken in each substep
      RigidState& state = f.rigid_states[b];
      received.impulse += std::exchange(state.step_impulse, vec3(0.0f));
      received.moment += std::exchange(state.step_moment, vec3(0.0f));
      const BodyMotion& m = state.motion;
      state.push_last = std::exchange(state.push, {m.rotation, m.velocity, m.spin, vec3(0.0f), vec3(0.0f)});
    }
    load.force = received.impulse / dt;
    load.torque = received.moment / dt;
    load.uncounted += received.word;
    load.force_filtered += f.bodies[b].load_share * (load.force - load.force_filtered);
    load.torque_filtered += f.bodies[b].load_share * (load.torque - load.torque_filtered);
    f.body_loads[step_of_batch(args, f) * settings.worlds.count * settings.bodies.count + b] = load;
  }
}

}  // namespace talus::reference
