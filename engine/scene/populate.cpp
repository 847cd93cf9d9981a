#include "engine/geometry/box_index.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/clump.h"
#include "engine/scene/fine_sampling.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/obstacles.h"
#include "engine/scene/sampling.h"
#include "engine/scene/separate.h"
#include "engine/scene/surface_sampling.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <span>

namespace talus {

namespace {

// Streams of random numbers: places, radii and speeds of group i, emitter i, the skin of body i, shape i, the spots of
// emitter i, and the spins and the rotations of grains of group i.
enum : std::uint64_t {
  stream_places = 1'000'000'000,
  stream_speeds = 2'000'000'000,
  stream_emitter = 3'000'000'000,
  stream_boundary = 4'000'000'000,
  stream_shape = 5'000'000'000,
  stream_spots = 6'000'000'000,
  stream_spins = 7'000'000'000,
  stream_turns = 8'000'000'000
};

// What bodies and shapes are made of is the same whatever the seed: worlds differ in the grains around them.
constexpr std::uint64_t seed_of_bodies = 1;

std::string name_of(const Scene& scene, const std::string& where, std::string_view table, std::size_t i) {
  return fmt::format("{}: {}.{}", where.empty() ? scene.source : where, table, i);
}

// reach: of a grain, in its radii.
std::vector<Ball> place_points(const Scene& scene, const GrainGroup& g, double reach, const std::string& name,
                               Packing& packing, Random& random) {
  const Domain& d = scene.domain;
  std::vector<Ball> balls;
  for (const glm::dvec3& p : std::get<PointsFill>(g.shape).points) {
    for (int a = 0; a < 3; ++a)
      if (d.axis[a] != Axis::open && !(p[a] >= d.min[a] && p[a] <= d.max[a]))
        throw SceneError(fmt::format("{}: the point [{}, {}, {}] lies outside the domain, {} to {} m in {}", name, p.x,
                                     p.y, p.z, d.min[a], d.max[a], "xyz"[a]));
    const Ball ball{glm::vec3(p), static_cast<float>(reach * random.between(g.radius_min, g.radius_max))};
    packing.add(ball);
    balls.push_back(ball);
  }
  return balls;
}

// As the loader has checked them.
std::vector<Ball> place_loaded(const GrainGroup& g, const LoadedGrains& loaded, Packing& packing, Random& random) {
  std::vector<Ball> balls;
  balls.reserve(loaded.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    balls.push_back({loaded.positions[i], loaded.radii.empty()
                                              ? static_cast<float>(random.between(g.radius_min, g.radius_max))
                                              : loaded.radii[i]});
    packing.add(balls.back());
  }
  return balls;
}

// At the start.
std::vector<Obstacle> obstacles_of(const Scene& scene, const std::vector<Pose>& poses,
                                   const std::vector<ClothPlace>& cloths) {
  std::vector<Obstacle> obstacles;
  const double far = radii_of(scene).max;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    BodySpec body = scene.bodies[b];
    std::erase_if(body.parts, [](const BodyPart& part) { return part.after_fill; });
    obstacles.push_back(obstacle_of(body, poses[b], far));
  }
  for (const ClothPlace& place : cloths) {
    const ClothSpec& cloth = scene.cloths[place.cloth];
    const Bounds box = bounds_of(cloth, place.sheet);
    const Pose pose = pose_of(cloth);
    const Mesh mesh{{place.sheet.vertices.begin(), place.sheet.vertices.end()}, place.sheet.triangles};
    const auto grid = std::make_shared<TriangleGrid>(triangle_grid(mesh, false, far + cloth.thickness / 2));
    obstacles.push_back(
        {{{{Solid::Mesh{grid}, pose.position, pose.rotation}}}, box, (box.min + box.max) / 2.0, cloth.thickness / 2});
  }
  return obstacles;
}

// Along a periodic axis, a grain meets the image that is nearest.
Space::Blocked blocked_by(const std::vector<Obstacle>& obstacles, const Domain& domain) {
  if (obstacles.empty())
    return {};
  std::vector<Bounds> boxes;
  for (const Obstacle& o : obstacles)
    boxes.push_back({o.box.min - o.clearance, o.box.max + o.clearance});
  return [obstacles, domain, index = BoxIndex(boxes, period_of(domain))](const glm::dvec3& center, double radius) {
    const double reach = std::max(radius, 0.0);  // a solid is no nearer than the box around it
    return index.any({center - reach, center + reach},
                     [&](std::size_t i) { return depth_in(obstacles[i], domain, center, radius) > 0.0; });
  };
}

// Any rotation is as likely as any other (Shoemake 1992).
glm::dquat random_turn(Random& random) {
  const glm::dvec3 u = random.vec();
  const double a = std::sqrt(1.0 - u.x), b = std::sqrt(u.x), s = 2.0 * std::numbers::pi * u.y,
               t = 2.0 * std::numbers::pi * u.z;
  return {b * std::cos(t), a * std::sin(s), a * std::cos(s), b * std::sin(t)};
}

// Streams of random numbers of a group.
struct GroupRandom {
  Random places, speeds{0, 0}, spins{0, 0}, turns{0, 0};
};

// number: of the group in Scene::grains, where it is there. Clumps are placed by the balls that hold them.
void fill(const Scene& scene, const GrainGroup& g, std::size_t number, const std::string& name, GroupRandom random,
          const Space::Blocked& blocked, Packing& packing, std::vector<Seed>& seeds) {
  const double reach = form_of(g.clump).reach, radius_min = reach * g.radius_min, radius_max = reach * g.radius_max;
  std::vector<Ball> balls;
  const auto* file = std::get_if<FileFill>(&g.shape);
  if (std::holds_alternative<PointsFill>(g.shape))
    balls = place_points(scene, g, reach, name, packing, random.places);
  else if (file)
    balls = place_loaded(g, *file->loaded, packing, random.places);
  else if (const Space space(g.shape, scene.domain, radius_max, blocked); !space.fits(radius_max))
    balls.clear();
  else
    try {
      balls = g.sampling == Sampling::lattice
                  ? fill_lattice(space, radius_min, radius_max, g.spacing, g.jitter, g.count, packing, random.places)
                  : fill_random(space, radius_min, radius_max, g.count, packing, random.places);
    } catch (const SceneError& e) {
      throw SceneError(name + ": " + e.what());
    }
  if (g.count && balls.size() < *g.count)
    throw SceneError(fmt::format(
        "{}: {} grains were asked for and only {} fit into the fill without overlap: give a count up to that, a larger "
        "fill or smaller grains",
        name, *g.count, balls.size()));
  if (balls.empty())
    throw SceneError(fmt::format(
        "{}: the fill has no room for a grain beside what was placed before it: give a larger fill or smaller grains",
        name));
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const Ball& b = balls[i];
    const glm::dvec3 random_velocity = (2.0 * random.speeds.vec() - 1.0) * g.velocity_random;
    const glm::dvec3 random_spin = (2.0 * random.spins.vec() - 1.0) * g.spin_random;
    const auto of_file = [&](std::vector<glm::vec3> LoadedGrains::*vectors) {
      return file && !(file->loaded.get()->*vectors).empty() ? glm::dvec3((file->loaded.get()->*vectors)[i])
                                                             : glm::dvec3(0.0);
    };
    const glm::dvec3 velocity =
        g.fixed ? glm::dvec3(0.0) : g.velocity + random_velocity + of_file(&LoadedGrains::velocities);
    const glm::dvec3 spin = g.fixed ? glm::dvec3(0.0) : g.spin + random_spin + of_file(&LoadedGrains::spins);
    if (g.clump) {
      const PlacedClump placed{glm::dvec3(b.center),
                               static_cast<double>(b.radius) / reach,
                               random_turn(random.turns),
                               velocity,
                               spin,
                               g.material,
                               g.fixed};
      const std::vector<Seed> spheres =
          seeds_of(g.clump->shape(), placed, scene.materials[g.material].density, static_cast<std::uint32_t>(number));
      seeds.insert(seeds.end(), spheres.begin(), spheres.end());
    } else {
      seeds.push_back({b.center, b.radius, glm::vec3(velocity), file ? material_of(g, *file, i) : g.material, g.fixed,
                       0.0f, glm::vec3(spin)});
    }
  }
}

