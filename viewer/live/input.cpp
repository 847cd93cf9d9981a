#include "viewer/live/input.h"
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace viewer {

const KeyHelp key_help[] = {
    {"Left mouse button", "turn the camera around the scene"},
    {"Right mouse button", "look around from where the camera stands"},
    {"Middle button, or Shift and left", "move the camera sideways"},
    {"Control and left", "use the tool: pull, pour, dig, push or cut"},
    {"1, 2, 3, 4, 5", "the tools: pull, pour, dig, push, cut; Control and wheel: how far they reach"},
    {"Wheel", "nearer and farther"},
    {"W A S D, Q E", "fly forward, left, back, right, down, up; Shift: faster"},
    {"Home", "the scene's own view"},
    {"Space", "play and pause"},
    {"Right arrow", "one step"},
    {"Up, down arrow", "twice as fast, half as fast"},
    {"Backspace", "from the start again"},
    {"Control and Z",
     "take the last action back: what was set, driven, dragged, cut, dropped, moved, or the start again"},
    {"C", "the next colouring"},
    {"F1", "these keys"},
    {"F2 to F10", "the panels"},
    {"J L  I K  U O  N M ..", "the machine's levers, as the panel Drive says; or a gamepad"},
    {"Tab", "hide and show all panels"},
    {"Escape", "close a message"},
    {"F12", "a picture of the scene; with Shift, of the whole window"},
};
const int key_help_count = static_cast<int>(std::size(key_help));

namespace {

bool held(GLFWwindow* window, int key) {
  return glfwGetKey(window, key) == GLFW_PRESS;
}

glm::vec2 mouse_place() {
  const ImGuiIO& io = ImGui::GetIO();
  return glm::vec2(io.MousePos.x, io.MousePos.y) / glm::vec2(io.DisplaySize.x, io.DisplaySize.y);
}

void drag(App& app) {
  if (ImGui::GetIO().MouseDown[ImGuiMouseButton_Left])
    app.hold(mouse_place());
  else
    app.hold({});
}

void change_reach(App& app, float notches) {
  constexpr float notch = 1.15f;  // times as far
  app.reach() = std::clamp(app.reach() * std::pow(notch, notches), MouseHold::reach_least, MouseHold::reach_most);
}

// True: the mouse holds a handle.
bool take_handles(App& app) {
  if (!arrange_shown(app) || !app.may_arrange())
    return false;
  const ImGuiIO& io = ImGui::GetIO();
  Arranger& arranger = app.arranger();
  if (!ImGui::IsMousePosValid())
    return arranger.holding();
  const bool others = io.MouseDown[ImGuiMouseButton_Right] || io.MouseDown[ImGuiMouseButton_Middle];
  const bool free = !io.WantCaptureMouse && !io.KeyCtrl && !app.holding() && !others;
  const glm::vec2 away(-1e6f);
  const Arranger::Mouse mouse{free || arranger.holding() ? glm::vec2(io.MousePos.x, io.MousePos.y) : away,
                              free && ImGui::IsMouseClicked(ImGuiMouseButton_Left), io.MouseDown[ImGuiMouseButton_Left],
                              io.KeyShift};
  constexpr float length = 90.0f;  // points
  return arranger.take(app.session()->scene(), app.view(), {io.DisplaySize.x, io.DisplaySize.y},
                       length * app.gui_scale(), mouse);
}

bool move_camera(App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool handles = take_handles(app);
  app.point(io.KeyCtrl && !io.WantCaptureMouse ? std::optional(mouse_place()) : std::nullopt);
  if (io.WantCaptureMouse)
    return false;
  if (io.KeyCtrl && io.MouseWheel != 0.0f) {
    change_reach(app, io.MouseWheel);
    return false;
  }
  if (app.holding() || (io.KeyCtrl && ImGui::IsMouseClicked(ImGuiMouseButton_Left))) {
    drag(app);
    return false;
  }
  if (handles)
    return false;
  const float height = io.DisplaySize.y;
  const float right = io.MouseDelta.x / height, down = io.MouseDelta.y / height;
  bool moved = false;
  if (io.MouseWheel != 0.0f) {
    app.camera().zoom(io.MouseWheel);
    moved = true;
  }
  if (right == 0.0f && down == 0.0f)
    return moved;
  if (io.MouseDown[ImGuiMouseButton_Middle] || (io.MouseDown[ImGuiMouseButton_Left] && io.KeyShift))
    app.camera().pan(right, down);
  else if (io.MouseDown[ImGuiMouseButton_Left])
    app.camera().turn(right, down);
  else if (io.MouseDown[ImGuiMouseButton_Right])
    app.camera().turn_head(right, down);
  else
    return moved;
  return true;
}

bool fly(App& app, float seconds) {
  GLFWwindow* window = app.window().handle();
  const auto axis = [&](int less, int more) {
    return static_cast<float>(held(window, more)) - static_cast<float>(held(window, less));
  };
  const glm::vec3 way(axis(GLFW_KEY_A, GLFW_KEY_D), axis(GLFW_KEY_S, GLFW_KEY_W), axis(GLFW_KEY_Q, GLFW_KEY_E));
  if (way == glm::vec3(0.0f) || ImGui::GetIO().KeyCtrl)
    return false;
  const float speed = app.camera().distance() * (ImGui::GetIO().KeyShift ? 3.0f : 0.8f);  // m/s
  constexpr float longest = 0.1f;  // s: a slow frame does not hurl it past what is looked at
  app.camera().fly(way * speed * std::min(seconds, longest));
  return true;
}

std::filesystem::path picture_file() {
  return fmt::format("talus-{:%Y%m%d-%H%M%S}.png", fmt::localtime(std::time(nullptr)));
}

// Of a running scene. False: the key has another meaning, or none.
bool drive_time(Session& session, const KeyPress& press) {
  switch (press.key) {
  case GLFW_KEY_SPACE:
    play_or_pause(session);
    return true;
  case GLFW_KEY_RIGHT:
    session.play_step();
    return true;
  case GLFW_KEY_UP:
    session.pace = std::min(2.0 * session.pace, 64.0);
    return true;
  case GLFW_KEY_DOWN:
    session.pace = std::max(0.5 * session.pace, 1.0 / 64.0);
    return true;
  default:
    return false;
  }
}

// True: the picture is another one now.
bool act(App& app, const KeyPress& press) {
  Session* session = app.session();
  if (press.key >= GLFW_KEY_F1 && press.key < GLFW_KEY_F1 + panel_count)
    toggle_panel(app, press.key - GLFW_KEY_F1);
  if (press.control && press.key == GLFW_KEY_Z && !press.again) {
    app.undo();
    return true;
  }
  if (press.control || press.again || (session && drive_time(*session, press)))
    return false;
  switch (press.key) {
  case GLFW_KEY_F12:
    app.take_picture(picture_file(), press.shift);
    return false;
  case GLFW_KEY_ESCAPE:
    app.message().clear();
    app.hint() = false;
    if (session)
      session->forget_error();
    return false;
  case GLFW_KEY_TAB:
    toggle_panels(app);
    return false;
  case GLFW_KEY_BACKSPACE:
    app.restart();
    return false;
  case GLFW_KEY_HOME:
    app.start_camera();
    return true;
  case GLFW_KEY_1:
    app.tool() = Tool::pull;
    return false;
  case GLFW_KEY_2:
    app.tool() = Tool::pour;
    return false;
  case GLFW_KEY_3:
    app.tool() = Tool::dig;
    return false;
  case GLFW_KEY_4:
    app.tool() = Tool::push;
    return false;
  case GLFW_KEY_5:
    app.tool() = Tool::cut;
    return false;
  case GLFW_KEY_C:
    next_coloring(app.look());
    return true;
  default:
    return false;
  }
}

}  // namespace

bool read_input(App& app, float seconds) {
  bool changed = move_camera(app);
  const std::vector<KeyPress> keys = app.window().keys();
  if (ImGui::GetIO().WantTextInput) {
    app.machine().read(app.window().handle(), false);
    return changed;
  }
  app.machine().read(app.window().handle(), !ImGui::GetIO().KeyCtrl);
  changed |= fly(app, seconds);
  for (const KeyPress& press : keys)
    changed |= act(app, press);
  return changed;
}

}  // namespace viewer
