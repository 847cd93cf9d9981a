#pragma once
// Pictures of small scenes, and what should be seen in them.
#include "catch.h"
#include "engine/scene/bodies.h"
#include "shaders/shared/types.h"
#include "viewer/renderer.h"
#include "viewer/renderer_camera.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

namespace talus_tests {

using namespace talus;

inline constexpr int width = 320, height = 180;

// Of balls of one colour.
inline Material material(const char* name, glm::vec3 color) {
  Material m;
  m.finish = Finish::plain;
  m.name = name;
  m.color = color;
  return m;
}

enum Seen { red, green, blue, nothing };

// Red, green and blue grains before the sky, seen from the front.
inline Scene open_scene() {
  Scene scene;
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.materials = {material("red", {0.8f, 0.02f, 0.02f}), material("green", {0.02f, 0.6f, 0.02f}),
                     material("blue", {0.02f, 0.02f, 0.8f})};
  scene.camera.eye = glm::dvec3(0.0, -4.0, 1.0);
  scene.camera.target = glm::dvec3(0.0, 0.0, 1.0);
  return scene;
}

inline Scene ground_scene() {
  Scene scene = open_scene();
  scene.domain.axis[2] = Axis::wall;
  scene.camera.eye = glm::dvec3(0.5, -3.0, 3.0);
  scene.camera.target = glm::dvec3(0.0, 0.0, 0.0);
  return scene;
}

inline GrainState grain(std::uint32_t material, glm::vec3 position, float radius,
                        glm::vec3 velocity = glm::vec3(0.0f)) {
  return {0, position, velocity, radius, material, 0};
}

inline glm::vec3 pixel(const Image& image, int x, int y) {
  const std::uint8_t* p = &image.rgba[4 * (static_cast<std::size_t>(y) * image.width + x)];
  return glm::vec3(p[0], p[1], p[2]);
}

inline float brightness(glm::vec3 p) {
  return p.r + p.g + p.b;
}

inline Seen seen(const Image& image, int x, int y) {
  const glm::vec3 p = pixel(image, x, y);
  for (int a = 0; a < 3; ++a)
    if (p[a] > 1.8f * std::max(p[(a + 1) % 3], p[(a + 2) % 3]))
      return static_cast<Seen>(a);
  return nothing;
}

// Direction through the middle of a pixel, 1 long along the view.
inline glm::vec3 ray(const View& view, int x, int y) {
  return view.forward + ((x + 0.5f) / width * 2.0f - 1.0f) * view.right - ((y + 0.5f) / height * 2.0f - 1.0f) * view.up;
}

// Bodies are told by the strongest component of their colour.
inline Seen cast(const View& view, const std::vector<GrainState>& grains, int x, int y,
                 const std::vector<BodySpec>& bodies = {}) {
  const glm::dvec3 direction = normalize(glm::dvec3(ray(view, x, y)));
  double nearest = std::numeric_limits<double>::infinity();
  Seen found = nothing;
  for (const GrainState& g : grains) {
    const glm::dvec3 to = glm::dvec3(g.position) - glm::dvec3(view.eye);
    const double along = dot(to, direction), inside = g.radius * g.radius - (dot(to, to) - along * along);
    if (!(inside >= 0.0) || dot(to, to) <= g.radius * g.radius)
      continue;
    const double t = along - std::sqrt(inside);
    if (t > 0.0 && t < nearest) {
      nearest = t;
      found = static_cast<Seen>(g.material);
    }
  }
  for (const BodySpec& body : bodies) {
    const Solid solid = solid_of(body, pose_of(body));
    const glm::vec3 color = body.color.value();
    double t = 0.0, distance = 1.0;
    for (int i = 0; i < 1000 && t < std::min(nearest, 20.0) && distance > 1e-7; ++i)
      t += distance = sample(solid, glm::dvec3(view.eye) + t * direction).distance;
    if (distance <= 1e-7 && t < nearest) {
      nearest = t;
      found = color.r > std::max(color.g, color.b) ? red : color.g > color.b ? green : blue;
    }
  }
  return found;
}

// Pixels of the picture that differ from the rays cast, leaving out those at an outline.
inline int wrong_pixels(const Image& image, const Scene& scene, const std::vector<GrainState>& grains) {
  const View view = view_of(scene, static_cast<float>(width) / height);
  std::vector<Seen> expected;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      expected.push_back(cast(view, grains, x, y, scene.bodies));
  int wrong = 0;
  for (int y = 1; y + 1 < height; ++y)
    for (int x = 1; x + 1 < width; ++x) {
      bool outline = false;
      for (int k = 0; k < 9; ++k)
        outline = outline || expected[(y + k / 3 - 1) * width + x + k % 3 - 1] != expected[y * width + x];
      wrong += !outline && seen(image, x, y) != expected[y * width + x];
    }
  return wrong;
}

struct Patch {
  int pixels = 0;
  glm::dvec2 middle{0.0};  // pixels
};
inline Patch patch(const std::function<bool(int, int)>& in) {
  Patch found;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (in(x, y)) {
        ++found.pixels;
        found.middle += glm::dvec2(x + 0.5, y + 0.5);
      }
  found.middle /= std::max(found.pixels, 1);
  return found;
}
inline Patch patch(const Image& image, Seen what) {
  return patch([&](int x, int y) { return seen(image, x, y) == what; });
}
// Pixels that differ by more than that in brightness.
inline int differing(const Image& a, const Image& b, float by) {
  int count = 0;
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x)
      count += std::abs(brightness(pixel(a, x, y)) - brightness(pixel(b, x, y))) > by;
  return count;
}

}  // namespace talus_tests
