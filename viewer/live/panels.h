#pragma once
// What is in the window besides the picture. One function per panel; panels_*.cpp.
#include "viewer/renderer_look.h"
#include <glm/glm.hpp>

namespace viewer {

class App;
class Session;

inline constexpr int panel_count = 10;  // F1, F2, ..
void toggle_panel(App& app, int panel);
void toggle_panels(App& app);  // all of them, and back

bool pass_times_shown(App& app);
bool arrange_shown(App& app);
bool drive_shown(App& app);

// Where a panel is, so that it stays there in a window of another size.
struct PanelPlace {
  // Shares of the window: of its upper left corner; beyond the middle, of its right or lower edge.
  glm::vec2 share{0.0f};
  glm::vec2 wanted{0.0f};           // pixels, its size as it was opened or pulled, where there is room
  glm::vec2 low{0.0f}, size{0.0f};  // pixels, in the last frame
  bool shown = false;               // so far
  bool held = false;                // it has the mouse, if that is down
};

// The bar on top and the open panels. True: the picture is another one now.
bool build_panels(App& app);

void play_or_pause(Session& session);
void next_coloring(talus::Look& look);

void save_scene(App& app, Session& session);  // a file's name, and a button
void force_arrows(App& app);                  // on what is driven, over the picture
void arrange_overlay(App& app);               // the handles over the picture
void mesh_dialog(App& app);                   // where a mesh was dropped

// The panels; each builds what is inside its window.
void keys_panel(App& app);
void scenes_panel(App& app);
bool look_panel(App& app);
void statistics_panel(App& app);
void settings_panel(App& app);
void drive_panel(App& app);
void record_panel(App& app);
void graph_panel(App& app);
void timeline_panel(App& app);
void arrange_panel(App& app);

}  // namespace viewer
