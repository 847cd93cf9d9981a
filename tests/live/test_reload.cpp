// Shaders that are edited while the window is open.
#include "live.h"
#include <algorithm>
#include <fmt/format.h>

using namespace talus;
using namespace talus_tests;

namespace {

// A copy of the sources, and a window that watches it.
struct Sources {
  Scratch scratch;
  std::filesystem::path folder = scratch / "shaders";
  viewer::ViewOptions options = live_options();

  Sources() {
    std::filesystem::copy(TALUS_SHADERS, folder, std::filesystem::copy_options::recursive);
    options.shaders = folder;
  }
  // Saves the file once.
  void edit(const std::string& file, const std::vector<std::pair<std::string, std::string>>& from_to) const {
    std::string text = read_text(folder / file);
    for (const auto& [from, to] : from_to) {
      REQUIRE(contains(text, from));
      text.replace(text.find(from), from.size(), to);
    }
    write_text(folder / file, text);
  }
};

// FILE:LINE of what a shader says.
std::string place_in(const std::filesystem::path& folder, const std::string& file, const std::string& text) {
  const std::string source = read_text(folder / file);
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find(text));
  return fmt::format("{}:{}", file, 1 + std::count(source.begin(), end, '\n'));
}

std::string told(Live& live) {
  live.app->message().clear();
  live.until([&] { return !live.app->message().empty(); });
  return std::exchange(live.app->message(), {});
}

double level(Live& live) {
  return live.session().simulation().grains()[0].position.z;
}

}  // namespace

TEST_CASE("A pass whose source is edited runs; one that is broken or does not fit does not", "[live]") {
  const Sources sources;
  Live live(balls, sources.options);
  live.play_to(0.1);
  const double start = level(live);
  const std::string gravity = "args.h * settings.domain.gravity", up = "args.h * -2.0 * settings.domain.gravity";
  sources.edit("shared/dem_contact.glsl", {{gravity, up}});  // which dem.comp includes
  CHECK(contains(told(live), "dem.comp is in use"));
  live.play_to(0.5);
  const double risen = level(live);
  CHECK(risen > start);

  sources.edit("dem/dem.comp", {{"i < args.grains", "i < args.grainz"}});
  const std::string broken = told(live);
  CHECK(contains(broken, "dem.comp stays as it was"));
  CHECK(contains(broken, place_in(sources.folder, "dem/dem.comp", "args.grainz")));
  CHECK(contains(broken, "grainz"));
  sources.edit("dem/dem.comp",
               {{"args.grainz", "args.grains"},
                {"float contact_state[]", "vec4 contact_state[]"},
                {"load_vec3(contact_state, shear_at(slot))", "contact_state[slot].xyz"},
                {"load_vec3(contact_state, roll_at(slot))", "contact_state[slot].xyz"},
                {"store_vec3(contact_state, shear_at(slot), after.shear)", "contact_state[slot].xyz = after.shear"},
                {"store_vec3(contact_state, roll_at(slot), after.roll)", "contact_state[slot].xyz = after.roll"}});
  CHECK(contains(told(live), "elements of 16 bytes"));
  live.play_to(0.7);
  CHECK(level(live) > risen);
}

TEST_CASE("A shader that draws is edited in the same way", "[live]") {
  const Sources sources;
  Live live(balls, sources.options);
  const Image before = live.picture();
  sources.edit("shared/draw_picture.glsl", {{"return behind;", "return vec3(0.8, 0.0, 0.0);"}});
  CHECK(contains(told(live), "draw_picture.frag is in use"));
  CHECK(patch(live.picture(), red).pixels > 4 * patch(before, red).pixels);

  sources.edit("shared/draw_picture.glsl", {{"float draw_distances[]", "vec3 draw_distances[]"}});
  CHECK(contains(told(live), "draw_picture.frag stays as it was"));
  CHECK(patch(live.picture(), red).pixels > 4 * patch(before, red).pixels);
}
