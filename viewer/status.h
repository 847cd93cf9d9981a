#pragma once
// Errors of the program and the exit statuses of the contract.
#include <filesystem>
#include <stdexcept>

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

// After an error: writes the last valid state into the file, or says on stderr why it cannot.
void rescue(talus::Simulation& simulation, const std::filesystem::path& file);

}  // namespace viewer
