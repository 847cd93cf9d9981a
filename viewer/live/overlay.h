#pragma once
// Lines over the picture, below all panels. Places and lengths in pixels of the window; tones as Dear ImGui has them.
#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

namespace viewer {

glm::vec2 window_size();

// With a dark edge, so that it is seen over sand and sky.
void draw_line(const std::vector<glm::vec2>& points, std::uint32_t tone, float thickness);

// The head of an arrow that comes from there.
void draw_head(const glm::vec2& from, const glm::vec2& end, std::uint32_t tone, float size);

}  // namespace viewer
