// The panel of the run's time: kept states as marks, to which a click or a drag takes the scene.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace viewer {

namespace {

// The times that the panel shows [s simulated], from left to right.
struct TimeAxis {
  double first, last;
  float left, width;  // pixels

  float place(double time) const {
    return left + width * static_cast<float>((time - first) / std::max(last - first, 1e-9));
  }
  double time(float place) const { return first + (last - first) * static_cast<double>((place - left) / width); }
};

TimeAxis time_axis_of(const std::vector<Undo::Point>& states, double now, float left, float width) {
  TimeAxis axis{now, now, left, width};
  for (const Undo::Point& state : states) {
    axis.first = std::min(axis.first, state.time);
    axis.last = std::max(axis.last, state.time);
  }
  return axis;
}

void draw_timeline(const TimeAxis& axis, const std::vector<Undo::Point>& states, double now, float top, float height) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = top + 0.5f * height, half = 0.5f * height;
  const ImU32 dim = ImGui::GetColorU32(ImGuiCol_FrameBgHovered), plain = ImGui::GetColorU32(ImGuiCol_TextDisabled),
              strong = ImGui::GetColorU32(accent_tone()), light = ImGui::GetColorU32(ImGuiCol_Text);
  list.AddRectFilled({axis.left, middle - 0.2f * half}, {axis.left + axis.width, middle + 0.2f * half}, dim, 2.0f);
  list.AddRectFilled({axis.left, middle - 0.2f * half}, {axis.place(now), middle + 0.2f * half}, plain, 2.0f);
  for (const Undo::Point& state : states) {
    const float x = axis.place(state.time);
    if (state.action.empty())
      list.AddLine({x, middle - 0.5f * half}, {x, middle + 0.5f * half}, plain);
    else
      list.AddTriangleFilled({x - 0.4f * half, top}, {x + 0.4f * half, top}, {x, middle}, strong);
  }
  list.AddCircleFilled({axis.place(now), middle}, 0.5f * half, light);
}

// Tells of the state that a click there would go to.
void tell_state(const std::vector<Undo::Point>& states, double time) {
  const auto nearest =
      std::ranges::min_element(states, {}, [&](const Undo::Point& state) { return std::abs(state.time - time); });
  if (nearest->action.empty())
    ImGui::SetTooltip("%.3f s", nearest->time);
  else
    ImGui::SetTooltip("%.3f s, before %s", nearest->time, nearest->action.c_str());
}

}  // namespace

void timeline_panel(App& app) {
  Session* session = app.session();
  if (!session)
    return ImGui::TextDisabled("No scene is open.");
  if (const std::string& why = app.kept_states().no_moments(); !why.empty()) {
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(why.c_str());
    ImGui::PopTextWrapPos();
    return;
  }
  const std::vector<Undo::Point> states = app.kept_states().timeline();
  if (states.empty())
    return ImGui::TextDisabled("States are kept as the scene plays: click on one to go there.");
  const double now = session->time();
  const float height = ImGui::GetFrameHeight(), margin = 0.5f * height;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 4.0f * height);
  ImGui::InvisibleButton("##run", {width, height});
  const TimeAxis axis = time_axis_of(states, now, low.x + margin, width - 2.0f * margin);
  const double pointed = std::clamp(axis.time(ImGui::GetIO().MousePos.x), axis.first, axis.last);
  if (ImGui::IsItemActive())
    app.scrub(pointed);
  if (ImGui::IsItemHovered())
    tell_state(states, pointed);
  draw_timeline(axis, states, now, low.y, height);
  ImGui::TextDisabled("%.2f s .. %.2f s, %zu states", axis.first, axis.last, states.size());
}

}  // namespace viewer
