// The cells in which grains look at bodies.
#include "engine/reference/space.h"
#include "simulate.h"
#include <algorithm>

namespace {

using namespace talus;
using namespace talus_tests;

// The lists of a scene's start, compared with those by brute force: all grains against all bodies.
struct BodyLists {
  std::size_t near = 0;    // pairs of a grain and a body
  std::size_t looked = 0;  // pairs whose cell is marked
  std::size_t grains = 0;
  bool complete = true;  // the lists hold all that are near, and no others
};

BodyLists lists_of(const Scene& scene, const Options& options) {
  Simulation simulation(scene, options);
  simulation.measure();
  const Fields f =
      fields_of(simulation.executor(),
                {FieldId::settings, FieldId::worlds, FieldId::bodies, FieldId::shape_data, FieldId::cell_lists,
                 FieldId::grains, FieldId::contact_count, FieldId::slice_start, FieldId::contact_partner});
  BodyLists lists{.grains = simulation.grain_count()};
  const uint bodies = f.settings[0].bodies.count;
  for (uint i = 0; i < f.grains.size(); ++i) {
    if (reference::is_gone(f.grains[i]))
      continue;
    const vec3 p(f.grains[i].position);
    const uint number = reference::world_of(f, i);
    const World& world = f.worlds[number];
    const uint key = reference::cell_key(reference::cell_of(p, f.settings[0], world), world, f.settings[0]);
    std::vector<uint> listed, near;
    for (uint k = 0; k < f.contact_count[i]; ++k)
      if (const uint partner = f.contact_partner[reference::contact_slot(f, i, k)];
          partner >= body_partner && partner < wall_partner)
        if (listed.empty() || listed.back() != body_of(partner))  // one surface of it after another
          listed.push_back(body_of(partner));
    for (uint b = 0; b < bodies; ++b) {
      const uint body = number * bodies + b;
      const vec3 way = reference::shortest(p - f.bodies[body].motion.position, f.settings[0]);
      if (reference::from_body(f, body, way).value < f.grains[i].position.w + world.lists.skin)
        near.push_back(b);
      lists.looked += f.cell_lists[key * body_words(bodies) + b / 32] >> (b % 32) & 1;
    }
    lists.near += near.size();
    if (listed != near) {
      lists.complete = false;
      CAPTURE(i, p.x, p.y, p.z, listed, near);
      CHECK(listed == near);
    }
  }
  return lists;
}

// Grains spread over a box: x has walls, y is periodic, z is open. 70 bodies: balls, blocks with a ball taken out of
// them, capsules; a tube longer than the period along y.
Scene crowd(unsigned n) {
  Scene scene = scene_of(1.0 / 240, 1, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 1;
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {0.9, 0.7, 0.8};
  scene.domain.axis = {Axis::wall, Axis::periodic, Axis::open};
  std::mt19937 random(5);
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
  std::vector<glm::dvec3> points;
  for (unsigned i = 0; i < n; ++i)
    points.push_back({uniform(0.01, 0.89), uniform(0.0, 0.6999), uniform(0.01, 0.79)});
  GrainGroup group;
  group.radius_min = group.radius_max = 0.01;
  group.shape = PointsFill{std::move(points)};
  scene.grains.push_back(group);
  for (int b = 0; b < 69; ++b) {
    const glm::dvec3 at{uniform(0.0, 0.9), uniform(0.0, 0.6999), uniform(0.0, 0.8)};
    const double size = uniform(0.005, 0.06);
    std::vector<BodyPart> parts;
    if (b % 3 == 0)
      parts = {{SpherePart{size}}};
    else if (b % 3 == 1)
      parts = {{BoxPart{{4.0 * size, 3.0 * size, 2.0 * size}}}, {SpherePart{size}, {0.0, 0.0, size}, {}, true}};
    else
      parts = {{CapsulePart{0.3 * size, 4.0 * size}}};
    scene.bodies.push_back(body_of("body" + std::to_string(b), parts, at,
                                   {uniform(0.0, 360.0), uniform(0.0, 360.0), uniform(0.0, 360.0)}));
  }
  scene.bodies.push_back(body_of("tube", {{ConePart{0.2, 0.2, 2.0}}, {ConePart{0.15, 0.17, 3.0}, {}, {}, true}},
                                 {0.4, 0.6, 0.4}, {90.0, 0.0, 0.0}));
  return scene;
}

}  // namespace

TEST_CASE("Grains find all bodies near them, and look at few others", "[bodies]") {
  const BodyLists lists = lists_of(crowd(4000), on_cpu);
  CHECK(lists.complete);
  CHECK(lists.near > 500);
  CHECK(lists.looked < lists.grains * 70 / 20);
}

TEST_CASE("Grains on the device find all bodies near them", "[device][bodies]") {
  CHECK(lists_of(crowd(1000), on_device()).complete);
}

TEST_CASE("A body longer than the table of cells is looked at by the grains near it alone", "[bodies]") {
  // A floor and a mast in a world of 400 000 cells, of which the table holds 8192.
  Scene scene = crowd(4000);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.bodies = {body_of("floor", {{PlanePart{}}}, {0.0, 0.0, 0.1}),
                  body_of("mast", {{CapsulePart{0.01, 30.0}}}, {0.45, 0.35, 0.4})};
  const BodyLists lists = lists_of(scene, on_cpu);
  CHECK(lists.complete);
  CHECK(lists.looked < 4 * lists.near);

  // One far away: between it and the others are more cells than are worth a look, and all grains look at the floor.
  std::get<PointsFill>(scene.grains[0].shape).points.push_back({900.0, -800.0, 700.0});
  const BodyLists wide = lists_of(scene, on_cpu);
  CHECK(wide.complete);
  CHECK(wide.near >= lists.near);
  CHECK(wide.looked <= 2 * wide.grains);
}

TEST_CASE("Grains of all worlds find the bodies near them", "[bodies]") {
  Scene scene = crowd(500);
  const BodyLists one = lists_of(scene, on_cpu);
  scene.worlds = 5;
  const BodyLists five = lists_of(scene, on_cpu);
  CHECK(five.complete);
  CHECK(five.grains == 5 * one.grains);
  CHECK(five.near == 5 * one.near);
}
