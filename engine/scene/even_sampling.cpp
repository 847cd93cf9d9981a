#include "engine/scene/even_sampling.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <tbb/parallel_for.h>

namespace talus {

namespace {

using Part = Region::Part;

constexpr int block_edge = 8;  // cells
constexpr int block_cells = block_edge * block_edge * block_edge;
constexpr int rim_edge = block_edge + 2;  // of a block and the cells around it

constexpr float apart = 1.00001f;  // covers the rounding of places relative to a block

// Places with a number each, by the cells that they are in.
template <int cells> struct Binned {
  std::array<std::uint16_t, cells + 1> first{};  // of a cell
  std::vector<glm::vec4> all;

  void clear() { all.clear(); }
  void begin(int cell) {
    TALUS_ASSERT(cell >= 0 && cell <= cells && all.size() <= 0xFFFF, cell, all.size());
    first[cell] = static_cast<std::uint16_t>(all.size());
  }
  std::span<const glm::vec4> in(int cell, int count = 1) const {
    TALUS_ASSERT(cell >= 0 && cell + count <= cells, cell, count);
    TALUS_ASSERT(first[cell] <= first[cell + count] && first[cell + count] <= all.size(), cell, count, all.size());
    return std::span(all).subspan(first[cell], first[cell + count] - first[cell]);
  }
};

struct Block {
  static constexpr std::uint8_t closed = 255;

  glm::ivec3 low;                                // its first cell
  std::array<std::uint8_t, block_cells> doubts;  // a bit for each region that only some of a cell is in; or closed
  Binned<block_cells> balls;                     // with radii
  // A place that each cell tries in this round, with its turn: of those that overlap the first one stays.
  Binned<block_cells> tries;
  std::vector<std::uint16_t> winners;  // cells whose try stays
  std::size_t before = 0;              // winners in the blocks before this one
};

// A block's part of something in blocks, and the cells around it. Relative to the block's middle.
using Rim = Binned<rim_edge * rim_edge * rim_edge>;

// Balls lie in cells as wide as the largest one: only neighbours meet. In each round every cell with room in it tries
// one more place, and whether a ball stays there does not depend on the order in which cells have their turn.
class Rounds {
public:
  Rounds(const Bounds& box, const glm::dvec3& period, std::span<const Region* const> regions, double radius_min,
         double radius_max, std::uint32_t count)
      : low_(box.min), period_(period), regions_(regions), radius_min_(radius_min), radius_max_(radius_max),
        count_(count) {
    const double edge = 2.0 * radius_max * apart * apart;
    const glm::dvec3 extent = box.max - box.min;
    cells_ = glm::max(glm::ivec3(extent / edge), 1);
    edges_ = extent / glm::dvec3(cells_);
    half_ = std::max({edges_.x, edges_.y, edges_.z}) / 2.0;
    blocks_ = (cells_ + (block_edge - 1)) / block_edge;
    make_blocks();
  }

  std::vector<Ball> run(Random& random) {
    for (int depth = 0; placed_ < count_;) {
      const std::uint64_t seed = random.bits();
      each_block([&](Block& block) { try_places(block, seed, depth); });
      each_block([&](Block& block) { decide(block); });
      std::size_t open = 0, tries = 0, winners = 0;
      for (Block* block : active_) {
        block->before = winners;
        winners += block->winners.size();
        tries += block->tries.all.size();
        open += static_cast<std::size_t>(block_cells - std::ranges::count(block->doubts, Block::closed));
      }
      const std::size_t missing = count_ - placed_, wanted = std::min(winners, missing);
      each_block([&](Block& block) { settle(block, winners, wanted, seed); });
      placed_ += wanted;
      if (open == 0)
        break;
      if (depth < depth_most)  // most darts miss, and more rounds like this one would be many
        depth += tries * 8 < open && winners * 3 < missing ? 1 : 0;
      else if (winners * 30 < missing)  // and of these, too
        break;
    }
    return gather();
  }

private:
  static constexpr int darts = 6;       // of a cell in a round, until one hits
  static constexpr int gap_darts = 2;   // .. into each of the gaps that are left
  static constexpr int depth_most = 5;  // times that a cell is cut in eight on the way to these

  void each_block(auto&& work) {
    tbb::parallel_for(std::size_t{0}, active_.size(), [&](std::size_t i) { work(*active_[i]); });
  }

  static int index(const glm::ivec3& at, int edge) { return (at.z * edge + at.y) * edge + at.x; }
  static glm::ivec3 place_of(int i, int edge) { return {i % edge, i / edge % edge, i / (edge * edge)}; }
  glm::vec3 middle(const Block& block) const {
    return glm::vec3(low_ + (glm::dvec3(block.low) + 0.5 * block_edge) * edges_);
  }
  float radius(std::size_t rank) const {  // the first are the largest, so that the small ones do not take their room
    return static_cast<float>(radius_max_ - (radius_max_ - radius_min_) * static_cast<double>(rank) / count_);
  }

