// Distance fields baked from meshes: against analytic shapes, against brute force, with wrong meshes.
#include "engine/core/sdf.h"
#include "engine/gpu/graph.h"
#include "scratch.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

// A surface over two angles; a from 0 to 2 pi, b from 0 to b_end, closed in b where that is 2 pi.
Mesh swept(unsigned n, double b_end, auto point) {
  const bool closed = b_end > 4.0;
  Mesh mesh;
  for (unsigned j = 0; j < n + (closed ? 0 : 1); ++j)
    for (unsigned i = 0; i < n; ++i)
      mesh.vertices.push_back(glm::vec3(point(2.0 * std::numbers::pi * i / n, b_end * j / n)));
  for (unsigned j = 0; j < n; ++j)
    for (unsigned i = 0; i < n; ++i) {
      const unsigned next = (i + 1) % n, up = closed ? (j + 1) % n : j + 1;
      mesh.triangles.push_back({j * n + i, j * n + next, up * n + next});
      mesh.triangles.push_back({j * n + i, up * n + next, up * n + i});
    }
  return mesh;
}

Mesh ball(unsigned n, double radius, glm::dvec3 centre = {}) {
  return swept(n, std::numbers::pi, [=](double a, double b) {
    return centre + radius * glm::dvec3(std::sin(b) * std::cos(a), std::sin(b) * std::sin(a), -std::cos(b));
  });
}

Mesh ring(unsigned n, double major, double minor) {
  return swept(n, 2.0 * std::numbers::pi, [=](double a, double b) {
    const double r = major + minor * std::cos(b);
    return glm::dvec3(r * std::cos(a), r * std::sin(a), minor * std::sin(b));
  });
}

// Every face n x n squares.
Mesh block(unsigned n, glm::dvec3 half) {
  Mesh mesh;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const auto first = static_cast<unsigned>(mesh.vertices.size());
      for (unsigned j = 0; j <= n; ++j)
        for (unsigned i = 0; i <= n; ++i) {
          glm::dvec3 p;
          p[axis] = side;
          p[(axis + 1) % 3] = side * (2.0 * i / n - 1.0);
          p[(axis + 2) % 3] = 2.0 * j / n - 1.0;
          mesh.vertices.push_back(glm::vec3(half * p));
        }
      for (unsigned j = 0; j < n; ++j)
        for (unsigned i = 0; i < n; ++i) {
          const unsigned v = first + j * (n + 1) + i;
          mesh.triangles.push_back({v, v + 1, v + n + 2});
          mesh.triangles.push_back({v, v + n + 2, v + n + 1});
        }
    }
  return mesh;
}

void add(Mesh& mesh, Mesh other) {  // a copy: a mesh may be added to itself
  const auto first = static_cast<unsigned>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const glm::uvec3& t : other.triangles)
    mesh.triangles.push_back(t + first);
}

Sdf bake(const Mesh& mesh, const SdfSettings& settings, int threads = 2) {
  const auto executor = make_cpu_executor(threads);
  std::string note;
  return bake_sdf(mesh, settings, *executor, note);
}

void each_node(const Sdf& sdf, auto visit) {
  std::size_t i = 0;
  for (unsigned z = 0; z < sdf.size.z; ++z)
    for (unsigned y = 0; y < sdf.size.y; ++y)
      for (unsigned x = 0; x < sdf.size.x; ++x)
        visit(glm::dvec3(sdf.origin) + static_cast<double>(sdf.cell) * glm::dvec3(x, y, z),
              static_cast<double>(sdf.values[i++]));
}

// All in cells, against a true distance.
struct Errors {
  double band = 0.0;   // greatest, nearer than 4 cells to the surface
  double above = 0.0;  // .. of magnitudes above and below the truth, anywhere
  double below = 0.0;
  double wrong_sign = 0.0;  // greatest distance with the wrong sign
};
Errors errors_of(const Sdf& sdf, auto truth) {
  Errors e;
  each_node(sdf, [&](const glm::dvec3& p, double value) {
    const double t = truth(p) / static_cast<double>(sdf.cell), v = value / static_cast<double>(sdf.cell);
    if (std::abs(t) < 4.0)
      e.band = std::max(e.band, std::abs(std::abs(v) - std::abs(t)));
    e.above = std::max(e.above, std::abs(v) - std::abs(t));
    e.below = std::max(e.below, std::abs(t) - std::abs(v));
    if (t * v < 0.0)
      e.wrong_sign = std::max(e.wrong_sign, std::abs(t));
  });
  return e;
}

