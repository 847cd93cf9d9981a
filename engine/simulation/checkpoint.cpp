#include "engine/simulation/checkpoint.h"
#include "engine/base/cache.h"
#include "engine/scene/clump.h"
#include "engine/scene/fine_sampling.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/meshes.h"
#include "engine/scene/text.h"
#include "engine/simulation/check_state.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace talus {
namespace {

// Blocks of a checkpoint beside the fields. Older checkpoints have none.
const std::string commands_name = "body_commands";
const std::string hand_name = "hand";
const std::string time_name = "time_zero",
                  schedules_name = "emission_schedules",  // after change(), a scene does not tell them
    clumps_name = "emission_clumps";                      // of those that are spheres of clumps

// An emitted grain as it is saved.
struct SavedBirth {
  vec4 position;  // m, w radius
  vec3 velocity;  // m/s
  uint material, emitter;
  uint step[2];  // low and high word
};

// An emitted sphere of a clump: what the schedule keeps of it beyond SavedBirth.
struct SavedSphere {
  vec4 turned;  // quaternion xyzw, of the clump
  float mass;   // kg
};

// In the order of the grains of all worlds.
std::vector<std::byte> bytes_of_spheres(const std::vector<EmissionSchedule>& worlds) {
  std::vector<SavedSphere> spheres;
  for (const EmissionSchedule& schedule : worlds)
    for (const ScheduledGrain& grain : *schedule)
      if (grain.seed.clump != 0)
        spheres.push_back({grain.seed.turned, grain.seed.mass});
  const auto bytes = std::as_bytes(std::span(spheres));
  return {bytes.begin(), bytes.end()};
}

// The grains of the only world alone; of several worlds, each with their number before them.
std::vector<std::byte> bytes_of(const std::vector<EmissionSchedule>& worlds) {
  std::vector<std::byte> bytes;
  const auto add = [&](const auto& value) {
    const auto of_value = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), of_value.begin(), of_value.end());
  };
  for (const EmissionSchedule& schedule : worlds) {
    if (worlds.size() > 1)
      add(std::uint64_t{schedule->size()});
    for (const auto& [seed, step, emitter] : *schedule)
      add(SavedBirth{vec4(seed.position, seed.radius),
                     seed.velocity,
                     seed.material,
                     emitter,
                     {static_cast<uint>(step), static_cast<uint>(step >> 32)}});
  }
  return bytes;
}

// Could an emitter of the scene have released it, as this sphere of a grain? The size of a block tells no more than
// that it holds emitted grains.
bool is_of(const Scene& scene, const SavedBirth& emitted, std::uint32_t sphere) {
  constexpr float place_most = 2e6f, speed_most = 1e4f;  // m, m/s: more than any scene has
  const auto within = [](const vec3& v, float most) { return glm::all(glm::lessThanEqual(glm::abs(v), vec3(most))); };
  if (emitted.emitter >= scene.emitters.size() || emitted.material >= scene.materials.size())
    return false;
  const Emitter& emitter = scene.emitters[emitted.emitter];
  double low = emitter.radius_min, high = emitter.radius_max;
  if (sphere >= spheres_of(emitter.clump))
    return false;
  if (emitter.clump) {  // which are found from the ball around it, and rounded
    low *= (1.0 - 1e-6) * emitter.clump->shape().spheres[sphere].w;
    high *= (1.0 + 1e-6) * emitter.clump->shape().spheres[sphere].w;
  }
  return emitted.position.w >= static_cast<float>(low) && emitted.position.w <= static_cast<float>(high) &&
         within(vec3(emitted.position), place_most) && within(emitted.velocity, speed_most);
}

// Puts the spheres of clumps together, which follow one another.
class ClumpsReader {
public:
  ClumpsReader(std::span<const std::byte> bytes, const Scene& scene) : bytes_(bytes), scene_(scene) {}

  // Which sphere of its clump the next grain is; of a sphere alone 0.
  std::uint32_t next() const { return next_; }

  // Reads clump, orientation and mass of an emitted grain into its seed. Returns false where the bytes do not hold
  // them.
  bool complete(ScheduledGrain& grain) {
    const std::uint32_t spheres = spheres_of(scene_.emitters[grain.emitter].clump);
    if (next_ > 0 && (grain.emitter != before_.emitter || grain.step != before_.step))
      return false;
    if (spheres > 1) {
      SavedSphere sphere;
      if (bytes_.size() < sizeof sphere)
        return false;
      std::memcpy(&sphere, bytes_.data(), sizeof sphere);
      bytes_ = bytes_.subspan(sizeof sphere);
      const float length = glm::length(sphere.turned);
      if (!(std::abs(length - 1.0f) < 1e-3f) || !(sphere.mass > 0.0f && std::isfinite(sphere.mass)))
        return false;
      const auto kind = static_cast<std::uint32_t>(scene_.grains.size()) + grain.emitter;
      grain.seed.clump = (next_ + 1) << tag_sphere_shift | kind << tag_kind_shift;
      grain.seed.turned = sphere.turned;
      grain.seed.mass = sphere.mass;
    }
    next_ = (next_ + 1) % spheres;
    before_ = grain;
    return true;
  }

