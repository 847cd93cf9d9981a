#pragma once
// What a simulation holds, and how it steps: set up in setup.cpp, run in batches.cpp.
#include "engine/drives.h"
#include "engine/executor.h"
#include "engine/setup.h"
#include "engine/step.h"
#include <future>
#include <map>
#include <optional>

namespace talus {

std::vector<std::string> warnings_of(const Scene& scene, const Population& population);
std::unique_ptr<Executor> make_executor(const Scene& scene, Options options);

// What a resumed run must share with the one that was saved: everything but the names, the end and the looks.
std::string physics_of(Scene scene);

// What a world starts with, and what its emitters release; shared, since worlds may become what others are.
using Pours = std::shared_ptr<const std::vector<TimedSeed>>;
struct WorldStart {
  std::vector<Seed> initial;
  Pours poured;
};

struct PreparedParts {
  Population population;           // of the first world
  std::vector<WorldStart> others;  // the worlds after it
  Dynamics dynamics;
  Bodies bodies;  // where they start
};

WorldStart start_of(const Population& population);
WorldStart start_of(Scene scene, std::uint64_t seed);

struct Simulation::Impl {
  // Steps of one submission: as many as fill this time, so that waiting costs little and nothing stands still for long;
  // no more than there is room for the motions of all bodies.
  static constexpr double batch_seconds = 0.05;
  static constexpr std::uint64_t batch_steps_max = 256, batch_motions_max = 65536;

  Scene scene;
  Options options;
  double time_zero = 0.0;  // s, where step 1 starts, as if dt had always been what it is now
  Drives drive;
  Settings settings{};
  Dynamics dynamics;
  Bodies bodies;
  Cloth cloth;
  Population population;                                     // of the first world
  std::vector<WorldStart> starts;                            // of each world
  std::vector<Pours> pours;                                  // of each world, as it is now: sorted by step
  std::vector<std::vector<std::vector<std::uint64_t>>> due;  // by world and emitter, steps of births, in order
  std::vector<uint> fine_first;                              // as Population::fine_first; empty: no fine grains
  std::uint32_t fine_initial = 0;                            // fine grains at the start
  std::uint32_t initial = 0;                                 // grains at the start of the first world
  std::vector<std::uint32_t> grains_of;                      // of each world, at its start
  struct Hand {
    glm::dvec3 from{0.0}, to{0.0};  // m
    std::uint64_t step = 0;         // in which it moves
    std::vector<HandGrain> held;    // by id
  };
  Hand hand;
  std::vector<std::string> warnings, notes;
  std::unique_ptr<Executor> executor;
  std::uint64_t step = 0;
  std::uint32_t substep = 0;     // done of the current step, where a batch was halted
  std::uint64_t valid_step = 0;  // that the _valid fields hold
  // What bodies and hand were told.
  struct Commands {
    std::vector<Drives::Course> courses;
    Hand hand;
    std::map<std::uint32_t, RigidCommand> rigid;  // of dynamic bodies; those that differ
  };
  std::optional<Commands> replaced;  // by the commands since the last step; none where there were none
  Commands valid_commands;           // as valid_step, before what was commanded for the steps since
  bool takes_back = false;           // whether that was anything
  Status known{};                    // as after the last batch
  std::vector<World> known_worlds;
  Status valid_status{};  // as valid_step
  std::vector<World> valid_worlds;
  std::uint64_t batch = 1;      // steps of the next submission
  std::vector<BodyLoad> loads;  // of body b in step loads_step + s: s bodies + b
  std::uint64_t loads_step = 0;
  std::uint64_t end = 0;      // step at which what was asked for ends
  std::uint64_t started = 0;  // steps that are under way
  bool surveying = false;     // at their end
  // What of them the device does not have yet, and how many substeps it is handed at a time in a live view.
  struct Rest {
    std::uint64_t step = 0, end = 0;  // [step, end)
    std::uint32_t substep = 0;        // of the first one
    bool posed = false;               // bodies are left where they are to be drawn
    bool surveyed = false;            // .. with what grains feel
  };
  Rest rest;
  std::uint64_t slice = 1, sliced = 0;  // substeps; handed over since the device's time was measured
  double device_ms = 0.0;               // up to then
  const bool on_device;

