#include "viewer/live/undo.h"
#include "engine/gpu/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace viewer {

using namespace talus;

namespace {

constexpr double idle_most = 1.0;   // s: then an action that no input ends has ended
constexpr double frame_most = 0.1;  // s: a frame counts for no more, so that slow ones do not split an action

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

void Undo::watch(Session& session, double seconds) {
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
  if (begins)
    keep(std::move(*begins), session);
}

void Undo::keep(std::string action, Session& session) {
  refused_.clear();
  try {
    Session::Kept before = session.snapshot();
    const std::size_t bytes = bytes_of(before);
    points_.push_back({std::move(action), session.time(), std::move(before), bytes});
  } catch (const gpu::DeviceLost&) {
    throw;
  } catch (const std::exception& e) {
    points_.clear();  // what is before them alone is none of the user's last action
    refused_ = fmt::format("the state before it could not be kept: {}", e.what());
    return;
  }
  std::size_t total = 0;
  for (const Point& point : points_)
    total += point.bytes;
  while (points_.size() > most || (total > bytes_most_ && !points_.empty())) {
    total -= points_.front().bytes;
    if (points_.size() == 1)
      refused_ = fmt::format("a state of this scene takes {}, and {} are kept at most",
                             mebibytes(points_.front().bytes), mebibytes(bytes_most_));
    points_.pop_front();
  }
}

void Undo::clear() {
  points_.clear();
  under_way_.clear();
  refused_.clear();
}

Undo::Point Undo::take(std::size_t place) {
  Point point = std::move(points_.at(place));
  points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(place), points_.end());
  under_way_.clear();
  return point;
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
