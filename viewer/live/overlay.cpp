#include "viewer/live/overlay.h"
#include <imgui.h>

namespace viewer {

namespace {

ImVec2 imgui_of(const glm::vec2& v) {
  return {v.x, v.y};
}

}  // namespace

glm::vec2 window_size() {
  return {ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y};
}

void draw_line(const std::vector<glm::vec2>& points, std::uint32_t tone, float thickness) {
  std::vector<ImVec2> line;
  for (const glm::vec2& p : points)
    line.push_back(imgui_of(p));
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const auto count = static_cast<int>(line.size());
  list.AddPolyline(line.data(), count, IM_COL32(0, 0, 0, 110), 0, thickness + 2.0f);
  list.AddPolyline(line.data(), count, tone, 0, thickness);
}

void draw_head(const glm::vec2& from, const glm::vec2& end, std::uint32_t tone, float size) {
  if (from == end)
    return;
  const glm::vec2 way = glm::normalize(end - from), across(-way.y, way.x);
  ImGui::GetBackgroundDrawList()->AddTriangleFilled(imgui_of(end + 2.0f * size * way), imgui_of(end + size * across),
                                                    imgui_of(end - size * across), tone);
}

}  // namespace viewer