  void make_blocks() {
    grid_.resize(static_cast<std::size_t>(blocks_.x) * blocks_.y * blocks_.z);
    tbb::parallel_for(std::size_t{0}, grid_.size(), [&](std::size_t i) {
      const auto x = static_cast<std::size_t>(blocks_.x), y = static_cast<std::size_t>(blocks_.y);
      auto block = std::make_unique<Block>();
      block->low = block_edge * glm::ivec3(i % x, i / x % y, i / (x * y));
      for (int c = 0; c < block_cells; ++c)
        block->doubts[c] =
            glm::all(glm::lessThan(block->low + place_of(c, block_edge), cells_)) ? std::uint8_t{0} : Block::closed;
      for (std::size_t region = 0; region < regions_.size(); ++region)
        confine(*block, region, glm::ivec3(0), block_edge);
      if (std::ranges::any_of(block->doubts, [](std::uint8_t doubts) { return doubts != Block::closed; }))
        grid_[i] = std::move(block);
    });
    for (const auto& block : grid_)
      if (block)
        active_.push_back(block.get());
  }

  // In a cube of the block's cells, cut in eight where only some of it is in the region.
  void confine(Block& block, std::size_t region, const glm::ivec3& from, int edge) const {
    const auto each = [&](auto&& visit) {
      for (int k = 0; k < edge * edge * edge; ++k)
        visit(block.doubts[index(from + place_of(k, edge), block_edge)]);
    };
    bool open = false;
    each([&](std::uint8_t doubts) { open = open || doubts != Block::closed; });
    if (!open)
      return;
    const Part part = regions_[region]->part(low_ + (glm::dvec3(block.low + from) + 0.5 * edge) * edges_, half_ * edge);
    if (part == Part::some && edge > 1)
      for (int k = 0; k < 8; ++k)
        confine(block, region, from + edge / 2 * place_of(k, 2), edge / 2);
    else if (part != Part::all)
      each([&](std::uint8_t& doubts) {
        doubts = part == Part::none ? Block::closed : static_cast<std::uint8_t>(doubts | 1u << region);
      });
  }

  void look_around(const Block& home, Binned<block_cells> Block::*things, Rim& rim) const {
    struct Step {
      int cell;      // -1: there is none
      double shift;  // m, to the image that is near
    };
    std::array<std::array<Step, rim_edge>, 3> steps;
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < rim_edge; ++i) {
        const int cell = home.low[a] + i - 1, lap = cell < 0 ? -1 : cell >= cells_[a] ? 1 : 0;
        const bool there = lap == 0 || (period_[a] > 0.0 && cell <= cells_[a]);
        steps[a][i] = {there ? cell - lap * cells_[a] : -1, lap * period_[a]};
      }
    const glm::vec3 from = middle(home);
    rim.clear();
    int at = 0;
    for (const Step& z : steps[2])
      for (const Step& y : steps[1])
        for (const Step& x : steps[0]) {
          rim.begin(at++);
          if (x.cell < 0 || y.cell < 0 || z.cell < 0)
            continue;
          const glm::ivec3 cell(x.cell, y.cell, z.cell), b = cell / block_edge;
          const Block* block = grid_[(static_cast<std::size_t>(b.z) * blocks_.y + b.y) * blocks_.x + b.x].get();
          if (!block)
            continue;
          for (const glm::vec4& thing : (block->*things).in(index(cell - block->low, block_edge))) {
            const glm::dvec3 place = glm::dvec3(thing) + glm::dvec3(x.shift, y.shift, z.shift);
            rim.all.emplace_back(glm::vec3(place - glm::dvec3(from)), thing.w);
          }
        }
    rim.begin(at);
  }

  // Calls visit(things) for rows of the cells around one of the block, and itself.
  static void each_near(const Rim& rim, const glm::ivec3& cell, auto&& visit) {
    for (int z = 0; z < 3; ++z)
      for (int y = 0; y < 3; ++y)
        visit(rim.in(index(cell + glm::ivec3(0, y, z), rim_edge), 3));
  }

  // In all regions that are in doubt?
  bool in_all(std::uint8_t doubts, auto&& within) const {
    for (std::size_t region = 0; doubts >> region != 0; ++region)
      if ((doubts >> region & 1u) != 0 && !within(*regions_[region]))
        return false;
    return true;
  }
  bool held(const glm::dvec3& center, float radius, std::uint8_t doubts) const {
    return in_all(doubts, [&](const Region& region) { return region.holds(center, radius); });
  }
  bool reached(const glm::dvec3& center, double half, std::uint8_t doubts) const {
    return in_all(doubts, [&](const Region& region) { return region.part(center, half) != Part::none; });
  }

