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

// Goes on as a program, which is looked for in PATH where it has no folder. Returns its status where the system cannot
// put it in this one's place, and -1 where it cannot be started.
int become(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{program.c_str()};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  argv.push_back(nullptr);
#ifdef _WIN32
  return static_cast<int>(_spawnvp(_P_WAIT, program.c_str(), argv.data()));
#else
  return execvp(program.c_str(), const_cast<char* const*>(argv.data()));
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
  const int status = become(path, arguments);
  if (status >= 0)
    return status;
  throw UsageError(fmt::format("{} cannot be started: {}", path, std::strerror(errno)));
}

int become_python(const std::string& module, const std::string& verb, const std::vector<std::string>& arguments) {
#ifdef _WIN32
  const std::string python = "python";
#else
  const std::string python = "python3";
#endif
  const std::string install =
      fmt::format("`talus {0}` is part of the Python package: pip install './python[{0}]'", verb);
  // The package may be missing, or what it needs.
  const std::string script =
      fmt::format("import sys\n"
                  "try:\n"
                  "    from {0}.__main__ import main\n"
                  "except ImportError as error:\n"
                  "    print('error:', error, 'in', sys.executable + '.', {2}, file=sys.stderr)\n"
                  "    sys.exit({3})\n"
                  "sys.exit(main(['{1}', *sys.argv[1:]]))\n",
                  module, verb, "\"" + install + "\"", static_cast<int>(usage));
  std::vector<std::string> all{"-c", script};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const int status = become(python, all);
  if (status >= 0)
    return status;
  throw UsageError(fmt::format("{} cannot be started: {}. {}", python, std::strerror(errno), install));
}

}  // namespace viewer
