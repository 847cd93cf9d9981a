#include "viewer/live/undo.h"
#include "engine/gpu/error.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace viewer {

using namespace talus;

namespace {

constexpr double idle_most = 1.0;   // s: then an action that no input ends has ended
constexpr double frame_most = 0.1;  // s: a frame counts for no more, so that slow ones do not split an action

constexpr double moments = 48.0;        // that a run to the scene's end has at first ..
constexpr double every_most = 0.25;     // .. s simulated between two of them, at most
constexpr double moment_share = 0.05;   // of all time, that keeping moments takes at most
constexpr std::size_t moments_fit = 8;  // so many have to fit, or none are kept

// The action that an input is part of.
struct Part {
  std::string action;
  std::optional<Input> end;  // the input that ends it; none: of settings
};

Part part_of(const Input& input) {
  struct Visit {
    const glm::dvec3 zero{0.0};
    Part operator()(const DriveJoint& i) const { return {"lever " + i.body, DriveJoint{i.body, 0.0}}; }
    Part operator()(const MoveJoint& i) const { return {"joint " + i.body, {}}; }
    Part operator()(const DriveBody& i) const { return {"lever " + i.body, DriveBody{i.body, zero, zero}}; }
    Part operator()(const PushBody& i) const { return {"drag " + i.body, PushBody{i.body, zero, zero}}; }
    Part operator()(const SetParameter& i) const { return {"setting " + i.key, {}}; }
    Part operator()(const Grab&) const { return {"hand", Release{}}; }
    Part operator()(const MoveHand&) const { return {"hand", Release{}}; }
    Part operator()(const Pour&) const { return {"pour", {}}; }
    Part operator()(const Dig&) const { return {"dig", {}}; }
    Part operator()(const Cut& i) const {  // each is an action of its own
      return {fmt::format("cut {} at [{:.3g}, {:.3g}, {:.3g}]", i.body, i.at.x, i.at.y, i.at.z), {}};
    }
    Part operator()(const Push&) const { return {"hand", Release{}}; }
    Part operator()(const Release&) const { return {"hand", Release{}}; }
  };
  return std::visit(Visit{}, input);
}

std::size_t bytes_of(const Session::Kept& kept) {
  std::size_t bytes = kept.done.size() * sizeof(kept.done[0]);
  if (kept.state)
    for (const auto& [name, field] : kept.state->fields)
      bytes += field.size();
  return bytes;
}

std::string mebibytes(std::size_t bytes) {
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

bool Undo::watch(Session& session, double seconds) {
  std::optional<std::string> action = begins(session, seconds);
  const bool goes_on = at_ && (action || session.step() != at_step_);
  if (goes_on)
    drop_ahead();
  if (action)
    keep(std::move(*action), session);
  else if (is_due(session))
    keep_moment(session);
  return goes_on;
}

// The action that begins with what the session was given.
std::optional<std::string> Undo::begins(const Session& session, double seconds) {
  for (auto& [name, action] : under_way_)
    action.idle += std::min(seconds, frame_most);
  std::erase_if(under_way_,
                [](const auto& action) { return !action.second.has_end && action.second.idle > idle_most; });
  std::optional<std::string> begins;
  for (const Input& input : session.given()) {
    const Part part = part_of(input);
    const auto found = under_way_.find(part.action);
    if (part.end == input) {
      under_way_.erase(part.action);
      continue;
    }
    if (found == under_way_.end() && !begins)
      begins = part.action;
    under_way_[part.action] = {.has_end = part.end.has_value()};
  }
  return begins;
}

bool Undo::is_due(const Session& session) const {
  if (!session.playing || at_ || !no_moments_.empty() || Clock::now() < not_before_)
    return false;
  return states_.empty() || states_.back().run != run_ || session.time() >= states_.back().time + every_;
}

void Undo::keep(std::string action, Session& session) {
  drop_ahead();
  refused_.clear();
  try {
    auto before = std::make_shared<const Session::Kept>(session.snapshot());
    const std::size_t bytes = bytes_of(*before);
    states_.push_back({std::move(action), session.time(), std::move(before), bytes, run_});
  } catch (const gpu::DeviceLost&) {
    throw;
  } catch (const std::exception& e) {
    states_.clear();  // what is before them alone is none of the user's last action
    refused_ = fmt::format("the state before it could not be kept: {}", e.what());
    return;
  }
  make_room();
}

void Undo::keep_moment(Session& session) {
  if (every_ == 0.0)
    every_ = std::max(session.scene().dt, std::min(session.scene().end / moments, every_most));
  const auto start = Clock::now();
  try {
    auto now = std::make_shared<const Session::Kept>(session.snapshot());
    const std::size_t bytes = bytes_of(*now);
    if (moments_fit * bytes > bytes_most_)
      no_moments_ = fmt::format("A state of this scene takes {}, too much to keep moments of it in {}.",
                                mebibytes(bytes), mebibytes(bytes_most_));
    else
      states_.push_back({{}, session.time(), std::move(now), bytes, run_});
  } catch (const gpu::DeviceLost&) {
    throw;
  } catch (const std::exception& e) {
    no_moments_ = fmt::format("A state of this scene could not be kept: {}", e.what());
  }
  make_room();
  not_before_ = Clock::now() + std::chrono::duration_cast<Clock::duration>((Clock::now() - start) / moment_share);
}

void Undo::make_room() {
  const auto actions = [&] { return std::ranges::count_if(states_, [](const Point& p) { return !p.action.empty(); }); };
  if (const auto count = static_cast<std::size_t>(actions()); count > most)
    states_.erase(std::ranges::find_if(states_, [](const Point& p) { return !p.action.empty(); }));
  for (;;) {
    std::size_t total = 0;
    for (const Point& point : states_)
      total += point.bytes;
    const std::size_t moments_kept = states_.size() - static_cast<std::size_t>(actions());
    if (total <= bytes_most_ && moments_kept <= moments_most)
      return;
    if (moments_kept > 2) {
      thin();
      continue;
    }
    if (states_.size() == 1)
      refused_ = fmt::format("a state of this scene takes {}, and {} are kept at most",
                             mebibytes(states_.front().bytes), mebibytes(bytes_most_));
    states_.pop_front();
  }
}

// The first moment stays, and so does the last one.
void Undo::thin() {
  const auto last = std::ranges::count_if(states_, [](const Point& point) { return point.action.empty(); }) - 1;
  std::ptrdiff_t place = -1;
  std::erase_if(states_, [&](const Point& point) { return point.action.empty() && ++place % 2 == 1 && place != last; });
  every_ *= 2.0;
}

// The session is not what it was where the states ahead were kept. What followed the state at which it stands is not
// what follows it now.
bool Undo::drop_ahead() {
  if (!at_)
    return false;
  states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(*at_) + 1, states_.end());
  states_.back().action.clear();
  at_.reset();
  return true;
}

void Undo::clear() {
  states_.clear();
  at_.reset();
  under_way_.clear();
  refused_.clear();
  no_moments_.clear();
  not_before_ = {};
  every_ = 0.0;
}

std::vector<Undo::Point> Undo::points() const {
  std::vector<Point> points(states_.begin(),
                            states_.begin() + static_cast<std::ptrdiff_t>(at_.value_or(states_.size())));
  std::erase_if(points, [](const Point& point) { return point.action.empty(); });
  return points;
}

Undo::Point Undo::take(std::size_t place) {
  Point point = points().at(place);
  states_.erase(std::ranges::find(states_, point.before, &Point::before), states_.end());
  at_.reset();
  under_way_.clear();
  run_ = point.run;
  return point;
}

std::vector<Undo::Point> Undo::timeline() const {
  std::vector<Point> points(states_.begin(), states_.end());
  std::erase_if(points, [&](const Point& point) { return point.run != run_; });
  return points;
}

std::optional<Undo::Point> Undo::go_to(double time, Session& session) {
  if (timeline().empty() || !no_moments_.empty())
    return std::nullopt;
  if (!at_) {
    keep_moment(session);
    if (!no_moments_.empty())
      return std::nullopt;
    at_ = states_.size() - 1;
    at_step_ = session.step();
  }
  std::size_t nearest = *at_;
  for (std::size_t k = 0; k < states_.size(); ++k)
    if (states_[k].run == run_ && std::abs(states_[k].time - time) < std::abs(states_[nearest].time - time))
      nearest = k;
  if (nearest == *at_)
    return std::nullopt;
  at_ = nearest;
  at_step_ = states_[nearest].before->state->step;
  under_way_.clear();
  return states_[nearest];
}

std::string Undo::why_not() const {
  return refused_.empty() ? "There is nothing to take back."
                          : fmt::format("The last action cannot be taken back: {}.", refused_);
}

std::vector<Input> letting_go(const std::vector<std::pair<std::uint64_t, Input>>& inputs) {
  std::map<std::string, Input> held;
  for (const auto& [step, input] : inputs) {
    const Part part = part_of(input);
    if (part.end == input)
      held.erase(part.action);
    else if (part.end)
      held.insert_or_assign(part.action, *part.end);
  }
  std::vector<Input> ends;
  for (auto& [action, end] : held)
    ends.push_back(std::move(end));
  return ends;
}

}  // namespace viewer