double box_distance(const glm::dvec3& p, const glm::dvec3& half) {
  const glm::dvec3 d = glm::abs(p) - half;
  return glm::length(glm::max(d, glm::dvec3(0.0))) + std::min(0.0, std::max({d.x, d.y, d.z}));
}

// Closest point by the Voronoi regions of the triangle (Ericson 2004), degenerate ones by their edges.
double triangle_distance(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const auto segment = [&](const glm::dvec3& u, const glm::dvec3& v) {
    const double l = glm::dot(v - u, v - u);
    return glm::distance(p, u + (l > 0.0 ? std::clamp(glm::dot(p - u, v - u) / l, 0.0, 1.0) : 0.0) * (v - u));
  };
  double best = std::min({segment(a, b), segment(b, c), segment(c, a)});
  const glm::dvec3 n = glm::cross(b - a, c - a);
  if (const double nn = glm::dot(n, n); nn > 0.0) {
    const double v = glm::dot(glm::cross(p - a, c - a), n) / nn, w = glm::dot(glm::cross(b - a, p - a), n) / nn;
    if (v >= 0.0 && w >= 0.0 && v + w <= 1.0)
      best = std::min(best, std::abs(glm::dot(p - a, n)) / std::sqrt(nn));
  }
  return best;
}

double brute_distance(const Mesh& mesh, const glm::dvec3& p) {
  double best = 1e300;
  for (const glm::uvec3& t : mesh.triangles)
    best = std::min(best, triangle_distance(p, mesh.vertices[t.x], mesh.vertices[t.y], mesh.vertices[t.z]));
  return best;
}

double brute_winding(const Mesh& mesh, const glm::dvec3& p) {
  double sum = 0.0;
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a = glm::dvec3(mesh.vertices[t.x]) - p, b = glm::dvec3(mesh.vertices[t.y]) - p,
                     c = glm::dvec3(mesh.vertices[t.z]) - p;
    const double la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
    sum += std::atan2(glm::dot(a, glm::cross(b, c)),
                      la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
  }
  return sum / (2.0 * std::numbers::pi);
}

// Triangles anywhere, among them long slivers, lines and points.
Mesh soup(unsigned n) {
  std::mt19937 random(n);
  const auto unit = [&] { return static_cast<float>(random() / 4294967296.0); };
  const auto point = [&] {
    const float x = unit(), y = unit();
    return glm::vec3(x, y, unit());
  };
  Mesh mesh;
  for (unsigned i = 0; i < n; ++i) {
    const glm::vec3 a = point(), b = a + (i % 5 == 0 ? 1.0f : 0.1f) * (point() - 0.5f),
                    c = i % 7 == 0   ? a
                        : i % 7 == 1 ? 0.5f * (a + b)
                        : i % 7 == 2 ? b + 1e-4f * point()
                                     : a + 0.1f * (point() - 0.5f);
    const auto v = static_cast<unsigned>(mesh.vertices.size());
    for (const glm::vec3& corner : {a, i % 11 == 0 ? a : b, c})
      mesh.vertices.push_back(corner);
    mesh.triangles.push_back({v, v + 1, v + 2});
  }
  return mesh;
}

}  // namespace

TEST_CASE("Baked distances agree with analytic shapes", "[sdf]") {
  const auto check = [](const Sdf& sdf, auto truth) {
    const Errors e = errors_of(sdf, truth);
    CAPTURE(sdf.size.x, sdf.size.y, sdf.size.z, e.band, e.above, e.below, e.wrong_sign);
    CHECK(e.band < 0.05);
    CHECK(e.above < 0.8);  // next to a point: edge^2 / (4 distance) of a brick, from five cells on
    CHECK(e.below < 3.5);
    CHECK(e.wrong_sign < 0.05);
  };
  check(bake(ball(120, 0.5), {.cell = 0.02f}), [](const glm::dvec3& p) { return glm::length(p) - 0.5; });
  check(bake(ring(120, 0.5, 0.2), {.cell = 0.02f, .padding = 0.3f}),
        [](const glm::dvec3& p) { return std::hypot(std::hypot(p.x, p.y) - 0.5, p.z) - 0.2; });
  for (const unsigned n : {1u, 30u})
    check(bake(block(n, {0.4, 0.3, 0.2}), {.cell = 0.017f}), [](const glm::dvec3& p) {
      return box_distance(p, {0.4, 0.3, 0.2});
    });
  // A block on the nodes themselves, with many nodes on its faces.
  check(bake(block(4, {0.25, 0.25, 0.25}), {.cell = 0.015625f, .padding = 0.125f}), [](const glm::dvec3& p) {
    return box_distance(p, {0.25, 0.25, 0.25});
  });
  // The band reaches as far as a grain's surface does.
  Mesh thin = block(1, {0.4, 0.4, 0.002});
  const Sdf wide = bake(thin, {.cell = 0.01f, .grain_radius = 0.1f});
  each_node(wide, [&](const glm::dvec3& p, double value) {
    const double t = box_distance(p, {0.4, 0.4, 0.002});
    if (t < 0.1 && std::abs(value - t) > 1e-5) {
      CAPTURE(p.x, p.y, p.z, t, value);
      FAIL_CHECK("not exact in the band");
    }
  });
}

