#include "engine/io/cache.h"
#include "engine/io/checkpoint.h"
#include "engine/scene/meshes.h"
#include "engine/scene/text.h"
#include "engine/simulation_impl.h"
#include <fmt/format.h>

namespace talus {
namespace {

// In a checkpoint, beside the fields; older ones have none.
const std::string commands_name = "body_commands";

}  // namespace

std::string physics_of(Scene scene) {
  scene.title.clear();
  scene.end = 0.0;
  scene.camera = {};
  scene.output = {};
  for (Material& material : scene.materials)
    material.color = {};
  for (BodySpec& body : scene.bodies) {
    body.color.reset();
    body.show = {};
  }
  std::string text = to_toml(scene);
  each_mesh(scene, [&](const std::string& name, const MeshPart& mesh) {
    text += fmt::format("# {} {:016x}\n", name, checksum(mesh.loaded->mesh));
  });
  return text;
}

void Simulation::save(const std::filesystem::path& file) {
  Checkpoint checkpoint{physics_of(impl_->idle().scene), impl_->step, device().name, {}};
  checkpoint.fields[commands_name] = impl_->drive.to_bytes();
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      auto& bytes = checkpoint.fields[std::string(field_infos[f].name)];
      bytes.resize(impl_->executor->size(id) * field_infos[f].stride);
      impl_->executor->read(id, bytes);
    }
  write_checkpoint(file, checkpoint);
}

void Simulation::resume(const std::filesystem::path& file) {
  impl_->idle();
  Checkpoint checkpoint = read_checkpoint(file);
  if (checkpoint.scene_text != physics_of(impl_->scene))
    throw CheckpointError(
        fmt::format("{}: saved from a scene with other settings than {}; resume with the same scene file and the "
                    "same --set and --seed options",
                    file.string(), impl_->scene.source));
  // Everything is checked before anything is changed.
  for (std::size_t f = 0; f < field_count; ++f) {
    if (!field_infos[f].saved)
      continue;
    const auto found = checkpoint.fields.find(std::string(field_infos[f].name));
    const std::size_t stride = field_infos[f].stride;
    if (found == checkpoint.fields.end() || found->second.size() % stride != 0 ||
        (field_infos[f].extent != Extent::slots &&
         found->second.size() != impl_->executor->size(static_cast<FieldId>(f)) * stride))
      throw CheckpointError(fmt::format("{}: field {} is missing or has another size than this version's",
                                        file.string(), field_infos[f].name));
  }
  const auto commands = impl_->drive.from_bytes(checkpoint.fields[commands_name]);
  if (!commands)
    throw CheckpointError(fmt::format("{}: {} are not those of this scene", file.string(), commands_name));
  impl_->drive.set(*commands);
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      const auto& bytes = checkpoint.fields.at(std::string(field_infos[f].name));
      impl_->executor->resize(id, bytes.size() / field_infos[f].stride);
      impl_->executor->write(id, bytes);
    }
  impl_->resize_slots(impl_->executor->size(FieldId::contact_partner));
  impl_->step = checkpoint.step;
  impl_->known = impl_->read_status();
  impl_->substep = impl_->known.substep;
}

}  // namespace talus