// Particles of shapes.
struct ShapeGrains {
  std::vector<ShapedGrain> grains;
  std::vector<Seed> seeds;
};
ShapeGrains shape_grains_of(const Scene& scene, const Space::Blocked& blocked, Packing& packing) {
  constexpr double period_share = 0.45;  // below half: a particle is where it is nearest to the shape's center
  ShapeGrains out;
  for (std::size_t k = 0; k < scene.shapes.size(); ++k) {
    const ShapeSpec& shape = scene.shapes[k];
    const std::string where = shape.grains.where.empty() ? scene.source : shape.grains.where;
    const std::string name = fmt::format("{}: shape {}", where, shape.name);
    const std::size_t first = out.seeds.size();
    fill(scene, shape.grains, k, name, {Random(seed_of_bodies, stream_shape + k)}, blocked, packing, out.seeds);
    const std::span<Seed> seeds = std::span(out.seeds).subspan(first);
    glm::dvec3 center(0.0);
    for (const Seed& seed : seeds)
      center += glm::dvec3(seed.position) / static_cast<double>(seeds.size());
    double reach = 0.0;
    for (Seed& seed : seeds) {
      const glm::dvec3 place = glm::dvec3(seed.position) - center;
      reach = std::max(reach, glm::length(place));
      seed.velocity += glm::vec3(glm::cross(shape.spin, place));
      seed.spin = shape.spin;
      out.grains.push_back({static_cast<std::uint32_t>(k), place});
    }
    for (int a = 0; a < 3; ++a)
      if (const double most = period_share * (scene.domain.max[a] - scene.domain.min[a]);
          scene.domain.axis[static_cast<std::size_t>(a)] == Axis::periodic && reach > most)
        throw SceneError(fmt::format("{} reaches {:.4g} m from its center of mass, too far for the periodic axis {}: "
                                     "allowed is 0.45 of its length, {:.4g} m",
                                     name, reach, "xyz"[a], most));
  }
  return out;
}

