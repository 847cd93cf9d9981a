// Where bodies are, and which cells they reach into.
#include "engine/reference/load.h"
#include "engine/reference/rigid.h"
#include <utility>

namespace talus::reference {

namespace {

void place_rigid(Fields& f, uint b) {
  Body& body = f.bodies[b];
  const Rigid& rigid = f.rigid[b];
  body.motion = f.rigid_states[b].motion;
  const mat3 turn = matrix_of(body.motion.rotation);
  body.pivot = turn * rigid.pivot;
  body.inverse_mass = rigid.inverse_mass;
  body.inverse_inertia = turn * rigid.inverse_inertia * glm::transpose(turn);
}

}  // namespace

void body_move(const Args& args, Fields& f, uint begin, uint end) {
  for (uint b = begin; b < end; ++b) {
    if (f.settings[0].rigid > 0 && f.rigid[b].mass > 0.0f) {
      place_rigid(f, b);
      continue;
    }
    BodyMotion m = f.body_motions[args.step * f.settings[0].bodies + b];
    const float since = args.h * static_cast<float>(args.substep), speed = glm::length(m.spin);
    const float half_turn = 0.5f * since * speed;
    const float x = half_turn - pi * std::round(half_turn / pi);  // the opposite quaternion is the same rotation
    const vec3 axis = speed > 0.0f ? std::sin(x) / speed * m.spin : vec3(0.0f), from(m.rotation);
    const float turn = std::cos(x);
    m.rotation = glm::normalize(
        vec4(turn * from + m.rotation.w * axis + glm::cross(axis, from), turn * m.rotation.w - glm::dot(axis, from)));
    m.position += since * m.velocity;
    f.bodies[b].motion = m;
  }
}

void body_carry(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  for (uint i = begin; i < end; ++i) {
    const uint k = f.grain_id[i] - settings.carried_first;
    if (k >= settings.carried)
      continue;
    const BodyMotion& m = f.bodies[f.carried[k].body].motion;
    const vec3 offset = rotated(m.rotation, f.carried[k].place);
    vec3 p = m.position + offset;
    for (int a = 0; a < 3; ++a)
      if (settings.axis[a] == axis_periodic) {
        const float edge = settings.domain_max[a] - settings.domain_min[a];
        p[a] -= edge * std::floor((p[a] - settings.domain_min[a]) / edge);
      }
    f.grains[i].position = vec4(p, f.grains[i].position.w);
    f.grains[i].velocity = vec4(m.velocity + glm::cross(m.spin, offset), f.grains[i].velocity.w);
  }
}

void body_clear(const Args&, Fields& f, uint begin, uint end) {
  for (std::size_t b = begin; b < std::min<std::size_t>(end, f.body_contacts.size()); ++b)
    f.body_contacts[b] = 0;
  std::fill(f.body_cells.begin() + begin, f.body_cells.begin() + end, 0u);
}

void body_mark(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const Status& status = f.status[0];
  const vec3 edge = 1.0f / status.inverse_cell;
  // What a grain in the cell is away from its middle, at most, and how far it looks; and somewhat more, for distances
  // that are interpolated and for rounding.
  const float reach = 1.01f * (0.5f * glm::length(edge) + 1.5f * settings.radius_max + status.margin);
  const uint words = body_words(settings.bodies);
  for (uint thread = begin; thread < end; ++thread) {
    const uint body = thread / body_threads;
    if (f.bodies[body].parts == 0)  // of grains alone
      continue;
    const vec3 center = f.bodies[body].motion.position;
    const float around = f.bodies[body].reach + settings.radius_max + status.margin;
    const auto cell_at = [&](float x, int a) {
      return static_cast<int>(
          std::floor(std::clamp((x - settings.domain_min[a]) * status.inverse_cell[a], -1e6f, 1e6f)));
    };
    // The table repeats: an axis with more cells than it, or than the period, is walked once, and all that lies there
    // is marked.
    ivec3 first, count;
    bool exact = true;
    for (int a = 0; a < 3; ++a) {
      first[a] = cell_at(center[a] - around, a);
      count[a] = cell_at(center[a] + around, a) - first[a] + 1;
      const int most = status.cells[a] > 0 ? status.cells[a] : 1 << settings.grid_bits[a];
      if (count[a] > most) {
        exact = false;
        first[a] = 0;
        count[a] = most;
      }
    }
    const uint cells = static_cast<uint>(count.x * count.y * count.z);
    for (uint k = thread % body_threads; k < cells; k += body_threads) {
      const int at = static_cast<int>(k);
      const ivec3 cell = first + ivec3(at % count.x, at / count.x % count.y, at / count.x / count.y);
      if (exact) {
        const vec3 middle = settings.domain_min + (vec3(cell) + 0.5f) * edge;
        if (from_body(f, body, middle - center).value > reach)
          continue;
      }
      ivec3 wrapped = cell;
      for (int a = 0; a < 3; ++a)
        if (const int n = status.cells[a]; n > 0)
          wrapped[a] = (cell[a] % n + n) % n;
      const uint key = grid_key(wrapped, 0, settings.grid_bits);
      std::atomic_ref(f.body_cells[key * words + body / 32]).fetch_or(1u << (body % 32));
    }
  }
}

void body_sum(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  const Settings& settings = f.settings[0];
  const float dt = args.h * static_cast<float>(args.substeps);
  for (uint b = begin; b < end; ++b) {
    BodyLoad& load = f.body_load[b];
    Received received = take_records(f, b, load_uncounted);
    if (f.bodies[b].split > 0.0f) {  // taken before
      RigidState& state = f.rigid_states[b];
      received.impulse += std::exchange(state.step_impulse, vec3(0.0f));
      received.moment += std::exchange(state.step_moment, vec3(0.0f));
    }
    load.force = received.impulse / dt;
    load.torque = received.moment / dt;
    load.uncounted += received.word;
    load.force_filtered += f.bodies[b].load_share * (load.force - load.force_filtered);
    load.torque_filtered += f.bodies[b].load_share * (load.torque - load.torque_filtered);
    f.body_loads[args.step * settings.bodies + b] = load;
  }
}

}  // namespace talus::reference
