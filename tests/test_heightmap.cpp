// The surface of the ground from files of heights, and such files of the ground.
#include "engine/geometry/heightmap.h"
#include "engine/geometry/raster.h"
#include "engine/scene/ground.h"
#include "engine/scene/text.h"
#include "engine/talus.h"
#include "scratch.h"
#include "tests/catch.h"
#include "wrong.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <glm/gtc/constants.hpp>
#include <numeric>

using namespace talus;
using talus_tests::error_of;
using talus_tests::Scratch;
using talus_tests::write_text;

namespace {

// Bytes of a number, the least significant one first or last.
template <class T> std::string number_bytes(T value, bool big_endian) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian != (std::endian::native == std::endian::big))
    std::ranges::reverse(bytes);
  return bytes;
}

// A PNG of grey whose data are stored as they are. Its checksums are 0, which the reader does not look at.
template <class T> std::string grey_png(std::uint32_t width, const std::vector<T>& values, std::uint8_t color = 0) {
  const auto big = [](auto value) { return number_bytes(value, true); };
  const auto chunk = [&](const std::string& name, const std::string& data) {
    return big(static_cast<std::uint32_t>(data.size())) + name + data + std::string(4, '\0');
  };
  const auto height = static_cast<std::uint32_t>(values.size() / width);
  std::string rows;
  for (std::size_t i = 0; i < values.size(); ++i)
    rows += (i % width == 0 ? std::string(1, '\0') : "") + big(values[i]);  // each row has no filter
  const auto size = static_cast<std::uint16_t>(rows.size());
  const std::string stored = std::string("\x78\x01\x01") + number_bytes(size, false) +
                             number_bytes(static_cast<std::uint16_t>(~size), false) + rows + std::string(4, '\0');
  const std::string header = big(width) + big(height) + std::string{char(8 * sizeof(T)), char(color), 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", stored) + chunk("IEND", "");
}

// A TIFF of one strip, with the pixel scale 0.5, 0.25 and with -7 for no data. format: 1 unsigned, 2 signed, 3 float.
template <class T> std::string plain_tiff(std::uint32_t width, const std::vector<T>& values, int format, bool big) {
  struct Tag {
    std::uint16_t tag, type;
    std::uint32_t count;
    std::string data;
  };
  const auto u16 = [&](std::size_t v) { return number_bytes(static_cast<std::uint16_t>(v), big); };
  const auto u32 = [&](std::size_t v) { return number_bytes(static_cast<std::uint32_t>(v), big); };
  std::string pixels;
  for (const T value : values)
    pixels += number_bytes(value, big);
  const std::string scale = number_bytes(0.5, big) + number_bytes(0.25, big) + number_bytes(0.0, big);
  const std::size_t rows = values.size() / width;
  const auto shorts = [&](std::uint16_t tag, std::size_t v) { return Tag{tag, 3, 1, u16(v) + std::string(2, '\0')}; };
  std::vector<Tag> tags{shorts(256, width),
                        shorts(257, rows),
                        shorts(258, 8 * sizeof(T)),
                        shorts(259, 1),
                        shorts(262, 1),
                        {273, 4, 1, ""},
                        shorts(277, 1),
                        shorts(278, rows),
                        {279, 4, 1, u32(pixels.size())},
                        shorts(339, static_cast<std::size_t>(format)),
                        {33550, 12, 3, scale},
                        {42113, 2, 3, std::string("-7\0\0", 4)}};
  std::size_t free = 8 + 2 + 12 * tags.size() + 4;
  tags[5].data = u32(free);
  std::string behind = pixels;
  free += pixels.size();
  std::string directory = u16(tags.size());
  for (Tag& t : tags) {
    if (t.data.size() > 4) {
      behind += t.data;
      free += t.data.size();
      t.data = u32(free - t.data.size());
    }
    directory += u16(t.tag) + u16(t.type) + u32(t.count) + t.data;
  }
  return (big ? "MM" : "II") + u16(42) + u32(8) + directory + u32(0) + behind;
}

std::string raster_error(const std::filesystem::path& file) {
  try {
    load_raster(file);
  } catch (const RasterError& e) {
    return e.what();
  }
  return "no error";
}

const std::string grid_header = "ncols 3\nnrows 2\nxllcorner 512000.0\nyllcorner 5400000\ncellsize 0.5\n";

const std::string mapped_scene = R"([domain]
min = [0.0, 0.0, -1.0]
max = [1.5, 1.0, 2.0]
[[material]]
name = "sand"
[soil]
material = "sand"
radius = 0.01
surface = { file = "map.asc" }
)";

}  // namespace

