#include "engine/io/points.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

namespace talus {
namespace {

struct ExportedGrain {
  const GrainState* state;
  glm::vec3 force;        // N
  glm::vec4 orientation;  // quaternion x, y, z, w
};

// How a quantity is read from a point. when: of what a run may lack.
enum class When { always, spin, contacts, clumps };
template <class Point> struct Source {
  Quantity quantity;
  std::variant<std::uint32_t (*)(const Point&), float (*)(const Point&), glm::vec3 (*)(const Point&),
               glm::vec4 (*)(const Point&)>
      read;
  When when = When::always;
};

using G = ExportedGrain;
const std::array<Source<G>, 9> of_grains{{
    {{"id", "", "id", {"id"}}, [](const G& g) { return g.state->id; }},
    {position_quantity, [](const G& g) { return g.state->position; }},
    {velocity_quantity, [](const G& g) { return g.state->velocity; }},
    {{"radius", "m", "radius", {"radius"}}, [](const G& g) { return g.state->radius; }},
    {{"material", "", "material", {"material"}}, [](const G& g) { return g.state->material; }},
    {world_quantity, [](const G& g) { return g.state->world; }},
    {{"spin", "rad/s", "angular_velocity", {"wx", "wy", "wz"}}, [](const G& g) { return g.state->spin; }, When::spin},
    {{"force", "N", "forces", {"fx", "fy", "fz"}}, [](const G& g) { return g.force; }, When::contacts},
    {{"orientation", "", "orientation", {"qx", "qy", "qz", "qw"}},
     [](const G& g) { return g.orientation; },
     When::clumps},
}};

using C = ContactState;
const std::array<Source<C>, 7> of_contacts{{
    {position_quantity, [](const C& c) { return c.point; }},
    {{"grain", "", "grain", {"grain"}}, [](const C& c) { return c.grain; }},
    {{"kind", "", "kind", {"kind"}}, [](const C& c) { return static_cast<std::uint32_t>(c.kind); }},
    {{"partner", "", "partner", {"partner"}}, [](const C& c) { return c.partner; }},
    {world_quantity, [](const C& c) { return c.world; }},
    {{"normal_force", "N", "normal_force", {"nx", "ny", "nz"}}, [](const C& c) { return c.normal; }},
    {{"friction", "N", "friction", {"tx", "ty", "tz"}}, [](const C& c) { return c.friction; }},
}};

template <class Point>
PointColumn column_of(const Source<Point>& source, std::span<const Point> points,
                      std::span<const std::uint32_t> order) {
  PointColumn column{&source.quantity, {}};
  std::visit(
      [&](auto read) {
        using Value = decltype(read(points[0]));
        if constexpr (std::is_arithmetic_v<Value>) {
          auto& values = column.values.template emplace<std::vector<Value>>();
          values.reserve(order.size());
          for (const std::uint32_t i : order)
            values.push_back(read(points[i]));
        } else {
          auto& values = column.values.template emplace<std::vector<float>>();
          values.reserve(order.size() * static_cast<std::size_t>(Value::length()));
          for (const std::uint32_t i : order) {
            const Value value = read(points[i]);
            for (glm::length_t k = 0; k < Value::length(); ++k)
              values.push_back(value[k]);
          }
        }
      },
      source.read);
  return column;
}

// Where a grain of a world and an id is among those that are sorted by both.
class Finder {
public:
  explicit Finder(std::span<const GrainState> grains) {
    for (std::size_t i = 0; i < grains.size(); ++i) {
      if (worlds_.size() <= grains[i].world)
        worlds_.resize(grains[i].world + std::size_t{1});
      std::vector<std::uint32_t>& of_world = worlds_[grains[i].world];
      of_world.resize(std::max<std::size_t>(of_world.size(), grains[i].id + std::size_t{1}), none);
      of_world[grains[i].id] = static_cast<std::uint32_t>(i);
    }
  }
  // Calls found(i) where it is there.
  void find(std::uint32_t world, std::uint32_t id, auto&& found) const {
    if (world < worlds_.size() && id < worlds_[world].size() && worlds_[world][id] != none)
      found(worlds_[world][id]);
  }

private:
  static constexpr std::uint32_t none = ~0u;
  std::vector<std::vector<std::uint32_t>> worlds_;
};

}  // namespace

const std::vector<float>* Points::reals(std::string_view name) const {
  const auto at = std::ranges::find(columns, name, [](const PointColumn& c) { return c.quantity->name; });
  return at == columns.end() ? nullptr : std::get_if<std::vector<float>>(&at->values);
}

const std::vector<std::uint32_t>* Points::wholes(std::string_view name) const {
  const auto at = std::ranges::find(columns, name, [](const PointColumn& c) { return c.quantity->name; });
  return at == columns.end() ? nullptr : std::get_if<std::vector<std::uint32_t>>(&at->values);
}

void append_row(fmt::memory_buffer& text, const Points& points, std::size_t i, char separator) {
  bool first = true;
  for (const PointColumn& c : points.columns)
    std::visit(
        [&, n = c.quantity->components()](const auto& values) {
          for (std::size_t k = 0; k < n; ++k) {
            if (!first)
              text.push_back(separator);
            first = false;
            fmt::format_to(std::back_inserter(text), "{}", values[n * i + k]);
          }
        },
        c.values);
}

Points grain_points(const std::vector<GrainState>& grains, double time, const GrainExtras& extras) {
  std::vector<ExportedGrain> rows;
  rows.reserve(grains.size());
  for (const GrainState& g : grains)
    rows.push_back({&g, glm::vec3(0.0f), {0.0f, 0.0f, 0.0f, 1.0f}});
  if (extras.contacts || extras.clumps) {
    const Finder finder(grains);
    if (extras.contacts)
      for (const ContactState& c : *extras.contacts) {
        finder.find(c.world, c.grain, [&](std::uint32_t i) { rows[i].force += c.normal + c.friction; });
        if (c.kind == ContactState::Partner::grain)
          finder.find(c.world, c.partner, [&](std::uint32_t i) { rows[i].force -= c.normal + c.friction; });
      }
    if (extras.clumps)
      for (const ClumpState& clump : *extras.clumps)
        for (std::uint32_t k = 0; k < clump.spheres; ++k)
          finder.find(clump.world, clump.first + k, [&](std::uint32_t i) {
            const glm::dquat& q = clump.pose.rotation;
            rows[i].orientation = {q.x, q.y, q.z, q.w};
          });
  }
  std::vector<std::uint32_t> order(grains.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return grains[i].id; });
  Points points{time, grains.size(), {}};
  for (const Source<G>& source : of_grains)
    if (source.when == When::always || (source.when == When::spin && extras.spin) ||
        (source.when == When::contacts && extras.contacts) || (source.when == When::clumps && extras.clumps))
      points.columns.push_back(column_of<G>(source, rows, order));
  return points;
}

Points contact_points(const std::vector<ContactState>& contacts, double time) {
  std::vector<std::uint32_t> order(contacts.size());
  std::iota(order.begin(), order.end(), 0u);
  Points points{time, contacts.size(), {}};
  for (const Source<C>& source : of_contacts)
    points.columns.push_back(column_of<C>(source, contacts, order));
  return points;
}

}  // namespace talus
