#include "viewer/live/arranger.h"
#include <algorithm>

namespace viewer {

using namespace talus;

void Arranger::choose(std::optional<Movable> what) {
  chosen_ = what;
  start();
}

void Arranger::start() {
  by_ = {};
  gizmo_.reset();
  handle_.reset();
  held_.reset();
  released_ = false;
}

void Arranger::keep_to(const Scene& scene, bool may_move) {
  if (const std::vector<Movable> all = movables_of(scene); chosen_ && std::ranges::find(all, *chosen_) == all.end())
    choose({});
  if (!may_move)
    start();
}

std::optional<Standing> Arranger::standing(const Scene& scene) const {
  if (!chosen_)
    return std::nullopt;
  return moving() ? standing_of(moved(scene, *chosen_, by_), *chosen_) : standing_of(scene, *chosen_);
}

bool Arranger::take(const Scene& scene, const View& view, const glm::vec2& window, float length, const Mouse& mouse) {
  constexpr float still = 3.0f;  // pixels, within which a press and a release are a click
  if (held_)
    if (const auto by = held_->gizmo.motion(*handle_, held_->from, mouse.at, mouse.coarse))
      by_ = *by;
  gizmo_.reset();
  if (const auto here = standing(scene))
    gizmo_.emplace(view, window, middle_of(*here), length, can_turn(scene, *chosen_));
  if (held_) {
    if (!mouse.down) {
      held_.reset();
      released_ = moving();
    }
    return true;
  }
  handle_.reset();
  if (gizmo_ && !moving() && (mouse.pressed || !mouse.down))
    handle_ = gizmo_->at(mouse.at);
  if (handle_ && mouse.pressed) {
    held_ = {*gizmo_, mouse.at};
    return true;
  }
  if (mouse.pressed)
    pressed_ = mouse.at;
  else if (!mouse.down)
    if (const auto pressed = std::exchange(pressed_, {}); pressed && glm::distance(*pressed, mouse.at) < still)
      click_ = mouse.at / window;
  return false;
}

}  // namespace viewer
