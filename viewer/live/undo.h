#pragma once
// Takes back what the user did last.
#include "viewer/live/session.h"
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace viewer {

// Owns the states from before the last actions of the user, and which actions go on.
//
// Between calls: there are at most `most` states, which take no more than `bytes_most` together. The last one is from
// before the last action.
//
// Needs nothing; with each call the session, between two steps.
class Undo {
public:
  static constexpr std::size_t most = 16;
  explicit Undo(std::size_t bytes_most = std::size_t{512} << 20) : bytes_most_(bytes_most) {}

  struct Point {
    std::string action;    // that followed: "lever boom"
    double time;           // s simulated
    Session::Kept before;  // with its state
    std::size_t bytes;     // of the state
  };

  // Before the session carries out what it was given: keeps its state where one of these inputs begins an action.
  // seconds: since the last time. All inputs of one stroke of the mouse, of a lever from rest to rest, and of a setting
  // that is changed again within a second are one action.
  void watch(Session& session, double seconds);
  void keep(std::string action, Session& session);  // before anything else that is to be taken back
  void clear();

  const std::deque<Point>& points() const { return points_; }  // the oldest first
  Point take(std::size_t place);                               // that one of them; those after it go as well
  std::string why_not() const;                                 // there is none to take

private:
  std::size_t bytes_most_;
  std::deque<Point> points_;
  struct UnderWay {
    double idle = 0.0;     // s since its last input
    bool has_end = false;  // an input ends it, else time does
  };
  std::map<std::string, UnderWay> under_way_;  // by the names of actions
  std::string refused_;                        // why the last state was not kept
};

// What lets go of everything that an operator still held when these inputs ended: levers, the hand, bodies.
std::vector<Input> letting_go(const std::vector<std::pair<std::uint64_t, Input>>& inputs);

}  // namespace viewer
