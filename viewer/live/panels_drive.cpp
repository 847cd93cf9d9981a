// The panel to drive with: the machine's levers, what they move, and the force on what is moved.
#include "viewer/live/app.h"
#include "viewer/live/overlay.h"
#include "viewer/live/panels.h"
#include "viewer/live/projection.h"
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
  for (const Forces::Arrow& arrow : app.forces().arrows())
    if (arrow.body == app.chosen_body())
      ImGui::Text("%.3g N, %.3g N m about its origin", glm::length(arrow.force), glm::length(arrow.torque));
  ImGui::TextDisabled("Arrows: forces of grains, the greatest so far %.3g N.", app.forces().most());
}

}  // namespace

// The greatest force so far would be `longest` at any distance; each arrow has its share of that length.
void force_arrows(App& app) {
  constexpr float longest = 130.0f, size = 5.0f;  // points
  constexpr double least = 0.02;                  // of the greatest: below that it is not drawn
  constexpr ImU32 tone = IM_COL32(255, 120, 60, 255);
  const glm::vec2 window = window_size();
  const talus::View view = app.view();
  for (const Forces::Arrow& arrow : app.forces().arrows()) {
    const double force = glm::length(arrow.force), share = force / app.forces().most();
    if (!(share > least))
      continue;
    const double arm = static_cast<double>(longest * app.gui_scale()) * share * pixel_length(view, window, arrow.at);
    const auto from = pixel_of(view, window, arrow.at),
               to = pixel_of(view, window, arrow.at + arm / force * arrow.force);
    if (!from || !to)
      continue;
    draw_line({*from, *to}, tone, 3.0f * app.gui_scale());
    draw_head(*from, *to, tone, size * app.gui_scale());
    const std::string text = force < 1e3 ? fmt::format("{:.3g} N", force) : fmt::format("{:.3g} kN", 1e-3 * force);
    const ImVec2 at{to->x + 8.0f * app.gui_scale(), to->y};
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddText({at.x + 1.0f, at.y + 1.0f}, IM_COL32(0, 0, 0, 200), text.c_str());
    list.AddText(at, IM_COL32(255, 235, 220, 255), text.c_str());
  }
}

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
