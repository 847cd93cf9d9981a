#pragma once
// Reads a scene and makes ready what takes long, beside the window's own thread.
#include "engine/talus.h"
#include <future>
#include <optional>

namespace viewer {

class Loader {
public:
  // A scene that is on its way is dropped when it comes.
  void start(const std::filesystem::path& file, const std::vector<std::string>& overrides);
  void start(talus::Scene scene, const std::filesystem::path& file);            // one that has been read and changed
  void start_text(const std::string& toml, const std::filesystem::path& file);  // one that is to be read from here
  bool busy() const { return running_.valid(); }
  const std::filesystem::path& file() const { return file_; }  // that is on its way, or was last

  struct Loaded {
    talus::Prepared scene;
    std::filesystem::path file;
  };
  // Once it is there. Throws what is wrong with it.
  std::optional<Loaded> take();

private:
  std::filesystem::path file_;
  std::future<Loaded> running_;
  std::vector<std::future<Loaded>> dropped_;  // their destructors would wait
  template <class Read> void run(const std::filesystem::path& file, Read read);
};

}  // namespace viewer
