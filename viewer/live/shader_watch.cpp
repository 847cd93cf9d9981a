#include "viewer/live/shader_watch.h"
#include "viewer/shell.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

namespace viewer {

namespace fs = std::filesystem;

namespace {

bool is_shader(const fs::path& file) {
  static constexpr std::array endings{".comp", ".vert", ".frag"};
  return std::ranges::find(endings, file.extension().string()) != endings.end();
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The file and all that it includes, by names from the folder on, as in all sources here.
void with_includes(const fs::path& folder, const fs::path& file, std::set<fs::path>& found) {
  if (!found.insert(file).second)
    return;
  static const std::string directive = "#include \"";
  const std::string text = content(file);
  for (std::size_t at = text.find(directive); at != std::string::npos; at = text.find(directive, at)) {
    at += directive.size();
    with_includes(folder, folder / text.substr(at, text.find('"', at) - at), found);
  }
}

// As the build does (cmake/EmbedShaders.cmake).
ShaderWatch::Compiled compile(const fs::path& folder, const fs::path& file) {
  const fs::path out = fs::temp_directory_path() / fmt::format("talus-{:08x}", std::random_device()());
  const std::string spirv = out.string() + ".spv", messages = out.string() + ".txt";
  const std::string command =
      fmt::format("{} --target-env vulkan1.3 --quiet {} -o {} {} > {} 2>&1", quoted(TALUS_GLSLANG),
                  quoted("-I" + folder.string()), quoted(spirv), quoted(file.string()), quoted(messages));
  ShaderWatch::Compiled result{file.filename().string(), {}, {}};
  if (std::system(command.c_str()) == 0) {
    const std::string bytes = content(spirv);
    result.code.resize(bytes.size() / sizeof(std::uint32_t));
    std::copy_n(bytes.data(), result.code.size() * sizeof(std::uint32_t), reinterpret_cast<char*>(result.code.data()));
  } else {
    result.errors = content(messages);
  }
  std::error_code error;
  fs::remove(spirv, error);
  fs::remove(messages, error);
  return result;
}

}  // namespace

ShaderWatch::ShaderWatch(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (!fs::is_directory(folder_, error) || !fs::exists(TALUS_GLSLANG, error))
    folder_.clear();
  known_ = look();
}

ShaderWatch::Times ShaderWatch::look() const {
  Times times;
  std::error_code error;
  if (!folder_.empty())
    for (const auto& entry : fs::recursive_directory_iterator(folder_, error))
      if (entry.is_regular_file(error))
        times[entry.path()] = entry.last_write_time(error);
  return times;
}

void ShaderWatch::start(const std::set<fs::path>& changed) {
  running_ = std::async(std::launch::async, [folder = folder_, files = known_, changed] {
    std::vector<Compiled> done;
    for (const auto& [file, time] : files) {
      std::set<fs::path> read;
      if (is_shader(file))
        with_includes(folder, file, read);
      if (std::ranges::any_of(changed, [&](const fs::path& one) { return read.contains(one); }))
        done.push_back(compile(folder, file));
    }
    return done;
  });
}

std::vector<ShaderWatch::Compiled> ShaderWatch::take() {
  constexpr auto often = std::chrono::milliseconds(300);
  const auto now = std::chrono::steady_clock::now();
  if (folder_.empty() || now < next_)
    return {};
  next_ = now + often;
  if (running_.valid())
    return running_.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? running_.get()
                                                                                   : std::vector<Compiled>{};
  std::set<fs::path> changed;
  const Times before = std::exchange(known_, look());
  for (const auto& [file, time] : known_)
    if (const auto found = before.find(file); found == before.end() || found->second != time)
      changed.insert(file);
  if (!changed.empty())
    start(changed);
  return {};
}

}  // namespace viewer
