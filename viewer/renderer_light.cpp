#include "viewer/renderer_light.h"
#include "shaders/shared/finish.h"
#include "shaders/shared/sky.h"
#include "viewer/renderer_frame.h"
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace talus {

using namespace shared;

static_assert(draw_draft == static_cast<uint>(Quality::draft) && draw_good == static_cast<uint>(Quality::good) &&
              draw_film == static_cast<uint>(Quality::film));
static_assert(finish_plain == static_cast<uint>(Finish::plain) && finish_sand == static_cast<uint>(Finish::sand) &&
              finish_gravel == static_cast<uint>(Finish::gravel) && finish_soil == static_cast<uint>(Finish::soil) &&
              finish_glass == static_cast<uint>(Finish::glass) && finish_metal == static_cast<uint>(Finish::metal) &&
              finish_paint == static_cast<uint>(Finish::paint));

namespace {

constexpr float circle = glm::two_pi<float>();
const vec3 ground_albedo{0.38f};  // of what lies around the scene, as the ground that is drawn

// Coefficients of irradiance over pi by the normal, in the order that `ambient` of draw_light.glsl has, for the
// radiance of all directions (R. Ramamoorthi and P. Hanrahan, An efficient representation for irradiance environment
// maps, 2001). By the midpoint rule over rings of equal solid angle.
template <class F> std::array<vec3, 9> irradiance_of(const F& radiance) {
  constexpr int rings = 96, around = 96;
  // Squares of the constants of the harmonics, times the cosine's own coefficients over pi: 1, 2/3, 1/4.
  constexpr float l0 = 0.0795775f, l1 = 0.238732f * 2.0f / 3.0f, l2 = 1.193662f / 4.0f, l20 = 0.0994718f / 4.0f,
                  l22 = 0.298416f / 4.0f;
  std::array<vec3, 9> sum{};
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < around; ++k) {
      const float z = 1.0f - (2.0f * static_cast<float>(i) + 1.0f) / rings,
                  angle = circle * (static_cast<float>(k) + 0.5f) / around;
      const float level = std::sqrt(1.0f - z * z);
      const vec3 n(level * std::cos(angle), level * std::sin(angle), z);
      const vec3 light = radiance(n) * (2.0f * circle / (rings * around));
      const std::array<float, 9> basis{l0,
                                       l1 * n.y,
                                       l1 * n.z,
                                       l1 * n.x,
                                       l2 * n.x * n.y,
                                       l2 * n.y * n.z,
                                       l20 * (3.0f * n.z * n.z - 1.0f),
                                       l2 * n.x * n.z,
                                       l22 * (n.x * n.x - n.y * n.y)};
      for (std::size_t c = 0; c < basis.size(); ++c)
        sum[c] += basis[c] * light;
    }
  return sum;
}

// Over pi, of a level surface.
template <class F> vec3 level_irradiance(const F& radiance) {
  constexpr int rings = 64, around = 96;
  vec3 sum(0.0f);
  for (int i = 0; i < rings; ++i)  // of equal irradiance
    for (int k = 0; k < around; ++k) {
      const float level2 = (static_cast<float>(i) + 0.5f) / rings,
                  angle = circle * (static_cast<float>(k) + 0.5f) / around;
      const float level = std::sqrt(level2);
      sum += radiance(vec3(level * std::cos(angle), level * std::sin(angle), std::sqrt(1.0f - level2)));
    }
  return sum / static_cast<float>(rings * around);
}

void take(DrawLight& light, const std::array<vec3, 9>& ambient) {
  std::copy(ambient.begin(), ambient.end(), light.ambient);
}

// Gives the radiance of the ground for directions below the horizon, and zero above it.
auto from_ground(const DrawLight& light) {
  return [ground = light.ground](const vec3& way) { return way.z < 0.0f ? ground : vec3(0.0f); };
}

// Evenly spread numbers 0 .. 1, so that any few that follow each other are, too: the additive recurrence of the powers
// of the inverse of the root of x^(d + 1) = x + 1, here with d = 7 (M. Roberts, The unreasonable effectiveness of
// quasirandom sequences, 2018).
std::array<float, 7> spread(std::uint32_t k) {
  constexpr double root = 1.0969815577985598;  // of x^8 = x + 1
  std::array<float, 7> out;
  double power = 1.0;
  for (float& x : out) {
    power /= root;
    const double place = 0.5 + power * (k + 1);
    x = static_cast<float>(place - std::floor(place));
  }
  return out;
}

// Evenly on a disc of radius 1.
glm::vec2 on_disc(float area, float around) {
  return std::sqrt(area) * glm::vec2(std::cos(circle * around), std::sin(circle * around));
}

}  // namespace

