// What is asked before a dropped mesh becomes a body.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace viewer {

namespace {

struct Unit {
  const char* name;
  double scale;  // m
};
constexpr std::array units{Unit{"m", 1.0}, Unit{"cm", 0.01}, Unit{"mm", 0.001}, Unit{"inch", 0.0254}};

void choose_unit(DroppedMesh& mesh) {
  const auto chosen = std::ranges::find(units, mesh.scale, &Unit::scale);
  if (ImGui::BeginCombo("unit of the file", chosen->name)) {
    for (const Unit& unit : units)
      if (ImGui::Selectable(unit.name, unit.scale == mesh.scale))
        mesh.scale = unit.scale;
    ImGui::EndCombo();
  }
  const glm::dvec3 size = mesh.scale * (mesh.bounds.max - mesh.bounds.min);
  ImGui::Text("%.3g x %.3g x %.3g m", size.x, size.y, size.z);
}

void choose_motion(DroppedMesh& mesh) {
  if (ImGui::RadioButton("falls and is pushed", mesh.dynamic))
    mesh.dynamic = true;
  ImGui::SameLine();
  if (ImGui::RadioButton("stands", !mesh.dynamic))
    mesh.dynamic = false;
  if (!mesh.dynamic)
    return;
  constexpr double light = 10.0, heavy = 20000.0;
  ImGui::SliderScalar("density, kg/m3", ImGuiDataType_Double, &mesh.density, &light, &heavy, "%.4g",
                      ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
}

}  // namespace

void mesh_dialog(App& app) {
  std::optional<DroppedMesh>& mesh = app.dropped_mesh();
  if (!mesh)
    return;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * size.x, 0.5f * size.y}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::Begin("Add a body", nullptr,
               ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse);
  ImGui::TextUnformatted(mesh->file.filename().string().c_str());
  ImGui::PushItemWidth(120.0f * app.gui_scale());
  choose_unit(*mesh);
  choose_motion(*mesh);
  ImGui::PopItemWidth();
  ImGui::TextDisabled("Above what is there; the scene starts again.");
  const bool add = ImGui::Button("Add");
  ImGui::SameLine();
  if (ImGui::Button("Cancel"))
    mesh.reset();
  ImGui::End();
  if (add)
    app.add_mesh();
}

}  // namespace viewer
