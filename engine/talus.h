#pragma once
// Talus: granular material on any device with Vulkan 1.3, and on the CPU. This is the public API.
//
//   talus::Scene scene = talus::load_scene("scenes/pile.toml");
//   talus::Simulation simulation(scene, {.device = "auto"});
//   simulation.advance(100);                              // steps of scene.dt
//   for (const talus::GrainState& g : simulation.grains()) ...
//
// SI units, z up. Set-up errors throw one sentence a user can act on: SceneError, DeviceError, StateError.
#include "engine/core/options.h"
#include "engine/geometry/pose.h"
#include "engine/motion/states.h"
#include "engine/scene/scene.h"
#include "shaders/shared/types.h"
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

class Executor;
struct Checkpoint;
struct StepTrace;
namespace gpu {
class Device;
class Buffer;
}  // namespace gpu

struct GrainState {
  std::uint32_t id;
  glm::vec3 position;      // m
  glm::vec3 velocity;      // m/s
  float radius;            // m
  std::uint32_t material;  // index into Scene::materials
  std::uint32_t world;
  glm::vec3 spin{0.0f};  // angular velocity [rad/s]; 0 where grains do not rotate, and of fine grains
};

// How a clump, a rigid grain of several spheres, moves. The grains of ids [first, first + spheres) are its spheres.
struct ClumpState {
  std::uint32_t first, spheres;
  std::uint32_t material, world;  // as GrainState's
  double mass;                    // kg
  Pose pose;                  // m, of the centre of mass; from the frame of its principal axes, the least moment first
  glm::dvec3 velocity, spin;  // m/s, rad/s
  glm::dvec3 momentum;        // kg m2/s, angular, about the centre of mass
};
// Of a body of particles that keep its shape: its center of mass, how it is turned from how it was given, and the mean
// velocity [m/s] of its particles.
struct ShapeState {
  Pose pose;
  glm::dvec3 velocity;
};
// Of a sheet of cloth; its vertices in the order of its grid, row after row from -x, -y on, or of its mesh.
struct ClothState {
  std::vector<glm::vec3> positions;   // m; across a periodic axis next to the others, as the sheet hangs together
  std::vector<glm::vec3> velocities;  // m/s
  std::vector<glm::uvec3> triangles;  // corners
  double strain_mean = 0.0;           // how much longer the sides that stretch are than at rest, as a share of that
  double strain_max = 0.0;            // .. of the one with most; below 0: all are shorter
  double kinetic_energy = 0.0;        // J
};
// At the center of mass, in the axes of the world.
struct Wrench {
  glm::dvec3 force{0.0};   // N
  glm::dvec3 torque{0.0};  // N m
};

// Over grains and vertices of cloth alike, which touch what their triangles touch, but for the number of grains.
struct Measure {
  std::uint32_t grains = 0;
  double contacts_mean = 0.0;  // touching contacts per grain or vertex
  std::uint32_t contacts_max = 0;
  double penetration_mean = 0.0;  // over touching contacts, in radii of the smaller grain
  double penetration_max = 0.0;
  double kinetic_energy = 0.0;  // J
  glm::dvec3 momentum{0.0};     // kg m/s
  double speed_max = 0.0;       // m/s
  double height = 0.0;          // m, top of the highest grain above the domain's floor
};

// Grains of an emitter in a world: released so far; due, and waiting for room; and given up, since they found no room
// until its stop. A clump is one.
struct EmitterCounts {
  std::uint32_t born = 0, waiting = 0, given_up = 0;
};

// SoilMaterialSummary tells how much there is of a material of the ground, over all worlds.
struct SoilMaterialSummary {
  std::string name;
  double mass = 0.0, grid_mass = 0.0;  // kg, of all that came with the ground, and what of that is in its columns
  std::uint64_t quanta = 0;            // the same as mass, exactly: 1/256 of the volume of a grain of the mean radius
};

