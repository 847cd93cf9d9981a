#include "bench/measure.h"
#include "bench/constants.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

using talus::GrainState;

// Axis of a heap: the mean place, by height, so that grains that ran away count little.
glm::dvec2 axis_of(std::span<const GrainState> grains) {
  glm::dvec2 sum(0.0);
  double weight = 0.0;
  for (const GrainState& g : grains) {
    const double z = std::max(0.0, static_cast<double>(g.position.z));
    sum += z * glm::dvec2(g.position.x, g.position.y);
    weight += z;
  }
  return weight > 0.0 ? sum / weight : sum;
}

}  // namespace

double bed_packing(std::span<const GrainState> grains, const talus::Domain& domain) {
  if (grains.empty())
    return 0.0;
  std::vector<double> heights;
  for (const GrainState& g : grains)
    heights.push_back(g.position.z);
  const double r = grains[0].radius, middle = median(std::move(heights));
  const glm::dvec3 center(0.5 * (domain.min.x + domain.max.x), 0.5 * (domain.min.y + domain.max.y), middle);
  const double half = std::min(8.0 * r, 0.5 * (domain.max.x - domain.min.x) - 2.0 * r);
  const double deep = std::clamp(middle - 2.0 * r, r, 5.0 * r);
  return packing_fraction(grains, center - glm::dvec3(half, half, deep), center + glm::dvec3(half, half, 0.6 * deep));
}

Overlap overlap_of(std::span<const GrainState> grains, const talus::Domain& domain) {
  std::vector<GrainState> sorted(grains.begin(), grains.end());
  std::ranges::sort(sorted, {}, [](const GrainState& g) { return g.position.x; });
  Overlap overlap;
  double sum = 0.0, contacts = 0.0;
  const auto add = [&](double depth, double radius, double weight) {
    if (!(depth > 0.0))
      return;
    sum += weight * depth / radius;
    contacts += weight;
    overlap.max = std::max(overlap.max, depth / radius);
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const glm::dvec3 p(sorted[i].position);
    const double r = sorted[i].radius;
    for (int a = 0; a < 3; ++a) {
      add(domain.min[a] + r - p[a], r, 1.0);
      add(p[a] + r - domain.max[a], r, 1.0);
    }
    for (std::size_t j = i + 1; j < sorted.size() && sorted[j].position.x - p.x < 2.0 * r; ++j)
      add(2.0 * r - glm::distance(p, glm::dvec3(sorted[j].position)), r, 2.0);
  }
  overlap.mean = contacts > 0.0 ? sum / contacts : 0.0;
  return overlap;
}

double speed_rms(std::span<const GrainState> grains) {
  double sum = 0.0;
  for (const GrainState& g : grains)
    sum += static_cast<double>(glm::dot(g.velocity, g.velocity));
  return grains.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(grains.size()));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

Line fit_line(std::span<const std::pair<double, double>> points, std::span<const double> weights) {
  double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const auto [px, py] = points[i];
    w += weight, x += weight * px, y += weight * py, xx += weight * px * px, xy += weight * px * py;
  }
  const double determinant = w * xx - x * x;
  if (!(determinant > 1e-12 * w * xx))
    return {0.0, w > 0.0 ? y / w : 0.0};
  const double slope = (w * xy - x * y) / determinant;
  return {slope, (y - slope * x) / w};
}

Heap fit_heap(std::span<const GrainState> grains, double inner, double outer) {
  Heap heap;
  if (grains.empty())
    return heap;
  const glm::dvec2 axis = axis_of(grains);
  double width = 0.0;
  for (const GrainState& g : grains)
    width += 2.0 * g.radius / static_cast<double>(grains.size());

  // Rings as wide as a grain, of cells two grains long. Grains beyond this many rings belong to no heap.
  constexpr std::size_t rings_most = 4096;
  const auto cells_of = [](std::size_t ring) {
    return static_cast<std::size_t>(std::lround(pi * (static_cast<double>(ring) + 0.5)));
  };
  std::vector<std::vector<double>> tops;
  for (const GrainState& g : grains) {
    const glm::dvec2 d = glm::dvec2(g.position.x, g.position.y) - axis;
    const double rho = glm::length(d);
    const auto ring = static_cast<std::size_t>(std::min(rho / width, 1e9));
    if (ring >= rings_most)
      continue;
    while (tops.size() <= ring)
      tops.emplace_back(cells_of(tops.size()), 0.0);
    const double turn = std::atan2(d.y, d.x) / (2.0 * pi) + 0.5;
    auto& cells = tops[ring];
    double& top = cells[std::min(static_cast<std::size_t>(turn * static_cast<double>(cells.size())), cells.size() - 1)];
    top = std::max(top, static_cast<double>(g.position.z) + g.radius);
  }
  for (std::size_t ring = 0; ring < tops.size(); ++ring) {
    double sum = 0.0;
    for (const double top : tops[ring])
      sum += top;
    heap.profile.emplace_back((static_cast<double>(ring) + 0.5) * width, sum / static_cast<double>(tops[ring].size()));
  }

  // From outside: where the floor is half covered first.
  heap.profile.emplace_back((static_cast<double>(tops.size()) + 0.5) * width, 0.0);
  tops.emplace_back(1, 0.0);
  for (std::size_t i = heap.profile.size() - 1; i > 0; --i) {
    const auto [r0, z0] = heap.profile[i - 1];
    const auto [r1, z1] = heap.profile[i];
    if (z0 >= 0.5 * width) {
      heap.radius = r0 + (r1 - r0) * (z0 - 0.5 * width) / (z0 - z1);
      break;
    }
  }
  std::vector<std::pair<double, double>> flank;
  std::vector<double> weights;
  for (std::size_t i = 0; i < heap.profile.size(); ++i)
    if (const double r = heap.profile[i].first; r > inner * heap.radius && r < outer * heap.radius) {
      flank.push_back(heap.profile[i]);
      weights.push_back(static_cast<double>(tops[i].size()));
    }
  const Line line = fit_line(flank, weights);
  heap.angle = std::max(0.0, std::atan(-line.slope) * 180.0 / pi);
  heap.height = line.offset;
  std::erase_if(heap.profile, [&](const auto& point) { return point.first > 1.3 * heap.radius; });
  return heap;
}