// Vertices of cloth, as balls of its thickness.
std::vector<Seed> cloth_vertices_of(const Scene& scene, std::vector<ClothPlace>& places) {
  std::vector<Seed> seeds;
  for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
    const ClothSpec& cloth = scene.cloths[k];
    ClothSheet sheet = sheet_of(cloth);
    if (const std::string why = misplaced(cloth, sheet, scene.domain); !why.empty())
      throw SceneError(fmt::format("{}: cloth {} {}", scene.source, cloth.name, why));
    const std::vector<bool> pinned = pinned_of(cloth, sheet);
    const Pose pose = pose_of(cloth);
    const auto first = static_cast<std::uint32_t>(seeds.size());
    for (std::size_t i = 0; i < sheet.vertices.size(); ++i)
      seeds.push_back({glm::vec3((pose * Pose{sheet.vertices[i]}).position), static_cast<float>(cloth.thickness / 2),
                       pinned[i] ? glm::vec3(0.0f) : glm::vec3(cloth.velocity), cloth.material, pinned[i],
                       static_cast<float>(cloth.density * sheet.areas[i])});
    places.push_back({static_cast<std::uint32_t>(k), first, std::move(sheet)});
  }
  return seeds;
}

// Grains all over the meshes that are given as particles, so close together that none of their size passes. Those of a
// closed mesh lie within it.
struct BoundaryLayer {
  std::vector<BoundaryParticle> grains;
  std::vector<Seed> seeds;
};
BoundaryLayer boundaries_of(const Scene& scene, const std::vector<Pose>& poses) {
  BoundaryLayer out;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySpec& body = scene.bodies[b];
    Random random(seed_of_bodies, stream_boundary + b);
    for (const BodyPart& part : body.parts) {
      if (!is_boundary(part))
        continue;
      const auto& mesh = std::get<MeshPart>(part.shape);
      const double radius = mesh.radius > 0.0 ? mesh.radius : radii_of(scene).max;
      if (!(radius > 0.0))
        throw SceneError(
            fmt::format("{}: the boundary particles of body {} have no size: give the radius of its mesh, or "
                        "add grains",
                        scene.source, body.name));
      const glm::dquat part_turn = rotation_of(part.rotation);
      for (const SurfacePoint& point :
           with_place(mesh, [&] { return sample_surface(mesh.loaded->mesh, radius, random); })) {
        const glm::dvec3 in_part =
            glm::dvec3(point.position) - (mesh.loaded->closed ? radius : 0.0) * glm::dvec3(point.normal);
        const glm::dvec3 place = part.position + part_turn * in_part;
        out.grains.push_back({static_cast<std::uint32_t>(b), place});
        out.seeds.push_back({glm::vec3((poses[b] * Pose{place}).position), static_cast<float>(radius), glm::vec3(0.0f),
                             body.material.value_or(0), true});
      }
    }
  }
  return out;
}