// The ground of a scene with [soil], over all worlds.
struct SoilSummary {
  double mass = 0.0, grid_mass = 0.0;  // kg, of all that came with it, and what of that is in its columns
  std::uint64_t quanta = 0;            // of all its materials, exactly (SoilMaterialSummary)
  std::uint32_t live_grains = 0;       // that came out of it
  std::uint32_t rough_grains = 0;      // fixed ones beside these, whose mass is in its columns
  double loosened_mass = 0.0;          // kg, in its columns, of soil that was dug
  double swell = 1.0;                  // mean volume of the loosened soil by that of as much undisturbed soil
  double deepest_track = 0.0;          // m, that a body with ground = "surface" has left
  // That below the layers first, then others from the surface downwards.
  std::vector<SoilMaterialSummary> materials;
};

// How high the columns of a world's ground are with the soil in and on them [m above the floor of the domain], as if
// the ground took the grains in where they are: row after row along x from the lower corner of the site on.
struct SoilHeights {
  glm::uvec2 columns{0};  // along x and y
  std::vector<float> heights;
};

// How often grains have gone through the ends of a periodic axis since the start: out at the upper one and in at the
// lower one, and the other way; modulo 2^32.
struct SeamCrossings {
  std::uint32_t up = 0, down = 0;
};

// What grains do to a body: means over a step, and filtered (BodySpec::load_filter) [N, N m]. Torque is about the
// body's origin, both in the axes of the world.
using BodyLoad = shared::BodyLoad;
inline constexpr std::uint64_t load_steps_most = 65536;  // of a load_history()

// What of a simulation takes long and needs no device: grains in their places, distance fields of meshes, substeps.
struct PreparedParts;
struct Prepared {
  Scene scene;  // with the substeps chosen
  std::vector<std::string> warnings, notes;
  std::shared_ptr<const PreparedParts> parts;
};
// On any thread, while others run. Throws SceneError.
Prepared prepare(Scene scene);

// The first key in which a scene differs from the one that runs so that change() does not do, such as
// "grains.0.radius"; none where it does.
std::optional<std::string> needs_restart(const Scene& running, const Scene& changed);

class Simulation {
public:
  Simulation(Scene scene, const Options& options = {});  // prepares it
  Simulation(Prepared prepared, const Options& options = {});
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  // Steps on by n steps of scene().dt. Many steps share one submission; buffers that are too small grow on the way.
  // Throws ResourceError, StateError, or SceneError where a formula of a body's motion is not finite; the state is then
  // the last valid one. A StateError takes back what bodies and hand were told since the step before, so that a command
  // that no state survives is not in a checkpoint of that state. goes_on: asked between two batches of steps, every
  // 0.05 s or so, on the thread of the caller, whether to go on; it must not use the simulation. Where it says no, or
  // throws, the state is that of the steps done by then.
  void advance(std::uint64_t steps, const std::function<bool()>& goes_on = {});
  // advance() without waiting, for live views: start() sends the steps to the device, as much of them at a time as
  // Options::slice says, or begins them on a thread of its own on the CPU path; ready() says whether finish() would
  // return at once, and sends more; finish() takes the result over and throws what advance() would. Beyond 256 steps,
  // beyond the step in which the ground is looked at, or places of gone grains are given up (multiples of 32), and after
  // buffers had to grow, finish() computes the rest. In between only these may be called, and on a device what is for
  // drawing, grain_places() to body_buffer(), which then describe the state at the end of the steps that were sent. All
  // else throws std::logic_error. So does finish() where nothing is under way. evaluate_contacts: as
  // evaluate_contacts() at the end of the steps, whose buffers are then for drawing, too.
  void start(std::uint64_t steps, bool evaluate_contacts = false);
  bool ready();
  void finish();
  bool under_way() const;

