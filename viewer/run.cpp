#include "viewer/run.h"
#include "engine/gpu/device.h"
#include "engine/io/report.h"
#include "engine/io/table.h"
#include "viewer/inputs.h"
#include "viewer/progress.h"
#include "viewer/status.h"
#include "viewer/stop.h"
#include "viewer/terminal.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace viewer {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Event k happens at step round(k every / dt).
class Schedule {
public:
  Schedule(double every, double dt, std::uint64_t first_step) : interval_(std::clamp(every / dt, 1e-6, 1e15)) {
    number_ = static_cast<std::uint64_t>(static_cast<double>(first_step) / interval_);
    while (step() < first_step)
      ++number_;
  }
  std::uint64_t step() const {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(number_) * interval_));
  }
  std::uint64_t number() const { return number_; }
  void advance() { ++number_; }

private:
  double interval_;  // steps
  std::uint64_t number_;
};

// Something written at regular times and at the end, once per step at most.
class Recorder {
public:
  Recorder(double every, double dt, std::uint64_t first_step) : schedule_(std::max(every, dt), dt, first_step) {}
  std::uint64_t next() const { return schedule_.step(); }
  bool due(std::uint64_t step, bool last) {
    const bool scheduled = step == schedule_.step();
    if (scheduled)
      schedule_.advance();
    return scheduled || last;
  }

private:
  Schedule schedule_;
};

// How many steps go into one batch, so that it lasts as long as a person does not notice and a device stays busy.
class Pace {
public:
  std::uint64_t steps(std::uint64_t at_most) const { return std::min(steps_, at_most); }
  void measured(std::uint64_t steps, double wall) {
    constexpr double batch = 0.075;  // s
    const double wanted = batch * static_cast<double>(steps) / std::max(wall, 1e-9);
    const double limit = 4.0 * static_cast<double>(steps_);  // the first batches tell little
    steps_ = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, limit));
  }

private:
  std::uint64_t steps_ = 1;
};

// Finds out before the simulation, not after it, that a file cannot be written.
void prepare_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw UsageError(fmt::format("directory {} cannot be made: {}", directory.string(), error.message()));
}

void prepare_file(const fs::path& file) {
  if (file.empty())
    return;
  if (file.has_parent_path())
    prepare_directory(file.parent_path());
  talus::check_writable(file);
}

struct NamedFile {
  std::string_view name;  // as the command line has it
  fs::path file;          // empty: none
};

// Two names of one file are alike then. A device or a pipe can take several outputs, and is nothing.
fs::path identity(const fs::path& file) {
  std::error_code error;
  if (file.empty() || (fs::exists(file, error) && !fs::is_regular_file(file, error)))
    return {};
  return fs::weakly_canonical(fs::absolute(talus::link_target(file)), error);
}

