#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace viewer {

// The program `name` that lies beside this one; empty where there is none. argv0: the name this one was started by.
std::filesystem::path sibling(const char* argv0, const std::string& name);

// Goes on as the program `name` that lies beside this one, with these arguments. Returns its exit status, where the
// system cannot put it in this one's place. Throws UsageError where there is no such program.
int become_sibling(const char* argv0, const std::string& name, const std::vector<std::string>& arguments);

// Goes on as `verb` of a module of Python, by the python3 in PATH. Returns its exit status, where the system cannot put
// it in this one's place. Throws UsageError where there is no Python.
int become_python(const std::string& module, const std::string& verb, const std::vector<std::string>& arguments);

}  // namespace viewer
