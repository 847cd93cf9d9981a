// The panel to drive with: the machine's levers, what they move, and the force on what is moved.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <fmt/format.h>

namespace viewer {

namespace {

// A lever that springs back: what it is set to holds for this frame.
void lever(Machine::Axis& axis) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(axis.name.c_str());
  ImGui::TableNextColumn();
  ImGui::TextColored(accent_tone(), "%s %s", Machine::key_name(axis.more).c_str(),
                     Machine::key_name(axis.less).c_str());
  ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-1.0f);
  float value = axis.lever;
  ImGui::PushID(&axis);
  ImGui::SliderFloat("##lever", &value, -1.0f, 1.0f,
                     fmt::format("{:.3g} {}", axis.lever * axis.most, axis.unit).c_str());
  if (ImGui::IsItemActive())
    axis.lever = value;
  ImGui::PopID();
}

void load(App& app, Session& session) {
  const auto& bodies = session.scene().bodies;
  if (bodies.empty())
    return;
  const std::string& chosen = bodies[app.chosen_body()].name;
  if (ImGui::BeginCombo("force on", chosen.c_str())) {
    for (std::uint32_t b = 0; b < bodies.size(); ++b)
      if (ImGui::Selectable(bodies[b].name.c_str(), b == app.chosen_body()))
        app.chosen_body() = b;
    ImGui::EndCombo();
  }
  const auto& force = app.statistics().series(Statistics::force);
  if (!force.empty())
    ImGui::Text("%.3g N", force.back().value);
}

}  // namespace

void drive_panel(App& app) {
  Session* session = app.session();
  if (!session)
    return;
  if (session->replaying())
    ImGui::TextColored(accent_tone(), "A recording has the levers.");
  Machine& machine = app.machine();
  if (machine.empty())
    ImGui::TextWrapped("Nothing in this scene is driven: it has no joints, and no body that moves by itself.");
  else if (ImGui::BeginTable("levers", 3, ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn("name");
    ImGui::TableSetupColumn("keys");
    ImGui::TableSetupColumn("lever", ImGuiTableColumnFlags_WidthStretch);
    for (Machine::Axis& axis : machine.axes())
      lever(axis);
    ImGui::EndTable();
    ImGui::TextDisabled("A lever that is moved takes over from the scene.");
  }
  load(app, *session);
}

}  // namespace viewer
