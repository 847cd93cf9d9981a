#version 460
#extension GL_GOOGLE_include_directive : require
// A substep of explicit dynamics in one pass: springs and dampers (Cundall and Strack 1979) whose stiffness is tied to the substep,
// k = kappa m_eff / h^2, so that neither material nor mass ratio enters stability. A grain gathers from its own contacts; both sides
// of a contact compute the same numbers with opposite signs. In units of velocity: push is what the contact changes the relative
// velocity by in this substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 6, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 7, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 9, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 11, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
layout(set = 0, binding = 13, scalar) buffer ActivityBlock { SliceActivity slice_activity[]; };
#include "shared/space.glsl"
#include "shared/listed.glsl"
#define ONE_DIVISION true
#define TURNS_FOR_EACH_PART (few_registers != 0u)
#define LISTED_SLICES
#include "shared/contact_row.glsl"
#define LOAD_GROUP (self / group_size)
// Where the slice weighs: all of its grains rest, and so does the body.
#define WEIGHS (sleeping != 0u && (slice_activity[self / slice_grains].state & slice_weighs) != 0u)
#define ADDS_TOO(n, words) if (WEIGHS) add_standing(n, words);
#define COUNTS_TOO if (WEIGHS) atomicMax(slice_activity[self / slice_grains].body, several_bodies);
void add_standing(uint n, uvec2 words);
#include "shared/dem_contact.glsl"
#include "shared/body_rest.glsl"
#include "shared/finish.glsl"

bool memory;
bool stirred;  // does the grain sleep, and is a body or a grain that moves in its list?

#define REMEMBERED Springs
#define NOTHING_REMEMBERED Springs(vec3(0.0), vec3(0.0))
Springs restore(uint slot) {
  return Springs(memory ? load_vec3(contact_state, shear_at(slot)) : vec3(0.0),
                 memory && rotating == rotation_rolling ? load_vec3(contact_state, roll_at(slot)) : vec3(0.0));
}

void watch(uint i) {
  uint slice = i / slice_grains;
  if (slice_activity[slice].watched == 0u)
    atomicOr(slice_activity[slice].watched, 1u);
}

// Adds words to what the slice does to its body in a substep (SliceActivity.load).
void add_standing(uint n, uvec2 words) {
  uint slice = self / slice_grains, before = atomicAdd(slice_activity[slice].load[n], words.x);
  atomicAdd(slice_activity[slice].load[n + 1u], words.y + (before > ~words.x ? 1u : 0u));
}

// A body is in the lists of a slice that weighs.
void note_body(uint body) {
  uint slice = self / slice_grains, before = atomicCompSwap(slice_activity[slice].body, 0u, body + 1u);
  if (before != 0u && before != body + 1u)
    atomicMax(slice_activity[slice].body, several_bodies);
}

// Sleepers beside a grain that is awake are watched, and those beside a body that moves. Does a sleeper meet what rests? The springs of these
// contacts stay as they are, on both sides, whichever of the two has a slice that runs.
bool meets_rest(uint partner, bool with_grain, Contact c) {
  if (!asleep) {
    if (with_grain && rests(c.velocity, c.inverse_mass))
      watch(partner);
    return false;
  }
  bool stirs = with_grain ? c.velocity != vec3(0.0) : is_body(partner) && !stands_still(body_of(partner));
  stirred = stirred || stirs;
  if (!with_grain && stirs)
    watch(self);
  return !stirs;
}

// The grain's state once more, behind the search for the nearest surface of a body, over which it held 13 registers. nought: 0, which no compiler
// knows, so that none takes what was loaded before.
void load_again(uint nought) {
  grain = grains[self + nought];
  tag = grain_tag[self + nought];
  if (rotating != rotation_off)
    spin = grain_spin[self + nought];
}

void touch(uint slot, uint partner, bool with_grain, Contact c, Springs before) {
  if (!with_grain && few_registers != 0u)
    load_again(slot >> 31u);
  bool kept = sleeping != 0u && meets_rest(partner, with_grain, c);
  if (!with_grain && is_body(partner) && WEIGHS)
    note_body(body_of(partner));
  Springs after = respond(c, partner, with_grain, before);
  if (kept)
    return;
  if (memory && after.shear != before.shear)
    store_vec3(contact_state, shear_at(slot), after.shear);
  if (memory && rotating == rotation_rolling && after.roll != before.roll)
    store_vec3(contact_state, roll_at(slot), after.roll);
}

// Without bodies and rolling resistance there are 4 subgroups in either case.
#define LOADS_LATE (few_registers != 0u && (solid_kinds != 0u || rotating == rotation_rolling))
#include "shared/each_contact.glsl"

bool is_asleep_now(uint i) { return grain.velocity.w > 0.0 && (slice_activity[i / slice_grains].state >> i % slice_grains & 1u) != 0u; }

// Contacts and gravity act on a sleeper that is stirred or unsettled, and on no other. The grain's place in its slice is that of the thread,
// i % slice_grains: computed from i it would hold a register over the contacts.
bool acts_on_sleeper(uint i) {
  uint bit = 1u << gl_LocalInvocationID.x % slice_grains;
  if (stirred)
    atomicOr(slice_activity[i / slice_grains].unsettled, bit);
  return stirred || (slice_activity[i / slice_grains].unsettled & bit) != 0u;
}

Grain advance(uint i) {
  begin(i);
  memory = settings.contacts.memory != 0u;
  stirred = false;
  asleep = sleeping != 0u && is_asleep_now(i);
  each_contact(i, grain.position.xyz, grain.position.w);
  if (asleep)
    acted_on = acts_on_sleeper(i);
  return end();
}

void main() {
  uint i = listed_grain();
  bool alive = i < args.grains;
  Grain after;
  if (alive)
    after = advance(i);
  after = finish(alive, i, after);
  if (alive)
    grains_next[i] = after;
  if (alive && rotating != rotation_off)
    grain_spin_next[i] = end_spin();
}
