#version 460
#extension GL_GOOGLE_include_directive : require
// Decides for each world whether this substep needs new neighbour lists, and opens the gates of what is to run. One workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 3, scalar) readonly buffer SpeedBlock { float body_speeds[]; };
layout(set = 0, binding = 4, scalar) writeonly buffer RebuildingBlock { uint rebuilding[]; };
layout(set = 0, binding = 5, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 6, scalar) readonly buffer ListedBlock { BodyMotion body_listed[]; };
#include "shared/moved.glsl"

#include "shared/plan.glsl"

// May lists be rebuilt incrementally that hold no longer? Not where the skin does not suit the motion any more, or where too many grains have another
// place in them than the one that they were sorted by.
bool can_rebuild_incrementally(uint world, Motion motions) {
  float radius = worlds[world].radius, reach = settings.contacts.reach * radius, skin = worlds[world].lists.skin;
  return many_worlds == 0u && settings.grid.incremental != 0u && worlds[world].lists.travel < lists_invalid && worlds[world].incremental.wait == 0u &&
         worlds[world].incremental.linked * linked_most <= worlds[world].incremental.sorted &&
         skin_for(motions, radius) + reach <= incremental_widen * skin && 0.5 * (skin - reach) > motions.steady + motions.more;
}

const uint plan_keep = 0u, plan_incremental = 1u, plan_rebuild = 2u;

bool too_wide(uint world, Motion motions) {
  float radius = worlds[world].radius;
  return worlds[world].lists.age >= lists_old && skin_for(motions, radius) + settings.contacts.reach * radius < lists_shrink * worlds[world].lists.skin;
}

// Do the lists of a world hold for this substep?
bool lists_hold(uint world, Motion motions) {
  bool reached = 2.0 * (worlds[world].lists.travel + motions.steady + motions.more) + settings.contacts.reach * worlds[world].radius > worlds[world].lists.skin;
  return !reached && !too_wide(world, motions) && settings.grid.rebuild_always == 0u;
}

uint plan_world(uint world) {
  Motion motions = motion_of(world);
  float radius = worlds[world].radius, reach = settings.contacts.reach * radius, skin = worlds[world].lists.skin, motion = motions.steady + motions.more;
  if (lists_hold(world, motions))
    return plan_keep;
  if (!too_wide(world, motions) && can_rebuild_incrementally(world, motions)) {
    float skin_half = 0.5 * (skin - reach);
    worlds[world].incremental.distance = min(incremental_share * skin_half, skin_half - motion);
    worlds[world].incremental.displaced_most = float(worlds[world].incremental.sorted) * (1.0 - worlds[world].incremental.distance / skin_half) / incremental_cost;
    worlds[world].incremental.displaced = worlds[world].incremental.linked = worlds[world].incremental.unfit = worlds[world].lists.history = 0u;
    return plan_incremental;
  }
  new_grid(world, motions);
  return plan_rebuild;
}

shared uint counts[group_size];  // worlds of a thread that rebuild
shared uint incremental;                // are the lists of the only world rebuilt incrementally?
shared uint moved;               // .. and has a body moved since they were?
shared float distance_kept;      // m, that a grain may move and keep its place in them
shared uint expired;             // do the lists of a world not hold for this substep?

// Closes all gates. A substep of a stride that is passed over exchanges grains with their copies, after this pass: what brings them back stands at
// the end of the strides, or in the next substep that renews lists.
void pass_over(uint lane, bool strides) {
  uint exchanged = strides ? 1u - status.exchanged : 0u;
  for (uint g = lane; g < gates_total; g += group_size)
    open(g, g == gate_return ? args.waits * exchanged * groups_for(args.grains) : 0u);
  barrier();
  if (lane != 0u || !strides)
    return;
  status.halt = halt_waits;
  status.exchanged = exchanged;
}

void main() {
  uint lane = gl_LocalInvocationID.x, halt = status.halt, exchanged = status.exchanged;
  uint each = (settings.worlds.count + group_size - 1u) / group_size, begin = min(lane * each, settings.worlds.count),
       end = min(begin + each, settings.worlds.count), own = 0u, wanted = plan_keep;
  if (lane == 0u)
    expired = step_of_batch >= args.steps || (halt == halt_waits && args.waits != 0u) ? 1u : 0u;
  barrier();
  for (uint world = begin; world < end && args.waits != 0u; ++world)
    if (!lists_hold(world, motion_of(world)))
      atomicOr(expired, 1u);
  barrier();
  bool halts = halt == halt_slots || halt == halt_invalid;
  if (halts || expired != 0u) {
    pass_over(lane, !halts);
    return;
  }
  for (uint world = begin; world < end; ++world) {
    wanted = plan_world(world);
    worlds[world].lists.table = wanted == plan_rebuild ? 0u : no_table;  // which one comes later
    own += wanted == plan_rebuild ? 1u : 0u;
  }
  counts[lane] = own;
  if (lane == 0u) {
    incremental = wanted == plan_incremental ? 1u : 0u;
    moved = 0u;
    distance_kept = worlds[0].incremental.distance;
  }
  barrier();
  for (uint body = lane; body < settings.bodies.count && incremental != 0u; body += group_size)
    if (has_moved(body, distance_kept))
      atomicOr(moved, 1u);
  barrier();
  uint table = 0u, count = 0u;
  for (uint other = 0u; other * each < settings.worlds.count && other < group_size; ++other) {
    table += other < lane ? counts[other] : 0u;
    count += counts[other];
  }
  for (uint world = begin; world < end; ++world)
    if (worlds[world].lists.table != no_table) {
      worlds[world].lists.table = table;
      rebuilding[table++] = world;
    }
  for (uint k = count + lane; k < settings.worlds.count; k += group_size)
    rebuilding[k] = settings.worlds.count;
  if (lane != 0u)
    return;
  status.halt = halt_none;
  status.lists.rebuilding = count;
  status.activity.listed = 0u;
  open(gate_grains, groups_for(args.grains));
  open(gate_slices, groups_for(args.grains));
  gates[gate_listed] = Dispatch(0u, 1u, 1u);
  open_rebuild(count);
  // Of the only world.
  if (incremental != 0u)
    rebuilding[0] = worlds[0].lists.table = 0u;
  open(gate_incremental_grains, incremental * groups_for(args.grains));
  open(gate_incremental_cells, incremental * groups_for(grid_cells(settings.grid.bits)));
  open(gate_incremental_once, incremental);
  open(gate_incremental_unfit, 0u);
  open(gate_lists, max(incremental, count));
  open(gate_return, exchanged * groups_for(args.grains));
  open(gate_step_end, 0u);
  open(gate_moved_cells, moved * groups_for(grid_cells(settings.grid.bits)));
  open(gate_moved_bodies, moved * settings.bodies.count * body_threads / group_size);
}
