#include "engine/soil/exchange.h"
#include "engine/base/assert.h"
#include "shaders/shared/rest.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace talus {

using namespace shared;

namespace {

constexpr double wedge = std::numbers::sqrt3;  // tan(45 + 30 / 2 degrees), length by height
// Mean radii, how thick the surface of fixed grains is. Under a bed 8 radii deep beside a blade 22 of 1638 grains went
// through one of 2.5 within 0.4 s, and none through one of 3.5.
constexpr double rough = 3.5;
constexpr double near = 2.0;          // mean radii above the surface, from which on a tool counts
constexpr double kept = 2.0;          // mean radii, by which a zone that is left is larger than one that is entered
constexpr double landing = 6.0;       // mean radii above the ground, where a grain at rest may come down on it
constexpr double ridge_ahead = 12.0;  // mean radii, in which a ridge before a tool is looked for
constexpr int sweeps = 8;             // of relaxation in a look
constexpr double restless = 0.125;    // share of a column's loose grains that may be awake beside one that is taken in

// Does a grain that the ground has taken in stay where it came to rest?
bool is_settled(const SoilOrigin& origin) {
  return origin.column > 0 && (origin.place & soil_settled) != 0;
}

class Exchange {
public:
  Exchange(const SoilStacks& stacks, const SoilRules& rules, SoilState& state)
      : stacks_(stacks), grid_(stacks.grid()), rules_(rules), s_(state), radius_(stacks.mean_radius()),
        floors_(grid_.size(), std::numeric_limits<double>::infinity()), kept_(grid_.size()) {
    sort_in();
  }

  SoilExchange run(std::span<const SoilTool> tools) {
    for (const SoilTool& tool : tools)
      reserve(tool);
    dig();
    take_in();
    slide();
    cover();
    return done_;
  }

private:
  const SoilStacks& stacks_;
  const SoilGrid& grid_;
  const SoilRules& rules_;
  SoilState& s_;
  const double radius_;
  std::vector<double> floors_;  // of columns: m above the floor, above which their soil has to be grains
  std::vector<bool> kept_;      // .. whose grains stay grains
  std::map<uint, std::vector<uint>> loose_, fixed_;  // by column: places of grains that move, and of others in the way
  std::map<std::pair<uint, uint>, uint> rough_;      // place of the fixed grain of a column and place in its stack
  std::map<uint, std::vector<uint>> settled_;        // by column: places of fixed grains where they came to rest
  // By column: grains of the ground near the height at which the tile lies on itself, and how many tiles are below
  // them. There grains of two tiles may overlap as they lie.
  struct AtSeam {
    uint place, tiles;
  };
  std::map<uint, std::vector<AtSeam>> at_seams_;
  std::vector<uint> free_places_, free_ids_;  // the next one last
  SoilExchange done_;

  double top(uint column) const { return stacks_.of(column).height(s_.columns[column]); }
  Filling filling(uint column) const { return {stacks_.of(column), s_.columns[column]}; }
  glm::dvec3 place_of(uint column, const Stack::Grain& grain) const {
    const glm::dvec2 corner = grid_.corner(column);
    return {corner.x + grain.place.x, corner.y + grain.place.y, rules_.floor + grain.place.z};
  }
  bool sleeps(uint i) const { return is_asleep(s_.rest[i].state); }
  uint material_of(uint i) const { return stacks_.material_of(s_.tags[i]); }
  // Is it one that the ground can take in?
  bool is_soil(uint i) const {
    const double r = s_.grains[i].position.w;
    return material_of(i) < rules_.materials.size() && r >= rules_.radius_min && r <= rules_.radius_max;
  }

  void sort_in() {
    std::vector<bool> taken(rules_.places, false);
    for (uint i = 0; i < s_.grains.size(); ++i) {
      const Grain& g = s_.grains[i];
      if (g.position.w == 0.0f)
        continue;
      if (s_.ids[i] < taken.size())
        taken[s_.ids[i]] = true;
      if (is_settled(s_.origins[i]))
        settled_[s_.origins[i].column - 1].push_back(i);
      else if (s_.origins[i].column > 0)
        keep_rough(i);
      else if (const auto column = grid_.column_at(glm::dvec2(g.position)))
        (g.velocity.w > 0.0f ? loose_ : fixed_)[*column].push_back(i);
    }
    for (uint i = rules_.places; i-- > 0;) {
      if (s_.grains[i].position.w == 0.0f && s_.counts[i] == 0)  // no grain left a row of the lists there
        free_places_.push_back(i);
      if (i >= rules_.first && !taken[i])
        free_ids_.push_back(i);
    }
  }

