#pragma once
// Meshes of bodies as the passes meet them: the field shape_data.
#include "engine/core/fields.h"
#include "engine/scene/scene.h"
#include <map>

namespace talus {

class Executor;

class MeshShapes {
public:
  // Of a scene with such grains. Distance fields are baked on the executor, or come from the user's cache folder.
  MeshShapes(const RadiusRange& grains, Executor& executor);

  // The mesh in its own frame; equal ones share their data. Throws SceneError.
  SolidPart add(const MeshPart& part);

  std::vector<uint> words;         // shape_data
  std::vector<std::string> notes;  // what is not as asked for, one sentence each

private:
  SolidPart bake(const MeshPart& part);
  SolidPart sort(const MeshPart& part);

  RadiusRange grains_;
  Executor& executor_;
  float far_;
  std::map<std::uint64_t, SolidPart> known_;  // by content
};

}  // namespace talus