// m, of the ball that holds the largest grain of an emitter.
double reach_of(const Emitter& emitter) {
  return form_of(emitter.clump).reach * emitter.radius_max;
}

// Where emitted grains are tried that found no room where they were planned.
std::vector<glm::vec3> sites_of(const Scene& scene, std::size_t emitter) {
  constexpr std::size_t most = 1024, darts = 100 * most;
  const Emitter& e = scene.emitters[emitter];
  const double reach = reach_of(e);
  const Space space(e.shape, scene.domain, reach);
  const Bounds& box = space.bounds();
  Random random(seed_of_bodies, stream_spots + emitter);
  std::vector<glm::vec3> sites;
  for (std::size_t dart = 0; dart < darts && sites.size() < most; ++dart)
    if (const glm::vec3 spot(box.min + random.vec() * (box.max - box.min)); space.holds(glm::dvec3(spot), reach))
      sites.push_back(spot);
  return sites;
}

void set_sites(const Scene& scene, Population& population) {
  population.sites.clear();
  for (std::size_t i = 0; i < scene.emitters.size(); ++i)
    population.sites.push_back(sites_of(scene, i));
}

// Plans the emission schedule: which grain is emitted when and where, as if those emitted before fell freely. Whether
// there is room is seen when the time has come.
class EmissionPlanner {
public:
  EmissionPlanner(const Scene& scene, double radius_max, double time_zero = 0.0, std::uint64_t steps = 0)
      : scene_(scene), substeps_(substeps_of(scene)), radius_max_(radius_max), time_zero_(time_zero), done_(steps) {
    for (std::size_t i = 0; i < scene.emitters.size(); ++i) {
      const Emitter& e = scene.emitters[i];
      double emitted = std::max(0.0, std::ceil((e.stop - e.start) * e.rate - 1e-6));
      if (e.count && steps == 0)
        emitted = std::min<double>(emitted, *e.count);
      // Grains that are poured anew come to other places.
      const std::uint64_t seed = scene.seed + steps * 0x9E3779B97F4A7C15u;
      emitter_regions_.push_back({e, Space(e.shape, scene.domain, reach_of(e)), Random(seed, stream_emitter + i),
                                  static_cast<std::uint64_t>(emitted)});
    }
  }

  // Goes on after emitted grains: those that are due are done, and what a count leaves is still to come.
  void go_on(const std::vector<ScheduledGrain>& born, const std::vector<Seed>& there) {
    for (std::size_t i = 0; i < emitter_regions_.size(); ++i) {
      EmitterRegion& s = emitter_regions_[i];
      while (s.born < s.emitted && step_of(s) <= done_)
        ++s.born;
      const auto count = static_cast<std::uint64_t>(std::ranges::count(born, i, &ScheduledGrain::emitter)) /
                         spheres_of(s.emitter.clump);
      if (s.emitter.count)
        s.emitted = std::min(s.emitted, s.born + std::max<std::uint64_t>(*s.emitter.count, count) - count);
    }
    for (const Seed& seed : there)
      falling_.push_back({glm::dvec3(seed.position), glm::dvec3(seed.velocity), seed.radius, done_ + 1});
  }