// Files of an export are named so.
bool is_exported(const std::string& name) {
  const std::array<std::string_view, 8> starts{"index", "grains",   "fine",   "cloth",
                                               "bod",   "contacts", "clumps", "ground"};
  return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

// Outputs that would overwrite each other, or what the run reads.
void check_outputs(const RunOptions& options) {
  const std::array outputs{NamedFile{"--report", options.report}, NamedFile{"--metrics", options.metrics},
                           NamedFile{"--save", options.save},
                           NamedFile{"--video", options.frames ? options.frames->video : fs::path()}};
  const std::array inputs{NamedFile{"the scene", options.scene}, NamedFile{"--replay", options.replay},
                          NamedFile{"--resume", options.resume}};
  const auto refuse = [](const NamedFile& a, const NamedFile& b) {
    throw UsageError(
        fmt::format("{} and {} are the same file, {}: give each its own", a.name, b.name, b.file.string()));
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path file = identity(outputs[i].file);
    if (file.empty())
      continue;
    for (std::size_t k = 0; k < i; ++k)
      if (file == identity(outputs[k].file))
        refuse(outputs[k], outputs[i]);
    for (const NamedFile& input : inputs)  // a run may go on from a state and save the new one in its place
      if (file == identity(input.file) && !(outputs[i].name == "--save" && input.name == "--resume"))
        refuse(input, outputs[i]);
    if (!options.out.empty() && is_exported(file.filename().string()) &&
        file.parent_path() == fs::weakly_canonical(fs::absolute(options.out)))
      throw UsageError(fmt::format("{} {} is among the files that --out writes: give it another name or folder",
                                   outputs[i].name, outputs[i].file.string()));
  }
}

void save(talus::Simulation& simulation, const fs::path& file) {
  simulation.save(file);
  print_out("state at step {} ({:.6g} s) saved in {}\n", simulation.step(), simulation.time(), file.string());
}

// What the validation layer had to say, with --validation or TALUS_VALIDATION=1. It has been printed on the way.
std::size_t validation_messages(talus::Simulation& simulation) {
  return simulation.gpu_device() ? simulation.gpu_device()->instance().log().count() : 0;
}

// One run: all that is written on the way and at the end.
class Run {
public:
  Run(const RunOptions& options, talus::Simulation& simulation, std::optional<Replay> replay)
      : options_(options), simulation_(simulation), replay_(std::move(replay)), dt_(simulation.scene().dt),
        first_(simulation.step()), end_(end_step()), notes_told_(simulation.notes().size()) {
    if (first_ > end_)
      throw UsageError(fmt::format("{} is at step {} ({:.6g} s), after the end that was asked for, step {} ({:.6g} s): "
                                   "give a later --time or --steps",
                                   options.resume.string(), first_, simulation.time(), end_,
                                   static_cast<double>(end_) * dt_));
    const double share = static_cast<double>(end_) * dt_ / 100.0;
    if (!options.metrics.empty()) {
      metrics_.emplace(options.metrics, talus::metrics_header(simulation.scene()), first_);
      metrics_times_.emplace(options.metrics_every.value_or(share), dt_, first_);
    }
    if (!options.out.empty()) {
      series_.emplace(options.out, options.format, simulation.scene(), first_, talus::ExportOptions{options.contacts});
      if (!simulation.scene().cloths.empty() && !talus::holds_cloth(options.format))
        print_err(
            "note: files of this format leave out cloth; --format vtp, vtkhdf, usda and ply write it as meshes\n");
      series_times_.emplace(options.every.value_or(share), dt_, first_);
    }
    if (options.frames) {
      frames_.emplace(simulation, *options.frames);
      frame_times_.emplace(1.0 / options.frames->fps, dt_, first_);
    }
  }

  void simulate() {
    Progress progress(simulation_.time(), static_cast<double>(end_) * dt_);
    Pace pace;
    for (;;) {
      const std::uint64_t step = simulation_.step();
      const bool last = step >= end_ || stop_signal() != 0;
      if (replay_)
        replay_->play(simulation_);
      record(step, last);
      if (last)
        break;
      const std::uint64_t steps = pace.steps(next_stop() - step);
      const std::uint64_t grains_before = simulation_.grain_count();
      const auto start = std::chrono::steady_clock::now();
      simulation_.advance(steps);
      const double wall = seconds_since(start);
      pace.measured(steps, wall);
      facts_.wall_s += wall;
      facts_.particle_steps += steps * (grains_before + simulation_.grain_count()) / 2;
      progress.update(simulation_.time(), facts_.wall_s, simulation_.grain_count());
    }
  }

  // Each thing that was asked for at the end, whatever becomes of the others. Returns the exit status.
  int finish() {
    int status = done;
    const auto attempt = [&](auto&& part) {
      try {
        part();
      } catch (...) {
        status = std::max(status, tell_error());
      }
    };
    if (replay_)
      compare();
    if (series_)
      attempt([&] { series_->finish(); });
    if (!options_.save.empty())
      attempt([&] {
        save(simulation_, options_.save);
        saved_ = true;
      });
    if (frames_)
      attempt([&] { frames_->finish(simulation_); });
    facts_.first_step = first_;
    if (!options_.report.empty())
      attempt([&] { talus::write_file(options_.report, talus::report_json(simulation_, facts_)); });
    summarize();
    return status;
  }

  // After an error.
  void rescue() {
    if (replay_ && !replay_->last().empty())
      print_err("note: the last input that was played is {}\n", replay_->last());
    if (!saved_)
      viewer::rescue(simulation_, rescue_files());
  }

private:
  // Prints the notes that commands have added since the last call.
  void tell_notes() {
    const std::vector<std::string>& notes = simulation_.notes();
    for (; notes_told_ < notes.size(); ++notes_told_)
      print_err("note: {}\n", notes[notes_told_]);
  }

  void summarize() {
    tell_notes();
    const std::uint64_t steps = simulation_.step() - first_;
    const double simulated = static_cast<double>(steps) * dt_;
    const std::uint32_t fine = simulation_.fine_count();
    print_out("{} {} steps, {:.6g} s in {:.3g} s ({:.3g} x real time), {} grains{}, {}\n",
              stop_signal() ? "stopped after" : "done:", steps, simulated, facts_.wall_s,
              facts_.wall_s > 0.0 ? simulated / facts_.wall_s : 0.0, simulation_.grain_count(),
              fine > 0 ? fmt::format(", {} fine", fine) : "", simulation_.device().name);
    if (const std::uint64_t fast = simulation_.cfl_violations(); fast > 0)
      print_out(
          "note: {} times a grain moved further than half its radius in a substep, too fast for its contacts; more "
          "solver.substeps or a smaller time.dt prevents that\n",
          fast);
    tell_emitted();
    const std::vector<talus::BodySpec>& bodies = simulation_.scene().bodies;
    for (std::size_t b = 0; const talus::BodyLoad& load : simulation_.body_loads()) {
      const std::string& name = bodies[b++ % bodies.size()].name;
      if (load.uncounted > 0)
        print_out(
            "note: {} pushes on body \"{}\" are not in its force: too much touched a point of it at once, or a push "
            "was beyond all measure\n",
            load.uncounted, name);
    }
    if (const std::uint64_t uncounted = simulation_.cloth_uncounted(); uncounted > 0)
      print_out("note: {} pushes on cloth did not move it: too many triangles met at a grain, or a push was beyond all "
                "measure\n",
                uncounted);
  }

  std::vector<fs::path> rescue_files() const {
    const fs::path& scene = replay_ ? replay_->inputs().scene : options_.scene;
    std::vector<fs::path> files{crash_file(scene.empty() ? options_.replay : scene)};
    if (!options_.save.empty())
      files.insert(files.begin(), options_.save);
    return files;
  }

  void tell_emitted() const {
    const std::size_t emitters = simulation_.scene().emitters.size();
    for (std::size_t k = 0; const talus::EmitterCounts& counts : simulation_.emitter_counts()) {
      const std::size_t emitter = k++ % emitters;
      if (counts.waiting + counts.given_up > 0)
        fmt::print("warning: emitter.{}: {} of {} grains that were due found no room, grains or bodies were there: "
                   "allowed is a lower rate, a larger shape or one further away\n",
                   emitter, counts.waiting + counts.given_up, counts.born + counts.waiting + counts.given_up);
    }
  }

  std::uint64_t end_step() const {
    if (options_.steps)
      return *options_.steps;
    if (replay_ && !options_.time)
      return replay_->inputs().end;
    return static_cast<std::uint64_t>(
        std::llround(std::min(options_.time.value_or(simulation_.scene().end) / dt_, 1e18)));
  }

  std::uint64_t next_record() const {
    std::uint64_t next = end_;
    if (metrics_times_)
      next = std::min(next, metrics_times_->next());
    if (series_times_)
      next = std::min(next, series_times_->next());
    if (frame_times_)
      next = std::min(next, frame_times_->step());
    return next;
  }

  // After a step, where something is due: also what the operator did.
  std::uint64_t next_stop() const {
    const std::uint64_t next = next_record();
    return replay_ && !replay_->done(simulation_) ? std::min(next, replay_->next()) : next;
  }

  // At its end.
  void compare() const {
    const Inputs& inputs = replay_->inputs();
    if (simulation_.step() != inputs.end)
      return;
    if (simulation_.state_hash() == inputs.hash)
      print_out("the inputs have played to their end: the same state as recorded, bit for bit\n");
    else
      print_err("warning: the final state of this replay differs from that of the recording, which was made on {}\n",
                inputs.device);
  }

  void record(std::uint64_t step, bool last) {
    if (metrics_times_ && metrics_times_->due(step, last))
      metrics_->row(talus::metrics_row(simulation_));
    if (series_times_ && series_times_->due(step, last))
      series_->add(simulation_);
    for (; frame_times_ && frame_times_->step() == step; frame_times_->advance())
      frames_->draw(simulation_, frame_times_->number());
  }

  const RunOptions& options_;
  talus::Simulation& simulation_;
  std::optional<Replay> replay_;
  const double dt_;            // s
  const std::uint64_t first_;  // step that the run starts at
  const std::uint64_t end_;
  std::size_t notes_told_;
  std::optional<talus::Table> metrics_;
  std::optional<Recorder> metrics_times_;
  std::optional<talus::Series> series_;
  std::optional<Recorder> series_times_;
  std::optional<Frames> frames_;
  std::optional<Schedule> frame_times_;
  talus::RunFacts facts_;
  bool saved_ = false;  // the final state, where it was asked to be
};

}  // namespace

