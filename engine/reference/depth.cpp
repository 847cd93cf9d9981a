// What depth cameras see: bodies, the ground and the floor by a ray per pixel, grains each in the pixels around its
// outline.
#include "engine/reference/depth.h"
#include "engine/reference/soil_top.h"
#include <bit>
#include <utility>

namespace talus::reference {
namespace {

Pixel pixel_at(const DepthCamera& c, uint column, uint row) {
  return {column,
          row,
          {c.corner.x + (static_cast<float>(column) + 0.5f) * c.pixel.x,
           c.corner.y - (static_cast<float>(row) + 0.5f) * c.pixel.y}};
}

// The floor, which is seen from above.
float floor_on_ray(const Settings& settings, const Ray& ray, float near, float end) {
  const float above = ray.from.z - settings.domain.min.z;
  const bool seen = settings.domain.axis.z == axis_wall && ray.way.z < 0.0f && above > -near * ray.way.z;
  return seen ? std::min(end, above / -ray.way.z) : end;
}

// Where a ray is between two planes across an axis: from t = x to t = y; from +-1e30 on where it runs along them.
glm::vec2 span_between(float low, float high, float from, float way) {
  if (std::abs(way) < 1e-12f)
    return from >= low && from < high ? glm::vec2(-1e30f, 1e30f) : glm::vec2(1e30f, -1e30f);
  const float a = (low - from) / way, b = (high - from) / way;
  return {std::min(a, b), std::max(a, b)};
}

// t where a ray comes to a column of the ground, each a box from the floor to its height; else the end. The columns
// that it passes above are gone through one after another. Not where it starts in the ground.
float ground_on_ray(const Fields& f, uint world, const Ray& ray, float near, float end) {
  const SoilSite& site = f.soil_site[0];
  const float floor = f.settings[0].domain.min.z;
  float t = near, out = end;
  for (int a = 0; a < 2; ++a) {
    const float upper = site.min[a] + static_cast<float>(site.count[a]) * site.edge[a];
    const glm::vec2 within = span_between(site.min[a], upper, ray.from[a], ray.way[a]);
    t = std::max(t, within.x);
    out = std::min(out, within.y);
  }
  if (!(t < out))
    return end;
  glm::ivec2 at;
  for (int a = 0; a < 2; ++a)
    at[a] = std::clamp(static_cast<int>(std::floor((ray.from[a] + t * ray.way[a] - site.min[a]) / site.edge[a])), 0,
                       static_cast<int>(site.count[a]) - 1);
  const glm::ivec2 way(ray.way.x < 0.0f ? -1 : 1, ray.way.y < 0.0f ? -1 : 1);
  for (uint passed = 0; passed < site.count.x + site.count.y; ++passed) {
    glm::vec2 leaves(1e30f);
    for (int a = 0; a < 2; ++a)
      if (std::abs(ray.way[a]) >= 1e-12f)
        leaves[a] =
            (site.min[a] + static_cast<float>(at[a] + (way[a] > 0 ? 1 : 0)) * site.edge[a] - ray.from[a]) / ray.way[a];
    const float last = std::min(std::min(leaves.x, leaves.y), out);
    const std::size_t column = std::size_t{world} * site.count.x * site.count.y +
                               static_cast<uint>(at.y) * site.count.x + static_cast<uint>(at.x);
    const float top = soil_top(f, column);
    const glm::vec2 within = span_between(floor, top, ray.from.z, ray.way.z);
    if (const float first = std::max(t, within.x); first < std::min(last, within.y))
      return first > near ? first : end;
    const int a = leaves.x <= leaves.y ? 0 : 1;
    at[a] += way[a];
    if (!(last < out) || at[a] < 0 || at[a] >= static_cast<int>(site.count[a]))
      return end;
    t = std::max(t, last);
  }
  return end;
}

// The ends of a ball's outline along one axis of the image. x: of its centre along it; reach: end of the image.
glm::vec2 outline(bool perspective, float x, float ahead, float r, float reach) {
  if (!perspective)
    return {x - r, x + r};
  if (ahead > 1.01f * r) {  // between the planes through the eye that touch it
    const float square = ahead * ahead - r * r, half_way = r * std::sqrt(x * x + square);
    return {(x * ahead - half_way) / square, (x * ahead + half_way) / square};
  }
  const bool beside = std::abs(x) > reach * ahead + r * std::sqrt(1.0f + reach * reach);  // the plane to that end
  return beside ? glm::vec2(1.0f, -1.0f) : glm::vec2(-reach, reach);
}

constexpr float passes_by = 1e30f;

// A ball where the camera has it, in one pixel: its distance along the axis, or passes_by.
float ball_at(glm::vec2 at, vec3 centre, float r, bool perspective) {
  const glm::vec2 slope = perspective ? at : glm::vec2(0.0f);
  // What the ray passes the centre by where it is beside it, which stays precise for small grains far away.
  const glm::vec2 past = glm::vec2(centre) - (perspective ? centre.z * at : at);
  const float twist = slope.x * past.y - slope.y * past.x, length2 = 1.0f + slope.x * slope.x + slope.y * slope.y;
  const float inside = length2 * r * r - (past.x * past.x + past.y * past.y + twist * twist);
  if (inside < 0.0f)
    return passes_by;
  return centre.z + (slope.x * past.x + slope.y * past.y - std::sqrt(inside)) / length2;
}

// Pixels that may see a ball where the camera has it.
Window window_around(const DepthCamera& c, vec3 centre, float r) {
  const glm::vec2 x = outline(c.perspective, centre.x, centre.z, r, -c.corner.x),
                  y = outline(c.perspective, centre.y, centre.z, r, c.corner.y);
  return window_between(c, {x[0], y[0]}, {x[1], y[1]});
}

void see_ball(Fields& f, const DepthCamera& c, std::size_t image, vec3 centre, float r) {
  const bool there = glm::all(glm::lessThan(glm::abs(centre), vec3(1e12f)));
  if (!there || centre.z + r <= c.near || centre.z - r >= c.far)
    return;
  const auto [low, high] = window_around(c, centre, r);
  TALUS_ASSERT(high.x <= c.width && high.y <= c.height, high.x, high.y, c.width, c.height);
  for (uint row = low.y; row < high.y; ++row)
    for (uint column = low.x; column < high.x; ++column)
      if (const float t = ball_at(pixel_at(c, column, row).place, centre, r, c.perspective); t > c.near && t < c.far)
        atomic_min(f.depth_bits[image + row * c.width + column], std::bit_cast<uint>(t));
}

// The first pixel of a camera's image of a world.
std::size_t image_of(const DepthCamera& c, uint world) {
  TALUS_ASSERT(c.width > 0 && c.height > 0, c.width, c.height);
  return c.first + std::size_t{world} * c.width * c.height;
}

// Pixels [begin, end) of an image, row by row.
struct Pixels {
  const DepthCamera& camera;
  std::size_t image;
  uint begin, end;