  bool at_end() const { return next_ == 0 && bytes_.empty(); }

private:
  std::span<const std::byte> bytes_;
  const Scene& scene_;
  std::uint32_t next_ = 0;
  ScheduledGrain before_{};
};

// Nothing where the bytes are none of this scene.
std::optional<std::vector<EmissionSchedule>> schedules_of(std::span<const std::byte> bytes,
                                                          std::span<const std::byte> spheres, const Scene& scene) {
  ClumpsReader clumps(spheres, scene);
  const std::size_t worlds = scene.worlds;
  const auto take = [&](auto& value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
  };
  std::vector<EmissionSchedule> schedules;
  for (std::size_t w = 0; w < worlds; ++w) {
    std::uint64_t count = bytes.size() / sizeof(SavedBirth);
    if (worlds > 1 && bytes.size() < sizeof count)
      return {};
    if (worlds > 1)
      take(count);
    if (count > bytes.size() / sizeof(SavedBirth))
      return {};
    std::vector<ScheduledGrain> of_world;
    std::uint64_t step = 0;
    for (SavedBirth s; of_world.size() < count;) {
      take(s);
      const std::uint64_t before = std::exchange(step, s.step[0] | static_cast<std::uint64_t>(s.step[1]) << 32);
      if (!is_of(scene, s, clumps.next()) || step < before)
        return {};
      of_world.push_back({{vec3(s.position), s.position.w, s.velocity, s.material}, step, s.emitter});
      if (!clumps.complete(of_world.back()))
        return {};
    }
    if (clumps.next() != 0)
      return {};
    schedules.push_back(std::make_shared<const std::vector<ScheduledGrain>>(std::move(of_world)));
  }
  return bytes.empty() && clumps.at_end() ? std::optional(std::move(schedules)) : std::nullopt;
}

}  // namespace

std::string physics_of(Scene scene) {
  scene.title.clear();
  scene.end = 0.0;
  scene.camera = {};
  scene.depth_cameras.clear();
  scene.output = {};
  for (Material& material : scene.materials) {
    const Material none;
    material.color = {};
    material.finish = none.finish;
    material.wetness = none.wetness;
  }
  for (BodySpec& body : scene.bodies) {
    body.color.reset();
    body.finish.reset();
    body.show = {};
    body.visual.clear();
  }
  std::string text = to_toml(scene);
  each_mesh(scene, [&](const std::string& name, const MeshPart& mesh) {
    text += fmt::format("# {} {:016x}\n", name, checksum(mesh.loaded->mesh));
  });
  for (const GrainGroup& group : scene.grains)
    if (const auto* file = std::get_if<FileFill>(&group.shape))
      text += fmt::format("# {} {:016x}\n", file->file, checksum(*file->loaded, checksum_of_nothing));
  if (scene.soil && scene.soil->surface && scene.soil->surface->formula.empty())
    text += fmt::format("# {} {:016x}\n", scene.soil->surface->file,
                        checksum(std::as_bytes(scene.soil->surface->heights->heights())));
  return text;
}

Checkpoint Checkpoints::save() const {
  Executor& executor = memory_.executor();
  Checkpoint checkpoint{physics_of(model_.scene()), run_.step(), executor.device().name, {}};
  checkpoint.fields[commands_name] = commands_.drives().to_bytes();
  checkpoint.fields[hand_name] = bytes_of(commands_.hand());
  checkpoint.fields[schedules_name] = bytes_of(emission_.schedules());
  if (auto spheres = bytes_of_spheres(emission_.schedules()); !spheres.empty())
    checkpoint.fields[clumps_name] = std::move(spheres);
  const double zero = model_.time_zero();
  const auto bytes_of_zero = std::as_bytes(std::span(&zero, 1));
  checkpoint.fields[time_name] = {bytes_of_zero.begin(), bytes_of_zero.end()};
  each_field(&FieldInfo::saved, [&](FieldId id) {
    auto& bytes = checkpoint.fields[std::string(info(id).name)];
    bytes.resize(executor.size(id) * info(id).stride);
    executor.read(id, bytes);
  });
  return checkpoint;
}