  void keep_rough(uint i) {
    const uint column = s_.origins[i].column - 1, k = s_.origins[i].place;
    rough_.emplace(std::pair(column, k), i);
    if (is_near_seam(stacks_.of(column).grain(k)))
      at_seams_[column].push_back({i, stacks_.of(column).tiles_below(k)});
  }
  bool is_near_seam(const Stack::Grain& grain) const {
    const double height = stacks_.height(), seam = height * std::max(std::round(grain.place.z / height), 1.0);
    return std::abs(grain.place.z - seam) < 2.0 * rules_.radius_max;
  }

  // The columns around a tool whose soil has to be grains, and the depth from which on.
  void reserve(const SoilTool& tool) {
    const double beside = kept * radius_, edge = tool.edge - rules_.floor;
    each_near(tool, beside, 0.0, [&](uint c) { kept_[c] = kept_[c] || edge <= highest(c) + (near + kept) * radius_; });
    if (!tool.digs)
      return;
    const SoilTool part = part_below(tool, surface_at(tool, tool) + (near + kept) * radius_);
    if (part.edge == SoilTool::inf)
      return;
    const double surface = surface_at(part, tool);
    if (surface - edge < tool.digs_below)
      return;
    const double ahead = tool.moves ? wedge * std::max(surface - edge, 0.0) : 0.0;
    each_near(part, rules_.margin + beside, ahead, [&](uint c) { kept_[c] = true; });
    if (edge <= surface + near * radius_)
      each_near(part, rules_.margin, ahead, [&](uint c) { floors_[c] = std::min(floors_[c], edge - rules_.margin); });
  }
  // m above the floor, of the ground and the loose grains of a column.
  double highest(uint column) const {
    double z = top(column);
    if (const auto loose = loose_.find(column); loose != loose_.end())
      for (const uint i : loose->second)
        z = std::max(z, static_cast<double>(s_.grains[i].position.z) - rules_.floor);
    return z;
  }
  // m above the floor, how high soil is around a part of a tool, and ahead of it.
  double surface_at(const SoilTool& part, const SoilTool& tool) const {
    double surface = 0.0;
    each_near(part, rules_.margin, tool.moves ? ridge_ahead * radius_ : 0.0,
              [&](uint c) { surface = std::max(surface, level(c, tool)); });
    return surface;
  }
  // The part of a tool that is lower than this [m above the floor], without edges: an arm that leans over the ground
  // digs where it comes down to it. Where there is none, its edge is infinitely high.
  SoilTool part_below(const SoilTool& tool, double height) const {
    SoilTool part{.along = tool.along, .moves = tool.moves};
    const double z = rules_.floor + height;
    for (const auto& [a, b] : tool.edges) {
      if (a.z <= z)
        part.reach(a);
      if (b.z <= z)
        part.reach(b);
      if ((a.z <= z) != (b.z <= z))
        part.reach(glm::mix(a, b, (z - a.z) / (b.z - a.z)));
    }
    return part;
  }
  // m, as high as a column is with the loose grains in it that a tool does not carry: its ridge counts.
  double level(uint column, const SoilTool& tool) const {
    std::uint64_t mass = 0;
    if (const auto loose = loose_.find(column); loose != loose_.end())
      for (const uint i : loose->second)
        mass += is_over(tool, s_.grains[i]) ? 0 : quanta_of(s_.grains[i].position.w, radius_);
    return top(column) + static_cast<double>(mass) / stacks_.of(column).per_meter();
  }
  // Columns that reach into the tool's box, or as near as `beside`, or `ahead` of that [m].
  void each_near(const SoilTool& tool, double beside, double ahead, auto&& visit) const {
    const glm::dvec2 low = tool.low - beside, high = tool.high + beside + glm::dvec2(ahead, 0.0),
                     across(-tool.along.y, tool.along.x), half = 0.5 * grid_.edge();
    glm::dvec2 min(std::numeric_limits<double>::infinity()), max(-min);
    for (const double u : {low.x, high.x})
      for (const double v : {low.y, high.y}) {
        const glm::dvec2 corner = u * tool.along + v * across;
        min = glm::min(min, corner);
        max = glm::max(max, corner);
      }
    // A column's own extent along and across.
    const glm::dvec2 reach(std::abs(tool.along.x) * half.x + std::abs(tool.along.y) * half.y,
                           std::abs(tool.along.y) * half.x + std::abs(tool.along.x) * half.y);
    const glm::dvec2 middle = 0.5 * (min + max);
    grid_.within(min, max, [&](uint c) {
      const glm::dvec2 at = tool.inside(grid_.nearest(grid_.corner(c) + half, middle));
      if (glm::all(glm::greaterThanEqual(at + reach, low)) && glm::all(glm::lessThanEqual(at - reach, high)))
        visit(c);
    });
  }
  // A grain within the horizontal outline of a tool is carried by it, and does not count as part of the ridge ahead.
  bool is_over(const SoilTool& tool, const Grain& g) const {
    const glm::dvec2 at = tool.inside(glm::dvec2(g.position));
    return glm::all(glm::greaterThan(at, tool.low)) && glm::all(glm::lessThan(at, tool.high));
  }