TEST_CASE("Baked distances and signs agree with brute force over all triangles", "[sdf]") {
  for (const unsigned n : {1u, 3u, 4u, 5u, 60u, 400u}) {
    CAPTURE(n);
    const Mesh mesh = soup(n);
    const Sdf sdf = bake(mesh, {.cell = n > 60 ? 0.1f : n > 5 ? 0.06f : 0.05f});
    double worst = 0.0;
    unsigned signs = 0;
    each_node(sdf, [&](const glm::dvec3& p, double value) {
      const double d = brute_distance(mesh, p), cell = static_cast<double>(sdf.cell);
      if (d < 4.0 * cell) {
        worst = std::max(worst, std::abs(std::abs(value) - d) / cell);
        const double w = brute_winding(mesh, p);
        signs += std::abs(w - 0.5) > 0.1 && d > 0.01 * cell && (w > 0.5) != (value < 0.0);
      }
    });
    CHECK(worst < 1e-3);
    CHECK(signs == 0);
  }
}

TEST_CASE("The sign survives holes, doubled, nested and crossing shells", "[sdf]") {
  const auto sphere = [](const glm::dvec3& p) { return glm::length(p) - 0.5; };
  const auto two = [](const glm::dvec3& p) {
    return std::min(glm::length(p) - 0.5, glm::distance(p, glm::dvec3(0.4, 0.1, 0.2)) - 0.3);
  };
  const auto signs = [](const Mesh& mesh, auto truth) {
    return errors_of(bake(mesh, {.cell = 0.045f}), truth).wrong_sign;  // cells
  };

  Mesh holes = ball(53, 0.5);
  std::mt19937 random(7);
  std::erase_if(holes.triangles, [&](const glm::uvec3&) { return random() % 100 == 0; });
  CHECK(errors_of(bake(holes, {.cell = 0.045f}), sphere).band < 0.5);
  CHECK(signs(holes, sphere) < 0.1);

  Mesh doubled = ball(53, 0.5);
  add(doubled, doubled);
  CHECK(signs(doubled, sphere) < 0.05);
  Mesh nested = ball(53, 0.5);
  add(nested, ball(40, 0.3));
  CHECK(signs(nested, sphere) < 0.05);
  std::erase_if(nested.triangles, [&](const glm::uvec3&) { return random() % 100 == 0; });
  CHECK(signs(nested, sphere) < 0.1);
  Mesh crossing = ball(53, 0.5);
  add(crossing, ball(53, 0.3, {0.4, 0.1, 0.2}));
  CHECK(signs(crossing, two) < 0.05);

  // A shell turned inwards is a hollow.
  Mesh hollow = ball(53, 0.5), core = ball(40, 0.3);
  for (glm::uvec3& t : core.triangles)
    std::swap(t.x, t.y);
  add(hollow, core);
  CHECK(signs(hollow, [](const glm::dvec3& p) { return std::abs(glm::length(p) - 0.4) - 0.1; }) < 0.05);

  // A box without a lid has an inside up to about where the lid was.
  Mesh open = block(1, {0.4, 0.4, 0.4});
  open.triangles.resize(10);
  const Sdf sdf = bake(open, {.cell = 0.02f});
  CHECK(sample(sdf, {0.0f, 0.0f, -0.2f}).distance < -0.1f);
  CHECK(sample(sdf, {0.0f, 0.0f, 0.43f}).distance > 0.1f);
}

TEST_CASE("No search goes through a whole mesh, and its result is still good", "[sdf]") {
  const Mesh mesh = ball(200, 0.5);  // 20,000 leaves, all equally near to the centre
  const Sdf sdf = bake(mesh, {.cell = 0.1f, .padding = 0.3f});
  const Errors e = errors_of(sdf, [](const glm::dvec3& p) { return glm::length(p) - 0.5; });
  CHECK(e.band < 0.1);
  CHECK(e.wrong_sign < 0.01);
}

TEST_CASE("A baked field does not depend on the number of threads", "[sdf]") {
  const Mesh mesh = soup(300);
  const SdfSettings settings{.cell = 0.04f};
  const Sdf one = bake(mesh, settings, 1);
  CHECK(one.values == bake(mesh, settings, 3).values);
  CHECK(one.values == bake(mesh, settings, 1).values);
}

