// Where a dynamic body can touch others: candidates from each part, of which those on the surface of the whole stay.
#include "engine/scene/bodies.h"
#include "engine/scene/mass.h"
#include "engine/scene/sampling.h"
#include "engine/scene/surface_sampling.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <unordered_map>

namespace talus {
namespace {

using std::numbers::pi;

// What goes first where there is no room for all. cut: where one part ends at what another takes away.
enum class Rank { corner, rim, cut, face };

struct Spot {
  glm::dvec3 place, normal;  // normal: outwards, between those of the faces that meet here
  Rank rank = Rank::face;
};

// A piece of a part's surface over u and v from 0 to 1, to be looked at in so many steps of each.
struct Patch {
  int across = 1, along = 1;
  std::function<Spot(double u, double v)> at;
};

int steps(double length, double spacing) {
  return static_cast<int>(std::clamp(std::ceil(length / spacing), 1.0, 1e5));
}

// Of a circle: 24 at least, none further than the spacing from the next, and the chord between two nowhere further than
// 2 % of the spacing from it.
int steps_around(double radius, double spacing) {
  const double chord = pi / std::acos(1.0 - std::min(1.0, 0.02 * spacing / std::max(radius, 1e-12)));
  return std::max({24, steps(2 * pi * radius, spacing), static_cast<int>(std::ceil(std::min(chord, 1e5)))});
}

// From the x axis towards y.
glm::dvec3 radial(double turns) {
  return {std::cos(2 * pi * turns), std::sin(2 * pi * turns), 0.0};
}

// What a profile (distance from the axis, z) becomes around z.
Patch turned(double widest, double length, double spacing,
             const std::function<std::pair<glm::dvec2, glm::dvec2>(double)>& profile, bool sharp) {
  return {steps_around(widest, spacing), steps(length, spacing), [=](double u, double v) {
            const auto [p, n] = profile(v);
            const bool end = sharp && (v == 0.0 || v == 1.0);
            return Spot{p.x * radial(u) + glm::dvec3(0, 0, p.y), n.x * radial(u) + glm::dvec3(0, 0, n.y),
                        !end        ? Rank::face
                        : p.x > 0.0 ? Rank::rim
                                    : Rank::corner};
          }};
}

// The surface of a part in its own frame. reach: m, of what matters of a plane, around `middle`.
struct PatchesOf {
  double spacing, reach;
  glm::dvec3 middle;

