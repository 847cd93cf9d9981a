#include "viewer/sibling.h"
#include "viewer/status.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

namespace viewer {

namespace fs = std::filesystem;

namespace {

fs::path beside(const char* argv0, const std::string& name) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    self = fs::absolute(argv0, error);
#ifdef _WIN32
  return self.parent_path() / (name + ".exe");
#else
  return self.parent_path() / name;
#endif
}

}  // namespace

fs::path sibling(const char* argv0, const std::string& name) {
  const fs::path file = beside(argv0, name);
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

int become_sibling(const char* argv0, const std::string& name, const std::vector<std::string>& arguments) {
  const std::string path = sibling(argv0, name).string();
  if (path.empty())
    throw UsageError(fmt::format("{} is not there: this build has no live viewer (TALUS_BUILD_VIEWER is off). `talus "
                                 "render` draws pictures and videos without a window",
                                 beside(argv0, name).string()));
  std::vector<const char*> argv{path.c_str()};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  argv.push_back(nullptr);
#ifdef _WIN32
  const auto status = _spawnv(_P_WAIT, path.c_str(), argv.data());
  if (status >= 0)
    return static_cast<int>(status);
#else
  execv(path.c_str(), const_cast<char* const*>(argv.data()));
#endif
  throw UsageError(fmt::format("{} cannot be started: {}", path, std::strerror(errno)));
}

}  // namespace viewer
