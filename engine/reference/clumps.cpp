// Clumps of spheres, which contacts have met one by one, as rigid bodies (shaders/shared/laws/clump.h).
#include "engine/reference/clumps.h"
#include "engine/reference/finish.h"

namespace talus::reference {
namespace {

// The bits that a sphere of a clump had at the end of the substep before follow from the clump, its own radius and what
// its kind says of it.
struct Carried {
  vec3 lever, velocity, spin;  // m, from the centre of mass; m/s; rad/s
};
Carried carried(const ClumpMotion& clump, const ClumpKind& kind, uint k, float radius) {
  const float size = radius / kind.place[k].w;
  const vec3 spin = clump_spin(clump.rotation, clump.momentum, size * size * kind.inertia);
  const vec3 lever = clump_turned(clump.rotation, size * vec3(kind.place[k]));
  return {lever, clump_velocity(clump.velocity, spin, lever), spin};
}

void move_clump(const Args& args, Fields& f, uint i) {
  const Settings& settings = f.settings[0];
  const ClumpKind& kind = kind_of(f, i);
  ClumpMotion& clump = f.clump_motions[i];
  const float size = f.grains[i].position.w / kind.place[0].w;
  const vec3 inertia = size * size * kind.inertia, fall = args.h * settings.domain.gravity;
  ClumpChange sum{vec3(0.0f), vec3(0.0f)};
  for (uint k = 0; k < kind.spheres; ++k) {
    const uint j = place_of_sphere(f, i, k + 1);
    const vec4 &position = f.grains[j].position, &turns = f.grain_spin[j];
    const Carried before = carried(clump, kind, k, position.w);
    const ClumpChange by =
        clump_change(vec3(f.grains[j].velocity) - (before.velocity + fall), vec3(turns) - position.w * before.spin,
                     before.lever, position.w, turns.w, kind.weight[k]);
    sum.velocity += by.velocity;
    sum.momentum += by.momentum;
  }
  clump = clump_moved(clump, sum, fall, inertia, args.h);
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      clump.position[a] = into_period(clump.position[a], settings.domain.min[a], settings.domain.max[a]);
}

void carry_sphere(Fields& f, uint i, Finish& finish) {
  const uint k = sphere_of(f.grain_tag[i]) - 1;
  const ClumpMotion& clump = f.clump_motions[place_of_sphere(f, i, 1)];
  Grain& grain = f.grains[i];
  const Carried now = carried(clump, kind_of(f, i), k, grain.position.w);
  const vec3 before(grain.position), there = before + shortest((clump.position + now.lever) - before, f.settings[0]);
  grain = {vec4(there, grain.position.w), vec4(now.velocity, grain.velocity.w)};
  f.grain_spin[i] = vec4(grain.position.w * now.spin, f.grain_spin[i].w);
  finish.grain(i, grain);
}

bool moves(const Grain& grain) {
  return !is_gone(grain) && grain.velocity.w > 0.0f;
}

}  // namespace

void clump_find(const Args& args, Fields& f, uint begin, uint end) {
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains || sphere_of(f.grain_tag[i]) == 0 || is_gone(f.grains[i]))
      continue;
    const uint first = world_of(f, i) * f.settings[0].worlds.places;
    TALUS_ASSERT(first + f.grain_id[i] < f.clump_slots.size(), i, f.grain_id[i], f.clump_slots.size());
    f.clump_slots[first + f.grain_id[i]] = i - first;
  }
}

void clump_move(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < std::min(end, args.grains); ++i)
    if (sphere_of(f.grain_tag[i]) == 1 && moves(f.grains[i]))
      move_clump(args, f, i);
}

void clump_carry(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f, false);
  for (uint i = begin; i < std::min(end, args.grains); ++i)
    if (sphere_of(f.grain_tag[i]) > 0 && moves(f.grains[i]))
      carry_sphere(f, i, finish);
  finish.flush();
}

}  // namespace talus::reference