  std::vector<Patch> operator()(const PlanePart&) const {
    return {{steps(2 * reach, spacing), steps(2 * reach, spacing), [*this](double u, double v) {
               return Spot{{middle.x + reach * (2 * u - 1), middle.y + reach * (2 * v - 1), 0.0}, {0.0, 0.0, 1.0}};
             }}};
  }
  std::vector<Patch> operator()(const BoxPart& p) const {
    std::vector<Patch> faces;
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        faces.push_back({steps(p.size[b], spacing), steps(p.size[c], spacing), [=](double u, double v) {
                           glm::dvec3 at(0.0);
                           at[axis] = side;
                           at[b] = 2 * u - 1;
                           at[c] = 2 * v - 1;
                           const glm::dvec3 outer = glm::trunc(at);  // of the faces that meet here
                           const auto faces = std::lround(glm::dot(outer, outer));
                           return Spot{at * p.size / 2.0, glm::normalize(outer),
                                       faces == 3   ? Rank::corner
                                       : faces == 2 ? Rank::rim
                                                    : Rank::face};
                         }});
      }
    return faces;
  }
  std::vector<Patch> operator()(const SpherePart& p) const { return (*this)(CapsulePart{p.radius, 2 * p.radius}); }
  std::vector<Patch> operator()(const CapsulePart& p) const {
    const double r = p.radius, side = p.height - 2 * r, length = pi * r + side;
    return {turned(
        r, length, spacing,
        [=](double v) {
          const double s = v * length, round = pi * r / 2;
          const double below = std::min(s, round), above = std::max(0.0, s - round - side);
          const double angle = (below + above) / r - pi / 2;
          const glm::dvec2 n(std::cos(angle), std::sin(angle));
          return std::pair(r * n + glm::dvec2(0.0, std::clamp(s - round, 0.0, side) - side / 2), n);
        },
        false)};
  }
  std::vector<Patch> operator()(const ConePart& p) const {
    const double h = p.height, slant = std::hypot(h, p.radius - p.top_radius),
                 widest = std::max(p.radius, p.top_radius);
    const glm::dvec2 out = glm::dvec2(h, p.radius - p.top_radius) / slant;
    const auto rim = [=](double z) { return glm::normalize(out + glm::dvec2(0.0, z)); };
    std::vector<Patch> all{turned(
        widest, slant, spacing,
        [=](double v) {
          const glm::dvec2 at(glm::mix(p.radius, p.top_radius, v), h * (v - 0.5));
          return std::pair(at, v == 0.0 ? rim(-1.0) : v == 1.0 ? rim(1.0) : out);
        },
        true)};
    for (const auto& [radius, z] : {std::pair(p.radius, -1.0), {p.top_radius, 1.0}})
      if (radius > 0.0)  // from the rim, which the mantle has, to the axis
        all.push_back(turned(
            widest, radius, spacing,
            [=, radius = radius, z = z](double v) {
              return std::pair(glm::dvec2(radius * (1 - v), z * h / 2), v == 0.0 ? rim(z) : glm::dvec2(0.0, z));
            },
            false));
    return all;
  }
  std::vector<Patch> operator()(const TorusPart& p) const {
    return {turned(
        p.radius + p.section, 2 * pi * p.section, spacing,
        [=](double v) {
          const glm::dvec2 n(std::cos(2 * pi * v), std::sin(2 * pi * v));
          return std::pair(glm::dvec2(p.radius, 0.0) + p.section * n, n);
        },
        false)};
  }
  std::vector<Patch> operator()(const MeshPart&) const { return {}; }
};

// Balls that make up a round part, in its own frame; none of the others.
struct BallsOf {
  double spacing;

  std::vector<ContactPoint> operator()(const SpherePart& p) const { return {{glm::dvec3(0.0), p.radius}}; }
  std::vector<ContactPoint> operator()(const CapsulePart& p) const {
    const double length = p.height - 2 * p.radius;
    std::vector<ContactPoint> balls;
    const int n = length > 0.0 ? steps(length, std::max(spacing, p.radius / 2)) : 0;
    for (int k = 0; k <= n; ++k)
      balls.push_back({{0.0, 0.0, n > 0 ? length * (static_cast<double>(k) / n - 0.5) : 0.0}, p.radius});
    return balls;
  }
  std::vector<ContactPoint> operator()(const TorusPart& p) const {
    std::vector<ContactPoint> balls;
    const int n = std::max(24, steps(2 * pi * p.radius, p.section / 2));
    for (int k = 0; k < n; ++k)
      balls.push_back({p.radius * radial(static_cast<double>(k) / n), p.section});
    return balls;
  }
  std::vector<ContactPoint> operator()(const auto&) const { return {}; }
};

// Vertices where faces meet at more than 20 degrees, or all where they are few, and places all over it.
std::vector<Spot> sites_of(const Mesh& mesh, double spacing, std::size_t few, Random& random) {
  std::vector<glm::dvec3> normals(mesh.vertices.size(), glm::dvec3(0.0));
  std::vector<bool> sharp(mesh.vertices.size(), mesh.vertices.size() <= few);
  std::map<std::pair<std::uint32_t, std::uint32_t>, glm::dvec3> across;  // normal of the triangle at an edge
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a(mesh.vertices[t[0]]), b(mesh.vertices[t[1]]), c(mesh.vertices[t[2]]);
    const glm::dvec3 twice = glm::cross(b - a, c - a);
    if (!(glm::length(twice) > 0.0))
      continue;
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k], to = t[(k + 1) % 3];
      normals[from] += twice;
      const auto [other, first] = across.try_emplace(std::minmax({from, to}), glm::normalize(twice));
      if (!first && glm::dot(other->second, glm::normalize(twice)) < std::cos(glm::radians(20.0)))
        sharp[from] = sharp[to] = true;
    }
  }
  std::vector<Spot> spots;
  const Rank rank = mesh.vertices.size() <= few ? Rank::corner : Rank::cut;
  for (std::size_t v = 0; v < sharp.size(); ++v)
    if (sharp[v] && glm::length(normals[v]) > 0.0)
      spots.push_back({glm::dvec3(mesh.vertices[v]), glm::normalize(normals[v]), rank});
  for (const SurfacePoint& p : sample_surface(mesh, spacing, random))
    spots.push_back({glm::dvec3(p.position), glm::dvec3(p.normal), Rank::face});
  return spots;
}

