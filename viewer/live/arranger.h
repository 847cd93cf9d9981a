#pragma once
// The user moves and turns bodies and other things of a scene before it starts, by handles over the picture or by
// numbers.
#include "viewer/live/gizmo.h"
#include "viewer/live/movable.h"
#include <optional>
#include <utility>

namespace viewer {

// Owns what is chosen, the handle that is held, and the motion that is not in the scene yet.
//
// Between calls: a handle is held only of what is chosen. A motion is there while one is held or a number is changed,
// and from then on until the scene has it or could not have it.
//
// Needs nothing; with each call the scene as it is now.
class Arranger {
public:
  // The mouse in a frame. Places in pixels of the window.
  struct Mouse {
    glm::vec2 at;
    bool pressed;  // in this frame
    bool down;
    bool coarse;  // larger steps
  };

  const std::optional<Movable>& chosen() const { return chosen_; }
  void choose(std::optional<Movable> what);
  void start();  // with another scene, or the same one as it is now
  // In every frame: what the scene does not have is no longer chosen, and where nothing may be moved no motion is left.
  void keep_to(const talus::Scene& scene, bool may_move);

  // Where what is chosen would be; none: nothing is chosen.
  std::optional<Standing> standing(const talus::Scene& scene) const;
  const talus::Pose& motion() const { return by_; }
  bool moving() const { return by_ != talus::Pose{}; }
  void set_motion(const talus::Pose& by) { by_ = by; }
  glm::dvec3& angles() { return angles_; }  // degrees, as they are typed: others may say the same rotation

  // length: of the handles, pixels. True: the mouse is the arranger's, since it holds a handle.
  bool take(const talus::Scene& scene, const talus::View& view, const glm::vec2& window, float length,
            const Mouse& mouse);
  const std::optional<Gizmo>& gizmo() const { return gizmo_; }     // of the last frame; none: nothing is chosen
  std::optional<Gizmo::Handle> handle() const { return handle_; }  // held, or below the mouse
  bool holding() const { return held_.has_value(); }
  bool take_released() { return std::exchange(released_, false); }  // the handle, and it has moved something

  // The mouse was pressed and let go at one place beside the handles: what is seen there is to be chosen. Once; 0 .. 1
  // from the left and from the top of the window.
  std::optional<glm::vec2> take_click() { return std::exchange(click_, {}); }

private:
  std::optional<Movable> chosen_;
  talus::Pose by_;
  glm::dvec3 angles_{0.0};
  std::optional<Gizmo> gizmo_;
  std::optional<Gizmo::Handle> handle_;
  struct Held {
    Gizmo gizmo;     // as it was then
    glm::vec2 from;  // where the handle was taken
  };
  std::optional<Held> held_;
  std::optional<glm::vec2> pressed_;  // where the mouse was pressed beside the handles
  std::optional<glm::vec2> click_;
  bool released_ = false;
};

}  // namespace viewer
