#include "viewer/live/recovery.h"
#include "viewer/status.h"
#include "viewer/terminal.h"
#include <fmt/format.h>

namespace viewer {

bool Recovery::lose() {
  constexpr auto soon = std::chrono::seconds(30);
  const auto now = Clock::now();
  const bool twice = lost_ && now < *lost_ + soon;
  lost_ = now;
  return twice;
}

void Recovery::failed() {
  constexpr auto pause = std::chrono::seconds(2);
  again_ = Clock::now() + pause;
}

std::string Recovery::news(const std::string& device) const {
  return fmt::format("The device was lost, and is open again: {}.{}", device,
                     !kept_         ? ""
                     : kept_->state ? fmt::format(" The scene goes on from step {}.", kept_->state->step)
                                    : " The scene starts again.");
}

void Recovery::save(const std::filesystem::path& scene) const {
  if (!kept_ || !kept_->state)
    return;
  const std::string file = crash_file(scene).string();
  try {
    write_checkpoint(file, *kept_->state);
    print_err("The state of step {} is in {}: `talus run {} --resume {}` goes on from it, with --device cpu "
              "without a device.\n",
              kept_->state->step, file, scene.string(), file);
  } catch (const std::exception& e) {
    print_err("Its state could not be saved: {}\n", e.what());
  }
}

}  // namespace viewer
