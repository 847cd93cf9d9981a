// Panels to see with: keys, look, statistics.
#include "viewer/live/app.h"
#include "viewer/live/input.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <fmt/format.h>

namespace viewer {

using talus::ColorBy, talus::Level;

void keys_panel(App&) {
  if (!ImGui::BeginTable("keys", 2))
    return;
  for (int k = 0; k < key_help_count; ++k) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored({0.88f, 0.66f, 0.33f, 1.0f}, "%s", key_help[k].key);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key_help[k].what);
  }
  ImGui::EndTable();
}

namespace {

template <class T> bool choice(const char* label, T& value, std::initializer_list<std::pair<T, const char*>> all) {
  bool changed = false;
  ImGui::TextDisabled("%s", label);
  for (const auto& [one, name] : all) {
    ImGui::SameLine();
    if (ImGui::RadioButton(name, value == one)) {
      value = one;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool look_panel(App& app) {
  talus::Output& look = app.look();
  bool changed = choice("Colour", look.color_by,
                        {{ColorBy::material, "material"}, {ColorBy::speed, "speed"}, {ColorBy::depth, "height"}});
  if (look.color_by == ColorBy::speed) {
    auto most = static_cast<float>(look.speed_max);
    if (ImGui::DragFloat("fastest, m/s", &most, 0.02f, 0.0f, 100.0f, most > 0.0f ? "%.2f" : "automatic")) {
      look.speed_max = std::max(most, 0.0f);
      changed = true;
    }
  }
  if (app.session() && app.session()->scene().upsampling)
    changed |= choice("Grains", look.level, {{Level::fine, "fine"}, {Level::coarse, "coarse"}, {Level::both, "both"}});
  if (ImGui::Button("The scene's own view")) {
    app.start_camera();
    changed = true;
  }
  using Choice = Sharpness::Choice;
  changed |= choice("Pixels", app.sharpness().choice,
                    {{Choice::automatic, "as fast as they come"}, {Choice::full, "all"}, {Choice::half, "half"}});
  bool vsync = app.window().vsync();
  if (ImGui::Checkbox("Wait for the display (vsync)", &vsync)) {
    app.window().set_vsync(vsync);
    app.remembered().vsync = vsync;
  }
  return changed;
}

namespace {

void plot(const char* name, const char* unit, const std::deque<float>& series) {
  if (series.empty())
    return;
  const std::vector<float> values(series.begin(), series.end());
  const float most = *std::ranges::max_element(values);
  ImGui::Text("%s: %.4g %s", name, static_cast<double>(values.back()), unit);
  ImGui::PlotLines(fmt::format("##{}", name).c_str(), values.data(), static_cast<int>(values.size()), 0, nullptr, 0.0f,
                   std::max(most * 1.1f, 1e-12f), {ImGui::GetContentRegionAvail().x, 44.0f});
}

void pass_bars(const Statistics& statistics) {
  constexpr std::size_t shown = 16;
  const auto& passes = statistics.passes();
  double total = 0.0;
  for (const Statistics::Pass& pass : passes)
    total += pass.ms;
  ImGui::Text("%.3g ms a step", total);
  for (std::size_t p = 0; p < std::min(passes.size(), shown); ++p)
    ImGui::ProgressBar(static_cast<float>(passes[p].ms / passes[0].ms), {-1.0f, 0.0f},
                       fmt::format("{}  {:.3g} ms", passes[p].name, passes[p].ms).c_str());
}

}  // namespace

void statistics_panel(App& app) {
  Session* session = app.session();
  if (!session) {
    ImGui::TextDisabled("No scene is open.");
    return;
  }
  const Statistics& statistics = app.statistics();
  const talus::Measure& m = statistics.measure();
  ImGui::Text("%u grains", m.grains);
  if (statistics.fine() > 0)
    ImGui::Text("%u fine grains", statistics.fine());
  ImGui::Text("%.1f contacts a grain, %u at most", m.contacts_mean, m.contacts_max);
  ImGui::TextDisabled("%.1f MiB, %s", static_cast<double>(statistics.memory_bytes()) / (1 << 20),
                      session->simulation().device().name.c_str());
  ImGui::TextDisabled("frame %.1f ms, host %.1f ms", 1e3 * app.frame_seconds(), 1e3 * app.host_seconds());
  if (ImGui::CollapsingHeader("Over time", ImGuiTreeNodeFlags_DefaultOpen)) {
    plot("Kinetic energy", "J", statistics.series(Statistics::energy));
    plot("Mean overlap", "% of the radius", statistics.series(Statistics::overlap));
    plot("Speed", "times real time", statistics.series(Statistics::real_time));
    if (app.chosen_body() < session->scene().bodies.size())
      plot(fmt::format("Force on {}", session->scene().bodies[app.chosen_body()].name).c_str(), "N",
           statistics.series(Statistics::force));
  }
  if (ImGui::CollapsingHeader("Passes"))
    pass_bars(statistics);
}

}  // namespace viewer
