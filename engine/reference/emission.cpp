// Which grains emitters release: those that there is room for.
#include "shaders/shared/emission.h"
#include "engine/reference/schedule.h"
#include <bit>

namespace talus::reference {
namespace {

// An emitter in a world, in this step.
struct Source {
  const Fields& f;
  uint world, emitter;
  const EmissionDue& schedule;
  Due due;

  Source(const Args& args, const Fields& fields, uint in_world, uint which)
      : f(fields), world(in_world), emitter(which),
        schedule(f.emissions_due[(step_of_batch(args, f) * f.settings[0].worlds.count + world) *
                                     f.settings[0].emission.emitters +
                                 emitter]),
        due(due_of(schedule, f.emitted_count[world * f.settings[0].emission.emitters + emitter])) {}

  float radius(uint k) const { return f.emitted[k].grain.position.w; }
  uint tries() const { return schedule.sites > 0 ? emission_tries : 1; }  // of an emitted grain that waits
  vec3 site(uint k, uint t) const { return f.sites[site_of(k, t, schedule, emitter)]; }
  vec3 place_of_try(uint k, uint t) const {
    const vec3 planned(f.emitted[k].grain.position);
    if (t == 0)
      return planned;
    return schedule.spheres > 1 ? site(k, t) + (planned - f.emitted[k].center) : site(k, t);
  }
  // Calls visit(k, tries) for the emitted grains that are looked at.
  void each(auto&& visit) const {
    TALUS_ASSERT(due.late <= due.late_end && due.late_end <= f.emitted.size(), emitter, due.late, due.late_end);
    TALUS_ASSERT(due.now <= due.end && due.end <= f.emitted.size(), emitter, due.now, due.end);
    for (uint k = due.late; k < due.late_end; ++k)
      visit(k, tries());
    for (uint k = due.now; k < due.end; ++k)
      visit(k, 1u);
  }
};

bool has_no_room(const Fields& f, vec3 place, float radius, vec4 other) {
  const float least = emission_apart * (radius + other.w);
  return squared(shortest(place - vec3(other), f.settings[0])) < least * least;
}

bool meets_body(const Fields& f, uint world, vec3 place, float radius) {
  const uint count = f.settings[0].bodies.count;
  for (uint body = world * count; body < (world + 1) * count; ++body) {
    if (f.bodies[body].parts == 0)  // of grains alone
      continue;
    const vec3 offset = shortest(place - f.bodies[body].motion.position, f.settings[0]);
    const float around = f.bodies[body].reach + radius;
    if (squared(offset) < around * around && from_body(f, body, offset).value < emission_apart * radius)
      return true;
  }
  return false;
}

// What emitters release into a world in this step.
class Release {
public:
  Release(const Args& args, Fields& f, uint world)
      : args_(args), f_(f), world_(world),
        first_((f.settings[0].worlds.count == 1 ? f.settings[0].emission.place - f.status[0].freed
                                                : world * f.settings[0].worlds.places + f.settings[0].emission.place) +
               f.worlds[world].population.born) {}

  void run() {
    const uint emitters = f_.settings[0].emission.emitters;
    for (uint emitter = 0; emitter < emitters; ++emitter)
      late(Source(args_, f_, world_, emitter));
    late_ = released_;
    bool grows = false;  // places in memory
    for (uint emitter = 0; emitter < emitters; ++emitter) {
      const Source source(args_, f_, world_, emitter);
      grows |= source.due.now < source.due.end;
      if (source.due.late == source.due.now)
        now(source);
    }
    World& world = f_.worlds[world_];
    world.population.released = released_;
    world.population.born += released_;
    if (released_ > 0)
      world.motion.speed = std::max(world.motion.speed, f_.settings[0].emission.speed);
    if (released_ > 0 || grows)  // lists are of all places, those of grains that wait too
      world.lists.travel = lists_invalid;
    if (world_ == 0)
      f_.gates[gate_emission] = groups(released_);
  }

private:
  const Args& args_;
  Fields& f_;
  uint world_, first_, released_ = 0, late_ = 0;

  // Does one of the first so many that were released in this step take the room?
  bool taken(vec3 place, float radius, uint among) const {
    for (uint j = 0; j < among; ++j)
      if (has_no_room(f_, place, radius, f_.grains[first_ + j].position))
        return true;
    return false;
  }

