#include "engine/geometry/gear.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace talus {

namespace {

using std::numbers::pi;
constexpr double addendum = 1.0, dedendum = 1.25;  // modules
constexpr double twist_most = 0.05;                // rad between two layers

double radians(double degrees) {
  return degrees * pi / 180;
}

struct Radii {
  double pitch, base, tip, root;
};

Radii radii(const GearSpec& spec) {
  const double pitch = spec.module * spec.teeth / 2;
  return {pitch, pitch * std::cos(radians(spec.pressure_angle)), pitch + addendum * spec.module,
          pitch - dedendum * spec.module};
}

// Half the angle that a tooth takes at radius r, not below the base circle.
double half_tooth(const GearSpec& spec, double r) {
  auto involute = [](double angle) { return std::tan(angle) - angle; };
  const double at_r = std::acos(std::min(1.0, radii(spec).base / r));
  return pi / (2 * spec.teeth) + involute(radians(spec.pressure_angle)) - involute(at_r);
}

void check(const GearSpec& spec) {
  auto need = [](bool right, const std::string& what) {
    if (!right)
      throw MeshError("gear: " + what);
  };
  auto in_range = [&](const char* name, double value, double min, double max, const char* unit) {
    need(value >= min && value <= max,
         fmt::format("{} must be a number from {} to {}{}, not {}", name, min, max, unit, value));
  };
  in_range("module", spec.module, 1e-6, 1e3, " m");
  in_range("teeth", spec.teeth, 4, 1000, "");
  in_range("helix_angle", spec.helix_angle, -60, 60, " degrees");
  in_range("pressure_angle", spec.pressure_angle, 10, 35, " degrees");
  in_range("width", spec.width, 1e-6, 1e4, " m");
  in_range("samples", spec.samples, 1, 100, "");
  const Radii r = radii(spec);
  need(
      spec.bore_radius >= 0 && spec.bore_radius < r.root,
      fmt::format("bore_radius must be at least 0 and below the root circle's {} m, not {}", r.root, spec.bore_radius));
  need(half_tooth(spec, r.tip) > 0,
       fmt::format("teeth end in a point below the tip circle with {} teeth and a pressure angle of {} degrees: take "
                   "more teeth or a smaller pressure angle",
                   spec.teeth, spec.pressure_angle));
  need(half_tooth(spec, std::max(r.base, r.root)) < pi / spec.teeth,
       fmt::format(
           "neighbouring teeth meet above the root circle with {} teeth and a pressure angle of {} degrees: take "
           "a smaller pressure angle",
           spec.teeth, spec.pressure_angle));
}

}  // namespace

std::vector<glm::dvec2> gear_outline(const GearSpec& spec) {
  check(spec);
  const Radii r = radii(spec);
  const double start = std::max(r.base, r.root), pitch_angle = 2 * pi / spec.teeth;
  const double foot = half_tooth(spec, start), top = half_tooth(spec, r.tip);
  const double step = (r.tip - start) / spec.samples;  // m, about the length of a segment, on arcs too
  auto segments = [&](double length) { return std::max(1, static_cast<int>(std::ceil(length / step))); };
  const int on_tip = segments(2 * top * r.tip), on_root = segments((pitch_angle - 2 * foot) * r.root);

  std::vector<glm::dvec2> outline;
  for (int tooth = 0; tooth < spec.teeth; ++tooth) {
    auto add = [&](double radius, double angle) {
      angle += tooth * pitch_angle;
      outline.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    };
    if (r.root < start)
      add(r.root, -foot);
    // Equal steps of the root of the height above the base circle: an involute curves most at its start.
    auto radius_at = [&](int i) {
      const double low = std::sqrt(start - r.base), high = std::sqrt(r.tip - r.base);
      const double s = low + (high - low) * i / spec.samples;
      return i == 0 ? start : i == spec.samples ? r.tip : r.base + s * s;
    };
    for (int i = 0; i <= spec.samples; ++i)
      add(radius_at(i), -half_tooth(spec, radius_at(i)));
    for (int i = 1; i < on_tip; ++i)
      add(r.tip, top * (2.0 * i / on_tip - 1));
    for (int i = spec.samples; i >= 0; --i)
      add(radius_at(i), half_tooth(spec, radius_at(i)));
    if (r.root < start)
      add(r.root, foot);
    for (int i = 1; i < on_root; ++i)
      add(r.root, foot + (pitch_angle - 2 * foot) * i / on_root);
  }
  return outline;
}