DrawLight sun_and_sky(const glm::vec3& sun) {
  DrawLight light{};
  light.sun = sun;
  light.sky = sky_factor(sun);
  const auto sky = [&](const vec3& way) { return sky_radiance(way, sun, light.sky); };
  const vec3 sun_light = sun_irradiance(sun) * (2.0f / circle);
  light.exposure = 1.0f / (sun_light * sun.z + level_irradiance(sky));
  light.lamp = light.exposure * sun_light;
  light.disc = sun_radius;
  light.ground = ground_albedo;  // lit as a level surface in the open, by 1
  take(light, irradiance_of([&](const vec3& way) { return way.z < 0.0f ? light.ground : light.exposure * sky(way); }));
  light.gloss = light.share = 1.0f;
  return light;
}

DrawLight even_light() {
  DrawLight light{};
  light.sun = vec3(0.0f, 0.0f, 1.0f);
  light.exposure = light.ground = vec3(1.0f);
  take(light, irradiance_of([](const vec3&) { return vec3(1.0f); }));
  light.share = 1.0f;
  light.even = 1;
  return light;
}

std::vector<DrawMaterial> draw_materials(const Scene& scene, const Look& look) {
  std::vector<DrawMaterial> out;
  for (const Material& material : scene.materials) {
    const auto finish = static_cast<uint>(material.finish);
    const bool cut = look.quality != Quality::draft && look.marks && look.color_by == ColorBy::material;
    out.push_back({material.color, static_cast<float>(material.wetness), finish, cut && is_mixture(finish)});
  }
  // Spheres that make a stone or a body together stay what they are.
  each_group(scene, [&](const GrainGroup& group) {
    if (group.clump)
      out.at(group.material).cut = 0;
  });
  for (const ShapeSpec& shape : scene.shapes)
    out.at(shape.grains.material).cut = 0;
  return out;
}

void take_part(DrawFrame& frame, DrawLight& light, const Scene& scene, const glm::vec2& pixels, std::uint32_t k) {
  const auto [x, y, lens_area, lens_around, time, light_area, light_around] = spread(k);
  light.share = 1.0f / static_cast<float>(k + 1);

  // The lens looks through the same window in the plane that is sharp, from another place.
  const Camera& camera = scene.camera;
  const glm::vec3 right = normalize(frame.right), up = normalize(frame.up);
  const float sharp =
      camera.focus ? static_cast<float>(*camera.focus)
                   : std::max(dot((camera.target ? vec3(*camera.target) : frame.middle) - frame.eye, frame.forward),
                              frame.nearest);
  const glm::vec2 off = 0.5f * static_cast<float>(camera.aperture) * on_disc(lens_area, lens_around);
  frame.eye += off.x * right + off.y * up;
  frame.shift =
      (2.0f * glm::vec2(x, y) - 1.0f) / pixels - off / (sharp * glm::vec2(length(frame.right), length(frame.up)));
  frame.moment = -static_cast<float>(camera.shutter) * time;

  if (light.even)
    return;
  constexpr std::uint32_t period = 4;  // pictures, of which one has the sun
  const auto sky = [&](const vec3& way) { return light.exposure * sky_radiance(way, light.sun, light.sky); };
  vec3 way;
  if (k % period == 0) {
    const glm::vec2 disc = light.disc * on_disc(light_area, light_around);
    way = normalize(frame.light + disc.x * frame.light_x + disc.y * frame.light_y);
    light.lamp *= static_cast<float>(period);
  } else {
    // Evenly over the hemisphere, whose solid angle is 2 pi.
    const float level = std::sqrt(1.0f - light_area * light_area), angle = circle * light_around;
    way = vec3(level * std::cos(angle), level * std::sin(angle), light_area);
    light.lamp = 2.0f * sky(way) * (static_cast<float>(period) / (period - 1));
    light.gloss = 0.0f;
  }
  light_from(frame, way);
  take(light, irradiance_of(from_ground(light)));
}

}  // namespace talus
