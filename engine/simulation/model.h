#pragma once
// The scene of a simulation, and all that follows from it without a device.
#include "engine/core/executor.h"
#include "engine/core/setup.h"
#include "engine/soil/site.h"
#include "engine/soil/stacks.h"
#include "engine/talus.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace talus {

// The grains that the emitters of one world release, sorted by step. Worlds share a schedule where one is a copy of
// another.
using EmissionSchedule = std::shared_ptr<const std::vector<ScheduledGrain>>;

struct WorldStart {
  std::vector<Seed> initial;
  EmissionSchedule emitted;
};
WorldStart start_of(const Population& population);
WorldStart start_of(Scene scene, std::uint64_t seed);

struct PreparedParts {
  Population population;           // the grains of the first world
  std::vector<WorldStart> others;  // the worlds after it
  std::shared_ptr<const SoilStacks> soil;
  Dynamics dynamics;
  Bodies bodies;  // where they start
};

std::vector<std::string> warnings_of(const Scene& scene, const Population& population);

// The text of everything that a resumed run must share with the saved one: all but the names, the end and the looks.
std::string physics_of(Scene scene);

// Owns the scene, the grains of its first world, the records of its bodies, shapes and cloth, the settings that passes
// read, and what the user is told about the scene.
//
// Between calls:
// - settings() follow from scene() and population(), with the slots of worlds and the capacity for contacts.
// - The slots of a world, its bodies, and the ids of grains that all worlds have alike are the same from the start on.
// - A note or a warning that was given is not taken back, except that adopt() makes the warnings anew.
//
// Needs nothing from outside.
class Model {
public:
  Model(Prepared prepared, const Options& options);

  const Scene& scene() const { return scene_; }  // its substeps have been chosen
  const Options& options() const { return options_; }
  const Settings& settings() const { return settings_; }
  const Population& population() const { return population_; }
  const Dynamics& dynamics() const { return dynamics_; }
  const Bodies& bodies() const { return bodies_; }
  const Shapes& shapes() const { return shapes_; }
  const Cloth& cloth() const { return cloth_; }
  double time_zero() const { return time_zero_; }  // s, the start of step 1, as if dt had always been what it is now
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& notes() const { return notes_; }

  std::uint32_t worlds() const { return scene_.worlds; }
  std::size_t bodies_of_all() const { return std::size_t{scene_.worlds} * scene_.bodies.size(); }
  const BodySpec& spec_of(std::uint32_t body) const { return scene_.bodies[body % scene_.bodies.size()]; }
  bool is_dynamic(std::uint32_t body) const;  // false for a body that is not there
  uint vertices_of_all() const { return settings_.worlds.count * settings_.cloth.vertices; }
  bool is_vertex(uint id) const { return id - settings_.cloth.first < settings_.cloth.vertices; }
  // Has each world its own slots, the same number for good? Otherwise the only world's slots grow and shrink.
  bool own_slots() const { return settings_.worlds.places != no_grain; }
  // Grains that all worlds have alike: particles of shapes, vertices of cloth, and grains that stand for bodies. Their
  // ids come after the other grains of the fullest world. The ids of emitted grains follow.
  std::uint32_t alike() const { return settings_.emission.first - settings_.shapes.first; }
  std::size_t soil_columns() const;  // of a world
  // The stacks of the ground, where the scene has some.
  bool has_soil() const { return soil_stacks_ != nullptr; }
  const SoilStacks& soil_stacks() const { return *soil_stacks_; }
  // The bodies of a world that feel the ground by its surface, and the samples of it that may lie around them in all
  // worlds. 0: there are none.
  const std::vector<uint>& ground_bodies() const { return ground_bodies_; }
  const SoilSite& soil_site() const { return soil_site_; }
  std::uint32_t ground_places() const { return scene_.worlds * soil_site_.bodies * soil_site_.span * soil_site_.span; }
  // Numbers and places in memory that a world has for grains of the ground: ids from soil_first() on.
  uint soil_first() const { return settings_.emission.first + static_cast<uint>(emission_room(settings_)); }
  uint soil_room() const { return settings_.worlds.places - soil_first(); }
  uint soil_end() const { return settings_.emission.place; }  // places that they may take are before it
  std::size_t emission_room(const Settings& of) const;  // emitted grains that a world with slots of its own can have
  Features features() const;
  std::string name_of_grain(std::uint32_t world, uint grain) const;  // a grain by its number, or body_partner + body
  void check_worlds(std::span<const std::uint32_t> which) const;     // throws std::invalid_argument

  // The settings of this scene with the grains of another population, before any contact slots are counted.
  Settings settings_with(const Population& population) const;
  // The settings of a changed scene with the slots and the capacity for contacts that there are.
  Settings settings_after(const Scene& changed, const Population& population) const;

  void adopt(Scene scene, Population population, double time_zero, const Settings& settings);
  void reshape(Bodies bodies);                                  // those of scene(), whose parts have changed
  void adopt_looks(Scene scene) { scene_ = std::move(scene); }  // the physics and the solver must be the same
  // The history buffer has room for at least so many contacts.
  void set_contact_capacity(uint rows, uint history);
  void set_places(uint places);  // of a world with soil, in memory
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  void add_note_once(std::string_view beginning, std::string_view rest);  // one note with this beginning is enough

private:
  void give_slots(Settings& to) const;
  void lay_out_shapes();
  bool many_worlds() const { return scene_.worlds > 1 || options_.shelves > 0; }  // by how they are computed
  std::string name_in_world(uint grain) const;

  Scene scene_;
  Options options_;
  double time_zero_ = 0.0;  // s
  Dynamics dynamics_;
  Bodies bodies_;
  Population population_;         // the grains of the first world
  std::size_t initial_most_ = 0;  // grains of the fullest world at the start
  std::size_t emitted_most_ = 0;  // most grains that emitters release into one world
  Settings settings_{};
  Shapes shapes_;
  Cloth cloth_;
  std::shared_ptr<const SoilStacks> soil_stacks_;
  SoilSite soil_site_{};
  std::vector<uint> ground_bodies_;
  std::vector<std::string> warnings_, notes_;
};

}  // namespace talus
