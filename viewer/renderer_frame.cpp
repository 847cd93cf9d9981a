#include "viewer/renderer_frame.h"
#include "engine/scene/grain_file.h"
#include <algorithm>
#include <cmath>

namespace talus {

using namespace shared;

static_assert(draw_fine == static_cast<uint>(Level::fine) && draw_coarse == static_cast<uint>(Level::coarse) &&
              draw_both == static_cast<uint>(Level::both));
static_assert(
    draw_by_material == static_cast<uint>(ColorBy::material) && draw_by_speed == static_cast<uint>(ColorBy::speed) &&
    draw_by_depth == static_cast<uint>(ColorBy::height) && draw_by_overlap == static_cast<uint>(ColorBy::overlap) &&
    draw_by_contacts == static_cast<uint>(ColorBy::contacts) && draw_by_force == static_cast<uint>(ColorBy::force) &&
    draw_by_palette == static_cast<uint>(ColorBy::palette) && draw_by_id == static_cast<uint>(ColorBy::id) &&
    draw_by_world == static_cast<uint>(ColorBy::world) && draw_by_radius == static_cast<uint>(ColorBy::radius) &&
    draw_by_spin == static_cast<uint>(ColorBy::spin) && draw_by_activity == static_cast<uint>(ColorBy::activity));
static_assert(draw_no_lines == static_cast<uint>(ContactLines::none) &&
              draw_plain_lines == static_cast<uint>(ContactLines::plain) &&
              draw_lines_by_force == static_cast<uint>(ContactLines::force));

static_assert(draw_solid_bodies == static_cast<uint>(BodiesAs::solid) &&
              draw_wire_bodies == static_cast<uint>(BodiesAs::wireframe) &&
              draw_no_bodies == static_cast<uint>(BodiesAs::hidden));

// 1, 2 or 5 times a power of ten, not above x.
float round_number(float x) {
  const float power = std::pow(10.0f, std::floor(std::log10(x)));
  const float digit = x / power;
  return (digit >= 5.0f ? 5.0f : digit >= 2.0f ? 2.0f : 1.0f) * power;
}

namespace {

float largest_radius(const Scene& scene) {
  double radius = 0.0;
  each_group(scene, [&](const GrainGroup& group) { radius = std::max(radius, group.radius_max); });
  for (const Emitter& emitter : scene.emitters)
    radius = std::max(radius, emitter.radius_max);
  if (scene.soil)
    radius = std::max(radius, scene.soil->radius_max);
  return static_cast<float>(radius);
}

// The end of the colour scale for speed where none is given: the same for all pictures of a scene, so that colours can
// be compared.
float speed_scale(const Scene& scene, const Box& box) {
  double speed = std::sqrt(2.0 * length(scene.domain.gravity) * (box.max.z - box.min.z));
  each_group(scene, [&](const GrainGroup& group) { speed = std::max(speed, fastest_of(group)); });
  for (const Emitter& emitter : scene.emitters)
    speed = std::max(speed, length(emitter.velocity));
  return speed > 0.0 ? static_cast<float>(speed) : 1.0f;
}

float longest_edge(const Box& box) {
  const glm::vec3 size = box.max - box.min;
  return std::max({size.x, size.y, size.z});
}

}  // namespace

DrawFrame frame_of(const Scene& scene, const Box& box) {
  const float edge = longest_edge(box);
  const Domain& domain = scene.domain;

  DrawFrame frame{};
  frame.middle = 0.5f * (box.min + box.max);

  // From the left and a little from this side.
  const glm::vec3 right = normalize(view_of(scene, 1.0f).right), back = cross(right, glm::vec3(0, 0, 1));
  light_from(frame, normalize(-0.72f * right + 0.12f * back + glm::vec3(0, 0, 0.70f)));

  frame.measured_min = box.min - edge;
  frame.measured_max = box.max + edge;
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] != Axis::open) {
      frame.measured_min[a] = std::min(frame.measured_min[a], static_cast<float>(domain.min[a]));
      frame.measured_max[a] = std::max(frame.measured_max[a], static_cast<float>(domain.max[a]));
    }
  frame.floor = static_cast<float>(domain.min.z);
  frame.ground = domain.axis[2] == Axis::wall;
  frame.grid = round_number(0.15f * edge);
  frame.reach = 4.0f * edge;
  frame.heap = 0.12f * edge;
  frame.radius = std::max(largest_radius(scene), 0.01f * edge);
  if (scene.upsampling)
    frame.fine_radius = static_cast<float>(scene.upsampling->radius_max);
  if (scene.soil) {
    frame.fine_radius = static_cast<float>(scene.soil->radius_max);
    frame.round_fine = 1;
  }
  frame.domain_min = domain.min;
  frame.domain_max = domain.max;
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] == Axis::periodic)
      frame.period[a] = static_cast<float>(domain.max[a] - domain.min[a]);
  show(frame, scene, box, scene.output);
  return frame;
}