  // From the next step on goes by the settings of a scene of the same grains, bodies, cloth and domain. May differ: the
  // solver; gravity, friction and adhesion of the domain; laws, density and colour of materials, and with the density
  // the mass of grains that are there; rate, velocity, shape, start, stop and count of emitters, for grains not born
  // yet, and more emitters after those, of spheres of radii that the scene has; time.dt, where time goes on from
  // where it is; step and friction of upsampling; holes in bodies without a mass (parts with after_fill), where no part
  // is of particles and the scene has no soil; looks of bodies and cloth; camera, depth cameras, output, title, end.
  // Contacts remember what the new settings can use. A checkpoint saved afterwards resumes in a simulation of the
  // changed scene. Throws SceneError and changes nothing for all else, and names what needs_restart() does.
  void change(const Scene& changed);

  // A hand: holds the grains whose centres are within a radius [m] of a place, from the next step on, in place of those
  // it held; says how many. Not those that are fixed, nor vertices of cloth. Each is pulled towards its place in the
  // hand while the hand moves, with up to 60 m/s2 and without ringing, and pushes what is in its way. Checkpoints hold
  // the hand.
  std::uint32_t grab(const glm::dvec3& at, double radius);
  void move_hand(const glm::dvec3& at);  // on a straight line in the next step
  void release();
  // A hand like a ball, in place of one that holds: it moves the grains whose centres are within a radius [m] of a
  // place straight away from it, and those below it (against gravity) upwards, until they are at that distance; says
  // how many. For where it goes then, and for grains that fall into it, push again. release() takes it away.
  std::uint32_t push_grains(const glm::dvec3& at, double radius);

  // Takes the grains whose centres are within a radius [m] of a place out of the first world, at once, and takes fine
  // grains likewise; it returns how many, without fine ones. Clumps go as a whole, where their centres of mass are
  // within. Fixed grains and vertices of cloth stay. Ground without grains ([soil]) is not taken. They are gone
  // as those in sinks are, and removed_grains() counts them, since the start, in all worlds.
  std::uint32_t remove_grains(const glm::dvec3& at, double radius);
  std::uint32_t removed_grains() const;

  const Scene& scene() const;  // with the substeps chosen where it says "auto"
  const std::vector<std::string>&
  warnings() const;  // about the scene, one sentence each: not errors, but not as asked for
  const std::vector<std::string>& notes() const;  // what was chosen for the scene and for commands, one sentence each
  std::uint64_t step() const;                     // steps done
  std::uint32_t worlds() const;                   // scene().worlds
  double time(std::uint32_t world = 0) const;     // s simulated, in a world since it was reset
  std::uint32_t grain_count() const;              // that are there: born less gone; vertices of cloth are none
  std::uint32_t grains_born() const;
  std::vector<std::uint32_t> sink_counts() const;     // grains gone, in the order of scene().sinks, world after world
  std::vector<EmitterCounts> emitter_counts() const;  // likewise, in the order of scene().emitters
  SoilHeights soil_heights(std::uint32_t world = 0) const;  // empty where the scene has no [soil]
  // For drawing: grains of the ground's surface that are none of grains(), by their numbers, at rest. While steps are
  // under way, those of the last call before.
  std::vector<GrainState> soil_surface(std::uint32_t world = 0);
  std::optional<SoilSummary> soil() const;                  // nothing where the scene has no [soil]
  std::array<SeamCrossings, 3> periodic_crossings() const;  // x, y, z
  std::vector<GrainState> grains();                         // sorted by world and id
  std::vector<ClumpState> clumps();                         // sorted by world and first
  // Where grains sleep (solver.sleep): those that are awake, and those of the slices that dem has gone through, summed
  // over substeps. None where they do not.
  std::optional<std::uint32_t> awake();
  std::optional<std::uint64_t> grain_updates();
  std::uint32_t fine_count() const;       // fine grains that are there; 0 without [upsampling]
  std::vector<GrainState> fine_grains();  // likewise; they have numbers of their own
  Measure measure();                      // over all worlds
  Measure measure(std::uint32_t world);   // of one

