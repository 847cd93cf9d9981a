#include "engine/io/checkpoint.h"
#include "engine/check_state.h"
#include "engine/io/cache.h"
#include "engine/scene/fine_sampling.h"
#include "engine/scene/meshes.h"
#include "engine/scene/text.h"
#include "engine/simulation/impl.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace talus {
namespace {

// In a checkpoint, beside the fields; older ones have none.
const std::string commands_name = "body_commands";
const std::string hand_name = "hand";
const std::string time_name = "time_zero", pours_name = "pours";  // after change(), a scene does not tell them

// A birth as it is saved.
struct SavedPour {
  vec4 position;  // m, w radius
  vec3 velocity;  // m/s
  uint material, emitter;
  uint step[2];  // low and high word
};

// The only world's births alone; of several, each with their number before them.
std::vector<std::byte> bytes_of(const std::vector<Pours>& worlds) {
  std::vector<std::byte> bytes;
  const auto add = [&](const auto& value) {
    const auto of_value = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), of_value.begin(), of_value.end());
  };
  for (const Pours& pours : worlds) {
    if (worlds.size() > 1)
      add(std::uint64_t{pours->size()});
    for (const auto& [seed, step, emitter] : *pours)
      add(SavedPour{vec4(seed.position, seed.radius),
                    seed.velocity,
                    seed.material,
                    emitter,
                    {static_cast<uint>(step), static_cast<uint>(step >> 32)}});
  }
  return bytes;
}

// Could an emitter of the scene have released it? Sizes of blocks tell no more than that they hold births.
bool is_of(const Scene& scene, const SavedPour& pour) {
  constexpr float place_most = 2e6f, speed_most = 1e4f;  // m, m/s: more than any scene has
  const auto within = [](const vec3& v, float most) { return glm::all(glm::lessThanEqual(glm::abs(v), vec3(most))); };
  return pour.emitter < scene.emitters.size() && pour.material < scene.materials.size() &&
         pour.position.w >= static_cast<float>(scene.emitters[pour.emitter].radius_min) &&
         pour.position.w <= static_cast<float>(scene.emitters[pour.emitter].radius_max) &&
         within(vec3(pour.position), place_most) && within(pour.velocity, speed_most);
}

// Nothing where the bytes are none of this scene.
std::optional<std::vector<Pours>> pours_of(std::span<const std::byte> bytes, const Scene& scene) {
  const std::size_t worlds = scene.worlds;
  const auto take = [&](auto& value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
  };
  std::vector<Pours> pours;
  for (std::size_t w = 0; w < worlds; ++w) {
    std::uint64_t count = bytes.size() / sizeof(SavedPour);
    if (worlds > 1 && bytes.size() < sizeof count)
      return {};
    if (worlds > 1)
      take(count);
    if (count > bytes.size() / sizeof(SavedPour))
      return {};
    std::vector<TimedSeed> of_world;
    std::uint64_t step = 0;
    for (SavedPour s; of_world.size() < count;) {
      take(s);
      const std::uint64_t before = std::exchange(step, s.step[0] | static_cast<std::uint64_t>(s.step[1]) << 32);
      if (!is_of(scene, s) || step < before)
        return {};
      of_world.push_back({{vec3(s.position), s.position.w, s.velocity, s.material}, step, s.emitter});
    }
    pours.push_back(std::make_shared<const std::vector<TimedSeed>>(std::move(of_world)));
  }
  return bytes.empty() ? std::optional(std::move(pours)) : std::nullopt;
}

}  // namespace

std::string physics_of(Scene scene) {
  scene.title.clear();
  scene.end = 0.0;
  scene.camera = {};
  scene.depth_cameras.clear();
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

Checkpoint Simulation::checkpoint() {
  Checkpoint checkpoint{physics_of(impl_->idle().scene), impl_->step, device().name, {}};
  checkpoint.fields[commands_name] = impl_->drive.to_bytes();
  checkpoint.fields[hand_name] = impl_->hand_bytes();
  checkpoint.fields[pours_name] = bytes_of(impl_->pours);
  const auto zero = std::as_bytes(std::span(&impl_->time_zero, 1));
  checkpoint.fields[time_name] = {zero.begin(), zero.end()};
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      auto& bytes = checkpoint.fields[std::string(field_infos[f].name)];
      bytes.resize(impl_->executor->size(id) * field_infos[f].stride);
      impl_->executor->read(id, bytes);
    }
  return checkpoint;
}

void Simulation::save(const std::filesystem::path& file) {
  write_checkpoint(file, checkpoint());
}

void Simulation::resume(const std::filesystem::path& file) {
  Checkpoint checkpoint = read_checkpoint(file);
  try {
    resume(std::move(checkpoint));
  } catch (const CheckpointError& e) {
    throw CheckpointError(fmt::format("{}: {}", file.string(), e.what()));
  }
}