  // Are two grains of the tile so far apart [m] in it, as far as their springs ask?
  bool apart_as_in_tile(uint a, uint b, const glm::dvec3& apart) const {
    const SoilTile& tile = stacks_.tile();
    const glm::dvec2 size = grid_.edge() * glm::dvec2(tile.columns);
    glm::dvec3 off = glm::dvec3(tile.grains[b].place) - glm::dvec3(tile.grains[a].place) - apart;
    for (int axis = 0; axis < 2; ++axis)
      off[axis] -= size[axis] * std::round(off[axis] / size[axis]);
    return a != b && glm::length(off) <= static_cast<double>(soil_in_place * tile.grains[a].radius);
  }

  // Does the grain at place i, of a column so many columns beside, overlap with a grain of the tile there, from a
  // column's corner? Two that lie as in the tile do not, however much they bear: the tile's deepest pairs overlap by
  // twice what would drive others apart.
  bool overlaps(uint i, uint column, const glm::ivec2& way, const glm::dvec3& place, const Stack::Grain& grain) const {
    // Across a periodic end the column is elsewhere than beside this one.
    const vec4& other = s_.grains[i].position;
    const glm::dvec3 to(glm::dvec2(other) - grid_.corner(column) + way_in_metres(way), other.z);
    const double apart = glm::length(to - place), r = other.w, radius = grain.radius;
    const uint tile = s_.origins[i].tile;
    return radius + r - apart > rules_.overlap * std::min(radius, r) &&
           (tile == 0 || !apart_as_in_tile(grain.tile, tile - 1, to - place));
  }
  glm::dvec2 way_in_metres(const glm::ivec2& way) const { return grid_.edge() * glm::dvec2(way); }

  // Has the k-th grain of a stack no room beside those that lie there already?
  bool is_blocked(uint column, uint k, const Stack::Grain& grain) const {
    if (rules_.blocked && rules_.blocked(place_of(column, grain), grain.radius))
      return true;
    const glm::dvec3 here(grain.place.x, grain.place.y, rules_.floor + grain.place.z);  // from the column's corner
    const bool seam = is_near_seam(grain);
    const uint tiles = stacks_.of(column).tiles_below(k);
    bool blocked = false;
    grid_.around(column, [&](uint other, const glm::ivec2& way) {
      for (const auto* by_column : {&loose_, &fixed_, &settled_})
        if (const auto there = by_column->find(other); there != by_column->end())
          blocked = blocked ||
                    std::ranges::any_of(there->second, [&](uint i) { return overlaps(i, other, way, here, grain); });
      if (const auto there = at_seams_.find(other); seam && there != at_seams_.end())
        blocked = blocked || std::ranges::any_of(there->second, [&](const AtSeam& at) {
                    return at.tiles != tiles && overlaps(at.place, other, way, here, grain);
                  });
    });
    return blocked;
  }