  Impl(Prepared prepared, const Options& options, std::unique_ptr<Executor> executor);
  void set_places(Settings& of) const;
  std::size_t elements_of(FieldId id, const Settings& settings, const Population& population) const;
  std::size_t elements_of(Extent extent, const Settings& settings, const Population& population) const;
  bool wants_field(FieldId id, const Settings& of) const;
  void size_fields();
  void write_settings();
  void fill_fields();

  // Births that have taken part in step `at`, if all found room when they were due.
  std::uint32_t births_until(std::uint64_t at, std::uint32_t world = 0) const;
  std::uint32_t born() const;  // so far, and those of the start
  // Do worlds have places of their own, the same number each, for good? Else there is one, which grows and shrinks.
  bool own_places() const { return settings.places != no_grain; }
  // Places in memory that grains have or had, or will have when they find room.
  std::uint32_t places_at(std::uint64_t at) const {
    return own_places() ? scene.worlds * settings.places : initial + births_until(at) - known.freed;
  }
  // Of which the lists are: those born in the step before have none yet.
  std::uint32_t listed_at(std::uint64_t at) const { return places_at(at > 0 ? at - 1 : 0); }
  std::uint32_t gone() const;                              // into sinks
  std::uint32_t alive() const { return born() - gone(); }  // and vertices of cloth
  std::uint64_t batch_most() const;                        // steps of one submission
  bool is_vertex(uint id) const { return id - settings.cloth_first < settings.cloth; }

  // The same of fine grains.
  std::uint32_t fine_places_at(std::uint64_t at) const {
    return fine_first.empty() ? 0 : fine_initial + fine_first[births_until(at)] - known.fine_freed;
  }
  std::uint32_t fine_alive() const { return fine_initial + known.fine_born - known.fine_gone; }

  // Bytes that a world has of a field, 0 where they share it; worlds lie one after another.
  std::size_t share_of(FieldId id) const;
  void fill_world(std::uint32_t world, const WorldStart& start);
  // Numbers of grains that all worlds have alike come after those of the fullest one's others: particles of shapes,
  // vertices of cloth and the skin of bodies, as many as this, then births, for so many of which a world has room.
  std::uint32_t alike() const { return settings.births_first - settings.shaped_first; }
  std::size_t births_room(const Settings& of) const;
  std::uint32_t number_alone(std::uint32_t world, uint id) const;  // of a grain, if its world were the only one
  void write_births(std::uint32_t world);
  void write_pours(std::uint64_t steps);  // births of the next steps, for plans of them
  Pour pour_of(std::uint64_t at, std::uint32_t world, std::uint32_t emitter) const;  // in step `at`
  bool pours_at(std::uint64_t at) const;                                             // may a grain be released?
  // What the host knows of a world.
  struct WorldCourse {
    World lists{};
    std::uint32_t grains = 0;  // grains_of
    Pours pours;
    Drives::Course course;
  };
  WorldCourse course_of(std::uint32_t world) const;
  void count_grains();  // grains_of, by the grains that are there now
  void become(std::span<const std::uint32_t> which, const WorldCourse& other);
  void reset_worlds(std::span<const std::uint32_t> which, std::span<const std::uint64_t> seeds);
  void check_worlds(std::span<const std::uint32_t> which) const;
  // What is not on the device of a world's state that is kept there.
  struct Shelf {
    bool filled = false;
    std::uint64_t step = 0;  // when it was
    WorldCourse world;
    std::vector<std::size_t> shares;  // bytes of saved fields, in their order
  };
  std::vector<Shelf> shelves;
  std::size_t shelf_bytes = 0;  // from one to the next
  Shelf& shelf_at(std::uint32_t shelf);
  std::vector<FieldId> fields_of_worlds() const;
  void widen_shelves(std::size_t bytes);