CheckedState Checkpoints::check(Checkpoint checkpoint) const {
  if (checkpoint.scene_text != physics_of(model_.scene()))
    throw CheckpointError(
        fmt::format("saved from a scene with other settings than {}; resume with the same scene file and the same "
                    "--set and --seed options",
                    model_.scene().source));
  CheckedState state{std::move(checkpoint), model_.time_zero(), model_.population(), emission_.schedules(), {}, {}};
  read_schedules(state);
  Settings settings = model_.settings_with(state.population);
  auto& fields = state.checkpoint.fields;
  if (model_.scene().soil)  // which makes room for more grains as a run goes on
    settings.worlds.places =
        static_cast<uint>(fields[std::string(info(FieldId::grain_id).name)].size() / (sizeof(uint) * model_.worlds()));
  check_sizes(state, settings);
  auto courses = commands_.drives().from_bytes(fields[commands_name]);
  if (!courses)
    throw CheckpointError(fmt::format("{} are not those of this scene", commands_name));
  state.courses = std::move(*courses);
  state.hand = hand_of(fields[hand_name]);
  const glm::dvec3 sum = state.hand.from + state.hand.to;
  if (!std::isfinite(sum.x + sum.y + sum.z + state.time_zero))
    throw CheckpointError(fmt::format("{} or {} is not finite", hand_name, time_name));
  settings.worlds.rows = static_cast<uint>(fields[std::string(info(FieldId::contact_partner).name)].size() /
                                           (sizeof(uint) * model_.worlds() * slice_grains));
  if (const auto wrong = wrong_with(state, settings))
    throw CheckpointError(*wrong);
  return state;
}

// When step 1 started, and the emission schedules, where the checkpoint tells them.
void Checkpoints::read_schedules(CheckedState& state) const {
  auto& fields = state.checkpoint.fields;
  const auto found = fields.find(time_name);
  if (found == fields.end())
    return;
  if (found->second.size() != sizeof state.time_zero)
    throw CheckpointError(fmt::format("{} is not one number", time_name));
  std::memcpy(&state.time_zero, found->second.data(), sizeof state.time_zero);
  if (model_.scene().emitters.empty())
    return;
  auto saved = schedules_of(fields[schedules_name], fields[clumps_name], model_.scene());
  if (!saved)
    throw CheckpointError(fmt::format("{} are not those of this scene", schedules_name));
  state.schedules = std::move(*saved);
  state.population.scheduled = *state.schedules[0];
  count_fine_emitted(model_.scene(), state.population);
}

void Checkpoints::check_sizes(const CheckedState& state, const Settings& settings) const {
  const auto& fields = state.checkpoint.fields;
  each_field(&FieldInfo::saved, [&](FieldId id) {
    const auto found = fields.find(std::string(info(id).name));
    const std::size_t stride = info(id).stride;
    if (found == fields.end() && !memory_.has_field(id, settings))
      return;  // saved before there was such a field
    if (found == fields.end() || found->second.size() % stride != 0 ||
        (elements_of_slot(info(id).extent, settings.contacts) == 0 &&
         found->second.size() != memory_.elements_of(id, settings, state.population) * stride))
      throw CheckpointError(fmt::format("field {} is missing or has another size than this version's", info(id).name));
  });
}

// The limits of the numbers in the fields, where the state is taken over with its own emission schedules.
std::optional<std::string> Checkpoints::wrong_with(const CheckedState& state, const Settings& settings) const {
  const Population& population = state.population;
  const std::uint64_t step = state.checkpoint.step;
  StateBounds bounds{.settings = settings};
  const bool own = settings.worlds.places != no_grain;
  bounds.initial = static_cast<std::uint32_t>(population.initial.size());
  bounds.places =
      own ? settings.worlds.places : static_cast<uint>(population.initial.size() + population.scheduled.size());
  bounds.ids = bounds.places;
  bounds.materials = static_cast<uint>(model_.scene().materials.size());
  for (const Body& body : model_.bodies().bodies)
    bounds.parts.push_back(body.parts);
  for (const ClumpKind& kind : clump_kinds_of(model_.scene()))
    bounds.clump_spheres.push_back(kind.spheres);
  bounds.soil = model_.has_soil() ? &model_.soil_stacks() : nullptr;
  for (const Emitter& emitter : model_.scene().emitters)
    bounds.emitter_spheres.push_back(spheres_of(emitter.clump));
  for (std::uint32_t w = 0; w < model_.worlds(); ++w) {
    const std::uint64_t now = step - static_cast<std::uint64_t>(state.courses[w].start);
    if (state.courses[w].start < 0 || now > step)
      return "a world starts after this step";
    if (own && state.schedules[w]->size() > model_.emission_room(settings))
      return "a world has more emitted grains than there is room for";
    std::vector<uint> due(model_.scene().emitters.size());
    for (const ScheduledGrain& emitted : *state.schedules[w])
      due[emitted.emitter] += emitted.step <= now ? 1 : 0;
    bounds.due.insert(bounds.due.end(), due.begin(), due.end());
  }
  if (has_fine(population)) {
    bounds.fine_initial = static_cast<std::uint32_t>(population.fine.size());
    bounds.fine_due = population.fine_first[std::accumulate(bounds.due.begin(), bounds.due.end(), 0u)];
    bounds.fine_places = static_cast<uint>(population.fine.size()) + population.fine_first.back();
  }
  return wrong_in(state.checkpoint, bounds);
}

}  // namespace talus
