#pragma once
// A mesh file that becomes a body of the scene that is open.
#include "engine/geometry/mesh.h"
#include "viewer/renderer_camera.h"
#include <future>
#include <optional>
#include <string>

namespace viewer {

bool is_mesh(const std::filesystem::path& file);  // by its ending

struct DroppedMesh {
  std::filesystem::path file;
  talus::Bounds bounds;   // in units of the file
  double scale = 1.0;     // m per unit of the file
  bool dynamic = true;    // else it stands where it is put
  double density = 1500;  // kg/m3, where it is dynamic
};

// Reads it and guesses its unit: the largest of m, cm and mm with which it fits into the domain. Throws MeshError.
DroppedMesh read_dropped(const std::filesystem::path& file, const talus::Domain& domain);

// The scene as a text, with the mesh as one more body above `content`, for which the domain grows where it must.
// folder: of the scene.
std::string with_body(talus::Scene scene, const DroppedMesh& mesh, const talus::Box& content,
                      const std::filesystem::path& folder);

// Owns the mesh that the user is asked about, and the reading of the next one beside the window's thread.
//
// Between calls: at most one file is being read.
class MeshDrop {
public:
  bool reading() const { return reading_.valid(); }
  void read(const std::filesystem::path& file, const talus::Domain& domain);  // while none is being read
  void take();  // once a frame: what was read is asked about. Throws what is wrong with it
  std::optional<DroppedMesh>& asked() { return asked_; }

private:
  std::future<DroppedMesh> reading_;
  std::optional<DroppedMesh> asked_;
};

}  // namespace viewer