  void run(Population& population) {
    for (std::uint64_t step = done_;;) {
      std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
      for (const EmitterRegion& s : emitter_regions_)
        if (s.born < s.emitted)
          next = std::min(next, step_of(s));
      if (next == std::numeric_limits<std::uint64_t>::max())
        break;
      pour(step = std::max(step + 1, next), population.scheduled);
    }
    report(population);
  }

private:
  struct EmitterRegion {
    const Emitter& emitter;
    Space space;
    Random random;
    std::uint64_t emitted = 0;  // in all
    std::uint64_t born = 0;
    std::uint64_t missed = 0;
  };
  struct Falling {
    glm::dvec3 position, velocity;  // at birth
    double radius;
    std::uint64_t step;
  };

  // The first step that starts at or after the next birth; step n starts at time_zero + (n - 1) dt.
  std::uint64_t step_of(const EmitterRegion& s) const {
    const double time = s.emitter.start + static_cast<double>(s.born) / s.emitter.rate - time_zero_;
    return 1 + static_cast<std::uint64_t>(std::max(0.0, std::ceil(time / scene_.dt - 1e-6)));
  }

  // Where a free grain is, stepped as the engine does: velocity first, in substeps.
  glm::dvec3 position(const Falling& f, std::uint64_t step) const {
    const double t = static_cast<double>(step - f.step) * scene_.dt;
    return f.position + f.velocity * t + scene_.domain.gravity * (0.5 * t * (t + scene_.dt / substeps_));
  }

  // Past all emitters: on some axis it is beyond them and nothing turns it back. Along a periodic axis it does come
  // round to them again, but not as a free grain: what it meets on its way is not known here.
  bool gone(const Falling& f, std::uint64_t step) const {
    const glm::dvec3 p = position(f, step), g = scene_.domain.gravity;
    const glm::dvec3 v = f.velocity + g * (static_cast<double>(step - f.step) * scene_.dt);
    return std::all_of(emitter_regions_.begin(), emitter_regions_.end(), [&](const EmitterRegion& s) {
      if (s.born == s.emitted)
        return true;
      for (int a = 0; a < 3; ++a) {
        const double reach = f.radius + reach_of(s.emitter);
        if ((p[a] < s.space.bounds().min[a] - reach && v[a] <= 0 && g[a] <= 0) ||
            (p[a] > s.space.bounds().max[a] + reach && v[a] >= 0 && g[a] >= 0))
          return true;
      }
      return false;
    });
  }

  void pour(std::uint64_t step, std::vector<ScheduledGrain>& poured) {
    std::erase_if(falling_, [&](const Falling& f) { return gone(f, step); });
    Packing packing(radius_max_, scene_.domain);
    for (const Falling& f : falling_)
      packing.add({glm::vec3(position(f, step)), static_cast<float>(f.radius)});
    for (EmitterRegion& s : emitter_regions_)
      while (s.born < s.emitted && step_of(s) <= step) {
        if (stopped(s.emitter, step, scene_.dt, time_zero_)) {
          s.missed = s.emitted - s.born;
          s.emitted = s.born;
        } else if (!bear(s, step, packing, poured))
          break;  // no room now: again at the next step
      }
  }

