// The panel in which a scene's things are put elsewhere, and its handles over the picture.
#include "engine/scene/bodies.h"
#include "viewer/live/app.h"
#include "viewer/live/overlay.h"
#include "viewer/live/panels.h"
#include "viewer/live/projection.h"
#include <cmath>
#include <imgui.h>

namespace viewer {

using namespace talus;

namespace {

ImU32 tone_of(Gizmo::Handle handle) {
  constexpr ImU32 x = IM_COL32(235, 80, 70, 255), y = IM_COL32(100, 205, 80, 255), z = IM_COL32(80, 140, 250, 255);
  constexpr ImU32 tones[] = {x, y, z, IM_COL32(225, 225, 225, 255), x, y, z};
  return tones[static_cast<std::size_t>(handle)];
}

void draw_handle(const Gizmo& gizmo, Gizmo::Handle handle, bool lit, float scale) {
  const std::vector<glm::vec2>& line = gizmo.line_of(handle);
  if (line.empty())
    return;
  const ImU32 tone = lit ? IM_COL32(255, 225, 90, 255) : tone_of(handle);
  draw_line(line, tone, 2.5f * scale);
  if (handle >= Gizmo::Handle::move_level)
    return;
  draw_head(line.front(), line.back(), tone, 6.0f * scale);
}

// The edges of the box around what is chosen, where it would be.
void draw_box(const View& view, const glm::vec2& window, const Standing& standing) {
  const Bounds& box = standing.box;
  if (!std::isfinite(glm::length(box.max - box.min)))
    return;
  for (int edge = 0; edge < 12; ++edge) {
    const int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    glm::dvec3 a = box.min;
    a[u] = edge & 1 ? box.max[u] : box.min[u];
    a[v] = edge & 2 ? box.max[v] : box.min[v];
    glm::dvec3 b = a;
    b[axis] = box.max[axis];
    const auto from = pixel_of(view, window, (standing.pose * Pose{a}).position);
    const auto to = pixel_of(view, window, (standing.pose * Pose{b}).position);
    if (from && to)
      draw_line({*from, *to}, IM_COL32(255, 235, 170, 230), 1.2f);
  }
}

void choose(App& app, const Scene& scene) {
  Arranger& arranger = app.arranger();
  const std::string now = arranger.chosen() ? name_of(scene, *arranger.chosen()) : "nothing";
  if (!ImGui::BeginCombo("##chosen", now.c_str()))
    return;
  for (const Movable& one : movables_of(scene)) {
    ImGui::PushID(static_cast<int>(one.kind));
    ImGui::PushID(static_cast<int>(one.number));
    if (ImGui::Selectable(name_of(scene, one).c_str(), arranger.chosen() == one))
      arranger.choose(one);
    ImGui::PopID();
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

// From where it is in the scene to there.
Pose motion_to(const Scene& scene, const Movable& what, const Pose& pose) {
  return pose * inverse_of(standing_of(scene, what).pose);
}

// Numbers that are pulled or typed; they are taken once they are let go of. A place is a motion without any rotation.
void numbers(App& app, const Scene& scene) {
  Arranger& arranger = app.arranger();
  const Movable what = *arranger.chosen();
  const Pose start = standing_of(scene, what).pose;
  Pose pose = arranger.standing(scene)->pose;
  const auto speed = static_cast<float>(5e-4 * glm::distance(scene.domain.min, scene.domain.max));
  bool taken = false;
  if (ImGui::DragScalarN("m", ImGuiDataType_Double, &pose.position.x, 3, speed, nullptr, nullptr, "%.4g"))
    arranger.set_motion({pose.position - start.position});
  taken |= ImGui::IsItemDeactivatedAfterEdit();
  if (has_angles(what)) {
    if (!ImGui::IsAnyItemActive())
      arranger.angles() = angles_of(pose.rotation);
    if (ImGui::DragScalarN("degrees", ImGuiDataType_Double, &arranger.angles().x, 3, 0.5f, nullptr, nullptr, "%.4g"))
      arranger.set_motion(motion_to(scene, what, {start.position, rotation_of(arranger.angles())}));
    taken |= ImGui::IsItemDeactivatedAfterEdit();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Angles about the fixed axes x, then y, then z");
  }
  if (taken && arranger.moving())
    app.arrange();
}

// The way that the camera looks along x, with z up.
void look_from_here(App& app, const Scene& scene) {
  const View view = app.view();
  const glm::dvec3 ahead(view.forward), left = -glm::normalize(glm::dvec3(view.right));
  const glm::dmat3 axes(ahead, left, glm::cross(ahead, left));
  app.arranger().set_motion(
      motion_to(scene, *app.arranger().chosen(), {glm::dvec3(view.eye), glm::normalize(glm::quat_cast(axes))}));
  app.arrange();
}

}  // namespace

void arrange_overlay(App& app) {
  if (!app.session())
    return;
  const glm::vec2 window = window_size();
  const Arranger& arranger = app.arranger();
  if (const auto standing = arranger.standing(app.session()->scene()))
    draw_box(app.view(), window, *standing);
  if (arranger.gizmo())
    for (const Gizmo::Handle handle : Gizmo::handles)
      draw_handle(*arranger.gizmo(), handle, arranger.handle() == handle, app.gui_scale());
}

void arrange_panel(App& app) {
  Session* session = app.session();
  if (!session) {
    ImGui::TextDisabled("No scene is open.");
    return;
  }
  const Scene& scene = session->scene();
  ImGui::TextDisabled("A click chooses a body, its handles move it.");
  ImGui::TextDisabled("The scene starts again with what is moved.");
  ImGui::PushItemWidth(210.0f * app.gui_scale());
  choose(app, scene);
  ImGui::BeginDisabled(!app.may_arrange());
  if (app.arranger().chosen()) {
    numbers(app, scene);
    if (app.arranger().chosen()->kind == Movable::Kind::depth_camera && ImGui::Button("Move the camera here"))
      look_from_here(app, scene);
  }
  if (ImGui::Button("Use this view for the scene"))
    app.keep_view();
  ImGui::EndDisabled();
  save_scene(app, *session);
  ImGui::PopItemWidth();
}

}  // namespace viewer
