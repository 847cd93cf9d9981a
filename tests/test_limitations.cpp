// Capabilities that do not go together: the document has the table of the code, and whoever asks for such a pair is
// told.
#include "engine/scene/limitations.h"
#include "scratch.h"
#include "simulate.h"
#include <fmt/format.h>
#include <sstream>

using namespace talus;
using namespace talus_tests;

namespace {

const std::string sand = "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 1]\n[[material]]\nname = \"sand\"\n";
const std::string pile = "[[grains]]\nmaterial = \"sand\"\nradius = 0.02\ncount = 3\nfill.box.size = [0.5, 0.5, 0.5]\n"
                         "fill.box.position = [0, 0, 0.5]\n";
const std::string fine = "[upsampling]\nradius = 0.005\n";
const std::string cloth = "[[cloth]]\nname = \"a\"\nmaterial = \"sand\"\nposition = [0, 0, 0.9]\n"
                          "grid = { size = [1, 1], cells = [2, 2] }\n";
const std::string by_key = "[solver]\nincremental_rebuild = true\n", worlds = "[scene]\nworlds = 2\n";

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_scene(text, "s.toml", overrides);
  } catch (const SceneError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("docs/limitations.md has the table of the code", "[scene][limitations]") {
  std::istringstream text(read_text(std::filesystem::path(TALUS_SOURCE_DIR) / "docs" / "limitations.md"));
  std::vector<std::string> there, wanted;
  for (std::string line; std::getline(text, line) && !line.starts_with("## ");)
    if (line.starts_with("| ") && !line.starts_with("| this"))
      there.push_back(line);
  for (const Limitation& e : limitations)
    wanted.push_back(
        fmt::format("| {} | {} | {} | {} |", name_of(e.first), name_of(e.second), name_of(e.effect), e.what));
  CHECK(there == wanted);
  for (const Limitation& e : limitations)
    CHECK(&limitation_of(e.first, e.second) == &e);
  CHECK_THROWS_AS(limitation_of(Capability::upsampling, Capability::upsampling), std::logic_error);
}

TEST_CASE("What the table refuses is an error that names both, the place and the table", "[scene][limitations]") {
  const std::string said = say(limitation_of(Capability::worlds, Capability::upsampling));
  CHECK_THAT(said,
             Catch::Contains("docs/limitations.md") && Catch::Contains("upsampling") && Catch::Contains("worlds"));
  const std::string in_file = error_of(worlds + sand + pile + fine);
  CHECK_THAT(in_file, Catch::StartsWith("s.toml:14:1: upsampling") && Catch::Contains(said));
  CHECK_THAT(error_of(sand + pile + fine, {"scene.worlds=2"}),
             Catch::StartsWith("--set scene.worlds=2: ") && Catch::Contains(said));
  // Of shelves only the caller knows.
  Options options = on_cpu;
  options.shelves = 1;
  CHECK_THROWS_WITH(Simulation(parse_scene(sand + pile + fine, "s.toml"), options),
                    Catch::StartsWith("s.toml:13:10: ") && Catch::Contains(said));
  CHECK_THAT(error_of(sand + pile + by_key + "neighbours = \"linked\"\n"),
             Catch::StartsWith("s.toml:13:23: solver.incremental_rebuild") &&
                 Catch::Contains(say(limitation_of(Capability::linked_neighbours, Capability::incremental_rebuild))));
}

TEST_CASE("Who asks for incremental rebuilds where there are none gets a warning", "[scene][limitations]") {
  const auto warnings = [](const std::string& text) { return parse_scene(text, "s.toml").warnings; };
  CHECK(warnings(by_key + sand + pile).empty());
  CHECK(warnings(sand + pile + cloth).empty());
  CHECK(warnings("[solver]\nincremental_rebuild = false\n" + sand + pile + cloth).empty());
  const auto with_cloth = warnings(by_key + sand + pile + cloth);
  REQUIRE(with_cloth.size() == 1);
  CHECK_THAT(with_cloth[0],
             Catch::StartsWith("s.toml:2:23: solver.incremental_rebuild = true has no effect: ") &&
                 Catch::Contains(say(limitation_of(Capability::cloth, Capability::incremental_rebuild))));
  const auto with_worlds = warnings(by_key + worlds + sand + pile);
  REQUIRE(with_worlds.size() == 1);
  CHECK_THAT(with_worlds[0], Catch::Contains(say(limitation_of(Capability::worlds, Capability::incremental_rebuild))));
}
