#include "viewer/live/process.h"
#include <cstdint>
#include <fmt/format.h>
#include <stdexcept>
#ifdef _WIN32
#include <process.h>
#include <windows.h>
#else
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
extern char** environ;
#endif

namespace viewer {

namespace {

std::vector<char*> arguments(std::vector<std::string>& command) {
  std::vector<char*> list;
  for (std::string& word : command)
    list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void fail(const std::string& program) {
  throw std::runtime_error(fmt::format("{} cannot be started", program));
}

}  // namespace

#ifdef _WIN32

Process::Process(std::vector<std::string> command) {
  id_ = _spawnv(_P_NOWAIT, command[0].c_str(), arguments(command).data());
  if (id_ == -1)
    fail(command[0]);
  SetPriorityClass(reinterpret_cast<HANDLE>(id_), IDLE_PRIORITY_CLASS);
}

Process::~Process() {
  if (!ended())
    TerminateProcess(reinterpret_cast<HANDLE>(id_), 1);
  CloseHandle(reinterpret_cast<HANDLE>(id_));
}

std::optional<int> Process::ended() {
  DWORD status = 0;
  if (!status_ && GetExitCodeProcess(reinterpret_cast<HANDLE>(id_), &status) && status != STILL_ACTIVE)
    status_ = static_cast<int>(status);
  return status_;
}

#else

Process::Process(std::vector<std::string> command) {
  command.insert(command.begin(), {"nice", "-n", "10"});
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int file : {0, 1, 2})
    posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_RDWR, 0);
  const int failed = posix_spawnp(&id_, command[0].c_str(), &files, nullptr, arguments(command).data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed)
    fail(command[3]);
}

Process::~Process() {
  if (ended())
    return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

std::optional<int> Process::ended() {
  int status = 0;
  if (!status_ && waitpid(id_, &status, WNOHANG) == id_)
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

#endif

}  // namespace viewer
