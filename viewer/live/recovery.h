#pragma once
// Recovers from a device that was lost.
#include "viewer/live/session.h"
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace viewer {

// Owns the state of the scene from before the device was lost, and when the device is to be opened again.
//
// Between calls: waiting() holds from a failed attempt to open the device until one succeeds. The state stays until a
// session takes it over, or another scene is opened.
//
// Needs nothing from outside.
class Recovery {
public:
  // The device is lost now. True: that happens so soon again that the scene may be what the device does not bear.
  bool lose();
  void keep(Session::Kept kept) { kept_ = std::move(kept); }
  void forget() { kept_.reset(); }
  const std::optional<Session::Kept>& kept() const { return kept_; }
  std::optional<Session::Kept> take_kept() { return std::exchange(kept_, {}); }

  bool waiting() const { return again_.has_value(); }
  bool due() const { return again_ && Clock::now() > *again_; }
  void opened() { again_.reset(); }
  void failed();  // to open: tries again in a while

  std::string news(const std::string& device) const;    // for the window, once the device is open again
  void save(const std::filesystem::path& scene) const;  // the state, where there is one; tells of it on stderr

private:
  using Clock = std::chrono::steady_clock;
  std::optional<Session::Kept> kept_;
  std::optional<Clock::time_point> lost_, again_;  // when the device was lost last; when it is to be opened again
};

}  // namespace viewer
