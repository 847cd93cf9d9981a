#pragma once
// Small pictures of scenes and how many grains they have, for the browser: drawn by `talus render` beside the window,
// one scene after another, and kept in a folder by what the scene is.
#include "engine/gpu/graph.h"
#include "viewer/live/process.h"
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace viewer {

class Previews {
public:
  // program: `talus`; empty: only those that are in the folder already. folder: empty: in the user's cache.
  Previews(talus::gpu::Device& device, std::filesystem::path program, std::filesystem::path folder);
  ~Previews();

  struct Preview {
    std::string title;
    std::uint64_t grains = 0, fine = 0;  // at the start
    talus::gpu::Image picture;           // unset while there is none
  };
  // What is known of a scene by now; the rest is made ready, and anew where the file is another one.
  Preview& of(const std::filesystem::path& scene);
  // Once a frame: takes over what is ready, by passes on this graph, and starts what was asked for.
  void go_on(talus::gpu::Graph& graph);
  bool busy() const { return !working_on_.empty() || !asked_.empty(); }

private:
  struct Content {
    std::string title;
    std::uint64_t key = 0;  // 0: it cannot be read
  };
  struct Entry {
    std::filesystem::file_time_type written;
    Preview preview;
    bool done = false;
  };

  talus::gpu::Device& device_;
  std::filesystem::path program_, folder_;
  std::map<std::filesystem::path, Entry> entries_;
  std::optional<Content> content_;
  std::filesystem::path asked_, working_on_;  // scenes; empty: none
  std::future<Content> reading_;
  std::unique_ptr<Process> drawing_;

  std::filesystem::path kept() const;    // what is there of the scene that is worked on
  std::filesystem::path sketch() const;  // .. while it is drawn
  bool read();
  bool draw();
  void take_over(talus::gpu::Graph& graph);
};

}  // namespace viewer
