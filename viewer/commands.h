#pragma once
#include "engine/talus.h"
#include <filesystem>
#include <string>
#include <vector>

// The short verbs of the program. Each prints to stdout and returns the exit status.
namespace viewer {

int devices(bool json);
int check(const std::vector<std::filesystem::path>& scenes, const std::vector<std::string>& overrides);
// The reference of the keys of a scene file, as Markdown.
int keys();
int graph(const std::filesystem::path& scene, const std::vector<std::string>& overrides, const talus::Options& options,
          bool dot);

}  // namespace viewer