Mesh gear(const GearSpec& spec) {
  const std::vector<glm::dvec2> outline = gear_outline(spec);
  const auto n = static_cast<std::uint32_t>(outline.size()), teeth = static_cast<std::uint32_t>(spec.teeth);
  const double twist = spec.width * std::tan(radians(spec.helix_angle)) / radii(spec).pitch;
  const auto layers = static_cast<std::uint32_t>(std::max(1.0, std::ceil(std::abs(twist) / twist_most)));

  // The bore, as many points for each tooth; the first of them lies under the first one of the tooth's outline.
  const bool bore = spec.bore_radius > 0;
  const std::uint32_t of_tooth = bore ? std::max(2u, (64 + teeth - 1) / teeth) : 0, m = of_tooth * teeth;
  const double first = std::atan2(outline[0].y, outline[0].x);
  std::vector<glm::dvec2> inner;
  for (std::uint32_t i = 0; i < m; ++i) {
    const double angle = first + 2 * pi * i / m;
    inner.emplace_back(spec.bore_radius * std::cos(angle), spec.bore_radius * std::sin(angle));
  }

  const std::size_t triangles = std::size_t(2) * (n + m) * (layers + 1);
  if (triangles > mesh_triangles_most)
    throw MeshError(fmt::format("gear: {} triangles are more than {}: take fewer samples or a smaller helix angle",
                                triangles, mesh_triangles_most));
  Mesh mesh;
  const std::uint32_t layer = n + m, top = layers * layer;
  for (std::uint32_t k = 0; k <= layers; ++k) {
    const double share = static_cast<double>(k) / layers - 0.5;
    const double c = std::cos(twist * share), s = std::sin(twist * share);
    auto add = [&](const glm::dvec2& p) {
      mesh.vertices.emplace_back(c * p.x - s * p.y, s * p.x + c * p.y, spec.width * share);
    };
    std::ranges::for_each(outline, add);
    std::ranges::for_each(inner, add);
  }

  auto wall = [&](std::uint32_t a, std::uint32_t b) {  // above a and b, seen with a at the left
    mesh.triangles.emplace_back(a, b, b + layer);
    mesh.triangles.emplace_back(a, b + layer, a + layer);
  };
  for (std::uint32_t k = 0; k < layers; ++k) {
    for (std::uint32_t i = 0; i < n; ++i)
      wall(k * layer + i, k * layer + (i + 1) % n);
    for (std::uint32_t i = 0; i < m; ++i)
      wall(k * layer + n + (i + 1) % m, k * layer + n + i);
  }

  // The ends, a sector for each tooth: its outline, then back along the bore or to a point on the axis.
  const std::uint32_t axis = top + layer;
  if (!bore)
    for (const double side : {-0.5, 0.5})
      mesh.vertices.emplace_back(0, 0, spec.width * side);
  for (std::uint32_t tooth = 0; tooth < teeth; ++tooth) {
    std::vector<std::uint32_t> sector;  // in the layer at the bottom
    std::vector<glm::dvec3> corners;
    auto add = [&](std::uint32_t vertex, const glm::dvec2& p) {
      sector.push_back(vertex);
      corners.emplace_back(p, 0);
    };
    for (std::uint32_t i = tooth * (n / teeth); i <= (tooth + 1) * (n / teeth); ++i)
      add(i % n, outline[i % n]);
    for (std::uint32_t i = (tooth + 1) * of_tooth + 1; bore && i-- > tooth * of_tooth;)
      add(n + i % m, inner[i % m]);
    if (!bore)
      add(axis, glm::dvec2(0));
    auto above = [&](std::uint32_t v) { return v == axis ? axis + 1 : v + top; };
    for (const glm::uvec3& t : triangulate(corners)) {
      const glm::uvec3 v(sector[t.x], sector[t.y], sector[t.z]);
      mesh.triangles.emplace_back(v.x, v.z, v.y);
      mesh.triangles.emplace_back(above(v.x), above(v.y), above(v.z));
    }
  }
  return mesh;
}

}  // namespace talus
