#pragma once
// The mouse holds something in the scene and drags it along, or pours sand.
#include "viewer/live/grasp.h"
#include "viewer/live/session.h"

namespace viewer {

enum class Tool { pull, pour };

// Owns where the mouse holds the picture, the tool in it, its grasp of what is there, and how far away it pours.
//
// Between calls: there is a grasp only while the mouse holds, or until the next drag() lets go.
//
// Needs nothing; with each call the session and the renderer whose picture is picked from.
class MouseHold {
public:
  Tool tool = Tool::pull;

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
  std::optional<float> depth_;        // m along the view, at which it pours
  std::optional<double> pours_from_;  // s simulated, since when it was told last to pour

  void pull(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void pour(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
};

}  // namespace viewer
