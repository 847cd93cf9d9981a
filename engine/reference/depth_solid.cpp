// Where the rays of a depth camera meet bodies.
#include "engine/reference/depth.h"
#include <algorithm>
#include <cmath>

namespace talus::reference {
namespace {

// The piece of a ray from t = in to out; none where out < in.
struct Span {
  float in, out;
};
constexpr float endless = 1e30f;
constexpr Span nowhere{endless, -endless};

Span common(Span a, Span b) {
  return {std::max(a.in, b.in), std::min(a.out, b.out)};
}
// Of two that touch, or of which one is nowhere.
Span joined(Span a, Span b) {
  return {std::min(a.in, b.in), std::max(a.out, b.out)};
}

// For divisions by what is 0 along a surface.
float divisor(float x) {
  constexpr float least = 1e-20f;
  return std::abs(x) > least ? x : least;
}

// Where from + t way is between two values.
Span between(float from, float way, float low, float high) {
  const float scale = 1.0f / divisor(way), a = (low - from) * scale, b = (high - from) * scale;
  return {std::min(a, b), std::max(a, b)};
}

Span in_box(const Ray& ray, vec3 low, vec3 high) {
  return common(common(between(ray.from.x, ray.way.x, low.x, high.x), between(ray.from.y, ray.way.y, low.y, high.y)),
                between(ray.from.z, ray.way.z, low.z, high.z));
}

// What follows begins where the ray passes the middle, or what is small and far away would be lost in roundings.
float passes_at(const Ray& ray) {
  return -dot_of(ray.from, ray.way) / dot_of(ray.way, ray.way);
}

Span in_ball(const Ray& ray, float radius) {
  const float middle = passes_at(ray), inside = radius * radius - squared(ray.at(middle));
  if (inside < 0.0f)
    return nowhere;
  const float half = std::sqrt(inside / dot_of(ray.way, ray.way));
  return {middle - half, middle + half};
}

// Within the radius around z that grows from `radius` at z = 0 by `slope`: a t^2 + 2 b t + c < 0. Of a double cone that
// half where the radius is positive.
Span in_slope(const Ray& ray, float radius, float slope) {
  const float middle = passes_at(ray);
  const vec3 p = ray.at(middle), way = ray.way;
  const float r = radius + slope * p.z, grows = slope * way.z;
  const float exact = way.x * way.x + way.y * way.y - grows * grows, least = 1e-12f;
  const float a = std::abs(exact) > least ? exact : least;  // along the slope: the other end is out of sight
  const float b = p.x * way.x + p.y * way.y - r * grows, c = p.x * p.x + p.y * p.y - r * r, root2 = b * b - a * c;
  if (root2 < 0.0f && a > 0.0f)
    return nowhere;
  const float root = std::sqrt(std::max(root2, 0.0f)), q = b < 0.0f ? root - b : -root - b;
  const float one = middle + q / a, other = middle + c / divisor(q);
  const float low = std::min(one, other), high = std::max(one, other);
  if (a > 0.0f)
    return {low, high};
  return grows > 0.0f ? Span{high, endless} : Span{-endless, low};
}

Span in_cone(const Ray& ray, vec3 size) {
  const Span side = in_slope(ray, 0.5f * (size.x + size.y), (size.y - size.x) / (2.0f * size.z));
  const Span both = common(side, between(ray.from.z, ray.way.z, -size.z, size.z));
  return both.in <= both.out ? both : nowhere;
}

Span in_capsule(const Ray& ray, vec3 size) {
  const vec3 end(0.0f, 0.0f, size.z);
  const Span ends = joined(in_ball({ray.from - end, ray.way}, size.x), in_ball({ray.from + end, ray.way}, size.x));
  return joined(ends, in_cone(ray, vec3(size.x, size.x, size.z)));
}

Span below_plane(const Ray& ray) {
  const float t = -ray.from.z / divisor(ray.way.z);
  return ray.way.z < 0.0f ? Span{t, endless} : Span{-endless, t};
}

bool is_convex(const SolidPart& part) {
  return (part.kind & solid_kind_mask) <= solid_cone;
}

// The box around a part; of a plane, which has none, all.
struct PartBox {
  vec3 low, high;
};
PartBox box_around(const SolidPart& part) {
  const vec3 size = part.size;
  const auto both = [](float across, float up) { return PartBox{-vec3(across, across, up), vec3(across, across, up)}; };
  switch (part.kind & solid_kind_mask) {
  case solid_plane:
    return {vec3(-endless), vec3(endless)};
  case solid_box:
    return {-size, size};
  case solid_sphere:
    return both(size.x, size.x);
  case solid_capsule:
    return both(size.x, size.x + size.z);
  case solid_cone:
    return both(std::max(size.x, size.y), size.z);
  case solid_grid:
    return {vec3(0.0f), part.cell * (size - 1.0f)};
  case solid_triangles:
    return {vec3(0.0f), part.cell * size};
  default:
    return both(size.x + size.y, size.y);
  }
}

// Pixels that may see a part: around the corners of its box and, where that reaches past the eye, of what is ahead.
Window window_around(const DepthCamera& camera, const View& view, const SolidPart& part) {
  const PartBox box = box_around(part);
  if ((part.kind & solid_kind_mask) == solid_plane)
    return {glm::uvec2(0u), {camera.width, camera.height}};
  const float least = camera.perspective ? 1e-6f * camera.far : -endless;
  glm::vec2 low(endless), high(-endless);
  const auto add = [&](vec3 p) {
    const glm::vec2 at = camera.perspective ? glm::vec2(p) / std::max(p.z, least) : glm::vec2(p);
    low = glm::min(low, at);
    high = glm::max(high, at);
  };
  std::array<vec3, 8> corners;
  for (uint k = 0; k < 8; ++k) {
    const vec3 p = view.seen(glm::mix(box.low, box.high, vec3(k & 1, k >> 1 & 1, k >> 2)));
    corners[k] = p;
    if (p.z >= least)
      add(p);
    for (uint axis = 1; axis < 8; axis *= 2)
      if (const vec3 other = corners[k & ~axis]; (k & axis) && (p.z < least) != (other.z < least))
        add(glm::mix(p, other, (least - p.z) / (other.z - p.z)));
  }
  return window_between(camera, low, high);
}

// In a part or, where that is not convex, in the box around it.
Span in_part(const SolidPart& part, const Ray& ray) {
  switch (part.kind & solid_kind_mask) {
  case solid_plane:
    return below_plane(ray);
  case solid_sphere:
    return in_ball(ray, part.size.x);
  case solid_capsule:
    return in_capsule(ray, part.size);
  case solid_cone:
    return in_cone(ray, part.size);
  default:
    const PartBox box = box_around(part);
    return in_box(ray, box.low, box.high);
  }
}

// Up to where, from t on, a ray is clear of a part, at least. t where it is in the part, or has come to it. Of a part
// taken away: up to where it is within that.
float clear_until(const Fields& f, const SolidPart& part, const Ray& ray, float t, float slack) {
  const Span span = in_part(part, ray);
  const bool subtracts = part.kind & solid_subtracts;
  if (!(t >= span.in && t < span.out))
    return subtracts ? t : t < span.in && span.in <= span.out ? span.in : endless;
  if (is_convex(part))
    return subtracts ? span.out : t;
  // Up to the nearest surface. Interpolated distances may be too great.
  const float distance = from_shape(f, part, ray.at(t)).value, clear = subtracts ? -distance : distance;
  const float doubt = (part.kind & solid_kind_mask) == solid_grid ? part.cell : 0.0f;
  return clear <= slack ? t : t + std::max(clear - doubt, 0.75f * clear) / length_of(ray.way);
}

}  // namespace

SeenBody::SeenBody(const Fields& fields, const DepthCamera& camera, const View& view, const Body& body)
    : f_(fields), camera_(camera), body_(body), view_(view.in_frame(body.motion.rotation, body.motion.position)),
      slack_(depth_slack * camera.far) {
  for (uint k = 0; k < body.parts; ++k) {
    const SolidPart part = solid_part(f_, body.first_part + k);
    const View own = view_.in_frame(part.rotation, part.position);
    const Window window = window_around(camera, own, part);
    parts_.push_back({part, own, window});
    convex_ &= is_convex(part);
    window_.low = glm::min(window_.low, window.low);
    window_.high = glm::max(window_.high, window.high);
  }
}

// From where a ray has come step by step on to the surface, which is flat there: at a small angle that is a longer way.
float SeenBody::surface_ahead(const Ray& ray, float t) const {
  const NearestSurface d = from_parts(f_, body_.first_part, body_.parts, ray.at(t));
  const float slope = -dot_of(d.gradient, ray.way);
  if (is_convex(parts_[d.surface / part_surfaces].part) || slope <= 0.0f)
    return t;
  return t + std::min(std::max(d.value, 0.0f) / slope, depth_glance * slack_);
}

float SeenBody::met(const Pixel& pixel, float end) const {
  float t = camera_.near;
  for (uint stop = 0; stop < depth_stops && t < end; ++stop) {
    float clear = endless;
    for (const SeenPart& seen : parts_) {
      if (!seen.window.holds(pixel))
        continue;
      const float other = clear_until(f_, seen.part, seen.view.ray(camera_.perspective, pixel.place), t, slack_);
      clear = seen.part.kind & solid_subtracts ? std::max(clear, other) : std::min(clear, other);
    }
    if (clear <= t && stop == 0)
      return end;
    if (clear <= t)
      return convex_ ? t : std::min(surface_ahead(view_.ray(camera_.perspective, pixel.place), t), end);
    t = clear;
  }
  return std::min(t, end);
}

}  // namespace talus::reference