TEST_CASE("Heights are read from PNG of 8 and 16 bit", "[heightmap]") {
  const Scratch scratch;
  write_text(scratch / "a.png", grey_png<std::uint8_t>(3, {0, 1, 2, 3, 4, 255}));
  const Raster a = load_raster(scratch / "a.png");
  CHECK(a.size == glm::uvec2(3, 2));
  CHECK(a.white == 255.0);
  CHECK(a.values == std::vector<float>{3, 4, 255, 0, 1, 2});  // the lowest row first
  CHECK_FALSE(a.cell);
  write_text(scratch / "b.PNG", grey_png<std::uint16_t>(2, {0, 256, 65535, 513}));
  const Raster b = load_raster(scratch / "b.PNG");
  CHECK(b.white == 65535.0);
  CHECK(b.values == std::vector<float>{65535, 513, 0, 256});

  write_text(scratch / "c.png", grey_png<std::uint8_t>(6, {0, 1, 2, 3, 4, 5}, 2));
  CHECK_THAT(raster_error(scratch / "c.png"), Catch::Contains("has 3 channels"));
  write_text(scratch / "d.png", "no picture");
  CHECK_THAT(raster_error(scratch / "d.png"), Catch::Contains("d.png: is no PNG"));
  CHECK_THAT(raster_error(scratch / "e.png"), Catch::Contains("does not exist"));
  CHECK_THAT(raster_error(scratch / "f.jpg"), Catch::Contains(".png, .tif, .tiff, .asc"));
}

TEST_CASE("Heights are read from TIFF of either byte order, and what GeoTIFF and GDAL add", "[heightmap]") {
  if (!has_tiff())
    return;
  const Scratch scratch;
  const auto read = [&](const std::string& bytes) {
    write_text(scratch / "a.tif", bytes);
    return load_raster(scratch / "a.tif");
  };
  for (const bool big : {false, true}) {
    const Raster bytes = read(plain_tiff<std::uint8_t>(3, {0, 1, 2, 3, 4, 255}, 1, big));
    CHECK(bytes.size == glm::uvec2(3, 2));
    CHECK(bytes.white == 255.0);
    CHECK(bytes.values == std::vector<float>{3, 4, 255, 0, 1, 2});
    CHECK(bytes.cell == glm::dvec2(0.5, 0.25));
    CHECK(read(plain_tiff<std::uint16_t>(1, {7, 65535}, 1, big)).values == std::vector<float>{65535, 7});
    const Raster whole = read(plain_tiff<std::int16_t>(1, {-300, 12}, 2, big));
    CHECK(whole.white == 0.0);
    CHECK(whole.values == std::vector<float>{12, -300});
    const Raster real = read(plain_tiff<float>(3, {0.1f, -2.0f, -7.0f}, 3, big));
    CHECK(real.white == 0.0);
    CHECK(real.values[0] == 0.1f);
    CHECK(real.values[1] == -2.0f);
    CHECK(std::isnan(real.values[2]));
  }
  const std::string good = plain_tiff<float>(3, {1, 2, 3, 4, 5, 6}, 3, false);
  write_text(scratch / "b.tif", good.substr(0, 100));
  CHECK_THAT(raster_error(scratch / "b.tif"), Catch::StartsWith((scratch / "b.tif").string() + ": "));
  write_text(scratch / "b.tif", plain_tiff<double>(1, {1.0, 2.0}, 3, false));
  CHECK_THAT(raster_error(scratch / "b.tif"), Catch::Contains("samples of 64 bit"));
  // No file that is cut off anywhere, or has a byte changed, is more than an error.
  for (std::size_t n = 0; n < good.size(); ++n)
    for (const std::string& bytes : {good.substr(0, n), good.substr(0, n) + '\xff' + good.substr(n + 1)}) {
      write_text(scratch / "b.tif", bytes);
      CHECK_NOTHROW(raster_error(scratch / "b.tif"));
    }
}

TEST_CASE("A GeoTIFF comes back as it was written", "[heightmap]") {
  if (!has_tiff())
    return;
  const Scratch scratch;
  Raster raster;
  raster.size = {67, 41};
  for (int i = 0; i < 67 * 41; ++i)
    raster.values.push_back(static_cast<float>(std::sin(i)));
  raster.cell = {0.1, 0.3};
  write_geotiff(scratch / "a.tif", raster, {-3.0, 2.0});
  const Raster read = load_raster(scratch / "a.tif");
  CHECK(read.size == raster.size);
  CHECK(read.values == raster.values);
  CHECK(read.cell == raster.cell);
  CHECK(read.white == 0.0);
}