void light_from(DrawFrame& frame, const glm::vec3& way) {
  frame.light = way;
  frame.light_x = normalize(cross(std::abs(way.z) < 0.9f ? glm::vec3(0, 0, 1) : glm::vec3(1, 0, 0), way));
  frame.light_y = cross(frame.light, frame.light_x);
}

void aim(DrawFrame& frame, const Box& box, const View& view, int width) {
  frame.eye = view.eye;
  frame.forward = view.forward;
  frame.right = view.right;
  frame.up = view.up;
  const float away = distance(frame.eye, frame.middle);
  frame.nearest = 1e-3f * std::max(away, longest_edge(box));
  frame.sample_edge = length(frame.right) / static_cast<float>(width);
  frame.alike = frame.fine_radius < 5.0f * frame.sample_edge * away;
  const glm::vec3 level(-view.forward.x, -view.forward.y, 0.0f);
  frame.cut = length(level) > 1e-3f ? normalize(level) : -view.forward;
}

bool shows_contacts(const Look& look) {
  return look.contacts != ContactLines::none || look.color_by == ColorBy::overlap ||
         look.color_by == ColorBy::contacts || look.color_by == ColorBy::force;
}

void show(DrawFrame& frame, const Scene& scene, const Box& box, const Look& look) {
  frame.color_by = static_cast<uint>(look.color_by);
  frame.color_range = look.color_range;
  if (look.color_by == ColorBy::force)  // a logarithmic scale
    frame.color_range.x = std::max(frame.color_range.x, 1e-6f * frame.color_range.y);
  if (look.color_by == ColorBy::speed && !(frame.color_range.x < frame.color_range.y))
    frame.color_range = {0.0f, look.speed_max > 0.0 ? static_cast<float>(look.speed_max) : speed_scale(scene, box)};
  frame.culling = look.culling;
  frame.bodies = static_cast<uint>(look.bodies);
  frame.grain_size = static_cast<float>(look.grain_size);
  frame.lines = static_cast<uint>(look.contacts);
  frame.line_force = static_cast<float>(look.line_force);
  frame.line_radius = 0.45f * largest_radius(scene);
}

// The edges of the domain between two walls, and those of a periodic side, dashed. What is open has none.
std::vector<DrawLine> domain_lines(const Domain& domain) {
  const glm::vec3 low = domain.min, high = domain.max;
  const float dash = round_number(0.05f * std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  std::vector<DrawLine> lines;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const auto either = [&](Axis kind) { return domain.axis[b] == kind || domain.axis[c] == kind; };
    if (!either(Axis::wall) && !either(Axis::periodic))
      continue;
    for (int side = 0; side < 4; ++side) {
      glm::vec3 from = low, to = high;
      from[b] = to[b] = side & 1 ? high[b] : low[b];
      from[c] = to[c] = side & 2 ? high[c] : low[c];
      if (either(Axis::periodic))
        lines.push_back({from, to, {0.10f, 0.28f, 0.50f, 0.75f}, draw_dashed, dash});
      else
        lines.push_back({from, to, {0.13f, 0.14f, 0.16f, 0.60f}, 0, dash});
    }
  }
  return lines;
}

}  // namespace talus