  bool bear(EmitterRegion& s, std::uint64_t step, Packing& packing, std::vector<ScheduledGrain>& poured) {
    // Darts that miss the shape say nothing about room in it.
    constexpr int tries = 100, darts = 100 * tries;
    const Emitter& e = s.emitter;
    const Bounds& box = s.space.bounds();
    const double form = form_of(e.clump).reach;
    const float radius = static_cast<float>(form * s.random.between(e.radius_min, e.radius_max));
    for (int dart = 0, hits = 0; dart < darts && hits < tries; ++dart) {
      const Ball ball{glm::vec3(box.min + s.random.vec() * (box.max - box.min)), radius};
      if (!s.space.holds(glm::dvec3(ball.center), radius))
        continue;
      ++hits;
      if (!packing.free(ball))
        continue;
      packing.add(ball);
      falling_.push_back({glm::dvec3(ball.center), e.velocity, radius, step});
      const auto emitter = static_cast<std::uint32_t>(&s - emitter_regions_.data());
      std::vector<Seed> spheres{{ball.center, radius, glm::vec3(e.velocity), e.material}};
      if (e.clump)
        spheres =
            seeds_of(e.clump->shape(),
                     {glm::dvec3(ball.center), static_cast<double>(radius) / form, random_turn(s.random), e.velocity,
                      glm::dvec3(0.0), e.material, false},
                     scene_.materials[e.material].density, static_cast<std::uint32_t>(scene_.grains.size()) + emitter);
      for (const Seed& sphere : spheres)
        poured.push_back({sphere, step, emitter});
      ++s.born;
      return true;
    }
    return false;
  }

  void report(Population& population) const {
    for (std::size_t i = 0; i < emitter_regions_.size(); ++i) {
      const EmitterRegion& s = emitter_regions_[i];
      const std::string name = name_of(scene_, s.emitter.where, "emitter", i);
      const std::string remedy = "give a lower rate, a larger shape, a higher speed or smaller grains";
      if (s.missed && s.emitter.count)
        throw SceneError(fmt::format("{}: {} grains were to be poured by {} s, and only {} found room: {}", name,
                                     s.born + s.missed, s.emitter.stop, s.born, remedy));
      if (s.missed)
        population.warnings.push_back(
            fmt::format("{}: the rate of {} grains/s is not reached, since {} of {} grains find no room: {}", name,
                        s.emitter.rate, s.missed, s.born + s.missed, remedy));
      else if (s.emitted == 0)
        population.warnings.push_back(fmt::format(
            "{}: no grain is due between the start at {} s and the stop at {} s: give a higher rate or a later stop",
            name, s.emitter.start, s.emitter.stop));
    }
  }

  static int substeps_of(const Scene& scene) {
    return scene.solver.substeps || scene.emitters.empty() ? scene.solver.substeps : choose_substeps(scene).substeps;
  }

  const Scene& scene_;
  int substeps_;
  double radius_max_;
  double time_zero_;  // s, where step 1 starts
  std::uint64_t done_;
  std::vector<EmitterRegion> emitter_regions_;
  std::vector<Falling> falling_;
};

// Grains that the scene places may overlap by far more than any contact would: as springs they would fly apart. Those
// of pairs that are deeper than overlap_parted() are moved apart, around particles of shapes and spheres of clumps, and
// others that they come into out of their way: a pair that was not too deep stays as deep as it was, and
// overlap_added(). So the surroundings make room, less the further they are off, and a bed that is compressed stays so.
constexpr double overlap_told = 0.1, overlap_left = 0.001;  // radii of the smaller one

