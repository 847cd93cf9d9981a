#pragma once
// The passes of a step of the scene that is shown, made ready beside the window.
#include "engine/core/fields.h"
#include "engine/simulation/step_trace.h"
#include "viewer/live/session.h"
#include <array>
#include <future>
#include <optional>

namespace viewer {

// The passes of a step of a scene with a solver, and the elements of each field.
struct Described {
  std::uint64_t scene = 0;  // number of the scene among those that were shown
  talus::Solver solver;
  talus::StepTrace trace;
  std::array<std::size_t, talus::field_count> elements{};
};

// Owns the description that was made last, and the one that is being made.
//
// Between calls: at most one description is being made, on a device of its own, as preparing a large scene takes long.
//
// Needs the options of that device; with each call the session.
class StepDescriber {
public:
  explicit StepDescriber(talus::Options options) : options_(std::move(options)) {}

  // The description of the session's scene as it is now; null while it is not there yet. Where it cannot be made, throws once what is
  // wrong, and has no passes from then on. scene: its number.
  const Described* of(Session& session, std::uint64_t scene);

private:
  void start(Session& session, std::uint64_t scene);

  talus::Options options_;
  std::future<Described> running_;
  std::optional<Described> described_;
};

}  // namespace viewer