TEST_CASE("Meshes that are empty, degenerate, huge, tiny, far off or wrong have a defined field", "[sdf]") {
  const auto executor = make_cpu_executor(1);
  std::string note;
  CHECK(bake_sdf({}, {}, *executor, note).values.empty());
  CHECK(sample(Sdf{}, {1.0f, 2.0f, 3.0f}).distance == std::numeric_limits<float>::max());
  CHECK_THROWS_AS(bake_sdf({{{0, 0, 0}}, {{0, 1, 2}}}, {}, *executor, note), SceneError);
  CHECK_THROWS_AS(bake_sdf({{{0, 0, NAN}}, {{0, 0, 0}}}, {}, *executor, note), SceneError);

  // A point, a line and a flat triangle are outside everywhere.
  for (const Mesh& mesh : {Mesh{{{1, 2, 3}}, {{0, 0, 0}}}, Mesh{{{0, 0, 0}, {1, 1, 0}}, {{0, 1, 1}}},
                           Mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}}) {
    const Sdf sdf = bake_sdf(mesh, {.nodes_max = 8000}, *executor, note);
    REQUIRE(!sdf.values.empty());
    CHECK(sdf.values.size() <= 8000);
    each_node(sdf, [&](const glm::dvec3& p, double value) {
      const double d = brute_distance(mesh, p);
      if (d < 4.0 * static_cast<double>(sdf.cell))
        CHECK(value == Approx(d).margin(1e-3 * static_cast<double>(sdf.cell)));
    });
  }

  // The cap makes cells larger and says so.
  const Sdf capped = sdf_grid(ball(20, 0.5), {.grain_radius = 0.001f, .nodes_max = 30000}, note);
  CHECK(capped.size.x * capped.size.y * capped.size.z <= 30000);
  CHECK(capped.size.x * capped.size.y * capped.size.z > 25000);
  CHECK(contains(note, "instead of 0.0005 m"));
  CHECK(sdf_grid(ball(20, 0.5), {.grain_radius = 0.1f}, note).cell == 0.05f);
  CHECK(note.empty());
  CHECK(sdf_grid(ball(20, 0.5), {.cell = 1e-9f, .nodes_max = 0}, note).size.x >= 6);

  // No length is too large or too small.
  for (const double scale : {1e-18, 1.0, 1e18}) {
    CAPTURE(scale);
    const Sdf sdf = bake_sdf(ball(30, 0.5 * scale), {.nodes_max = 8000}, *executor, note);
    const Errors e = errors_of(sdf, [&](const glm::dvec3& p) { return glm::length(p) - 0.5 * scale; });
    CHECK(e.band < 0.2);
    CHECK(e.wrong_sign < 0.2);
  }
  const glm::dvec3 far(4096.0, -4096.0, 0.0);
  const Errors e = errors_of(bake_sdf(ball(30, 0.5, far), {.nodes_max = 8000}, *executor, note),
                             [&](const glm::dvec3& p) { return glm::distance(p, far) - 0.5; });
  CHECK(e.band < 0.2);
}

TEST_CASE("A baked field is kept on disk and made again where that is broken", "[sdf]") {
  const Scratch scratch;
  const auto folder = scratch / "deep" / "cache";
  const Mesh mesh = ball(12, 0.5);
  const SdfSettings settings{.cell = 0.1f};
  const auto executor = make_cpu_executor(1);
  std::string note;
  const auto baked = [&] {  // so far
    std::uint64_t calls = 0;
    for (const PassTime& pass : executor->pass_times())
      calls += pass.name == "sdf_nodes" ? pass.calls : 0;
    return calls;
  };
  const auto files = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      found.push_back(entry.path());
    return found;
  };

  const Sdf first = cached_sdf(mesh, settings, *executor, note, folder);
  CHECK(first.values == bake(mesh, settings).values);
  CHECK(baked() == 1);
  REQUIRE(files().size() == 1);
  const auto file = files()[0];
  const std::string whole = read_text(file);

  const auto again = [&] {
    const Sdf sdf = cached_sdf(mesh, settings, *executor, note, folder);
    CHECK(sdf.origin == first.origin);
    CHECK(sdf.cell == first.cell);
    CHECK(sdf.size == first.size);
    CHECK(sdf.values == first.values);
  };
  again();
  CHECK(baked() == 1);

  // Another mesh or other settings are another file.
  cached_sdf(ball(13, 0.5), settings, *executor, note, folder);
  cached_sdf(mesh, {.cell = 0.11f}, *executor, note, folder);
  cached_sdf(mesh, {.cell = 0.1f, .grain_radius = 0.6f, .padding = 0.2f}, *executor, note, folder);
  cached_sdf(mesh, {.cell = 0.1f, .grain_radius = 0.7f, .padding = 0.2f}, *executor, note, folder);
  CHECK(files().size() == 5);
  CHECK(baked() == 5);

  std::uint64_t expected = 5;
  for (const std::size_t at : {0ul, 9ul, 17ul, 25ul, 40ul, whole.size() - 1}) {
    CAPTURE(at);
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x40);
    for (const std::string& text : {broken, whole.substr(0, at), whole + "x"}) {
      write_text(file, text);
      again();
      CHECK(baked() == ++expected);
      CHECK(read_text(file) == whole);
    }
  }

  // A folder that cannot be one costs the keeping alone.
  write_text(scratch / "file", "");
  const Sdf kept_nowhere = cached_sdf(mesh, settings, *executor, note, scratch / "file" / "cache");
  CHECK(kept_nowhere.values == first.values);
  expected = baked();
  CHECK(cached_sdf(mesh, settings, *executor, note, {}).values == first.values);
  CHECK(baked() == expected + 1);
}