TEST_CASE("Heights are read from an ASCII grid, which says where it is wrong", "[heightmap]") {
  const Raster raster = read_ascii_grid("NCOLS 3\r\nnrows 2\r\nxllcenter 0\r\nyllcenter 0\r\ncellsize 0.5\r\n"
                                        "NODATA_value -9999\r\n1 2 3\r\n4.5 -9999 +6e-1");
  CHECK(raster.size == glm::uvec2(3, 2));
  CHECK(raster.cell == glm::dvec2(0.5));
  CHECK(raster.values[0] == 4.5f);
  CHECK(std::isnan(raster.values[1]));
  CHECK(raster.values[2] == 0.6f);
  CHECK(raster.values[5] == 3.0f);

  const auto wrong = [](const std::string& text, const std::string& says) {
    CHECK_THROWS_WITH(read_ascii_grid(text), Catch::Contains(says));
  };
  wrong(grid_header + "1 2 3\n4 five 6\n", "line 7: row 2, column 2 is five, not a number");
  wrong(grid_header + "1 2 3\n4 5\n", "row 2, column 3 is missing");
  wrong(grid_header + "1 2 3\n4 5 6\n7", "line 8: 7 follows the last of 3 x 2 numbers");
  wrong("columns 3\n", "line 1: columns is no key");
  wrong("ncols three\n", "line 1: ncols needs a number, not three");
  wrong("ncols 3\nnrows 2\ncellsize 1\n1 2 3 4 5 6", "its header has no xllcorner");
  wrong("ncols 2.5\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3 4 5", "ncols is 2.5, not a whole number");
  wrong("ncols 50000\nnrows 50000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1", "the limit is");
  wrong("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0\n1 2 3 4", "cellsize is 0");
  wrong("", "ends within its header");
}

TEST_CASE("A heightmap is bilinear between the centres of its samples, or level on each", "[heightmap]") {
  // Samples of the plane 1 + 2 x + 3 y at the centres of cells of 0.5 x 0.25.
  const glm::uvec2 size(4, 5);
  const glm::dvec2 min(-1.0, 2.0), cell(0.5, 0.25);
  const auto plane = [](double x, double y) { return 1.0 + 2.0 * x + 3.0 * y; };
  std::vector<float> heights;
  for (unsigned y = 0; y < size.y; ++y)
    for (unsigned x = 0; x < size.x; ++x)
      heights.push_back(static_cast<float>(plane(min.x + (x + 0.5) * cell.x, min.y + (y + 0.5) * cell.y)));
  const Heightmap smooth(size, heights, min, min + cell * glm::dvec2(size), Resampling::bilinear);
  const Heightmap steps(size, heights, min, min + cell * glm::dvec2(size), Resampling::nearest);
  CHECK(smooth.top() == heights.back());
  // Halves and quarters are exact in float, so that nothing is rounded.
  for (const double x : {-0.75, -0.5, 0.125, 0.75})
    for (const double y : {2.125, 2.5, 3.0, 3.125})
      CHECK(smooth.height({x, y}) == Approx(plane(x, y)).epsilon(1e-14));
  CHECK(smooth.height({-1.0, 2.0}) == heights.front());  // level beyond the outermost centres
  CHECK(smooth.height({9.0, 9.0}) == heights.back());
  CHECK(steps.height({-0.99, 2.01}) == heights[0]);
  CHECK(steps.height({-0.51, 2.24}) == heights[0]);
  CHECK(steps.height({-0.49, 2.24}) == heights[1]);
  CHECK(steps.height({-0.49, 2.26}) == heights[5]);
  CHECK(steps.height({9.0, 9.0}) == heights.back());
}

TEST_CASE("A state of ground whose file of heights has changed is refused", "[heightmap][soil]") {
  const Scratch scratch;
  const std::string scene_file = (scratch / "s.toml").string();
  const auto simulation_of = [&](const std::string& heights) {
    write_text(scratch / "map.asc", grid_header + heights);
    Scene scene = parse_scene(mapped_scene, scene_file);
    scene.soil->radius_min = scene.soil->radius_max = 0.15;  // soil that is few grains deep is soon at rest
    return Simulation(scene, Options{.device = "cpu"});
  };
  Simulation saved = simulation_of("1 1 1\n0.5 1 1.5\n");
  saved.save(scratch / "state.talus");
  Simulation same = simulation_of("1 1 1\n0.5 1 1.5\n"), other = simulation_of("1 1 1\n0.5 1 1.4\n");
  CHECK_NOTHROW(same.resume(scratch / "state.talus"));
  CHECK_THROWS_AS(other.resume(scratch / "state.talus"), CheckpointError);
}