  // A grain comes to lie in a free place; none: there is none, which is counted. loose: some of those beside it are
  // left out, so that it does not lie as in the tile.
  std::optional<uint> make(uint column, uint k, const Stack::Grain& grain, uint material, bool loose, bool moves) {
    if (free_places_.empty() || free_ids_.empty()) {
      ++done_.missing;
      return {};
    }
    const uint i = free_places_.back();
    free_places_.pop_back();
    s_.grains[i].position = vec4(vec3(place_of(column, grain)), grain.radius);
    s_.ids[i] = free_ids_.back();
    free_ids_.pop_back();
    s_.tags[i] = stacks_.materials()[material];
    s_.rows[i] = i;
    s_.counts[i] = 0;
    s_.origins[i] = {column + 1, k, loose ? 0 : grain.tile + 1, rules_.now};
    if (is_near_seam(grain))
      at_seams_[column].push_back({i, stacks_.of(column).tiles_below(k)});
    if (moves)
      set_free(i);
    else
      fix(i);
    ++done_.made;
    done_.changed = true;
    return i;
  }
  // At rest, until what its contacts leave unbalanced wakes it.
  void set_free(uint i) {
    const SoilMaterial& material = rules_.materials[material_of(i)];
    const double r = s_.grains[i].position.w, mass = material.density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    s_.grains[i].velocity = vec4(0.0f, 0.0f, 0.0f, static_cast<float>(1.0 / mass));
    if (!s_.spins.empty())
      s_.spins[i] = vec4(0.0f, 0.0f, 0.0f, material.ease);
    s_.rest[i] = {vec3(0.0f), rest_asleep | rest_unsettled, vec3(0.0f)};
    // Contacts of one that has settled have the springs with which it came to rest, not those of the tile.
    s_.origins[i] = {0, 0, s_.origins[i].tile, is_settled(s_.origins[i]) ? s_.origins[i].since : rules_.now};
  }
  void fix(uint i) {
    s_.grains[i].velocity = vec4(0.0f);
    if (!s_.spins.empty())
      s_.spins[i] = vec4(0.0f);
    s_.rest[i] = {vec3(0.0f), rest_asleep, vec3(0.0f)};
  }
  void remove(uint i) {
    s_.grains[i].position.w = 0.0f;
    s_.grains[i].velocity = vec4(0.0f);
    s_.origins[i] = {};
    ++done_.taken;
    done_.changed = true;
  }

  // The column gives a grain of this material, of its loosened soil first. Says whether it has one.
  bool give(uint column, uint material, uint quanta) {
    SoilColumn without = s_.columns[column];
    const uint loose = std::min(without.loose, quanta);
    if (mixture_of(without)[material] < quanta)
      return false;
    take_loose(without, only(material, loose));
    take_firm(without, only(material, quanta - loose));
    if (!stacks_.is_consistent(column, without))
      return false;
    s_.columns[column] = without;
    return true;
  }
  // Grains that have settled come out again as they lie, the highest ones first.
  void free_settled(uint column, std::map<uint, std::vector<uint>>& made) {
    const auto there = settled_.find(column);
    if (there == settled_.end())
      return;
    std::vector<uint>& places = there->second;
    std::ranges::sort(places, std::ranges::greater(), [&](uint i) { return s_.grains[i].position.z; });
    std::erase_if(places, [&](uint i) {
      const vec4& at = s_.grains[i].position;
      if (at.z - rules_.floor <= floors_[column] || !give(column, material_of(i), quanta_of(at.w, radius_)))
        return false;
      set_free(i);
      made[column].push_back(i);
      done_.changed = true;
      return true;
    });
  }

  void dig() {
    std::map<uint, std::vector<uint>> made;
    for (uint c = 0; c < grid_.size(); ++c) {
      if (floors_[c] >= top(c) + radius_)  // whatever is uneven in the column
        continue;
      free_settled(c, made);
      const Stack& stack = stacks_.of(c);
      SoilColumn& column = s_.columns[c];
      const Filling filled = filling(c);
      for (uint k = std::min(filled.end(), below_settled(c)); k-- > 0;) {
        const Stack::Grain grain = stack.grain(k);
        if (grain.place.z <= floors_[c])
          break;
        const bool loose = k >= filled.firm();
        if (!filled.has(k) || (loose && column.loose < grain.quanta))
          continue;
        const auto material = stacks_.material(c, column, k, grain.quanta);
        if (!material)
          continue;
        std::optional<uint> i;
        if (const auto there = rough_.find({c, k}); there != rough_.end()) {
          i = there->second;
          rough_.erase(there);
          s_.tags[*i] = stacks_.materials()[*material];
          set_free(*i);
          done_.changed = true;
        } else if (!is_blocked(c, k, grain)) {
          i = make(c, k, grain, *material, loose, true);
        }
        if (!i)
          continue;
        if (loose)
          take_loose(column, only(*material, grain.quanta));
        else
          take_firm(column, only(*material, grain.quanta));
        made[c].push_back(*i);
      }
    }
    // Grains of a look do not stand in each other's way: they lie as in the ground.
    for (const auto& [c, places] : made)
      loose_[c].insert(loose_[c].end(), places.begin(), places.end());
  }

