#pragma once
// Errors of the program and the exit statuses of the contract.
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace talus {
class Simulation;
}

namespace viewer {

enum Status { done = 0, internal_error = 1, usage = 2, no_device = 3, out_of_resources = 4, invalid_state = 5 };

// What the user asked for cannot be done: why, and what can.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// To be called inside a catch (...): prints "error: ..." to stderr and gives the status that it stands for.
int tell_error();

// SCENE.crash.talus, in the folder that the program was started in; never a hidden file.
std::filesystem::path crash_file(const std::filesystem::path& scene);

// After an error: writes the last valid state into the first of these files that can be written, else among temporary
// files, or says on stderr why it cannot.
void rescue(talus::Simulation& simulation, std::vector<std::filesystem::path> files);

}  // namespace viewer
