// The panel of what may change while the scene runs.
#include "engine/base/atomic_file.h"
#include "engine/scene/text.h"
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include "viewer/parameters.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui_stdlib.h>

namespace viewer {

namespace {

bool edit(const Parameter& parameter, double& value) {
  const std::string label = parameter.unit.empty() ? parameter.name : parameter.name + ", " + parameter.unit;
  switch (parameter.scale) {
  case Parameter::Scale::choice: {
    auto place = static_cast<std::size_t>(std::clamp(std::lround(value), 0l, std::lround(parameter.high)));
    bool changed = false;
    if (ImGui::BeginCombo(label.c_str(), parameter.choices[place].c_str())) {
      for (std::size_t c = 0; c < parameter.choices.size(); ++c)
        if (ImGui::Selectable(parameter.choices[c].c_str(), c == place)) {
          changed = c != place;
          value = static_cast<double>(c);
        }
      ImGui::EndCombo();
    }
    return changed;
  }
  case Parameter::Scale::whole: {
    int whole = static_cast<int>(std::lround(value));
    const bool changed =
        ImGui::SliderInt(label.c_str(), &whole, static_cast<int>(parameter.low),
                         std::max(static_cast<int>(parameter.high), whole), "%d", ImGuiSliderFlags_AlwaysClamp);
    value = whole;
    return changed;
  }
  default: {
    const ImGuiSliderFlags flags =
        ImGuiSliderFlags_AlwaysClamp |
        (parameter.scale == Parameter::Scale::logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    const double low = std::min(parameter.low, value), high = std::max(parameter.high, value);
    return ImGui::SliderScalar(label.c_str(), ImGuiDataType_Double, &value, &low, &high, "%.4g", flags);
  }
  }
}

// Back to what it was when the scene was opened, where that has it and it differs.
void reset(Session& session, const Parameter& parameter, double value) {
  const std::vector<Parameter>& first = session.opened_parameters();
  const auto found = std::ranges::find(first, parameter.key, &Parameter::key);
  if (found == first.end())
    return;
  const double before = found->get(session.opened());
  if (before == value)
    return;
  ImGui::SameLine();
  if (ImGui::SmallButton("<"))
    session.give(SetParameter{parameter.key, before});
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Back to what the scene had");
}

void explain(const Parameter& parameter) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(26.0f * ImGui::GetFontSize());
  ImGui::TextUnformatted(parameter.about.c_str());
  if (!parameter.help.empty())
    ImGui::TextUnformatted((parameter.help + ".").c_str());
  ImGui::TextDisabled("%s", parameter.key.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void row(Session& session, const Parameter& parameter) {
  double value = parameter.get(session.scene());
  ImGui::PushID(parameter.key.c_str());
  if (edit(parameter, value))
    session.give(SetParameter{parameter.key, value});
  if (ImGui::IsItemHovered())
    explain(parameter);
  reset(session, parameter, parameter.get(session.scene()));
  ImGui::PopID();
}

}  // namespace

void save_scene(App& app, Session& session) {
  std::string& file = app.remembered().scene_file;
  ImGui::Separator();
  ImGui::InputText("##file", &file);
  ImGui::SameLine();
  if (!ImGui::Button("Save scene"))
    return;
  try {
    const std::filesystem::path path = std::filesystem::absolute(session.file()).parent_path() / file;
    talus::write_file(path, talus::to_toml(session.scene()));
    app.tell(fmt::format("Scene saved: {}", path.string()));
  } catch (const std::exception& e) {
    app.tell(e.what());
  }
}

void settings_panel(App& app) {
  Session* session = app.session();
  if (!session) {
    ImGui::TextDisabled("No scene is open.");
    return;
  }
  std::string& words = app.setting_words();
  ImGui::SetNextItemWidth(-1.0f);
  ImGui::InputTextWithHint("##search", "Search: friction, slides, step ..", &words);
  ImGui::PushItemWidth(130.0f * app.gui_scale());
  std::string group;
  bool shown = false, any = false;
  for (const Parameter& parameter : session->parameters()) {
    if (!matches(parameter, words))
      continue;
    any = true;
    if (parameter.group != group) {
      group = parameter.group;
      shown = ImGui::CollapsingHeader(group.c_str(), ImGuiTreeNodeFlags_DefaultOpen);
    }
    if (shown)
      row(*session, parameter);
  }
  if (!any)
    ImGui::TextDisabled("No setting of this scene has these words.");
  ImGui::PopItemWidth();
  save_scene(app, *session);
}

}  // namespace viewer
