// What depth cameras see: bodies and the floor by a ray per pixel, grains each in the pixels around its outline.
#include "engine/reference/space.h"
#include <bit>

namespace talus::reference {
namespace {

// t of a point from + t way: m along the viewing axis.
struct Ray {
  vec3 from, way;
  vec3 at(float t) const { return from + t * way; }
};

// A camera as it is in one of the worlds.
class PosedCamera {
public:
  PosedCamera(const Fields& f, uint camera, uint world) : c_(f.depth_cameras[camera]), world_(world) {
    if (c_.body != no_body)
      body_ = &f.bodies[world * f.settings[0].bodies + c_.body].motion;
  }

  const DepthCamera& spec() const { return c_; }
  uint world() const { return world_; }
  std::size_t pixel(uint x, uint y) const { return c_.first + (world_ * c_.height + y) * c_.width + x; }

  // Middle of a pixel in the image, to the right and up.
  glm::vec2 place(uint x, uint y) const {
    return {c_.corner.x + (static_cast<float>(x) + 0.5f) * c_.pixel.x,
            c_.corner.y - (static_cast<float>(y) + 0.5f) * c_.pixel.y};
  }

  Ray ray(uint x, uint y) const {
    const glm::vec2 at = place(x, y);
    const vec3 aside(0.0f, -at.x, at.y), ahead(1.0f, 0.0f, 0.0f);
    const vec3 eye = body_ ? body_->position + rotated(body_->rotation, c_.position) : c_.position;
    return c_.perspective ? Ray{eye, turned_out(ahead + aside)} : Ray{eye + turned_out(aside), turned_out(ahead)};
  }

  // A place in the world: to the right, up, ahead.
  vec3 seen(vec3 p) const {
    if (body_)
      p = rotated_back(body_->rotation, p - body_->position);
    const vec3 q = rotated_back(c_.rotation, p - c_.position);
    return {-q.y, q.z, q.x};
  }

private:
  const DepthCamera& c_;
  uint world_;
  const BodyMotion* body_ = nullptr;  // none: it is in the world

