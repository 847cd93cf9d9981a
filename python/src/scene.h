#pragma once
// talus.Scene: a scene that has been read, or one that is being built.
#include "engine/scene/tables.h"
#include <nanobind/nanobind.h>

namespace talus_python {

class Scene {
public:
  Scene(talus::Scene scene) : scene_(std::move(scene)), name_(scene_->source) {}
  Scene(talus::SceneTable tables, std::string name, std::vector<std::string> overrides)
      : tables_(std::move(tables)), name_(std::move(name)), overrides_(std::move(overrides)) {}

  // Checks what has been built when it is first asked for. Throws SceneError.
  const talus::Scene& read() const;

  // One more table of a list of tables.
  void add(const std::string& table, nanobind::dict keys);
  // Keys of a table that there is once; None takes a key away.
  void set(const std::string& table, nanobind::dict keys);

  nanobind::dict to_dict() const;
  std::string repr() const;

private:
  talus::SceneTable& tables();  // to be changed
  talus::SceneValue& entry(const std::string& table, talus::SceneValue first);

  mutable std::optional<talus::Scene> scene_;
  std::optional<talus::SceneTable> tables_;  // none: it has been read and not changed
  std::string name_;
  std::vector<std::string> overrides_;
};

}  // namespace talus_python