void separate_overlapping(const Scene& scene, const std::vector<Obstacle>& obstacles, std::size_t movable,
                          Population& population) {
  if (std::ranges::none_of(scene.grains, [](const GrainGroup& g) { return says_places(g.shape); }))
    return;
  std::vector<Movable> balls;
  for (std::size_t i = 0; i < movable + population.shaped.size(); ++i) {
    const Seed& seed = population.initial[i];
    const double r = seed.radius, mass = scene.materials[seed.material].density * r * r * r;
    balls.push_back({glm::dvec3(seed.position), r,
                     i < movable && !seed.fixed && seed.clump == 0 ? mass : std::numeric_limits<double>::infinity()});
  }
  const Domain& d = scene.domain;
  const glm::dvec3 period = period_of(d);
  const Overlaps before = overlaps_of(balls, period, overlap_told);
  if (before.pairs == 0)
    return;
  std::string outcome = ", which throws them apart: place them further from each other";
  if (const double most = overlap_parted(scene); scene.parts_overlaps && before.deepest > most) {
    const std::vector<Movable> placed = balls;
    const std::vector<std::uint32_t> deep = overlapping(balls, period, most);
    std::vector<bool> is_deep(balls.size(), false);
    for (const std::uint32_t i : deep)
      is_deep[i] = true;
    const double added = overlap_added(scene);
    const auto parting = [&](std::size_t i, std::size_t j) -> Parting {
      if (is_deep[i] && is_deep[j])
        return {overlap_left, 0.0};
      const double was = overlap_of(placed[i], placed[j], period) / std::min(placed[i].radius, placed[j].radius);
      const double left = std::min(std::max(was, 0.0) + added, most - overlap_left);
      return {left + overlap_left, left};
    };
    separate(
        balls, period, parting, [&](glm::dvec3& p, double r) { keep_out(obstacles, d, p, r); }, deep);
    std::size_t moved = 0;
    double furthest = 0.0;  // radii
    for (std::size_t i = 0; i < movable; ++i) {
      glm::vec3& place = population.initial[i].position;
      const glm::vec3 to(balls[i].center);
      if (to == place)
        continue;
      furthest = std::max(furthest, glm::length(way_of(place, balls[i].center, period)) / balls[i].radius);
      ++moved;
      place = to;
    }
    const Overlaps after = overlaps_of(balls, period, most);
    outcome =
        fmt::format(": {} grains are moved apart before the start, where pairs overlap by more than {:.2g}, by up "
                    "to {:.2g} radii, and all others stay",
                    moved, most, furthest);
    if (after.pairs > 0)
      outcome += fmt::format("; there is no room for {} pairs, the deepest of them by {:.2g} radii", after.pairs,
                             after.deepest);
  }
  population.warnings.push_back(fmt::format(
      "{}: {}{} pairs of grains overlap where the scene places them by more than {} "
      "of the smaller radius, the deepest by {:.2g}{}",
      scene.source, before.pairs, before.pairs == pairs_most ? " or more" : "", overlap_told, before.deepest, outcome));
}

// The springs of walls and bodies throw grains that the scene places in them, as those of grains do. Cloth is left out,
// whose faces have no inside.
void tell_of_obstructed(const Scene& scene, std::span<const Obstacle> bodies, std::size_t movable,
                        Population& population) {
  if (std::ranges::none_of(scene.grains, [](const GrainGroup& g) { return says_places(g.shape); }))
    return;
  std::vector<Bounds> boxes;
  for (const Obstacle& body : bodies)
    boxes.push_back(body.box);
  const Domain& d = scene.domain;
  const BoxIndex index(boxes, period_of(d));
  std::size_t count = 0;
  double deepest = overlap_told;  // radii
  std::string in;
  for (const Seed& seed : std::span(population.initial).first(movable)) {
    if (seed.fixed)
      continue;
    const glm::dvec3 p(seed.position);
    const double r = seed.radius;
    bool obstructed = false;
    const auto meet = [&](double depth, const auto& name) {
      if (depth <= overlap_told * r)
        return;
      obstructed = true;
      if (depth > deepest * r) {
        deepest = depth / r;
        in = name();
      }
    };
    for (int a = 0; a < 3; ++a)
      if (d.axis[static_cast<std::size_t>(a)] == Axis::wall)
        meet(r - std::min(p[a] - d.min[a], d.max[a] - p[a]), [] { return std::string("a wall"); });
    index.any({p - r, p + r}, [&](std::size_t b) {
      meet(depth_in(bodies[b], d, p, r), [&] { return "body " + scene.bodies[b].name; });
      return false;
    });
    count += obstructed;
  }
  if (count > 0)
    population.warnings.push_back(
        fmt::format("{}: {} grains start in walls or bodies where the scene places them by more than {} of their "
                    "radius, the deepest by {:.2g} in {}, which throws them out: place them outside",
                    scene.source, count, overlap_told, deepest, in));
}

}  // namespace

bool stopped(const Emitter& emitter, std::uint64_t step, double dt, double time_zero) {
  return static_cast<double>(step - 1) * dt + time_zero >= emitter.stop + dt;
}