  vec3 turned_out(vec3 v) const {
    const vec3 out = rotated(c_.rotation, v);
    return body_ ? rotated(body_->rotation, out) : out;
  }
};

constexpr float passes_by = 1e30f;

// Where a ray meets a convex part, by Newton's method from t on (along 1), or leaves it, back from t (along -1): the
// distance is a convex function of t, whose zero the method does not pass.
float convex_end(const Fields& f, const SolidPart& part, const Ray& ray, float t, float end, float along, float slack) {
  for (uint k = 0; k < depth_stops && t <= end; ++k) {
    const Distance d = from_shape(f, part, ray.at(t));
    if (d.value <= slack)
      return t;
    const float slope = glm::dot(d.gradient, ray.way);
    if (along * slope >= 0.0f)
      return along * passes_by;
    t -= d.value / slope;
  }
  return t;
}

// Up to where, from t on, the ray is clear of a part, at least; in the part's frame. t where it is in the part, or has
// come to it. Of a part taken away: up to where it is within that.
float clear_until(const Fields& f, const SolidPart& part, const Ray& ray, float t, float end, float slack) {
  const uint kind = part.kind & solid_kind_mask;
  const bool subtracts = part.kind & solid_subtracts;
  const float distance = from_shape(f, part, ray.at(t)).value, clear = subtracts ? -distance : distance;
  if (clear <= slack)
    return t;
  if (kind <= solid_cone)
    return subtracts ? convex_end(f, part, ray, end, end, -1.0f, slack) : convex_end(f, part, ray, t, end, 1.0f, slack);
  // Up to the nearest surface. Interpolated distances may be too great.
  const float doubt = kind == solid_grid ? part.cell : 0.0f;
  return t + std::max(clear - doubt, 0.75f * clear) / length_of(ray.way);
}

float clear_of_body(const Fields& f, const Body& body, const Ray& ray, float t, float end, float slack) {
  float clear = t;
  for (uint k = 0; k < body.parts; ++k) {
    const SolidPart& part = f.solid_parts[body.first_part + k];
    const Ray own{rotated_back(part.rotation, ray.from - part.position), rotated_back(part.rotation, ray.way)};
    const float other = clear_until(f, part, own, t, end, slack);
    clear = k == 0 ? other : part.kind & solid_subtracts ? std::max(clear, other) : std::min(clear, other);
  }
  return clear;
}

// From where a ray has come to a body on to its surface, which is flat there: at a small angle that is a longer way.
float surface_ahead(const Fields& f, const Body& body, const Ray& ray, float t, float slack) {
  const Distance d = from_parts(f, body.first_part, body.parts, ray.at(t));
  const float slope = -glm::dot(d.gradient, ray.way);
  return slope > 0.0f ? t + std::min(std::max(d.value, 0.0f) / slope, depth_glance * slack) : t;
}

// t where the ray first comes to a body between near and end; else the end. Not to one that it starts in.
float body_on_ray(const Fields& f, const Body& body, const Ray& ray, float near, float end, float slack) {
  const vec3 to = body.motion.position - ray.from;
  const float length2 = squared(ray.way), around = std::min(1.01f * body.reach, 1e12f) + 8.0f * slack;
  const float inside = length2 * around * around - squared(glm::cross(ray.way, to));
  if (inside < 0.0f || body.parts == 0)  // of grains alone
    return end;
  const float middle = glm::dot(ray.way, to) / length2, half_way = std::sqrt(inside) / length2;
  const float start = std::max(near, middle - half_way), last = std::min(end, middle + half_way);
  const Ray own{rotated_back(body.motion.rotation, -to), rotated_back(body.motion.rotation, ray.way)};
  float t = start;
  for (uint stop = 0; stop < depth_stops && t < last; ++stop) {
    const float clear = clear_of_body(f, body, own, t, last, slack);
    if (clear <= t)
      return stop == 0 && start == near ? end : std::min(surface_ahead(f, body, own, t, slack), end);
    t = clear;
  }
  return t < last ? t : end;
}

// The floor, which is seen from above.
float floor_on_ray(const Settings& settings, const Ray& ray, float near, float end) {
  const float above = ray.from.z - settings.domain_min.z;
  const bool seen = settings.axis.z == axis_wall && ray.way.z < 0.0f && above > -near * ray.way.z;
  return seen ? std::min(end, above / -ray.way.z) : end;
}

// Pixels [low, high) along one axis of an image.
struct Stretch {
  uint low, high;
};

// Of `n`, those whose middles may lie between two places, given in pixels, with some room for rounding.
Stretch between(float low, float high, uint n) {
  constexpr float room = 0.05f;
  const auto within = [&](float x) { return static_cast<uint>(std::clamp(x, 0.0f, static_cast<float>(n))); };
  return {within(std::ceil(low - 0.5f - room)), within(std::floor(high - 0.5f + room) + 1.0f)};
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

void see_ball(Fields& f, const PosedCamera& camera, vec3 centre, float r) {
  const DepthCamera& c = camera.spec();
  const bool there = glm::all(glm::lessThan(glm::abs(centre), vec3(1e12f)));
  if (!there || centre.z + r <= c.near || centre.z - r >= c.far)
    return;
  const glm::vec2 x = outline(c.perspective, centre.x, centre.z, r, -c.corner.x),
                  y = outline(c.perspective, centre.y, centre.z, r, c.corner.y);
  const Stretch columns = between((x[0] - c.corner.x) / c.pixel.x, (x[1] - c.corner.x) / c.pixel.x, c.width),
                rows = between((c.corner.y - y[1]) / c.pixel.y, (c.corner.y - y[0]) / c.pixel.y, c.height);
  for (uint row = rows.low; row < rows.high; ++row)
    for (uint column = columns.low; column < columns.high; ++column)
      if (const float t = ball_at(camera.place(column, row), centre, r, c.perspective); t > c.near && t < c.far)
        atomic_min(f.depth_bits[camera.pixel(column, row)], std::bit_cast<uint>(t));
}

// Calls visit(camera, column, row) for pixels [begin, end) of the images of all worlds.
void each_pixel(const Fields& f, uint camera, uint begin, uint end, auto&& visit) {
  const uint width = f.depth_cameras[camera].width, pixels = width * f.depth_cameras[camera].height;
  for (uint k = begin; k < end; ++k)
    visit(PosedCamera(f, camera, k / pixels), k % pixels % width, k % pixels / width);
}

}  // namespace

void depth_bodies(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  each_pixel(f, args.first, begin, end, [&](const PosedCamera& camera, uint column, uint row) {
    const DepthCamera& c = camera.spec();
    const Ray ray = camera.ray(column, row);
    float t = floor_on_ray(settings, ray, c.near, c.far);
    for (uint b = 0; b < settings.bodies; ++b)
      t = body_on_ray(f, f.bodies[camera.world() * settings.bodies + b], ray, c.near, t, depth_slack * c.far);
    f.depth_bits[camera.pixel(column, row)] = std::bit_cast<uint>(t);
  });
}

void depth_grains(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    const uint world = world_of(f, i);
    if (is_gone(f.grains[i]) || f.grain_id[i] - settings.cloth_first < settings.cloth)
      continue;
    const PosedCamera camera(f, args.first, world);
    see_ball(f, camera, camera.seen(vec3(f.grains[i].position)), f.grains[i].position.w);
  }
}

void depth_heights(const Args& args, Fields& f, uint begin, uint end) {
  each_pixel(f, args.first, begin, end, [&](const PosedCamera& camera, uint column, uint row) {
    uint& bits = f.depth_bits[camera.pixel(column, row)];
    const float t = std::bit_cast<float>(bits);
    const float height = t < camera.spec().far ? camera.ray(column, row).at(t).z - f.settings[0].domain_min.z : 0.0f;
    bits = std::bit_cast<uint>(height);
  });
}

}  // namespace talus::reference