TEST_CASE("The ground has the surface of a file, and parts on it", "[heightmap][soil]") {
  const Scratch scratch;
  const std::string scene_file = (scratch / "s.toml").string();
  write_text(scratch / "map.asc", grid_header + "1 1 1\n0.5 1 1.5\n");
  const Scene scene = parse_scene(mapped_scene, scene_file);
  const Ground ground(*scene.soil, scene.domain.min.z);
  CHECK(ground.top() == 1.5);
  CHECK(ground.height(0.25, 0.25) == Approx(0.5));
  CHECK(ground.height(1.25, 0.25) == Approx(1.5));
  CHECK(ground.height(1.0, 0.25) == Approx(1.25));
  CHECK(ground.height(1.25, 0.5) == Approx(1.25));
  CHECK(ground.height(0.1, 0.9) == Approx(1.0));

  // The text of the scene keeps the keys of the surface.
  const std::string text = to_toml(scene);
  CHECK(to_toml(parse_scene(text, scene_file)) == text);

  Scene changed = scene;
  changed.soil->parts = {
      {.shape = BoxPart{{0.2, 0.2, 0.4}}, .position = {0.25, 0.25, -0.3}},                    // z from -0.5 to -0.1
      {.shape = BoxPart{{0.2, 0.2, 4.0}}, .position = {1.25, 0.25, 2.2}, .subtract = true}};  // from 0.2 on
  const Ground built(*changed.soil, changed.domain.min.z);
  CHECK(built.top() == 1.5);
  CHECK(built.height(0.25, 0.25) == Approx(0.9).margin(2e-4));
  CHECK(built.height(1.25, 0.25) == Approx(1.2).margin(2e-4));
  CHECK(built.height(0.75, 0.25) == Approx(1.0).margin(2e-4));

  SECTION("an image has heights of black and of white, and is stretched to the site") {
    write_text(scratch / "map.png", grey_png<std::uint8_t>(3, {0, 51, 255, 255, 102, 0}));
    const Scene image = parse_scene(mapped_scene, scene_file,
                                    {"soil.surface={file=\"map.png\",black=1.0,white=2.0,interpolation=\"nearest\"}"});
    const Ground from_image(*image.soil, image.domain.min.z);
    CHECK(from_image.height(0.1, 0.1) == Approx(2.0));
    CHECK(from_image.height(0.75, 0.1) == Approx(1.4));
    CHECK(from_image.height(0.75, 0.9) == Approx(1.2));
    CHECK(to_toml(parse_scene(to_toml(image), scene_file)) == to_toml(image));
  }
  SECTION("a scale, an offset and a place of one's own") {
    const Scene moved =
        parse_scene(mapped_scene, scene_file,
                    {"soil.surface={file=\"map.asc\",scale=0.5,offset=-0.2,min=[-1.5,0.0],max=[1.5,1.0]}"});
    const Ground from_moved(*moved.soil, moved.domain.min.z);
    CHECK(from_moved.height(0.0, 0.25) == Approx(0.5 * 1.0 - 0.2));
    CHECK(from_moved.height(1.0, 0.25) == Approx(0.5 * 1.5 - 0.2));
    CHECK(from_moved.top() == Approx(0.55));
  }
}

