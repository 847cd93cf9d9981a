// Panels that open and write files: scenes, recording.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <fmt/format.h>
#include <imgui_stdlib.h>

namespace viewer {

namespace fs = std::filesystem;

namespace {

void scene_row(App& app, const fs::path& file) {
  const Session* session = app.session();
  std::error_code error;
  const bool open =
      session && session->file().filename() == file.filename() && fs::equivalent(session->file(), file, error);
  if (ImGui::Selectable(file.stem().string().c_str(), open))
    app.open(file);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", file.string().c_str());
}

}  // namespace

void scenes_panel(App& app) {
  ImGui::TextWrapped("Click to open; or drop a scene or a recording of inputs on the window.");
  for (const fs::path& file : app.scene_files())
    scene_row(app, file);
  if (!app.remembered().recent.empty() && ImGui::CollapsingHeader("Opened before"))
    for (const std::string& file : std::vector(app.remembered().recent))
      scene_row(app, file);
}

namespace {

void inputs_section(App& app) {
  Remembered& chosen = app.remembered();
  ImGui::Separator();
  ImGui::TextWrapped("What is driven and changed, from the scene's start, to play it back to the same bits.");
  ImGui::InputText("inputs", &chosen.inputs_file);
  if (ImGui::Button("Save inputs") && app.session())
    app.save_inputs(chosen.inputs_file);
  ImGui::SameLine();
  if (ImGui::Button("Play back"))
    app.replay(chosen.inputs_file);
}

void film_section(App& app) {
  if (app.recorder().running()) {
    ImGui::Text("%zu frames in %s", app.recorder().frames(), app.recorder().file().string().c_str());
    if (ImGui::Button("Stop"))
      app.stop_recording();
    return;
  }
  ImGui::TextWrapped("At a fixed rate of simulated time, however fast it runs. A name without an ending: a folder of "
                     "pictures.");
  Remembered& chosen = app.remembered();
  ImGui::InputText("file", &chosen.record_file);
  ImGui::SliderFloat("frames/s", &chosen.record_rate, 1.0f, 240.0f, "%.0f");
  if (ImGui::Button("Record") && app.session())
    app.record(chosen.record_file, chosen.record_rate);
  ImGui::SameLine();
  if (ImGui::Button("Picture"))
    app.take_picture("talus.png", false);
}

}  // namespace

void record_panel(App& app) {
  film_section(app);
  inputs_section(app);
}

}  // namespace viewer