double packing_fraction(std::span<const GrainState> grains, glm::dvec3 min, glm::dvec3 max) {
  std::vector<const GrainState*> near;
  for (const GrainState& g : grains) {
    const glm::dvec3 p(g.position);
    if (glm::length(p - glm::clamp(p, min, max)) < g.radius)
      near.push_back(&g);
  }
  // Even points without a grid that could beat with a lattice of grains: multiples of powers of the plastic number.
  constexpr int points = 30000;
  const glm::dvec3 stride(0.8191725133961645, 0.6710436067037893, 0.5497004779019703);
  int inside = 0;
  for (int i = 0; i < points; ++i) {
    const glm::dvec3 p = min + glm::fract(0.5 + static_cast<double>(i) * stride) * (max - min);
    inside += std::ranges::any_of(near, [&](const GrainState* g) {
      const glm::dvec3 d = p - glm::dvec3(g->position);
      return glm::dot(d, d) < static_cast<double>(g->radius) * g->radius;
    });
  }
  return static_cast<double>(inside) / points;
}

Beverloo fit_beverloo(std::span<const std::pair<double, double>> diameter_and_rate, double grain_diameter, double g) {
  // W^(2/5) is a line in D that leaves zero at k d.
  std::vector<std::pair<double, double>> points;
  for (const auto& [diameter, rate] : diameter_and_rate)
    if (rate > 0.0)
      points.emplace_back(diameter, std::pow(rate, 0.4));
  const Line line = fit_line(points);
  if (points.size() < 2 || !(line.slope > 0.0))
    return {0.0, 0.0};
  return {std::pow(line.slope, 2.5) / std::sqrt(g), -line.offset / line.slope / grain_diameter};
}

double Discharge::at(double x) const {
  return c * std::pow(x - k, power);
}

Discharge fit_discharge(std::span<const std::pair<double, double>> points, double power) {
  std::vector<std::pair<double, double>> line_points;
  std::vector<double> weights;
  for (const auto& [x, rate] : points) {
    const double y = std::pow(rate, 1.0 / power);
    line_points.emplace_back(x, y);
    weights.push_back(1.0 / (y * y));
  }
  const Line line = fit_line(line_points, weights);
  return {power, std::pow(line.slope, power), -line.offset / line.slope};
}

Discharge fit_discharge(std::span<const std::pair<double, double>> points) {
  Discharge best{NAN, NAN, NAN};
  double least = INFINITY;
  for (double power = 0.5; power < 4.5; power += 0.005) {
    const Discharge fit = fit_discharge(points, power);
    double squares = 0.0;
    for (const auto& [x, rate] : points)
      squares += std::pow(fit.at(x) / rate - 1.0, 2);
    if (squares < least) {
      least = squares;
      best = fit;
    }
  }
  return best;
}

double lube_run_out(double a) {
  return a < 1.7 ? 1.24 * a : 1.6 * std::sqrt(a);
}

double approach_speed(std::span<const GrainState> before, std::span<const GrainState> after) {
  double sum = 0.0;
  std::size_t contacts = 0;
  const auto add = [&](const glm::vec3& normal, const glm::vec3& velocity) {
    sum += std::max(0.0f, -glm::dot(normal, velocity));
    ++contacts;
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    const GrainState& a = before[i];
    if (a.position.z < a.radius)
      add({0.0f, 0.0f, 1.0f}, after[i].velocity);
    for (std::size_t j = 0; j < i; ++j) {
      const GrainState& b = before[j];
      const glm::vec3 d = a.position - b.position;
      const float reach = a.radius + b.radius, distance2 = glm::dot(d, d);
      if (distance2 < reach * reach && distance2 > 0.0f)
        add(d / std::sqrt(distance2), after[i].velocity - after[j].velocity);
    }
  }
  return contacts ? sum / static_cast<double>(contacts) : 0.0;
}

}  // namespace bench
