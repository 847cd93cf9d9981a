// The passes of a step as a page.
#include "live.h"

using namespace talus;
using namespace talus_tests;

TEST_CASE("The passes of a step are a page, which tells more of what is pointed at", "[live]") {
  viewer::ViewOptions options = live_options();
  options.size = glm::ivec2(640, 400);
  Live live(balls, options);
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Graph"};
  live.until([&] { return live.app->described(); });
  const auto elements = [&](FieldId field) { return live.app->described()->elements[static_cast<std::size_t>(field)]; };
  CHECK(elements(FieldId::grains) == 3);
  const std::vector<gpu::PassRecord> first = live.app->described()->trace.passes;
  const auto runs = [](const std::vector<gpu::PassRecord>& list, const char* pass) {
    return std::ranges::find(list, pass, &gpu::PassRecord::name) != list.end();
  };
  CHECK(runs(first, "dem"));
  CHECK(std::ranges::any_of(first, [](const gpu::PassRecord& pass) { return !pass.barrier.empty(); }));
  live.play_to(0.1);
  live.point_at(5, 390);
  const Image page = live.picture(true);
  const int left = 166, top = 32;        // of the panel, where it opens first
  live.point_at(left + 150, top + 140);  // a pass
  CHECK(live.picture(true).rgba != page.rgba);
  live.input("click 5 click 5");  // scrolls
  live.point_at(5, 390);
  CHECK(live.picture(true).rgba != page.rgba);
}