  // Worlds go on side by side, in the same steps, as each would alone with solver.incremental_rebuild off, bit for bit.
  // What follows is done on the device between two steps and leaves the other worlds alone. Throws
  // std::invalid_argument for a world or shelf that is not there.
  //   To the start of the scene. seeds: of each of them, for grains in other places; empty: those of the worlds. Throws
  //   SceneError where there are more grains than a world has room for (those of the fullest one at the start, and as
  //   many as emitters ever release into one).
  void reset_worlds(std::span<const std::uint32_t> worlds, std::span<const std::uint64_t> seeds = {});
  //   A world as another one is: grains, bodies, commands, contacts' memory, time.
  void fork_world(std::uint32_t from, std::span<const std::uint32_t> to);
  //   A world's state onto one of Options::shelves, and back, into any worlds, any number of times.
  void save_world(std::uint32_t world, std::uint32_t shelf);
  void restore_world(std::uint32_t shelf, std::span<const std::uint32_t> worlds);

  // Bodies go by their place in scene().bodies; those of world w by w * scene().bodies.size() + that. Throws
  // std::invalid_argument where there is none of that name.
  std::uint32_t body(std::string_view name, std::uint32_t world = 0) const;
  BodyState body_state(std::uint32_t body) const;
  // Puts a body at a pose, at once and at rest, in the frame that targets have: where an episode begins. Grains that it
  // is in by more than a contact are moved out at once, others out of their way; notes() tell where there is no room.
  void place_body(std::uint32_t body, const Pose& at);
  // Commands. From the next step on they take the place of the motion in the scene, until another one does. Targets
  // are in the frame of the parent, or in the world for a body without one. A body that hangs on a joint is moved by
  // it, within the limits that the scene gives the joint. All throw std::invalid_argument for what cannot be.
  //   Straight to a pose, the shortest way also across periodic axes, and at rest there. rotation: of any length but 0.
  void move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits = {});
  //   With constant velocities, once they are reached.
  void drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits = {});
  JointState joint_state(std::uint32_t body) const;
  // Returns the mean load that the joint of a dynamic body laid on it in the last step; nothing where the body has no
  // mass or no joint.
  std::optional<JointLoad> joint_load(std::uint32_t body) const;
  //   degrees or m, within min and max. Dynamic: of its motor, which has a target.
  void move_joint(std::uint32_t body, double value);
  //   degrees/s or m/s, up to 1e6; stops at min and max. No faster than the joint's limit in the scene: notes() then
  //   say so. Dynamic: of its motor.
  void drive_joint(std::uint32_t body, double speed);
  // A torque about the joint of a dynamic body [N m], or a force along it [N], beside its motor, until another one.
  void push_joint(std::uint32_t body, double torque);
  // A force on a dynamic body, beside gravity and contacts, until another one.
  void push_body(std::uint32_t body, const Wrench& wrench);

  // Shapes go by their place in scene().shapes, likewise. One that sinks have taken stays where it was last.
  std::uint32_t shape(std::string_view name, std::uint32_t world = 0) const;
  ShapeState shape_state(std::uint32_t shape) const;

  // Cloths go by their place in scene().cloths, likewise.
  std::uint32_t cloth(std::string_view name, std::uint32_t world = 0) const;
  ClothState cloth_state(std::uint32_t cloth) const;
  std::uint64_t cloth_uncounted() const;  // pushes on cloth that were beyond all measure and did not move it

  std::vector<PassTime> pass_times() const;
  DeviceSummary device() const;
  // Of processes that share the simulation (Options::ranks), each; empty: there is this one alone.
  std::vector<RankSummary> ranks() const;
  std::uint64_t memory_bytes() const;          // of all fields
  std::uint64_t rebuilds() const;              // of all neighbour lists
  std::uint64_t incremental_rebuilds() const;  // of those near grains that had moved
  std::uint64_t
  cfl_violations() const;  // grain-substeps faster than half a radius per substep: too fast for their contacts
  std::vector<BodyLoad> body_loads() const;  // of the last step, of all bodies
  // Of each step of the last advance() or start(), s * bodies of all worlds + b; of the last load_steps_most of them
  // where it was longer.
  const std::vector<BodyLoad>& load_history() const;
  std::uint64_t state_hash(std::uint32_t world);  // .. of one world, whatever the others do
  std::uint64_t state_hash();  // 64 bits over all grains sorted by world and id; equal states have equal hashes

  // Everything that matters for going on bit for bit on the same device, commands too.
  void save(const std::filesystem::path& file);
  void resume(const std::filesystem::path& file);  // throws CheckpointError
  // The same in memory (engine/simulation/checkpoint_file.h).
  Checkpoint checkpoint();
  void resume(Checkpoint checkpoint);

  // For drawing: where the grains lie on the device. Null on the CPU path.
  std::uint32_t grain_places() const;  // some may be empty: their grain has radius 0
  gpu::Device* gpu_device();
  gpu::Buffer* grain_buffer();     // Grain (shaders/shared/types.h), grain_places() of them
  gpu::Buffer* tag_buffer();       // uint, material; worlds lie one after another, each with as many places
  gpu::Buffer* id_buffer();        // uint, number of the grain
  gpu::Buffer* activity_buffer();  // SliceActivity, of slices of 16 places; null where grains do not sleep
  gpu::Buffer* spin_buffer();      // vec4, xyz: radius times angular velocity [m/s]; null where grains do not rotate
  std::uint32_t ids_end() const;   // the numbers of a world's grains, those to come too, are below it
  // Fine grains likewise.
  std::uint32_t fine_places() const;
  gpu::Buffer* fine_buffer();      // Grain; velocity.w: how loose it is, 0: carried by coarse grains, 1: free
  gpu::Buffer* fine_tag_buffer();  // uint, material in the low 8 bits, above them the number of the fine grain
  // Fixed grains have no fine ones, nor have those of numbers [first, end): particles of shapes, vertices of cloth,
  // and grains that stand for bodies.
  std::array<std::uint32_t, 2> coarse_without_fine() const;
  // ShapeMotion, one per Scene::shapes of each world.
  gpu::Buffer* shape_buffer();
  // Number of the first vertex of cloth. Those of all cloths follow one another and lie among the grains, as balls of
  // the thickness.
  std::uint32_t cloth_first() const;
  // Body, one per body of each world, posed as at time(); brings the field up to date on the CPU path too.
  gpu::Buffer* body_buffer();

  // Depth cameras go by their place in scene().depth_cameras. Throws std::invalid_argument where there is none of that
  // name.
  std::uint32_t depth_camera(std::string_view name) const;
  // What one sees at time(): float32 [worlds][height][width], rows from the top. Values are distances along its axis
  // [m], far where it sees nothing; or, where the scene says so, heights above domain.min.z [m], 0 where it sees
  // nothing. Exact to 1e-4 of far. Throws std::out_of_range for a camera that is not there.
  std::vector<float> depth(std::uint32_t camera);
  // The same on the device, of all cameras, the images of one after those of the one before; nothing waits. On the CPU
  // path they are in executor()'s field depth_bits.
  gpu::Buffer* depth_buffer();

  // What grains feel, when asked for; nothing waits. By contacts as the last substep left them, of none before the
  // first. Normal forces are, in dem, those of springs and dampers where the grains are; in vts and sp, impulses of the
  // last substep over its length; in p2 and pbd an estimate, as the mean over a grain's contacts in its last iteration
  // weighs their corrections: up to a half too low. Contacts with cloth have none. On the CPU path they are in
  // executor()'s fields measures and contact_lines.
  void evaluate_contacts();
  gpu::Buffer* measure_buffer();      // GrainMeasure, grain_places() of them: overlaps, contacts, greatest force
  gpu::Buffer* line_buffer();         // ContactLine, line_places() of them; those of force 0 are none
  std::uint32_t line_places() const;  // of the last evaluation; all there may be while steps are under way

  // The fields themselves, for tests and tools (engine/core/executor.h).
  Executor& executor();

  // One line per pass of a step: what it reads and writes, and the barrier before it. dot: Graphviz.
  std::string describe_step(bool dot);
  // The same as data (engine/simulation/step_trace.h), on any thread: prepares the scene anew, on a device of its own
  // unless options.on names one.
  static StepTrace trace_step(const Scene& scene, Options options);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talus
