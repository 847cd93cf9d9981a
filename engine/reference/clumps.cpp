// Clumps of spheres, which contacts have met one by one, as rigid bodies (shaders/shared/laws/clump.h).
#include "engine/reference/clumps.h"
#include "engine/reference/finish.h"

namespace talus::reference {
namespace {

// From the centre of mass to sphere k [m]. size: radius of the first sphere [m].
vec3 lever_of(const ClumpMotion& clump, const ClumpKind& kind, uint k, float size) {
  return clump_turned(vec3(clump.rotation), clump.rotation.w, size * vec3(kind.place[k]));
}

// A substep of a clump. What a sphere would have done without contacts is known from the clump, which nothing else has
// changed.
ClumpMotion moved(const Args& args, const Fields& f, uint i, vec3 inertia) {
  const Settings& settings = f.settings[0];
  const ClumpKind& kind = kind_of(f, i);
  ClumpMotion clump = f.clump_motions[i];
  const vec3 spin = spin_of(clump, inertia), fall = args.h * settings.domain.gravity;
  vec3 velocity_change(0.0f), momentum_change(0.0f);
  for (uint k = 0; k < kind.spheres; ++k) {
    const uint j = place_of_sphere(f, i, k + 1);
    const float radius = f.grains[j].position.w;
    const vec3 lever = lever_of(clump, kind, k, f.grains[i].position.w),
               without = clump_velocity(clump.velocity, spin, lever) + fall;
    clump_add_change(vec3(f.grains[j].velocity) - without, vec3(f.grain_spin[j]) - radius * spin, lever, radius,
                     f.grain_spin[j].w, kind.weight[k], velocity_change, momentum_change);
  }
  clump.velocity = clump.velocity + (velocity_change + fall);
  clump.momentum = clump.momentum + momentum_change;
  vec3 q(clump.rotation);
  clump_turn(q, clump.rotation.w, clump.momentum, inertia, args.h);
  clump.rotation = vec4(q, clump.rotation.w);
  clump.position = clump.position + args.h * clump.velocity;
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      clump.position[a] = into_period(clump.position[a], settings.domain.min[a], settings.domain.max[a]);
  return clump;
}

// The spheres where their clump is.
void place_spheres(Fields& f, uint i, vec3 inertia, Finish& finish) {
  const ClumpKind& kind = kind_of(f, i);
  const ClumpMotion& clump = f.clump_motions[i];
  const vec3 spin = spin_of(clump, inertia);
  const float size = f.grains[i].position.w;
  for (uint k = 0; k < kind.spheres; ++k) {
    const uint j = place_of_sphere(f, i, k + 1);
    Grain& grain = f.grains[j];
    const vec3 lever = lever_of(clump, kind, k, size), before(grain.position),
               there = before + shortest((clump.position + lever) - before, f.settings[0]);
    grain = {vec4(there, grain.position.w), vec4(clump_velocity(clump.velocity, spin, lever), grain.velocity.w)};
    f.grain_spin[j] = vec4(grain.position.w * spin, f.grain_spin[j].w);
    finish.grain(j, grain);
  }
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
  Finish finish(args, f, false);
  for (uint i = begin; i < std::min(end, args.grains); ++i) {
    if (sphere_of(f.grain_tag[i]) != 1 || !moves(f.grains[i]))
      continue;
    const float size = f.grains[i].position.w;
    const vec3 inertia = size * size * kind_of(f, i).inertia;
    f.clump_motions[i] = moved(args, f, i, inertia);
    place_spheres(f, i, inertia, finish);
  }
  finish.flush();
}

}  // namespace talus::reference
