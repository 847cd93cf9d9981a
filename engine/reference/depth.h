#pragma once
// What a depth camera looks along, and which pixels may see a thing.
#include "engine/reference/space.h"
#include <vector>

namespace talus::reference {

// t of a point from + t way: m along the viewing axis.
struct Ray {
  vec3 from, way;
  vec3 at(float t) const { return from + t * way; }
};

// An eye and its axes, of length 1, in some frame.
struct View {
  vec3 eye, right, up, ahead;

  // In a frame that is turned by q and lies at p.
  View in_frame(vec4 q, vec3 p) const {
    return {rotated_back(q, eye - p), rotated_back(q, right), rotated_back(q, up), rotated_back(q, ahead)};
  }
  // A place as the eye has it: to the right, up, ahead.
  vec3 seen(vec3 p) const {
    const vec3 d = p - eye;
    const auto along = [&](vec3 axis) { return d.x * axis.x + d.y * axis.y + d.z * axis.z; };
    return {along(right), along(up), along(ahead)};
  }
  // Through a place in the image.
  Ray ray(bool perspective, glm::vec2 at) const {
    const vec3 aside = at.x * right + at.y * up;
    return perspective ? Ray{eye, ahead + aside} : Ray{eye + aside, ahead};
  }
};

// A camera in one of the worlds.
View view_of(const Fields& f, const DepthCamera& camera, uint world);

// A pixel, and its middle in the image, to the right and up.
struct Pixel {
  uint column, row;
  glm::vec2 place;
};

// Pixels from low up to high.
struct Window {
  glm::uvec2 low{~0u}, high{0u};  // none
  bool holds(const Pixel& p) const {
    return p.column >= low.x && p.column < high.x && p.row >= low.y && p.row < high.y;
  }
};
// Those whose middles may lie between two places in the image, with some room for rounding.
Window window_between(const DepthCamera& camera, glm::vec2 low, glm::vec2 high);

// A solid in the view of a camera.
struct SeenPart {
  SolidPart part;
  View view;      // in its frame
  Window window;  // pixels that may see it
};
class SeenBody {
public:
  SeenBody(const Fields& fields, const DepthCamera& camera, const View& view, const Body& body);
  const Window& window() const { return window_; }  // of all its parts

  // t where the ray of a pixel first comes to the body, before an end; else the end. Not where it starts in it.
  float met(const Pixel& pixel, float end) const;

private:
  const Fields& f_;
  const DepthCamera& camera_;
  const Body& body_;
  View view_;  // in its frame
  Window window_;
  std::vector<SeenPart> parts_;
  bool convex_ = true;  // each of them
  float slack_;         // m, from where on a ray has come to a surface that it looks for step by step

  float surface_ahead(const Ray& ray, float t) const;
};

}  // namespace talus::reference
