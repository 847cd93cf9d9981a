#pragma once
// The mouse acts in the scene by its tool: it holds something and drags it along, pushes, digs or pours grains, or cuts
// bodies.
#include "viewer/live/grasp.h"
#include "viewer/live/session.h"

namespace viewer {

enum class Tool { pull, pour, dig, push, cut };

// Owns where the mouse holds the picture, the tool in it and how far that reaches, its grasp of what is there, and how
// far away it pours and pushes.
//
// Between calls: there is a grasp, or a push, only while the mouse holds, or until the next drag() lets go. A stroke
// keeps the tool that it began with.
//
// Needs nothing; with each call the session and the renderer whose picture is picked from.
class MouseHold {
public:
  Tool tool = Tool::pull;
  static constexpr float reach_least = 1.0f, reach_most = 50.0f;
  float reach = 5.0f;  // radii of the largest grain, of the ball in which the tools but pour act

  // place: in the window, 0 .. 1 from the left and from the top; unset: the mouse lets go.
  void hold(std::optional<glm::vec2> place) {
    if (place && !place_ && tool == Tool::cut)
      clicked_ = place;
    place_ = place;
  }
  bool holding() const { return place_.has_value(); }
  // The mouse is there, and about to use its tool: the ball is found. unset: it is not.
  void point(std::optional<glm::vec2> place) { pointed_ = place; }
  void start();  // with another scene

  // Tells the session what follows from where the mouse is now. While no step is under way. pictured: there is a
  // picture to pick from.
  void drag(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);

  // The ball of the tool that is in use or about to be, to be drawn; none: there is nothing that it could take.
  struct Ball {
    glm::vec3 at;  // m
    float radius;  // m
  };
  const std::optional<Ball>& ball() const { return ball_; }
  std::string take_refusal() { return std::exchange(refusal_, {}); }  // why nothing was cut; empty: nothing to tell

private:
  std::optional<glm::vec2> place_, pointed_;
  std::optional<glm::vec2> clicked_;  // where to cut, until no step is under way
  std::string refusal_;
  std::optional<Tool> stroke_;  // the tool of the stroke that goes on
  Grasp grasp_;
  std::optional<float> depth_;  // m along the view, at which it pours or pushes
  // When it was last told to pour, to dig or to push [s simulated], and where the mouse was then; none in this stroke.
  struct Told {
    double time;
    glm::vec2 place;
  };
  std::optional<Told> told_;
  std::optional<Ball> ball_;
  std::optional<glm::vec2> looked_;  // where the mouse was when the ball was found last

  double radius(const Session& session) const;  // m, of the ball
  bool is_due(const Session& session, double again) const;
  void look(const Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void pull(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void pour(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void dig(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void push(Session& session, talus::Renderer& renderer, const talus::View& view, bool pictured);
  void cut(Session& session, talus::Renderer& renderer, const glm::vec2& place);
};

}  // namespace viewer
