#pragma once
// A scene that runs: played and paused, at the pace asked for, without ever waiting for a step.
#include "engine/simulation/checkpoint_file.h"
#include "engine/talus.h"
#include "viewer/inputs.h"
#include "viewer/parameters.h"
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace viewer {

class Session {
public:
  Session(talus::Simulation simulation, std::filesystem::path file);

  // What another simulation goes on from where this one's device is lost: on the CPU path the state as it is, else one
  // that was kept a few seconds ago, or none, which is the start.
  struct Kept {
    talus::Scene scene, opened;
    std::optional<talus::Checkpoint> state;
    std::vector<std::pair<std::uint64_t, Input>> done;
    std::optional<Replay> replay;
    bool playing = false, forever = false;
    double pace = 1.0;
  };
  Kept kept();
  void go_on_from(Kept kept);  // simulation(): of kept.scene, at its start
  // The state as it is, between two steps; and back to one of the scene as it is now, at the pace and as playing as
  // now. What was given since is dropped. Throws CheckpointError.
  Kept snapshot();
  void go_back_to(Kept kept);

  const std::filesystem::path& file() const { return file_; }
  talus::Simulation& simulation() { return simulation_; }
  const talus::Scene& scene() const { return simulation_.scene(); }  // as it is now
  const talus::Scene& opened() const { return opened_; }             // as it was opened

  bool playing = false;
  double pace = 1.0;           // simulated s per s, where the machine can
  std::optional<double> hold;  // s simulated: as fast as it can up to there, and not on from there
  void play_step();            // one step of scene().dt, then it stands
  bool ended() const;          // at the scene's end, where it stops playing unless told to go on
  void go_on_for_ever() { forever_ = true; }

  // The settings of the scene as it is now, and as it was opened.
  const std::vector<Parameter>& parameters();
  const std::vector<Parameter>& opened_parameters();

  // What an operator does, before the next step; while a recording plays, it has the levers.
  void give(Input input);
  const std::vector<Input>& given() const { return given_; }                          // and not yet carried out
  const std::vector<std::pair<std::uint64_t, Input>>& done() const { return done_; }  // since the scene's start
  // The same for a file. Between two steps.
  Inputs recording();
  void replay(Inputs inputs);  // from the scene's start
  bool replaying() const { return replay_.has_value(); }

  // Something else to do between two steps, in the order given.
  void between_steps(std::function<void(talus::Simulation&)> command);

  // To be called in every frame, one after the other. seconds: since the last time.
  //   Takes over what is done. True: the state is another one now.
  bool settle(double seconds);
  //   Carries out what was given, unless steps are under way. True: there was something.
  bool carry_out();
  //   What grains feel is to be known, at the end of the steps to come too; unless steps are under way. True: it was
  //   not.
  bool evaluate_contacts(bool wanted);
  bool contacts_evaluated() const { return evaluated_; }  // it is, of the state
  //   Starts the steps that are due.
  void go_on();
  void finish();  // waits for what is under way

  double time() const { return time_; }         // s, of the state
  std::uint64_t step() const { return step_; }  // likewise
  double rate() const { return rate_; }         // simulated s per s, over the last half second or so
  // Why it stopped: the state became invalid, memory ran out. The state is the last valid one.
  const std::string& error() const { return error_; }
  void forget_error() { error_.clear(); }
  // News that are no errors, told once: how a replay ended.
  std::string note() { return std::exchange(note_, {}); }

private:
  talus::Simulation simulation_;
  std::filesystem::path file_;
  talus::Scene opened_;
  std::vector<std::function<void(talus::Simulation&)>> commands_;
  std::vector<Input> given_;  // not yet carried out
  std::vector<std::pair<std::uint64_t, Input>> done_;
  std::optional<Replay> replay_;
  std::string note_;
  double time_ = 0.0, due_ = 0.0;  // s simulated; that should be by now
  std::uint64_t step_ = 0, wanted_steps_ = 0, batch_ = 1;
  int frames_ = 0;              // since the steps under way were started
  double frame_seconds_ = 0.0;  // of the last one
  double rate_ = 0.0, rate_since_ = 0.0, rate_seconds_ = 0.0;
  bool forever_ = false, evaluating_ = false, evaluated_ = false;
  std::string error_;
  std::vector<Parameter> parameters_, opened_parameters_;  // empty: not listed yet
  Kept kept_;
  double keep_in_ = 0.0;  // s until the state is kept again

  std::uint64_t steps_due();
  bool take_over();
  void carry_out(Input input);
  void end_replay();
  void keep();
  void fail(const std::exception& why);
  void measure_rate(double seconds);
};

}  // namespace viewer
