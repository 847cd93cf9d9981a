#pragma once
#include <string>
#include <vector>

namespace viewer {

// Goes on as the program `name` that lies beside this one, with these arguments. Returns its exit status, where the
// system cannot put it in this one's place. argv0: the name this program was started by. Throws UsageError where there
// is no such program.
int become_sibling(const char* argv0, const std::string& name, const std::vector<std::string>& arguments);

}  // namespace viewer
