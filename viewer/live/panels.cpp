#include "viewer/live/panels.h"
#include "engine/scene/words.h"
#include "viewer/live/app.h"
#include "viewer/live/input.h"
#include "viewer/live/projection.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace viewer {

namespace {

struct Panel {
  const char* name;
  float x, y;           // where it opens first, shares of the window; beyond the middle, of its right and lower edge
  float width, height;  // points; 0: as high as what is in it
  bool (*build)(App&);
};

template <auto f> bool unchanged(App& app) {
  f(app);
  return false;
}

constexpr Panel panels[panel_count] = {
    {"Keys", 0.32f, 0.17f, 520.0f, 0.0f, unchanged<keys_panel>},
    {"Scenes", 0.01f, 0.06f, 290.0f, 480.0f, unchanged<scenes_panel>},
    {"Look", 0.99f, 0.06f, 270.0f, 0.0f, look_panel},
    {"Statistics", 0.99f, 0.49f, 290.0f, 380.0f, unchanged<statistics_panel>},
    {"Settings", 0.26f, 0.06f, 330.0f, 460.0f, unchanged<settings_panel>},
    {"Drive", 0.72f, 0.98f, 300.0f, 0.0f, unchanged<drive_panel>},
    {"Record", 0.01f, 0.98f, 250.0f, 0.0f, unchanged<record_panel>},
    {"Graph", 0.29f, 0.115f, 720.0f, 560.0f, unchanged<graph_panel>},
    {"Timeline", 0.3f, 0.985f, 520.0f, 0.0f, unchanged<timeline_panel>},
    {"Arrange", 0.99f, 0.98f, 300.0f, 0.0f, unchanged<arrange_panel>},
};

bool is_open(App& app, const Panel& panel) {
  return std::ranges::find(app.remembered().panels, panel.name) != app.remembered().panels.end();
}

bool shown(App& app, bool (*build)(App&)) {
  const auto panel = std::ranges::find(panels, build, &Panel::build);
  return app.remembered().panels_shown && is_open(app, *panel);
}

void set_open(App& app, const Panel& panel, bool open) {
  std::erase(app.remembered().panels, panel.name);
  if (open)
    app.remembered().panels.push_back(panel.name);
}

glm::vec2 vector_of(const ImVec2& v) {
  return {v.x, v.y};
}

ImVec2 point_of(const glm::vec2& v) {
  return {v.x, v.y};
}

// The room [pixels] that a window has for a panel beside the edge that the panel keeps to, below the bar on top.
glm::vec2 room_of(const glm::vec2& share, const glm::vec2& window, float top) {
  constexpr float margin = 0.98f;
  return {(share.x > 0.5f ? share.x : margin - share.x) * window.x,
          share.y > 0.5f ? share.y * window.y - top : std::min((margin - share.y) * window.y, window.y - top)};
}

glm::vec2 share_of(const glm::vec2& low, const glm::vec2& size, const glm::vec2& window) {
  const glm::vec2 high = low + size, middle = low + 0.5f * size;
  return {(middle.x > 0.5f * window.x ? high.x : low.x) / window.x,
          (middle.y > 0.5f * window.y ? high.y : low.y) / window.y};
}

glm::vec2 pivot_of(const glm::vec2& share) {
  return {share.x > 0.5f ? 1.0f : 0.0f, share.y > 0.5f ? 1.0f : 0.0f};
}

glm::vec2 low_of(const glm::vec2& share, const glm::vec2& size, const glm::vec2& window) {
  return glm::floor(share * window - pivot_of(share) * size);
}

// Before a panel begins: it keeps its shares of the window, and its size as far as there is room, but while a hand
// pulls at it.
void put(const PanelPlace& place, const Panel& panel, const glm::vec2& window, float top, float scale) {
  const ImGuiCond when = place.shown ? ImGuiCond_Always : ImGuiCond_FirstUseEver;
  const glm::vec2 room = room_of(place.share, window, top);
  const bool high_as_needed = panel.height == 0.0f;
  if (high_as_needed)
    ImGui::SetNextWindowSizeConstraints({std::min(panel.width * scale, room.x), 0.0f}, point_of(room));
  if (place.held && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    return;
  ImGui::SetNextWindowPos(point_of(place.share * window), when, point_of(pivot_of(place.share)));
  if (!high_as_needed)
    ImGui::SetNextWindowSize(point_of(glm::min(place.wanted, room)), when);
}

// Within a panel: where it is; when a hand pulls at it, within the window, below the bar on top.
void note(PanelPlace& place, const glm::vec2& window, float top) {
  place.held = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  if (ImGui::IsWindowAppearing())  // Dear ImGui does not know its size yet
    return;
  const glm::vec2 before = std::exchange(place.size, vector_of(ImGui::GetWindowSize()));
  place.low = vector_of(ImGui::GetWindowPos());
  const glm::vec2 inside = glm::max(glm::min(place.low, window - place.size), {0.0f, top});
  const bool pulled = place.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (pulled || (!place.shown && place.low != low_of(place.share, place.size, window))) {  // else where it opens first
    if (place.size != before)
      place.wanted = place.size;
    place.share = share_of(inside, place.size, window);
  }
  if (inside != place.low)
    ImGui::SetWindowPos(point_of(place.low = inside));
  place.shown = true;
}

bool build(App& app, int number) {
  const Panel& panel = panels[number];
  if (!is_open(app, panel))
    return false;
  PanelPlace& at = app.panel_places()[number];
  if (at.wanted == glm::vec2(0.0f)) {
    at.share = {panel.x, panel.y};
    at.wanted = glm::vec2(panel.width, panel.height) * app.gui_scale();
  }
  const glm::vec2 window = vector_of(ImGui::GetIO().DisplaySize);
  const float top = ImGui::GetFrameHeight();
  put(at, panel, window, top, app.gui_scale());
  bool open = true, changed = false;
  const ImGuiWindowFlags flags = panel.height == 0.0f ? ImGuiWindowFlags_AlwaysAutoResize : 0;
  if (ImGui::Begin(panel.name, &open, flags)) {
    note(at, window, top);
    changed = panel.build(app);
  }
  ImGui::End();
  if (!open)
    set_open(app, panel, false);
  return changed;
}

void tip(const char* text) {
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", text);
}

void time_controls(App& app, Session& session) {
  if (ImGui::Button(session.playing ? "Pause" : "Play"))
    play_or_pause(session);
  tip("Space");
  ImGui::SameLine();
  if (ImGui::Button("Step"))
    session.play_step();
  tip("One step (right arrow)");
  ImGui::SameLine();
  if (ImGui::Button("Restart"))
    app.restart();
  tip("From the start again (Backspace)");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(110.0f * app.gui_scale());
  auto pace = static_cast<float>(session.pace);
  if (ImGui::SliderFloat("##pace", &pace, 1.0f / 64.0f, 64.0f, "%.3gx", ImGuiSliderFlags_Logarithmic))
    session.pace = pace;
  tip("How fast: simulated seconds per second, where this machine can (up and down arrow)");
}

// The states that are kept, the last one on top: each is a point of time to go back to.
void undo_menu(App& app) {
  const std::vector<Undo::Point> points = app.undo_points();
  if (!ImGui::BeginMenu("Undo", !points.empty()))
    return;
  std::optional<std::size_t> chosen;
  for (std::size_t place = points.size(); place-- > 0;) {
    ImGui::PushID(static_cast<int>(place));
    if (ImGui::MenuItem(fmt::format("{:.3f} s, before {}", points[place].time, points[place].action).c_str(),
                        place + 1 == points.size() ? "Ctrl+Z" : nullptr))
      chosen = place;
    ImGui::PopID();
  }
  ImGui::EndMenu();
  if (chosen)
    app.undo(*chosen);
}

struct ToolButton {
  Tool tool;
  const char *name, *what;
};
constexpr ToolButton tool_buttons[] = {
    {Tool::pull, "Pull",
     "Control and the left button hold a handful of grains, or a body with a mass, and drag it (1)"},
    {Tool::pour, "Pour", "Control and the left button pour grains where the mouse is (2)"},
    {Tool::dig, "Dig",
     "Control and the left button take the grains around what is pointed at away, for as long as the button is held "
     "(3).\nThe report counts them as removed_grains. Fixed grains and cloth stay, and so does ground ([soil]) that no "
     "body has dug."},
    {Tool::push, "Push",
     "Control and the left button push grains out of a ball that follows the mouse (4).\nBodies and cloth feel it "
     "through the grains alone."},
    {Tool::cut, "Cut",
     "Control and the left button cut a round hole into a body without a mass, such as a wall (5); Control and Z "
     "closes it.\nBodies with a mass and those in ground ([soil]) stay whole."},
};

void tools(App& app) {
  for (const ToolButton& button : tool_buttons) {
    if (ImGui::RadioButton(button.name, app.tool() == button.tool))
      app.tool() = button.tool;
    tip(button.what);
  }
  if (app.tool() == Tool::pour)
    return;
  ImGui::SetNextItemWidth(70.0f * app.gui_scale());
  ImGui::SliderFloat("##reach", &app.reach(), MouseHold::reach_least, MouseHold::reach_most, "%.3g r",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
  tip("The radius of the ball in which the tool acts, in radii of the largest grain (Control and wheel)");
}

// The outline of the tool's ball, as a circle over the picture.
void ball_outline(App& app) {
  const auto& ball = app.ball();
  if (!ball)
    return;
  constexpr float thickness = 1.5f;  // pixels
  const glm::vec2 window = vector_of(ImGui::GetIO().DisplaySize);
  const talus::View view = app.view();
  const auto center = pixel_of(view, window, ball->at);
  if (!center)
    return;
  const float radius = ball->radius / static_cast<float>(pixel_length(view, window, ball->at));
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddCircle(point_of(*center), radius, IM_COL32(0, 0, 0, 160), 0, thickness + 2.0f);
  list.AddCircle(point_of(*center), radius, IM_COL32(255, 255, 255, 230), 0, thickness);
}

void top_bar(App& app) {
  if (!ImGui::BeginMainMenuBar())
    return;
  if (ImGui::BeginMenu("Panels")) {
    for (int p = 0; p < panel_count; ++p)
      if (ImGui::MenuItem(panels[p].name, fmt::format("F{}", p + 1).c_str(), is_open(app, panels[p])))
        toggle_panel(app, p);
    ImGui::Separator();
    ImGui::MenuItem("Light", nullptr, &app.remembered().light);
    tip("Dark letters on light panels, for a bright room");
    ImGui::EndMenu();
  }
  if (Session* session = app.session()) {
    undo_menu(app);
    time_controls(app, *session);
    tools(app);
    ImGui::Text("%.2f s", session->time());
    ImGui::TextDisabled(session->playing   ? "%.2fx real time"
                        : session->ended() ? "at its end"
                                           : "paused",
                        session->rate());
  }
  if (app.recorder().running())
    ImGui::TextColored(error_tone(), "recording, frame %zu", app.recorder().frames());
  if (app.loader().busy())
    ImGui::TextColored(accent_tone(), "loading %s", app.loader().file().filename().string().c_str());
  const std::string rate = fmt::format("{:.0f} frames/s   F1: keys", 1.0 / std::max(app.frame_seconds(), 1e-4));
  ImGui::SameLine();
  const float left = ImGui::GetWindowWidth() - ImGui::CalcTextSize(rate.c_str()).x - 16.0f;
  if (left >= ImGui::GetCursorPosX()) {  // a narrow window has no room for it
    ImGui::SetCursorPosX(left);
    ImGui::TextDisabled("%s", rate.c_str());
  }
  ImGui::EndMainMenuBar();
}

// One line or a few at the lower edge: what went wrong, what was saved. empty: nothing is shown.
bool message_box(App& app, const char* id, const std::string& text, bool wrong) {
  if (text.empty())
    return false;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float width = std::min(0.8f * size.x, 760.0f * app.gui_scale());
  ImGui::SetNextWindowPos({0.5f * size.x, size.y - (wrong ? 20.0f : 90.0f)}, ImGuiCond_Always, {0.5f, 1.0f});
  ImGui::SetNextWindowSize({width, 0.0f});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoNav);
  ImGui::PushTextWrapPos(0.0f);
  if (wrong)
    ImGui::TextColored(error_tone(), "%s", text.c_str());
  else
    ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  const bool closed = ImGui::Button("Close");
  ImGui::End();
  return closed;
}

// A line at the lower edge, over the picture, without a window of its own: it takes no mouse.
void hint_line(App& app) {
  const char* text = nullptr;
  if (app.hint())
    text = "Control and drag: hold sand, pour it (2), dig (3) or push (4), cut a wall (5)     Drag: look around     "
           "Space: pause     "
           "F2: other scenes    "
           " F1: all keys";
  else if (!app.session() && !app.loader().busy())
    text = "F2: scenes. Or drop a scene file on the window.";
  if (!text)
    return;
  const ImVec2 window = ImGui::GetIO().DisplaySize, size = ImGui::CalcTextSize(text, nullptr, false, 0.94f * window.x);
  const ImVec2 gap = ImGui::GetStyle().WindowPadding;
  const ImVec2 low{0.5f * (window.x - size.x), window.y - size.y - 3.0f * gap.y};
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilled({low.x - gap.x, low.y - gap.y}, {low.x + size.x + gap.x, low.y + size.y + gap.y},
                     ImGui::GetColorU32(ImGuiCol_WindowBg), ImGui::GetStyle().WindowRounding);
  list.AddText(nullptr, 0.0f, low, ImGui::GetColorU32(ImGuiCol_Text), text, nullptr, 0.94f * window.x);
}

}  // namespace

bool pass_times_shown(App& app) {
  return shown(app, unchanged<statistics_panel>) || shown(app, unchanged<graph_panel>);
}

bool arrange_shown(App& app) {
  return shown(app, unchanged<arrange_panel>);
}

bool drive_shown(App& app) {
  return shown(app, unchanged<drive_panel>);
}

void toggle_panel(App& app, int panel) {
  set_open(app, panels[panel], !is_open(app, panels[panel]));
}

void toggle_panels(App& app) {
  app.remembered().panels_shown = !app.remembered().panels_shown;
}

void play_or_pause(Session& session) {
  if (!session.playing && session.ended())
    session.go_on_for_ever();
  session.playing = !session.playing;
  session.forget_error();
}

void next_coloring(talus::Look& look) {
  constexpr std::size_t ways = talus::words<talus::ColorBy>.size();
  look.color_by = static_cast<talus::ColorBy>((static_cast<std::size_t>(look.color_by) + 1) % ways);
  look.color_range = {};
}

bool build_panels(App& app) {
  bool changed = false;
  ball_outline(app);
  if (drive_shown(app))
    force_arrows(app);
  if (arrange_shown(app))
    arrange_overlay(app);
  if (app.remembered().panels_shown) {
    top_bar(app);
    hint_line(app);
    for (int p = 0; p < panel_count; ++p)
      changed |= build(app, p);
  }
  mesh_dialog(app);
  if (message_box(app, "message", app.message(), false))
    app.message().clear();
  if (Session* session = app.session(); session && message_box(app, "error", session->error(), true))
    session->forget_error();
  return changed;
}

}  // namespace viewer