TEST_CASE("Samples are trilinear inside the grid and grow outside it", "[sdf]") {
  Sdf linear{.origin = {-1.0f, 0.5f, 2.0f}, .cell = 0.25f, .size = {5, 4, 3}};
  each_node({linear.origin, linear.cell, linear.size, std::vector<float>(60)}, [&](const glm::dvec3& p, double) {
    linear.values.push_back(static_cast<float>(0.3 * p.x - 0.8 * p.y + 0.5 * p.z + 0.1));
  });
  for (const glm::vec3 p :
       {glm::vec3(-0.9f, 0.6f, 2.1f), {0.0f, 1.25f, 2.5f}, {-1.0f, 0.5f, 2.0f}, {-0.33f, 1.0f, 2.44f}}) {
    const SdfSample s = sample(linear, p);
    CHECK(s.distance == Approx(0.3f * p.x - 0.8f * p.y + 0.5f * p.z + 0.1f).margin(1e-6));
    CHECK(glm::distance(s.gradient, glm::vec3(0.3f, -0.8f, 0.5f)) < 1e-5f);
  }

  const Sdf sdf = bake(ball(60, 0.5), {.cell = 0.03f});
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto unit = [&] { return static_cast<float>(2.0 * random() / 4294967296.0 - 1.0); };
    const glm::vec3 p{unit(), unit(), unit()};
    const SdfSample s = sample(sdf, p);
    CAPTURE(p.x, p.y, p.z, s.distance);
    // Never less than the truth outside, and never more than the way to the grid and back.
    const double truth = static_cast<double>(glm::length(p)) - 0.5;
    if (std::abs(truth) < 0.1)
      CHECK(std::abs(static_cast<double>(s.distance) - truth) < 0.01);
    // The gradient is that of the interpolant, where no face of a cell lies between.
    for (int a = 0; a < 3; ++a) {
      glm::vec3 low = p, high = p;
      low[a] -= 1e-3f;
      high[a] += 1e-3f;
      if (glm::floor((low - sdf.origin) / sdf.cell)[a] == glm::floor((high - sdf.origin) / sdf.cell)[a])
        CHECK(s.gradient[a] ==
              Approx((sample(sdf, high).distance - sample(sdf, low).distance) / (high[a] - low[a])).margin(5e-3));
    }
  }
  const SdfSample away = sample(sdf, {50.0f, 0.0f, 0.0f});
  CHECK(away.distance > 49.5f);
  CHECK(away.distance < 50.0f);
  CHECK(away.gradient.x == Approx(1.0f));
}

TEST_CASE("Baking agrees with its reference", "[device][lockstep][sdf]") {
  const auto executor = make_lockstep_executor(make_gpu_executor(in_lockstep()), 0);
  std::string note;
  Mesh holes = ring(24, 0.5, 0.2);
  for (unsigned i = 0; i < 10; ++i)
    holes.triangles.erase(holes.triangles.begin() + 97 * i);
  for (const Mesh& mesh : {ball(16, 0.5), holes, block(3, {0.5, 0.4, 0.3}), soup(200), soup(1)}) {
    Sdf sdf;
    REQUIRE_NOTHROW(sdf = bake_sdf(mesh, {.nodes_max = 25 * 25 * 25}, *executor, note));
    CHECK(!sdf.values.empty());
  }
  CHECK(executor->gpu_device()->instance().log().messages() == std::vector<std::string>{});
}