int run(const RunOptions& options) {
  std::optional<Replay> replay;
  if (!options.replay.empty())
    replay.emplace(Inputs::load(options.replay));
  const talus::Scene scene = replay ? replay->inputs().parse() : talus::load_scene(options.scene, options.overrides);
  check_outputs(options);
  for (const fs::path& file : {options.report, options.metrics, options.save})
    prepare_file(file);
  if (options.frames) {
    prepare_directory(options.frames->directory);
    prepare_file(options.frames->video);
  }
  talus::Simulation simulation(scene, options.engine);
  for (const std::string& note : simulation.notes())
    print_err("note: {}\n", note);
  for (const std::string& warning : simulation.warnings())
    print_err("warning: {}\n", warning);
  if (!options.resume.empty())
    simulation.resume(options.resume);

  listen_for_stop();
  Run run(options, simulation, std::move(replay));
  int status = done;
  try {
    run.simulate();
  } catch (...) {
    status = tell_error();
  }
  if (status == done)
    status = run.finish();
  if (status != done) {
    run.rescue();
    return status;
  }
  if (const std::size_t messages = validation_messages(simulation); messages > 0) {
    print_err("error: {} messages of the validation layer\n", messages);
    return internal_error;
  }
  return stop_signal() ? 128 + stop_signal() : done;
}

}  // namespace viewer