  // Do nearly all of its loose grains sleep? Single ones that roll on would keep a pit or a track awake for ever.
  bool is_calm(uint column) const {
    const auto there = loose_.find(column);
    return there == loose_.end() ||
           static_cast<double>(std::ranges::count_if(there->second, [&](uint i) { return !sleeps(i); })) <=
               restless * static_cast<double>(there->second.size());
  }

  // Whole columns, so that no grain is left above a surface that rises.
  void take_in() {
    std::vector<uint> calm;
    for (const auto& [c, places] : loose_) {
      bool ready = !kept_[c] && std::ranges::all_of(places, [&](uint i) { return is_soil(i) && sleeps(i); });
      grid_.around(c, [&](uint other, const glm::ivec2&) { ready = ready && is_calm(other); });
      if (ready)
        calm.push_back(c);
    }
    for (const uint c : calm) {
      std::uint64_t mass = s_.columns[c].mass;
      for (const uint i : loose_[c])
        mass += quanta_of(s_.grains[i].position.w, radius_);
      if (mass > std::numeric_limits<uint>::max() / 2)
        continue;
      std::vector<RestingGrain> grains;
      const uint below = soil_settled | filling(c).end();
      for (const uint i : loose_[c]) {
        grains.push_back({vec3(s_.grains[i].position), s_.grains[i].position.w, s_.origins[i].tile, material_of(i)});
        fix(i);
        s_.origins[i] = {c + 1, below, s_.origins[i].tile, s_.origins[i].since};
        settled_[c].push_back(i);
      }
      s_.columns[c] = with_grains(stacks_, rules_.floor, rules_.swell, c, s_.columns[c], grains);
      done_.changed = true;
      loose_.erase(c);
    }
  }

  void slide() {
    std::vector<bool> may(grid_.size(), true);
    for (const auto& [c, places] : loose_)
      grid_.around(c, [&](uint other, const glm::ivec2&) { may[other] = false; });
    for (uint c = 0; c < grid_.size(); ++c)
      may[c] = may[c] && !kept_[c];
    std::vector<double> slopes;
    for (const SoilMaterial& material : rules_.materials)
      slopes.push_back(material.slope);
    done_.changed = relax(stacks_, s_.columns, may, slopes, sweeps) || done_.changed;
  }

  // May a loose grain touch the ground until the next look?
  bool may_land(uint column, uint i) const {
    const Grain& g = s_.grains[i];
    const double fall = std::max(-static_cast<double>(g.velocity.z), 0.0) * rules_.period;
    return g.position.z - rules_.floor < top(column) + landing * radius_ + fall;
  }

  // How many grains of a column's stack lie below those that have settled in it; all that it might have where none has.
  uint below_settled(uint column) const {
    uint below = ~soil_settled;
    if (const auto there = settled_.find(column); there != settled_.end())
      for (const uint i : there->second)
        below = std::min(below, s_.origins[i].place & ~soil_settled);
    return below;
  }