  void try_places(Block& block, std::uint64_t seed, int depth) const {
    Rim rim;
    Near near;
    std::vector<glm::vec3> gaps, children;
    const float largest = apart * radius(placed_), smallest = static_cast<float>(radius_min_);
    const glm::vec3 from = middle(block), edges(edges_);
    look_around(block, &Block::balls, rim);
    block.tries.clear();
    for (int c = 0; c < block_cells; ++c) {
      block.tries.begin(c);
      std::uint8_t& doubts = block.doubts[c];
      if (doubts == Block::closed)
        continue;
      const glm::ivec3 cell = place_of(c, block_edge);
      const glm::vec3 center = (glm::vec3(cell) + 0.5f - 0.5f * block_edge) * edges;
      near.clear();
      each_near(rim, cell, [&](std::span<const glm::vec4> balls) { near.add(balls); });
      const glm::ivec3 at = block.low + cell;
      Random random(seed, (static_cast<std::uint64_t>(at.z) * cells_.y + at.y) * cells_.x + at.x);
      const auto dart = [&](const glm::vec3& middle, float share) {
        const glm::vec3 place = from + (middle + share * edges * (glm::vec3(random.vec()) - 0.5f));
        if (!near.free(place - from, largest) || !held(glm::dvec3(place), largest, doubts))
          return false;
        block.tries.all.emplace_back(place, static_cast<float>(random.unit()));
        return true;
      };
      const auto hit = [&] {
        for (int i = 0; i < darts; ++i)
          if (dart(center, 1.0f))
            return true;
        gaps.assign(1, center);
        float share = 1.0f;
        for (int d = 0; d < depth && !gaps.empty(); ++d) {
          share /= 2.0f;
          children.clear();
          for (const glm::vec3& gap : gaps)
            for (int k = 0; k < 8; ++k) {
              const glm::vec3 child = gap + share * edges * (glm::vec3(place_of(k, 2)) - 0.5f);
              if (!near.covers(child, 0.5f * share * edges, smallest) &&
                  reached(glm::dvec3(from + child), share * half_, doubts))
                children.push_back(child);
            }
          std::swap(gaps, children);
          for (std::size_t i = gaps.size() * gap_darts; i > 0; --i)
            if (dart(gaps[random.below(static_cast<std::uint32_t>(gaps.size()))], share))
              return true;
        }
        if (gaps.empty())
          doubts = Block::closed;
        return false;
      };
      hit();
    }
    block.tries.begin(block_cells);
  }

  void decide(Block& block) const {
    Rim rim;
    const float least = 2.0f * apart * radius(placed_);
    const glm::vec3 from = middle(block);
    look_around(block, &Block::tries, rim);
    block.winners.clear();
    for (int c = 0; c < block_cells; ++c)
      for (const glm::vec4& own : block.tries.in(c)) {
        int before = 0;  // of those that overlap
        const glm::vec3 place = glm::vec3(own) - from;
        each_near(rim, place_of(c, block_edge), [&](std::span<const glm::vec4> others) {
          for (const glm::vec4& other : others) {
            const glm::vec3 way = glm::vec3(other) - place;
            before += glm::dot(way, way) < least * least && other.w <= own.w ? 1 : 0;
          }
        });
        if (before == 1)  // itself
          block.winners.push_back(static_cast<std::uint16_t>(c));
      }
  }

  // The winners stay; where there are more than wanted, some from everywhere.
  void settle(Block& block, std::size_t winners, std::size_t wanted, std::uint64_t seed) const {
    if (block.winners.empty())
      return;
    const float high = radius(placed_), low = radius(placed_ + wanted);
    const Binned<block_cells> old = std::move(block.balls);
    block.balls.clear();
    auto winner = block.winners.begin();
    std::size_t rank = block.before;
    for (int c = 0; c < block_cells; ++c) {
      block.balls.begin(c);
      std::ranges::copy(old.in(c), std::back_inserter(block.balls.all));
      if (winner == block.winners.end() || *winner != c)
        continue;
      ++winner;
      ++rank;
      if (rank * wanted / winners == (rank - 1) * wanted / winners)
        continue;
      const float share = static_cast<float>(Random(~seed, rank).unit());
      block.balls.all.emplace_back(glm::vec3(block.tries.in(c)[0]), high - (high - low) * share);
    }
    block.balls.begin(block_cells);
  }

  std::vector<Ball> gather() {
    std::size_t size = 0;
    for (Block* block : active_) {
      block->before = size;
      size += block->balls.all.size();
    }
    std::vector<Ball> all(size);
    each_block([&](const Block& block) {
      std::ranges::transform(block.balls.all, all.begin() + static_cast<std::ptrdiff_t>(block.before),
                             [](const glm::vec4& ball) {
                               return Ball{glm::vec3(ball), ball.w};
                             });
    });
    return all;
  }

  glm::dvec3 low_, period_, edges_;  // m
  std::span<const Region* const> regions_;
  double radius_min_, radius_max_, half_;  // m
  std::size_t count_, placed_ = 0;
  glm::ivec3 cells_, blocks_;
  std::vector<std::unique_ptr<Block>> grid_;  // by place; none where nothing fits
  std::vector<Block*> active_;
};

}  // namespace

std::vector<Ball> fill_evenly(const Bounds& box, const glm::dvec3& period, std::span<const Region* const> regions,
                              double radius_min, double radius_max, std::uint32_t count, Random& random) {
  return Rounds(box, period, regions, radius_min, radius_max, count).run(random);
}

}  // namespace talus
