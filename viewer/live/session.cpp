#include "viewer/live/session.h"
#include "engine/scene/text.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace viewer {
namespace {

constexpr double most_behind = 0.1;  // s, at least: what is behind by more is not caught up with
constexpr std::uint64_t batch_most = 256;
constexpr double keep_every = 5.0;   // s, at least, between two states that are kept ..
constexpr double keep_share = 0.02;  // .. and of all time at most

bool is_command(const Input& input) {
  return !std::holds_alternative<SetParameter>(input) && !std::holds_alternative<Pour>(input) &&
         !std::holds_alternative<Dig>(input) && !std::holds_alternative<Cut>(input);
}

}  // namespace

Session::Session(talus::Simulation simulation, std::filesystem::path file)
    : simulation_(std::move(simulation)), file_(std::move(file)), opened_(simulation_.scene()),
      time_(simulation_.time()), due_(time_), step_(simulation_.step()), kept_{.scene = opened_}, keep_in_(keep_every) {
}

// Between two steps. The state on a device goes with it.
void Session::keep() {
  const auto start = std::chrono::steady_clock::now();
  kept_ = {.scene = scene(), .state = simulation_.checkpoint(), .done = done_, .replay = replay_};
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  keep_in_ = std::max(keep_every, took / keep_share);
}

Session::Kept Session::kept() {
  if (!simulation_.gpu_device()) {
    finish();
    keep();
  }
  kept_.opened = opened_;
  kept_.playing = playing;
  kept_.forever = forever_;
  kept_.pace = pace;
  return std::move(kept_);
}

Session::Kept Session::snapshot() {
  return {.scene = scene(),
          .opened = opened_,
          .state = simulation_.checkpoint(),
          .done = done_,
          .replay = replay_,
          .playing = playing,
          .forever = forever_,
          .pace = pace};
}

void Session::go_back_to(Kept kept) {
  kept.playing = playing;
  kept.pace = pace;
  go_on_from(std::move(kept));
  given_.clear();
  wanted_steps_ = 0;
  evaluated_ = false;
  error_.clear();
  keep_in_ = 0.0;  // what is kept for a lost device is from later
}

void Session::go_on_from(Kept kept) {
  if (kept.state)
    simulation_.resume(std::move(*kept.state));
  opened_ = std::move(kept.opened);
  parameters_.clear();
  opened_parameters_.clear();
  done_ = std::move(kept.done);
  replay_ = std::move(kept.replay);
  playing = kept.playing;
  forever_ = kept.forever;
  pace = kept.pace;
  time_ = due_ = rate_since_ = simulation_.time();
  step_ = simulation_.step();
}

const std::vector<Parameter>& Session::parameters() {
  if (parameters_.empty())
    parameters_ = parameters_of(scene());
  return parameters_;
}

const std::vector<Parameter>& Session::opened_parameters() {
  if (opened_parameters_.empty())
    opened_parameters_ = parameters_of(opened_);
  return opened_parameters_;
}

void Session::play_step() {
  playing = false;
  wanted_steps_ = std::max<std::uint64_t>(wanted_steps_, 1);
}

bool Session::ended() const {
  return !forever_ && time_ >= scene().end - 0.5 * scene().dt;
}

void Session::between_steps(std::function<void(talus::Simulation&)> command) {
  commands_.push_back(std::move(command));
}

// A step that is due by now, and no more of them than one start should have.
std::uint64_t Session::steps_due() {
  if (wanted_steps_ > 0)
    return std::exchange(wanted_steps_, 0);
  if (!playing)
    return 0;
  const double dt = scene().dt;
  due_ = std::min(due_, time_ + std::max({most_behind, 2.0 * dt, 2.0 * frame_seconds_}) * pace);
  double due = hold ? std::ceil((*hold - time_) / dt - 1e-6) : std::floor((due_ - time_) / dt + 1e-6);
  if (!forever_)
    due = std::min(due, std::round((scene().end - time_) / dt));
  if (replay_)
    due = std::min(due, static_cast<double>(replay_->next() - step_));
  return static_cast<std::uint64_t>(std::clamp(due, 0.0, static_cast<double>(batch_)));
}

