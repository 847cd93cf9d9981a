#pragma once
// States of the run that are kept: takes back what the user did last, and goes to moments of the run and back.
#include "viewer/live/session.h"
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace viewer {

// Owns the states from before the last actions of the user and those of moments of the run, which actions go on, and at
// which of the states the session stands, if it was taken there.
//
// Between calls: the states are in the order in which they were kept, and take no more than `bytes_most` together. At
// most `most` are from before actions; the last of these up to where the session stands is from before the last action.
// Where bytes or places run out, every second moment goes, and the time between two of them doubles; then the oldest
// state goes.
//
// Needs nothing; with each call the session, between two steps.
class Undo {
public:
  static constexpr std::size_t most = 16, moments_most = 64;
  explicit Undo(std::size_t bytes_most = std::size_t{512} << 20) : bytes_most_(bytes_most) {}

  struct Point {
    std::string action;                           // that followed: "lever boom"; empty: none, a moment of the run
    double time;                                  // s simulated
    std::shared_ptr<const Session::Kept> before;  // with its state
    std::size_t bytes;                            // of the state
    std::uint64_t run;                            // of the scene from its start
  };

  // Before the session carries out what it was given: keeps its state where one of these inputs begins an action, and
  // where it plays and a moment is due. seconds: since the last time. All inputs of one stroke of the mouse, of a lever
  // from rest to rest, and of a setting that is changed again within a second are one action. True: the session goes on
  // from a state that it was taken to, and what came after that was dropped.
  bool watch(Session& session, double seconds);
  void keep(std::string action, Session& session);  // before anything else that is to be taken back
  void start_run() { ++run_; }                      // the scene has started again
  void clear();

  std::vector<Point> points() const;  // from before actions, up to where the session stands; the oldest first
  Point take(std::size_t place);      // that one of them; all that came after it goes as well
  std::string why_not() const;        // there is none to take

  // The states of this run, with those that are ahead of where the session stands.
  std::vector<Point> timeline() const;
  // The one of them that is nearest to a time [s simulated], for the session to be taken to; none where it stands
  // there. The state that the session leaves is kept, so that it can return.
  std::optional<Point> go_to(double time, Session& session);
  const std::string& no_moments() const { return no_moments_; }  // why none are kept; empty: they are

private:
  using Clock = std::chrono::steady_clock;

  std::size_t bytes_most_;
  std::deque<Point> states_;
  std::optional<std::size_t> at_;  // the state at which the session stands; none: behind the last one
  std::uint64_t at_step_ = 0;      // the session's step there
  std::uint64_t run_ = 0;
  struct UnderWay {
    double idle = 0.0;     // s since its last input
    bool has_end = false;  // an input ends it, else time does
  };
  std::map<std::string, UnderWay> under_way_;  // by the names of actions
  std::string refused_;                        // why the last state was not kept
  std::string no_moments_;
  double every_ = 0.0;              // s simulated, at least, between two moments; 0: not chosen yet
  Clock::time_point not_before_{};  // the next moment

  std::optional<std::string> begins(const Session& session, double seconds);
  bool is_due(const Session& session) const;
  void keep_moment(Session& session);
  bool drop_ahead();
  void make_room();
  void thin();
};

// What lets go of everything that an operator still held when these inputs ended: levers, the hand, bodies.
std::vector<Input> letting_go(const std::vector<std::pair<std::uint64_t, Input>>& inputs);

}  // namespace viewer