  // Fixed grains where the ground is beside loose ones, and only there.
  void cover() {
    std::map<uint, std::vector<uint>> wanted;
    std::vector<bool> beside(grid_.size());
    for (const auto& [c, places] : loose_)
      if (std::ranges::any_of(places, [&, from = c](uint i) { return may_land(from, i); }))
        grid_.around(c, [&, from = c](uint other, const glm::ivec2& way) {
          want_beside(from, other, way, wanted);
          beside[other] = true;
        });
    for (const auto& [c, places] : settled_)
      if (!beside[c])
        std::ranges::for_each(places, [&](uint i) { remove(i); });
    std::map<std::pair<uint, uint>, uint> before = std::move(rough_);
    for (auto& [c, places] : wanted) {
      std::ranges::sort(places);
      places.erase(std::ranges::unique(places).begin(), places.end());
      const uint firm = filling(c).firm();
      for (const uint k : places) {
        if (before.erase({c, k}) > 0)
          continue;
        const Stack::Grain grain = stacks_.of(c).grain(k);
        if (const auto material = stacks_.material(c, s_.columns[c], k, 1); material && !is_blocked(c, k, grain))
          make(c, k, grain, *material, k >= firm, false);
      }
    }
    for (const auto& [of_stack, i] : before)
      remove(i);
  }
  void want_beside(uint from, uint column, const glm::ivec2& way, std::map<uint, std::vector<uint>>& wanted) const {
    const Stack& stack = stacks_.of(column);
    const Filling filled = filling(column);
    const double thick = rough * radius_, below = stacks_.of(from).z(filling(from).end()) - thick,
                 cap = stack.z(filled.end()) - thick;
    for (uint k = std::min(filled.end(), below_settled(column)); k-- > 0;) {
      const Stack::Grain grain = stack.grain(k);
      if (grain.place.z <= std::min(below, cap))
        break;
      if (!filled.has(k))
        continue;
      const glm::dvec2 at = way_in_metres(way) + glm::dvec2(grain.place),
                       aside = glm::max(glm::max(-at, at - grid_.edge()), 0.0);
      if (grain.place.z > cap || (grain.place.z > below && glm::length(aside) <= thick))
        wanted[column].push_back(k);
    }
  }
};

}  // namespace

std::vector<SoilSurfaceGrain> surface_of(const SoilStacks& stacks, double floor, std::span<const SoilColumn> columns,
                                         std::span<const SoilOrigin> origins, std::span<const double> depth_below) {
  // Mean radii. Through 3 of loosened soil of swell 1.1 every eighth vertical line went, and through 5 of it none.
  constexpr double thick = 3.0, thick_of_loosened = 5.0;
  const SoilGrid& grid = stacks.grid();
  std::vector<std::pair<uint, uint>> rough;
  std::vector<uint> below(grid.size(), ~soil_settled);  // grains of the stack below those that have settled
  for (const SoilOrigin& origin : origins)
    if (is_settled(origin))
      below[origin.column - 1] = std::min(below[origin.column - 1], origin.place & ~soil_settled);
    else if (origin.column > 0)
      rough.emplace_back(origin.column - 1, origin.place);
  std::ranges::sort(rough);
  std::vector<double> tops(grid.size());
  for (uint c = 0; c < grid.size(); ++c)
    tops[c] = stacks.of(c).height(columns[c]);
  std::vector<SoilSurfaceGrain> surface;
  for (uint c = 0; c < grid.size(); ++c) {
    const Stack& stack = stacks.of(c);
    double low = tops[c];
    grid.around(c, [&](uint other, const glm::ivec2&) {
      low = std::min(low, tops[other] - (depth_below.empty() ? 0.0 : depth_below[other]));
    });
    const glm::uvec2 at = grid.at(c);
    if (at.x == 0 || at.y == 0 || at.x + 1 == grid.count().x || at.y + 1 == grid.count().y)
      low = 0.0;  // it is seen from the side
    low -= (columns[c].loose > 0 ? thick_of_loosened : thick) * stacks.mean_radius();
    const glm::dvec2 corner = grid.corner(c);
    const Filling filled(stack, columns[c]);
    for (uint k = std::min(filled.end(), below[c]); k-- > 0;) {
      const Stack::Grain grain = stack.grain(k);
      if (grain.place.z < low)
        break;
      const auto material = stacks.material(c, columns[c], k, 0);
      if (filled.has(k) && !std::ranges::binary_search(rough, std::pair(c, k)))
        surface.push_back({{corner.x + grain.place.x, corner.y + grain.place.y, floor + grain.place.z, grain.radius},
                           (c * 4096u + k) & 0xFFFFFFu,
                           stacks.materials()[*material]});
    }
  }
  return surface;
}

SoilExchange exchange(const SoilStacks& stacks, const SoilRules& rules, std::span<const SoilTool> tools,
                      SoilState& state) {
  return Exchange(stacks, rules, state).run(tools);
}

}  // namespace talus
