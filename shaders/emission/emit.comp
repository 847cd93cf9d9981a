#version 460
#extension GL_GOOGLE_include_directive : require
// Emitters release the grains that there is room for, at the end of this step. Each does so in order: where one finds no room, those
// behind it wait, too, lest the small ones push in. A clump is released with all of its spheres, where each of them has room. They lie behind all others of their world until the next build sorts them; lists do
// not know them. A workgroup per world.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer PoursBlock { EmissionDue emissions_due[]; };
layout(set = 0, binding = 3, scalar) coherent buffer MadeBlock { uint emitted_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer BirthsBlock { EmittedGrain emitted[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SpotBlock { vec3 sites[]; };
layout(set = 0, binding = 8, scalar) coherent buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 14, scalar) writeonly buffer StateBlock { ClumpMotion clump_motions[]; };
layout(set = 0, binding = 13, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
#include "shared/gates.glsl"
#include "shared/space.glsl"
#include "shared/emission.glsl"

shared uint decided;  // tries that fail; first emitted grain that does

uint world, lane, first;  // place in memory of the first grain that is released in this step
uint released = 0u;

// Other fields that follow grains hold in this place what they start with. t: the try, of which this is the place.
void release(uint emitter, uint k, uint t, uint i) {
  vec3 place = place_of_try(world, emitter, k, t);
  Grain grain = emitted[k].grain;
  grains[i] = Grain(vec4(place, grain.position.w), grain.velocity);
  grain_id[i] = emitted[k].id;
  grain_tag[i] = emitted[k].tag;
  if (rotating != rotation_off)
    grain_spin[i] = vec4(0.0, 0.0, 0.0, emitted[k].ease);
  contact_count[i] = 0u;
  EmissionDue schedule = emissions_due_of(world, emitter);
  if (schedule.spheres > 1u && (k - schedule.base) % schedule.spheres == 0u) {
    vec3 center = t > 0u ? sites[site_of(k, t, schedule, emitter)] : emitted[k].center;
    clump_motions[i] = ClumpMotion(emitted[k].turned, center, grain.velocity.xyz, vec3(0.0));
  }
}

// One after another, at the first of its tries that is free. What has been released in this step keeps its room.
void release_late(uint emitter, Due due) {
  uint tries = tries_of(world, emitter), spheres = emissions_due_of(world, emitter).spheres, k = due.late;
  for (; k < due.late_end; k += spheres) {
    if (lane == 0u)
      decided = 0u;
    barrier();
    if (lane < spheres)
      atomicOr(decided, emitted[k + lane].blocked);
    for (uint n = lane; n < tries * spheres * released; n += group_size) {
      uint t = n % tries, j = n / tries % released, sphere = k + n / tries / released;
      if (has_no_room(place_of_try(world, emitter, sphere, t), emitted[sphere].grain.position.w, grains[first + j].position))
        atomicOr(decided, 1u << t);
    }
    barrier();
    uint free = ~decided & ((1u << tries) - 1u);
    if (free == 0u)
      break;
    if (lane < spheres)
      release(emitter, k + lane, uint(findLSB(free)), first + released + lane);
    released += spheres;
    memoryBarrierBuffer();
    barrier();
  }
  barrier();
  if (lane == 0u)
    emitted_count[world * settings.emission.emitters + emitter] += k - due.late;
}

// All at once, up to the first one that finds no room where it is planned. The plan keeps these apart, not from late ones.
void release_now(uint emitter, Due due, uint late) {
  EmissionDue schedule = emissions_due_of(world, emitter);
  if (lane == 0u)
    decided = due.end;
  barrier();
  for (uint k = due.now + lane; k < due.end; k += group_size) {
    bool blocked = emitted[k].blocked != 0u;
    for (uint j = 0u; j < late && !blocked; ++j)
      blocked = has_no_room(emitted[k].grain.position.xyz, emitted[k].grain.position.w, grains[first + j].position);
    if (blocked)
      atomicMin(decided, k - (k - schedule.base) % schedule.spheres);  // none of its clump
  }
  barrier();
  uint end = decided;
  for (uint k = due.now + lane; k < end; k += group_size)
    release(emitter, k, 0u, first + released + (k - due.now));
  released += end - due.now;
  barrier();
  if (lane == 0u)
    emitted_count[world * settings.emission.emitters + emitter] += end - due.now;
}

void main() {
  world = group_index();
  lane = gl_LocalInvocationID.x;
  if (world >= settings.worlds.count || status.halt != halt_none)
    return;
  // All that are there lie before it.
  first = (many_worlds == 0u ? settings.emission.place - status.freed : world * settings.worlds.places + settings.emission.place) + worlds[world].population.born;
  for (uint emitter = 0u; emitter < settings.emission.emitters; ++emitter) {
    Due due = due_of(world, emitter);
    if (due.late < due.late_end)
      release_late(emitter, due);
  }
  memoryBarrierBuffer();
  barrier();
  uint late = released;
  bool grows = false;  // places in memory
  for (uint emitter = 0u; emitter < settings.emission.emitters; ++emitter) {
    Due due = due_of(world, emitter);
    grows = grows || due.now < due.end;
    if (due.late == due.now && due.now < due.end)
      release_now(emitter, due, late);
  }
  barrier();  // all have read the place of the first one
  if (lane != 0u)
    return;
  worlds[world].population.released = released;
  worlds[world].population.born += released;
  if (released > 0u)
    worlds[world].motion.speed = max(worlds[world].motion.speed, settings.emission.speed);
  if (released > 0u || grows)  // lists are of all places, those of grains that wait too
    worlds[world].lists.travel = lists_invalid;
  if (world == 0u)
    open(gate_emission, released);
}