RadiusRange radii_of(const Scene& scene) {
  RadiusRange r;
  const auto add = [&](double min, double max) {
    r.min = r.max > 0.0 ? std::min(r.min, min) : min;
    r.max = std::max(r.max, max);
  };
  const auto add_grain = [&](const auto& source) {
    const RadiusRange of_grain = source.clump ? sphere_radii(*source.clump) : RadiusRange{1.0, 1.0};
    add(of_grain.min * source.radius_min, of_grain.max * source.radius_max);
  };
  each_group(scene, add_grain);
  std::ranges::for_each(scene.emitters, add_grain);
  if (scene.soil)
    add(scene.soil->radius_min, scene.soil->radius_max);
  return r;
}

namespace {

// m, radius, of the balls that hold clumps, too.
double largest_ball(const Scene& scene) {
  double largest = 0.0;
  const auto add = [&](const auto& source) {
    largest = std::max(largest, form_of(source.clump).reach * source.radius_max);
  };
  each_group(scene, add);
  std::ranges::for_each(scene.emitters, add);
  return largest;
}

}  // namespace

Population populate(const Scene& scene) {
  Population population;
  const std::vector<Pose> poses = initial_poses(scene);
  BoundaryLayer boundary = boundaries_of(scene, poses);
  const double largest = largest_ball(scene);
  Packing packing(
      std::accumulate(boundary.seeds.begin(), boundary.seeds.end(), largest,
                      [](double most, const Seed& s) { return std::max(most, static_cast<double>(s.radius)); }),
      scene.domain);
  for (const Seed& s : boundary.seeds)
    packing.add({s.position, s.radius});
  const std::vector<Seed> vertices = cloth_vertices_of(scene, population.cloths);
  const std::vector<Obstacle> obstacles = obstacles_of(scene, poses, population.cloths);
  for (const Obstacle& body : std::span(obstacles).first(poses.size()))
    for (const Solid::Part& part : body.solid.parts)
      if (const auto* mesh = std::get_if<Solid::Mesh>(&part.primitive))
        population.grids.push_back(mesh->triangles);
  const Space::Blocked blocked = blocked_by(obstacles, scene.domain);
  ShapeGrains shapes = shape_grains_of(scene, blocked, packing);  // first: grains lie around them
  std::vector<std::size_t> group_first{0};
  for (std::size_t i = 0; i < scene.grains.size(); ++i) {
    fill(scene, scene.grains[i], i, name_of(scene, scene.grains[i].where, "grains", i),
         {Random(scene.seed, stream_places + i), Random(scene.seed, stream_speeds + i),
          Random(scene.seed, stream_spins + i), Random(scene.seed, stream_turns + i)},
         blocked, packing, population.initial);
    group_first.push_back(population.initial.size());
  }
  const std::size_t movable = population.initial.size();
  population.initial.insert(population.initial.end(), shapes.seeds.begin(), shapes.seeds.end());
  population.shaped = std::move(shapes.grains);
  population.initial.insert(population.initial.end(), vertices.begin(), vertices.end());
  population.cloth_vertices = static_cast<std::uint32_t>(vertices.size());
  population.initial.insert(population.initial.end(), boundary.seeds.begin(), boundary.seeds.end());
  population.boundary = std::move(boundary.grains);
  separate_overlapping(scene, obstacles, movable, population);
  tell_of_obstructed(scene, std::span(obstacles).first(poses.size()), movable, population);
  EmissionPlanner(scene, largest).run(population);
  set_sites(scene, population);
  sample_fine(scene, group_first, blocked, population);
  return population;
}

void pour_anew(const Scene& scene, double time_zero, std::uint64_t steps, const std::vector<Seed>& there,
               Population& population) {
  std::erase_if(population.scheduled, [&](const ScheduledGrain& timed) { return timed.step > steps; });
  population.warnings.clear();
  EmissionPlanner planner(scene, largest_ball(scene), time_zero, steps);
  planner.go_on(population.scheduled, there);
  planner.run(population);
  set_sites(scene, population);
  count_fine_emitted(scene, population);
}

}  // namespace talus
