// What one thread decides for all: plan, counts; and which grains come and go.
#include "engine/reference/schedule.h"
#include <bit>

namespace talus::reference {
namespace {

void close_gates(Fields& f) {
  std::fill(f.gates.begin(), f.gates.end(), groups(0));
}

}  // namespace

void plan(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return close_gates(f);

  const float speed = std::max(status.speed, args.body_speed);
  const float pull = glm::length(settings.gravity) + (args.held > 0 ? hand_acceleration : 0.0f);
  const float motion = args.h * (speed + args.h * pull) + status.shift;
  status.rebuild = 2.0f * (status.travel + motion) + settings.reach > status.margin ||
                   (settings.options & option_rebuild_always) != 0u;
  if (status.rebuild) {
    status.cells_low = ivec3(cells_none);
    status.cells_high = ivec3(-cells_none);
    const float radius = settings.radius_max;
    const float lasting = std::clamp(24.0f * args.h * speed, margin_rest * radius, margin_motion * radius);
    status.margin = std::max(lasting, std::min(2.2f * motion + settings.reach, margin_limit * radius));
    // Within its reach a grain meets two cells of cloth along an axis; a little more for the sake of rounding.
    status.cloth_reach =
        std::max(radius, settings.cloth_radius) + settings.cloth_radius + status.cloth_half + motion + status.margin;
    const vec3 edge = settings.domain_max - settings.domain_min;
    for (int a = 0; a < 3; ++a) {
      const float cell = 2.0f * radius + status.margin, coarse = 2.002f * status.cloth_reach;
      status.inverse_cell[a] = 1.0f / cell;
      status.cloth_inverse_cell[a] = 1.0f / coarse;
      status.cells[a] = status.cloth_cells[a] = 0;
      if (settings.axis[a] == axis_periodic) {
        status.cells[a] = std::max(3, static_cast<int>(std::floor(edge[a] / cell)));
        status.inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(status.cells[a]));
        status.cloth_cells[a] = std::max(1, static_cast<int>(std::floor(edge[a] / coarse)));
        status.cloth_inverse_cell[a] = 1.0f / (edge[a] / static_cast<float>(status.cloth_cells[a]));
      }
    }
  }
  std::fill_n(f.gates.begin(), gate_fine, groups(0));
  f.gates[gate_grains] = groups(groups_for(args.grains));
  if (status.rebuild) {
    f.gates[gate_rebuild_grains] = groups(groups_for(args.grains));
    f.gates[gate_rebuild_slices] = groups(groups_for(slices_of(args.grains)));
    f.gates[gate_rebuild_cell_chunks] = groups(scan_chunks_of(grid_cells(settings.grid_bits)));
    f.gates[gate_rebuild_bodies] = groups(settings.bodies * body_threads / group_size);
    f.gates[gate_rebuild_body_cells] = groups(groups_for(grid_cells(settings.grid_bits) * body_words(settings.bodies)));
    f.gates[gate_rebuild_once] = groups(1);
    f.gates[gate_rebuild_slice_chunks] = groups(scan_chunks_of(slices_of(args.grains)));
  }
}

void contact_check(const Args& args, Fields& f, uint, uint) {
  Status& status = f.status[0];
  if (status.halt != halt_none || !status.rebuild)
    return;
  status.slots = f.slice_start_next[slices_of(args.grains)] * slice_grains;
  if (status.slots > status.slots_capacity) {
    status.halt = halt_slots;
    status.travel = lists_void;
    return close_gates(f);
  }
  status.travel = 0.0f;
  status.rebuilds += 1;
}

void end_substep(const Args& args, Fields& f, uint, uint) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  status.speed = std::sqrt(std::bit_cast<float>(status.speed2_bits));
  status.speed2_bits = 0;
  status.shift = std::bit_cast<float>(status.shift_bits);
  status.shift_bits = 0;
  status.cloth_half = std::bit_cast<float>(status.cloth_half_bits);
  status.cloth_half_bits = 0;
  status.travel += args.h * std::max(status.speed, args.body_speed) + status.shift;
  status.substep += 1;
  status.substeps_done += 1;
}

void end_step(const Args& args, Fields& f, uint, uint) {
  Status& status = f.status[0];
  if (status.halt != halt_none)
    return;
  status.step += 1;
  status.substep = 0;
  if (args.births)
    status.speed = std::max(status.speed, f.settings[0].birth_speed);
  if (args.births || status.gone != status.gone_before)
    status.travel = lists_void;
  status.gone_before = status.gone;
}

void sink(const Args&, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    Grain& grain = f.grains[i];
    if (grain.velocity.w == 0.0f || f.grain_id[i] - settings.cloth_first < settings.cloth)  // fixed, gone, or cloth
      continue;
    const vec3 p(grain.position);
    const uint found = sink_of(f, p, material_of(f.grain_tag[i]));
    if (found == settings.sinks)
      continue;
    grain = {vec4(p, 0.0f), vec4(0.0f)};
    std::atomic_ref(f.sink_counts[found]).fetch_add(1);
    std::atomic_ref(f.status[0].gone).fetch_add(1);
  }
}

void emit(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint k = begin; k < end; ++k) {
    const Birth& birth = f.births[args.first + k];
    const uint i = args.grains + k;
    f.grains[i] = birth.grain;
    f.grain_id[i] = birth.id;
    f.grain_tag[i] = birth.tag;
    f.grain_row[i] = i;
    f.contact_count[i] = 0;
  }
}

}  // namespace talus::reference