  // Calls visit(pixel, its bits) for those in a window.
  void each(Fields& f, const Window& window, auto&& visit) const {
    const uint width = camera.width;
    for (uint row = std::max(window.low.y, begin / width); row < window.high.y && row * width < end; ++row)
      for (uint column = window.low.x; column < window.high.x; ++column)
        if (const uint k = row * width + column; k >= begin && k < end)
          visit(pixel_at(camera, column, row), f.depth_bits[image + k]);
  }
  // Are there any in it?
  bool reach(const Window& window) const {
    const uint first = std::max(window.low.y, begin / camera.width), last = std::min(window.high.y * camera.width, end);
    return window.low.x < window.high.x && first * camera.width < last;
  }
  void each(Fields& f, auto&& visit) const { each(f, {glm::uvec2(0u), {camera.width, camera.height}}, visit); }
};

// Calls visit(world, pixels) for pixels [begin, end) of a camera's images, world after world.
void each_world(const DepthCamera& c, uint begin, uint end, auto&& visit) {
  const uint pixels = c.width * c.height;
  while (begin < end) {
    const uint world = begin / pixels, first = world * pixels, last = std::min(end, first + pixels);
    TALUS_ASSERT(first <= begin && begin < last, first, begin, last);
    visit(world, Pixels{c, image_of(c, world), begin - first, last - first});
    begin = last;
  }
}

}  // namespace

View view_of(const Fields& f, const DepthCamera& c, uint world) {
  const auto axis = [&](vec3 v) { return rotated(c.rotation, v); };
  const View own{c.position, axis({0.0f, -1.0f, 0.0f}), axis({0.0f, 0.0f, 1.0f}), axis({1.0f, 0.0f, 0.0f})};
  if (c.body == no_body)
    return own;
  TALUS_ASSERT(c.body < f.settings[0].bodies.count, c.body, f.settings[0].bodies.count);
  const BodyMotion& m = f.bodies[world * f.settings[0].bodies.count + c.body].motion;
  const auto out = [&](vec3 v) { return rotated(m.rotation, v); };
  return {m.position + out(own.eye), out(own.right), out(own.up), out(own.ahead)};
}

Window window_between(const DepthCamera& c, glm::vec2 low, glm::vec2 high) {
  constexpr float room = 0.05f;  // pixels
  const auto column = [&](float x, float past) {
    return static_cast<uint>(std::clamp((x - c.corner.x) / c.pixel.x + past, 0.0f, static_cast<float>(c.width)));
  };
  const auto row = [&](float y, float past) {
    return static_cast<uint>(std::clamp((c.corner.y - y) / c.pixel.y + past, 0.0f, static_cast<float>(c.height)));
  };
  return {{column(low.x, 0.5f - room), row(high.y, 0.5f - room)},
          {column(high.x, 0.5f + room), row(low.y, 0.5f + room)}};
}

void depth_bodies(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const DepthCamera& c = f.depth_cameras[args.first];
  each_world(c, begin, end, [&](uint world, const Pixels& pixels) {
    const View view = view_of(f, c, world);
    pixels.each(f, [&](const Pixel& pixel, uint& bits) {
      bits = std::bit_cast<uint>(floor_on_ray(settings, view.ray(c.perspective, pixel.place), c.near, c.far));
    });
    for (uint b = 0; b < settings.bodies.count; ++b) {
      const Body& body = f.bodies[world * settings.bodies.count + b];
      const bool bounded = body.reach < 1e12f;
      if (bounded && !pixels.reach(window_around(c, view.seen(body.motion.position), 1.01f * body.reach)))
        continue;
      const SeenBody seen(f, c, view, body);
      pixels.each(f, seen.window(), [&](const Pixel& pixel, uint& bits) {
        bits = std::bit_cast<uint>(seen.met(pixel, std::bit_cast<float>(bits)));
      });
    }
  });
}

void depth_ground(const Args& args, Fields& f, uint begin, uint end) {
  const DepthCamera& c = f.depth_cameras[args.first];
  each_world(c, begin, end, [&](uint world, const Pixels& pixels) {
    const View view = view_of(f, c, world);
    pixels.each(f, [&](const Pixel& pixel, uint& bits) {
      const Ray ray = view.ray(c.perspective, pixel.place);
      bits = std::bit_cast<uint>(ground_on_ray(f, world, ray, c.near, std::bit_cast<float>(bits)));
    });
  });
}

void depth_grains(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const DepthCamera& c = f.depth_cameras[args.first];
  uint in_view = world_of(f, begin);
  View view = view_of(f, c, in_view);
  for (uint i = begin; i < end; ++i) {
    if (is_gone(f.grains[i]) || f.grain_id[i] - settings.cloth.first < settings.cloth.vertices)
      continue;
    const uint world = world_of(f, i);
    if (std::exchange(in_view, world) != world)
      view = view_of(f, c, world);
    see_ball(f, c, image_of(c, world), view.seen(vec3(f.grains[i].position)), f.grains[i].position.w);
  }
}

void depth_heights(const Args& args, Fields& f, uint begin, uint end) {
  const DepthCamera& c = f.depth_cameras[args.first];
  each_world(c, begin, end, [&](uint world, const Pixels& pixels) {
    const View view = view_of(f, c, world);
    pixels.each(f, [&](const Pixel& pixel, uint& bits) {
      const float t = std::bit_cast<float>(bits);
      const Ray ray = view.ray(c.perspective, pixel.place);
      bits = std::bit_cast<uint>(t < c.far ? ray.from.z + t * ray.way.z - f.settings[0].domain.min.z : 0.0f);
    });
  });
}

}  // namespace talus::reference
