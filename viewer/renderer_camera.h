#pragma once
// Where a picture is taken from, and what part of the scene it is to show.
#include "engine/scene/scene.h"
#include <glm/glm.hpp>

namespace talus {

struct Box {
  glm::vec3 min, max;  // m
};

// Where the grains will be, what is filled and poured and the ground below on which it spreads; where cloth starts,
// hangs and falls; and where bodies start that do not go on forever. The domain where there is none of them.
Box content(const Scene& scene);

// A perspective view; z is up on the screen.
struct View {
  glm::vec3 eye;      // m
  glm::vec3 forward;  // unit
  glm::vec3 right;    // across the picture; its length is half the picture's width at distance 1
  glm::vec3 up;       // likewise, half the height

  // Where a point appears: -1 .. 1 from left to right and from bottom to top. z: its distance along forward.
  glm::vec3 project(const glm::vec3& point) const;
};

// The scene's camera. Without an eye it stands where the content just fits, without a target it looks at its middle.
View view_of(const Scene& scene, float aspect);

}  // namespace talus