  // Other fields that follow grains hold in this place what they start with. t: the try, of which this is the place.
  void release(const Source& source, uint k, uint t) {
    const uint i = first_ + released_++;
    TALUS_ASSERT(i < f_.grains.size() && is_gone(f_.grains[i]), i, k, f_.grains.size());
    const EmittedGrain& emitted = f_.emitted[k];
    f_.grains[i] = {vec4(source.place_of_try(k, t), emitted.grain.position.w), emitted.grain.velocity};
    f_.grain_id[i] = emitted.id;
    f_.grain_tag[i] = emitted.tag;
    if (f_.settings[0].solver.rotation != rotation_off)
      f_.grain_spin[i] = vec4(0.0f, 0.0f, 0.0f, emitted.ease);
    f_.contact_count[i] = 0;
    if (source.schedule.spheres > 1 && (k - source.schedule.base) % source.schedule.spheres == 0) {
      const vec3 center = t > 0 ? source.site(k, t) : emitted.center;
      f_.clump_motions[i] = {emitted.turned, center, vec3(emitted.grain.velocity), vec3(0.0f)};
    }
    TALUS_ASSERT(f_.emitted[k].grain.position.w > 0.0f, k, f_.emitted[k].grain.position.w);
    f_.emitted_count[world_ * f_.settings[0].emission.emitters + source.emitter] += 1;
  }

  // Is one of the spheres of a grain, from k on, in the way of something at this try?
  bool blocked(const Source& source, uint k, uint t, uint among) const {
    for (uint sphere = k; sphere < k + source.schedule.spheres; ++sphere)
      if ((f_.emitted[sphere].blocked >> t & 1) != 0 ||
          taken(source.place_of_try(sphere, t), source.radius(sphere), among))
        return true;
    return false;
  }

  // A clump with all of its spheres.
  void release_whole(const Source& source, uint k, uint t) {
    for (uint sphere = k; sphere < k + source.schedule.spheres; ++sphere)
      release(source, sphere, t);
  }

  void late(const Source& source) {
    for (uint k = source.due.late; k < source.due.late_end; k += source.schedule.spheres) {
      uint t = 0;
      while (t < source.tries() && blocked(source, k, t, released_))
        ++t;
      if (t == source.tries())
        return;
      release_whole(source, k, t);
    }
  }

  void now(const Source& source) {
    for (uint k = source.due.now; k < source.due.end; k += source.schedule.spheres) {
      if (blocked(source, k, 0, late_))
        return;
      release_whole(source, k, 0);
    }
  }
};

}  // namespace

void emission_test(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint n = begin; n < end; ++n) {
    const Source source(args, f, n / f.settings[0].emission.emitters, n % f.settings[0].emission.emitters);
    source.each([&](uint k, uint tries) {
      uint blocked = 0;
      for (uint t = 0; t < tries; ++t)
        if (meets_body(f, source.world, source.place_of_try(k, t), source.radius(k)))
          blocked |= 1u << t;
      f.emitted[k].blocked = blocked;
    });
  }
}

void emission_overlap(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  // The grains of one world within [begin, end).
  const auto meet = [&](const Source& source, uint first, uint last) {
    if (source.due.late == source.due.late_end && source.due.now == source.due.end)
      return;
    const EmitterRegion& spout = f.emitter_regions[source.emitter];
    for (uint i = first; i < last; ++i) {
      const vec4 grain = f.grains[i].position;
      const vec3 way = shortest(vec3(grain) - spout.middle, settings);
      const vec3 near = spout.half_edges + (spout.radius + grain.w);
      if (is_gone(f.grains[i]) || glm::any(glm::greaterThan(glm::abs(way), near)))
        continue;
      source.each([&](uint k, uint tries) {
        uint blocked = 0;
        for (uint t = 0; t < tries; ++t)
          if (has_no_room(f, source.place_of_try(k, t), source.radius(k), grain))
            blocked |= 1u << t;
        if (blocked != 0)
          atomic_ref(f.emitted[k].blocked).fetch_or(blocked, std::memory_order_relaxed);
      });
    }
  };
  for (uint first = begin, last = begin; first < end; first = last) {
    const uint world = world_of(f, first);
    last = std::min(end, places_end(args, f, world));
    for (uint emitter = 0; emitter < settings.emission.emitters; ++emitter)
      meet(Source(args, f, world, emitter), first, last);
  }
}

void emit(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  for (uint world = begin; world < end; ++world)
    Release(args, f, world).run();
}

}  // namespace talus::reference