bool Session::take_over() {
  const std::uint64_t steps_before = step_;
  simulation_.finish();
  time_ = simulation_.time();
  step_ = simulation_.step();
  const std::uint64_t steps = step_ - steps_before;
  // Steps started together should take as long as a frame, so that neither waits for the other.
  if (frames_ <= 1 && steps == batch_)
    batch_ = std::min(2 * batch_, batch_most);
  else if (frames_ > 2)
    batch_ = std::max<std::uint64_t>(batch_ / 2, 1);
  return steps > 0;
}

void Session::fail(const std::exception& why) {
  error_ = why.what();
  playing = evaluated_ = false;
  wanted_steps_ = 0;
  time_ = due_ = simulation_.time();
  step_ = simulation_.step();
  // An invalid state takes back the commands since the step before, but no settings, and neither what was poured nor
  // what was dug.
  const bool invalid = dynamic_cast<const talus::StateError*>(&why) != nullptr;
  std::erase_if(done_, [&](const auto& input) {
    return input.first > step_ || (invalid && input.first == step_ && is_command(input.second));
  });
}

void Session::measure_rate(double seconds) {
  rate_seconds_ += seconds;
  if (rate_seconds_ < 0.5)
    return;
  rate_ = (time_ - rate_since_) / rate_seconds_;
  rate_since_ = time_;
  rate_seconds_ = 0.0;
}

void Session::give(Input input) {
  if (!replaying())
    given_.push_back(std::move(input));
}

Inputs Session::recording() {
  return {.scene = file_,
          .scene_text = talus::to_toml(opened_),
          .end = simulation_.step(),
          .hash = simulation_.state_hash(),
          .device = simulation_.device().name,
          .inputs = done_};
}

void Session::replay(Inputs inputs) {
  replay_.emplace(std::move(inputs));
}

void Session::end_replay() {
  const Inputs& played = replay_->inputs();
  const bool same = simulation_.state_hash() == played.hash;
  note_ = same ? fmt::format("The recording has played to its end, step {}: the same state, bit for bit.", played.end)
               : fmt::format("The recording has played to its end, step {}; the state differs from that on {}.",
                             played.end, played.device);
  done_ = played.inputs;
  replay_.reset();
  playing = false;
}

void Session::carry_out(Input input) {
  try {
    act(simulation_, input);
    done_.emplace_back(step_, std::move(input));
  } catch (const std::logic_error& e) {  // cannot be: nothing was changed
    error_ = e.what();
  } catch (const talus::SceneError& e) {
    error_ = e.what();
  } catch (const talus::DeviceError& e) {
    error_ = e.what();
  }
}

bool Session::carry_out() {
  if (simulation_.under_way())
    return false;
  const bool something = !commands_.empty() || !given_.empty();
  try {
    for (Input& input : std::exchange(given_, {}))
      carry_out(std::move(input));
    for (const auto& command : std::exchange(commands_, {}))
      command(simulation_);
    if (replay_) {
      replay_->play(simulation_);
      if (replay_->done(simulation_))
        end_replay();
    }
  } catch (const std::exception& e) {
    fail(e);
  }
  if (something || replay_)
    parameters_.clear();
  if (ended())
    playing = false;
  return something;
}

bool Session::settle(double seconds) {
  measure_rate(seconds);
  frame_seconds_ = seconds;
  ++frames_;
  keep_in_ -= seconds;
  due_ = playing ? due_ + seconds * pace : time_;
  try {
    if (simulation_.under_way() && !simulation_.ready())
      return false;
    return simulation_.under_way() && take_over();
  } catch (const std::exception& e) {
    fail(e);
    return true;
  }
}

bool Session::evaluate_contacts(bool wanted) {
  evaluating_ = wanted;
  if (!wanted || evaluated_)
    return false;
  try {
    simulation_.evaluate_contacts();
    evaluated_ = true;
  } catch (const std::exception& e) {
    fail(e);
  }
  return true;
}

void Session::go_on() {
  if (simulation_.under_way())
    return;
  try {
    if (const std::uint64_t steps = steps_due(); steps > 0) {
      if (simulation_.gpu_device() && keep_in_ <= 0.0)
        keep();
      frames_ = 0;
      evaluated_ = evaluating_;
      simulation_.start(steps, evaluating_);
    }
  } catch (const std::exception& e) {
    fail(e);
  }
}

void Session::finish() {
  try {
    if (simulation_.under_way())
      take_over();
  } catch (const std::exception& e) {
    fail(e);
  }
}

}  // namespace viewer