  StepPlan plan_of(std::uint64_t at) const;
  void write_motions(std::uint64_t steps);  // how the bodies move in the next steps, for plans of them
  void clear_space(std::uint32_t world,
                   const std::vector<Pose>& before);  // around bodies that stand elsewhere than then
  void place_bodies();  // steps leave the bodies where they stood at the start of the last substep
  void forget_point_contacts();
  Status read_status() { return read_field<Status>(*executor, FieldId::status, 1)[0]; }
  void write_status(const Status& status) { write_field(*executor, FieldId::status, std::vector{status}); }
  std::vector<World> read_worlds() const { return read_field<World>(*executor, FieldId::worlds, scene.worlds); }
  bool lists_are_void() const;  // of any world

  bool under_way() const { return work.valid(); }
  Impl& idle();  // throws std::logic_error where steps are under way
  void advance(std::uint64_t steps);
  void start(std::uint64_t steps, bool survey);
  bool ready();
  void finish();
  void aim(std::uint64_t steps);
  void go_on();
  void begin(std::uint64_t steps, bool live);
  void run(std::uint64_t steps, bool live, bool survey);
  std::uint64_t steps_alike() const;
  void hand_over(std::uint64_t substeps);
  void measure_slice();
  void complete();
  void change(Scene to);
  void set_course(Scene to, Population population, std::vector<Pours> pours, double time_zero);
  void weigh_grains(const Scene& to);
  void keep_memory(const Solver& before, double scale);
  std::uint32_t grab(const glm::dvec3& at, double radius);
  void move_hand(const glm::dvec3& at);
  void hold(Hand hand);
  std::optional<std::string> wrong_with(const Checkpoint& checkpoint, const Settings& of, const Population& there,
                                        const std::vector<Pours>& births,
                                        const std::vector<Drives::Course>& courses) const;
  std::vector<std::byte> hand_bytes() const;
  Hand hand_of(std::span<const std::byte> bytes) const;
  void set_depth_cameras();                                // those of the scene
  void see_depth(std::uint32_t first, std::uint32_t end);  // cameras [first, end)
  void make_room_for_lines();
  void survey();
  void free_places();
  void move_up(Follows what, std::uint32_t places);
  void start_anew(FieldId id, std::size_t first, std::size_t count);
  void finish_steps(std::uint64_t count);
  void add_loads(std::uint32_t steps);
  void resize_slots(std::size_t rows);
  void grow(Status status);
  std::string name_of(std::uint32_t world, uint grain) const;  // what World::invalid stands for
  std::string name_of_own(uint grain) const;                   // .. in its world
  void move_right(FieldId id, std::size_t from, std::size_t to, std::size_t bytes);
  [[noreturn]] void fall_back(Status status);

  std::vector<RigidState> rigid_states() const;
  std::vector<ShapeMotion> shape_motions() const;
  const BodySpec& spec_of(std::uint32_t body) const { return scene.bodies[body % scene.bodies.size()]; }
  Measure measure(std::optional<std::uint32_t> world);
  std::uint64_t state_hash(std::optional<std::uint32_t> world);
  bool is_dynamic(std::uint32_t body) const;
  RigidState rigid_state(std::uint32_t body) const;
  const Joint* dynamic_joint(std::uint32_t body) const;
  void note_limit(std::uint32_t body, double speed);  // of drive_joint, where it goes beyond what the joint allows
  // Before a command: what a state that it makes invalid goes back to.
  void keep_commands();
  // Commands to a dynamic body: change(command).
  void command(std::uint32_t body, const std::function<void(RigidCommand&)>& change);

  std::vector<GrainState> read_fine();  // that are there, by number; `material` is that, `id` their number
  // The grains as they lie in memory, and the way by world and id through those that are there: equal states read so
  // are equal, whatever the order.
  struct State {
    std::vector<Grain> grains;
    std::vector<uint> ids, tags;
    std::vector<std::uint32_t> by_id;
    std::uint32_t places;  // of a world; ~0: all
    std::uint32_t world_of(std::uint32_t i) const { return i / places; }
  };
  State read_state();

  // Recording the steps that are under way, or on the CPU path computing them. Last: it uses all the others.
  std::future<void> work;
};

}  // namespace talus