// What has been kept, to find what is near.
class Kept {
public:
  explicit Kept(double cell) : cell_(cell) {}
  bool near(const glm::dvec3& p, double distance) const {  // <= cell
    for (int n = 0; n < 27; ++n) {
      const auto found = cells_.find(key(cell(p) + glm::i64vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
      if (found != cells_.end() && std::ranges::any_of(found->second, [&](const glm::dvec3& other) {
            return glm::distance(p, other) < distance;
          }))
        return true;
    }
    return false;
  }
  void add(const glm::dvec3& p) { cells_[key(cell(p))].push_back(p); }

private:
  glm::i64vec3 cell(const glm::dvec3& p) const { return glm::i64vec3(glm::floor(p / cell_)); }
  static std::uint64_t key(const glm::i64vec3& c) {  // cells that share one only cost time
    return (static_cast<std::uint64_t>(c.x) & 0x1FFFFF) | (static_cast<std::uint64_t>(c.y) & 0x1FFFFF) << 21 |
           static_cast<std::uint64_t>(c.z) << 42;
  }

  double cell_;
  std::unordered_map<std::uint64_t, std::vector<glm::dvec3>> cells_;
};

class Finder {
public:
  Finder(const BodySpec& body, std::size_t most) : body_(body), most_(most) {
    const Bounds bounds = bounds_of(body, {});
    middle_ = (bounds.min + bounds.max) / 2.0;
    reach_ = glm::distance(bounds.max, bounds.min) / 2;
    tolerance_ = 1e-5 * reach_;  // of meshes, in floats
    alone_ = body.parts.size() == 1;
    cut_ = std::ranges::any_of(body.parts, &BodyPart::subtract);
    if (!alone_)
      whole_ = solid_of(body, {}, reach_ / 16);
  }

  std::vector<ContactPoint> find(double spacing) {
    for (bool crowded = false;; spacing *= 1.25, crowded = spacing > reach_)
      if (const auto points = find_with(spacing, crowded); points && points->size() <= most_)
        return *points;
  }

private:
  // Nothing where there would be far too many to choose from.
  std::optional<std::vector<ContactPoint>> find_with(double spacing, bool crowded) {
    balls_.clear();
    spots_.clear();
    for (std::size_t i = 0; i < body_.parts.size(); ++i) {
      const BodyPart& part = body_.parts[i];
      const Pose pose{part.position, rotation_of(part.rotation)};
      const auto* mesh = std::get_if<MeshPart>(&part.shape);
      if (!mesh && !part.subtract && add_balls(part, pose, spacing))
        continue;
      const glm::dvec3 middle = glm::conjugate(pose.rotation) * (middle_ - pose.position);
      const std::vector<Patch> patches = std::visit(PatchesOf{spacing, reach_, middle}, part.shape);
      double candidates = mesh ? 8.0 * area(mesh->loaded->mesh) / (spacing * spacing) : 0.0;  // nearly all are kept
      for (const Patch& patch : patches)
        candidates += static_cast<double>(patch.across) * patch.along;
      if (!crowded && candidates > 16.0 * static_cast<double>(most_))
        return {};
      for (const Patch& patch : patches)
        add_patch(patch, pose, part.subtract);
      if (mesh) {
        Random random(1, i);
        for (const Spot& spot :
             with_place(*mesh, [&] { return sites_of(mesh->loaded->mesh, spacing, most_ / 8, random); }))
          add_if_outer(placed(spot, pose, part.subtract));
      }
    }
    return chosen(spacing, crowded);
  }

  // Does the part consist of balls, none of which is cut?
  bool add_balls(const BodyPart& part, const Pose& pose, double spacing) {
    const std::vector<ContactPoint> balls = std::visit(BallsOf{spacing}, part.shape);
    bool intact = !balls.empty();
    for (const ContactPoint& own : balls) {
      const ContactPoint ball{(pose * Pose{own.place}).position, own.radius};
      const double out = alone_ ? 0.0 : sample(whole_, ball.place).distance + ball.radius;
      intact = intact && out <= tolerance_;
      if (std::abs(out) <= tolerance_)  // below it lies wholly in another part
        balls_.push_back(ball);
    }
    return intact;
  }

  void add_patch(const Patch& patch, const Pose& pose, bool inwards) {
    const auto at = [&](double u, double v) { return placed(patch.at(u, v), pose, inwards); };
    const int across = patch.across, along = patch.along;
    std::vector<bool> kept;  // row by row
    for (int v = 0; v <= along; ++v)
      for (int u = 0; u <= across; ++u)
        kept.push_back(add_if_outer(at(static_cast<double>(u) / across, static_cast<double>(v) / along)));
    if (!cut_)
      return;
    const auto between = [&](int u0, int v0, int u1, int v1) {
      if (kept[static_cast<std::size_t>(v0 * (across + 1) + u0)] ==
          kept[static_cast<std::size_t>(v1 * (across + 1) + u1)])
        return;
      glm::dvec2 in(static_cast<double>(u0) / across, static_cast<double>(v0) / along),
          out(static_cast<double>(u1) / across, static_cast<double>(v1) / along);
      if (!kept[static_cast<std::size_t>(v0 * (across + 1) + u0)])
        std::swap(in, out);
      if (sample(whole_, at(out.x, out.y).place).distance <= tolerance_)
        return;  // it goes on inside another part
      for (int n = 0; n < 20; ++n) {
        const glm::dvec2 half = (in + out) / 2.0;
        (std::abs(sample(whole_, at(half.x, half.y).place).distance) <= tolerance_ ? in : out) = half;
      }
      Spot edge = at(in.x, in.y);
      edge.rank = Rank::cut;
      spots_.push_back(edge);
    };
    for (int v = 0; v <= along; ++v)
      for (int u = 0; u <= across; ++u) {
        if (u < across)
          between(u, v, u + 1, v);
        if (v < along)
          between(u, v, u, v + 1);
      }
  }

  static Spot placed(const Spot& own, const Pose& pose, bool inwards) {
    return {(pose * Pose{own.place}).position, pose.rotation * (inwards ? -own.normal : own.normal), own.rank};
  }

  // On the surface of the whole, with nothing in front?
  bool add_if_outer(const Spot& spot) {
    const double step = 10 * tolerance_;
    if (!alone_ && (std::abs(sample(whole_, spot.place).distance) > tolerance_ ||
                    sample(whole_, spot.place + step * spot.normal).distance < 0.25 * step))
      return false;
    spots_.push_back(spot);
    return true;
  }

  std::vector<ContactPoint> chosen(double spacing, bool crowded) {
    // Corners and rims give way last, where even the coarsest spacing leaves too many of them.
    const double apart = crowded ? 0.5 * spacing : tolerance_;
    Kept kept_balls(spacing), kept(spacing);
    std::vector<ContactPoint> points;
    for (const ContactPoint& ball : balls_)
      if (!kept_balls.near(ball.place, apart)) {
        kept_balls.add(ball.place);
        points.push_back(ball);
      }
    std::ranges::stable_sort(spots_, {}, &Spot::rank);
    for (const Spot& spot : spots_) {
      const double least = spot.rank == Rank::face ? 0.7 * spacing : spot.rank == Rank::cut ? 0.5 * spacing : apart;
      if (kept.near(spot.place, least))
        continue;
      kept.add(spot.place);
      points.push_back({spot.place, 0.0});
    }
    return points;
  }

  const BodySpec& body_;
  std::size_t most_;
  bool alone_ = false, cut_ = false;
  glm::dvec3 middle_{0.0};
  double reach_ = 0.0, tolerance_ = 0.0;
  Solid whole_;
  std::vector<ContactPoint> balls_;
  std::vector<Spot> spots_;
};

}  // namespace

std::vector<ContactPoint> contact_points(const BodySpec& body, double spacing, std::size_t most) {
  return Finder(body, std::max<std::size_t>(most, 1)).find(spacing);
}

}  // namespace talus
