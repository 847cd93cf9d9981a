// Panels that open and write files: scenes, recording.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <fmt/format.h>
#include <imgui_stdlib.h>

namespace viewer {

namespace fs = std::filesystem;

namespace {

std::string counted(std::uint64_t number) {
  return number < 10'000       ? fmt::format("{}", number)
         : number < 10'000'000 ? fmt::format("{:.0f}k", 1e-3 * static_cast<double>(number))
                               : fmt::format("{:.0f}M", 1e-6 * static_cast<double>(number));
}

// Title, name and number of grains beside a picture, as far as they are known.
void scene_text(const Previews::Preview& preview, const fs::path& file) {
  const std::string name = file.stem().string();
  ImGui::BeginGroup();
  ImGui::TextUnformatted((preview.title.empty() ? name : preview.title).c_str());
  ImVec4 faint = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  faint.w = 0.6f;
  ImGui::PushStyleColor(ImGuiCol_Text, faint);  // to be read on the row that is pointed at, too
  ImGui::TextUnformatted(name.c_str());
  if (preview.grains > 0)
    ImGui::Text("%s grains%s", counted(preview.grains).c_str(),
                preview.fine > 0 ? fmt::format(", {} fine", counted(preview.fine)).c_str() : "");
  ImGui::PopStyleColor();
  ImGui::EndGroup();
}

void scene_row(App& app, const fs::path& file) {
  const Session* session = app.session();
  std::error_code error;
  const bool open =
      session && session->file().filename() == file.filename() && fs::equivalent(session->file(), file, error);
  const ImVec2 size(96.0f * app.gui_scale(), 54.0f * app.gui_scale()), start = ImGui::GetCursorPos();
  ImGui::PushID(file.string().c_str());
  if (ImGui::Selectable("##open", open, 0, {0.0f, size.y}))
    app.open(file);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", file.string().c_str());
  if (ImGui::IsItemVisible()) {
    Previews::Preview& preview = app.previews().of(file);
    ImGui::SetCursorPos(start);
    if (preview.picture)
      ImGui::Image(Gui::texture(preview.picture), size);
    else
      ImGui::Dummy(size);
    ImGui::SameLine();
    scene_text(preview, file);
    ImGui::SetCursorPos({start.x, start.y + size.y + ImGui::GetStyle().ItemSpacing.y});
  }
  ImGui::PopID();
}

}  // namespace

void scenes_panel(App& app) {
  ImGui::TextWrapped("Click to open; or drop a scene, a mesh or a recording of inputs on the window.");
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