TEST_CASE("The height of the ground is a formula of the place", "[heightmap][soil][slow]") {
  const auto with_height = [](const std::string& formula, const std::vector<std::string>& overrides = {}) {
    std::string text = mapped_scene;
    text.erase(text.find("surface"));
    return parse_scene(text + "height = \"" + formula + "\"\n", "s.toml", overrides);
  };
  const Scene scene = with_height("1 + 0.2*sin(4*pi*x) - 0.3*y");
  const Soil& soil = *scene.soil;
  const Ground ground(soil, scene.domain.min.z);
  const glm::uvec2 columns = soil.columns();
  const glm::dvec2 edge = (soil.max - soil.min) / glm::dvec2(columns);
  for (std::uint32_t k = 0; k < columns.x; ++k) {  // in the middles of columns, which are samples
    const glm::dvec2 at = soil.min + edge * (glm::dvec2(k, 1.0) + 0.5);
    CHECK(ground.height(at.x, at.y) == Approx(1.0 + 0.2 * std::sin(4.0 * glm::pi<double>() * at.x) - 0.3 * at.y));
  }
  CHECK(ground.top() == Approx(1.2).margin(0.3 * edge.y));
  CHECK(ground.top() <= 1.2);
  CHECK(to_toml(parse_scene(to_toml(scene), "s.toml")) == to_toml(scene));
  CHECK(to_toml(scene).find("height = \"1 + 0.2*sin(4*pi*x) - 0.3*y\"") != std::string::npos);

  // The ground has as much soil as level ground of the mean height, since the sine has whole periods. Grains of 0.1 m
  // are soon at rest.
  const auto mean_height = [&](const std::string& formula) {
    const Simulation simulation(with_height(formula, {"soil.radius=0.1"}), {.device = "cpu"});
    const std::vector<float> heights = simulation.soil_heights().heights;
    return std::accumulate(heights.begin(), heights.end(), 0.0) / static_cast<double>(heights.size());
  };
  CHECK(mean_height("0.9 + 0.2*sin(4*pi*x) - 0.3*(y - 0.5)") == Approx(mean_height("0.9")).margin(0.005));

  const auto refused = [&](const std::string& height) { return error_of([&] { with_height(height); }); };
  CHECK_THAT(refused("1 + t"), Catch::Contains("s.toml:") && Catch::Contains("soil.height") &&
                                   Catch::Contains("is no formula of x and y") &&
                                   Catch::Contains("allowed: numbers, x, y, pi"));
  CHECK_THAT(refused("x = 1"), Catch::Contains("it sets x, which is a coordinate"));
  CHECK_THAT(refused("4*x"), Catch::Contains("gives a height of ") && Catch::Contains("allowed are 0 to 3 m"));
  CHECK_THAT(refused("1 - x"), Catch::Contains("gives a height of -"));
  CHECK_THAT(refused("log(0)*0"), Catch::Contains("nan"));
  CHECK_THAT(refused("0.01*x"), Catch::Contains("gives no height above"));
}

TEST_CASE("A scene says what is wrong with the file of its surface", "[heightmap][soil][scene]") {
  const Scratch scratch;
  write_text(scratch / "map.asc", grid_header + "1 1 1\n0.5 1 1.5\n");
  write_text(scratch / "holes.asc",
             "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.5\nnodata_value -1\n1 1 -1\n1 1 1\n");
  write_text(scratch / "bad.asc", grid_header + "1 1 1\n0.5 x 1.5\n");
  write_text(scratch / "map.png", grey_png<std::uint8_t>(3, {0, 51, 255, 255, 102, 0}));
  const auto refused = [&](const std::string& surface, const std::string& says) {
    INFO(surface);
    const std::string error =
        error_of([&] { parse_scene(mapped_scene, (scratch / "s.toml").string(), {"soil.surface={" + surface + "}"}); });
    CHECK_THAT(error, Catch::Contains(says));
  };
  refused("file=\"map.asc\",max=[1.4,1.0]", "soil.surface.file covers [0, 0] to [1.4, 1] m; the site reaches from");
  refused("file=\"map.asc\",min=[0.1,0.0]", "give min and max of the surface");
  refused("file=\"map.asc\",min=[2.0,0.0],max=[1.0,1.0]", "give min and max of the surface");
  refused("file=\"map.asc\",scale=2.5", "gives a height of 3.75 m at row 2, column 3: allowed are 0 to 3 m");
  refused("file=\"map.asc\",offset=-0.6", "at row 2, column 1");
  refused("file=\"map.asc\",scale=0.02", "gives no height above 0.03 m");
  refused("file=\"map.asc\",black=0.0", "soil.surface.black is of images");
  refused("file=\"map.png\",black=0.0", "give black and white");
  refused("file=\"map.png\",black=0.0,white=1.0,scale=1.0", "soil.surface.scale is of files of numbers");
  refused("file=\"holes.asc\"", "has no data at row 1, column 3");
  refused("file=\"holes.asc\",fill=1.0", "no error");
  refused("file=\"holes.asc\",fill=9.0", "gives a height of 9 m at row 1, column 3");
  refused("file=\"bad.asc\"", "bad.asc: line 7: row 2, column 2 is x, not a number");
  refused("file=\"none.asc\"", "none.asc: does not exist");
  // Beyond the site nothing is asked of the file.
  refused("file=\"holes.asc\",min=[0.0,0.0],max=[5.0,1.0]", "no error");
  const auto text_refused = [&](const std::string& set) {
    return error_of([&] { parse_scene(mapped_scene, (scratch / "s.toml").string(), {set}); });
  };
  CHECK_THAT(text_refused("soil.height=1.0"), Catch::Contains("exclude each other"));
  CHECK_THAT(error_of([&] {
               std::string text = mapped_scene;
               text.erase(text.find("surface"));
               parse_scene(text, "s.toml");
             }),
             Catch::Contains("give height, or surface"));
}
