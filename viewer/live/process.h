#pragma once
#include <optional>
#include <string>
#include <vector>

namespace viewer {

// Another program that runs beside this one and gets out of its way; without input and output. It is ended where it
// outlives this object.
class Process {
public:
  explicit Process(std::vector<std::string> command);  // program and arguments; throws std::runtime_error
  ~Process();
  Process(const Process&) = delete;

  std::optional<int> ended();  // with this exit status

private:
#ifdef _WIN32
  std::intptr_t id_ = -1;
#else
  int id_ = -1;
#endif
  std::optional<int> status_;
};

}  // namespace viewer