// The state is about to be taken over, with births and commands of its own.
std::optional<std::string> Simulation::Impl::wrong_with(const Checkpoint& checkpoint, const Settings& of,
                                                        const Population& there, const std::vector<Pours>& births,
                                                        const std::vector<Drives::Course>& courses) const {
  StateBounds bounds{.settings = of};
  const bool own = of.places != no_grain;
  bounds.initial = initial;
  bounds.places = own ? of.places : static_cast<uint>(there.initial.size() + there.poured.size());
  bounds.ids = bounds.places;
  bounds.materials = static_cast<uint>(scene.materials.size());
  for (const Body& body : bodies.bodies)
    bounds.parts.push_back(body.parts);
  for (std::uint32_t w = 0; w < scene.worlds; ++w) {
    const std::uint64_t now = checkpoint.step - static_cast<std::uint64_t>(courses[w].start);
    if (courses[w].start < 0 || now > checkpoint.step)
      return "a world starts after this step";
    if (own && births[w]->size() > births_room(of))
      return "a world has more births than there is room for";
    std::vector<uint> due(scene.emitters.size());
    for (const TimedSeed& birth : *births[w])
      due[birth.emitter] += birth.step <= now ? 1 : 0;
    bounds.due.insert(bounds.due.end(), due.begin(), due.end());
  }
  if (has_fine(there)) {
    bounds.fine_initial = fine_initial;
    bounds.fine_due = there.fine_first[std::accumulate(bounds.due.begin(), bounds.due.end(), 0u)];
    bounds.fine_places = static_cast<uint>(there.fine.size()) + there.fine_first.back();
  }
  return wrong_in(checkpoint, bounds);
}

void Simulation::resume(Checkpoint checkpoint) {
  impl_->idle();
  if (checkpoint.scene_text != physics_of(impl_->scene))
    throw CheckpointError(
        fmt::format("saved from a scene with other settings than {}; resume with the same scene file and the same "
                    "--set and --seed options",
                    impl_->scene.source));
  double zero = impl_->time_zero;
  Population population = impl_->population;
  std::vector<Pours> pours = impl_->pours;
  if (const auto found = checkpoint.fields.find(time_name); found != checkpoint.fields.end()) {
    if (found->second.size() != sizeof zero)
      throw CheckpointError(fmt::format("{} is not one number", time_name));
    std::memcpy(&zero, found->second.data(), sizeof zero);
    if (!impl_->scene.emitters.empty()) {
      auto saved = pours_of(checkpoint.fields[pours_name], impl_->scene);
      if (!saved)
        throw CheckpointError(fmt::format("{} are not those of this scene", pours_name));
      pours = std::move(*saved);
      population.poured = *pours[0];
      count_fine_births(impl_->scene, population);
    }
  }
  Settings settings = settings_of(impl_->scene, population, impl_->dynamics, impl_->options.grid_cells);
  impl_->set_places(settings);
  // Everything is checked before anything is changed.
  for (std::size_t f = 0; f < field_count; ++f) {
    if (!field_infos[f].saved)
      continue;
    const auto found = checkpoint.fields.find(std::string(field_infos[f].name));
    const std::size_t stride = field_infos[f].stride;
    if (found == checkpoint.fields.end() && !impl_->wants_field(static_cast<FieldId>(f), settings))
      continue;  // saved before there was such a field
    if (found == checkpoint.fields.end() || found->second.size() % stride != 0 ||
        (slot_components(field_infos[f].extent) == 0 &&
         found->second.size() != impl_->elements_of(static_cast<FieldId>(f), settings, population) * stride))
      throw CheckpointError(
          fmt::format("field {} is missing or has another size than this version's", field_infos[f].name));
  }
  const auto commands = impl_->drive.from_bytes(checkpoint.fields[commands_name]);
  if (!commands)
    throw CheckpointError(fmt::format("{} are not those of this scene", commands_name));
  Impl::Hand hand = impl_->hand_of(checkpoint.fields[hand_name]);
  const glm::dvec3 sum = hand.from + hand.to;
  if (!std::isfinite(sum.x + sum.y + sum.z + zero))
    throw CheckpointError(fmt::format("{} or {} is not finite", hand_name, time_name));
  settings.rows = static_cast<uint>(checkpoint.fields[std::string(info(FieldId::contact_partner).name)].size() /
                                    (sizeof(uint) * impl_->scene.worlds * slice_grains));
  if (const auto wrong = impl_->wrong_with(checkpoint, settings, population, pours, *commands))
    throw CheckpointError(*wrong);
  impl_->set_course(impl_->scene, std::move(population), std::move(pours), zero);
  impl_->replaced.reset();
  impl_->drive.set(*commands);
  impl_->hold(std::move(hand));
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      const auto& bytes = checkpoint.fields[std::string(field_infos[f].name)];
      impl_->executor->resize(id, bytes.size() / field_infos[f].stride);
      impl_->executor->write(id, bytes);
    }
  const std::size_t worlds = impl_->scene.worlds;
  impl_->settings.rows = static_cast<uint>(impl_->executor->size(FieldId::contact_partner) / (worlds * slice_grains));
  impl_->size_fields();
  write_field(*impl_->executor, FieldId::settings, std::vector{impl_->settings});
  impl_->step = checkpoint.step;
  impl_->known = impl_->read_status();
  impl_->known_worlds = read_field<World>(*impl_->executor, FieldId::worlds, worlds);
  impl_->substep = impl_->known.substep;
  if (impl_->own_places())
    impl_->count_grains();
}

}  // namespace talus
