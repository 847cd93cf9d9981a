#pragma once
// The mouse holds something of the scene and drags it along.
#include "viewer/live/grasp.h"
#include "viewer/live/session.h"

namespace viewer {

// Owns where the mouse holds the picture, and its grasp of what is there.
//
// Between calls: there is a grasp only while the mouse holds, or until the next drag() lets go.
//
// Needs nothing; with each call the session and the renderer whose picture is picked from.
class MouseHold {
public:
  // place: in the window, 0 .. 1 from the left and from the top; unset: the mouse lets go.
  void hold(std::optional<glm::vec2> place) { place_ = place; }
  bool holding() const { return place_.has_value(); }
  void start();  // with another scene

  // Tells the session what follows from where the mouse is now. While no step is under way. pictured: there is a
  // picture to pick from.
  void drag(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);

private:
  std::optional<glm::vec2> place_;
  Grasp grasp_;
};

}  // namespace viewer
