/* Talus for C, and for every language that calls C: granular material on any device with Vulkan 1.3, and on the CPU.

     talus_scene* scene = NULL;
     talus_simulation* simulation = NULL;
     if (talus_scene_load("pile.toml", NULL, 0, &scene) != TALUS_OK ||
         talus_simulation_create(scene, NULL, &simulation) != TALUS_OK || talus_advance(simulation, 100) != TALUS_OK)
       fprintf(stderr, "%s\n", talus_last_error());
     talus_simulation_free(simulation);
     talus_scene_free(scene);

   SI units, z up; rotations are quaternions x, y, z, w; texts are UTF-8.

   Errors. Nearly every function returns a talus_result, and its results lie where the last arguments point. A call that
   fails changes nothing where those point, unless its comment says so, and talus_last_error() has a sentence that says
   what is wrong and what is allowed. No exception leaves the library, and no handle ends the program: null, a handle
   that was freed and one of another type are TALUS_ERROR_INVALID_ARGUMENT.

   Arrays. "capacity" counts the elements that the caller's array has room for. *count receives how many there are, also
   where the call fails with TALUS_ERROR_TOO_SMALL, which writes nothing else. With the array NULL and capacity 0 a
   function tells the count alone. Vectors lie one after another: x, y, z of element 0, then those of element 1.

   Threads. Different simulations may be used on different threads at once. A call with a simulation that another thread
   is in a call with fails with TALUS_ERROR_SEQUENCE. Scenes and prepared scenes do not change, so that any number of
   threads may use one.

   The binary interface. As long as the library is libtalus.so.0, no function and no constant that is declared here goes
   away or changes its meaning. A struct whose first member is "size" may grow at its end: the caller sets size to the
   sizeof that it was compiled with, and the library neither reads nor writes beyond that. Other structs keep their
   layout. A caller that was compiled with an older header therefore runs with a newer library. Members of a larger
   struct that an older library does not know must be 0 where it reads them, and become 0 where it writes them.
   Functions may be added; on ELF systems each carries the version of Talus that added it. Enumerations are passed as
   int32_t or uint32_t. */
#ifndef TALUS_C_H
#define TALUS_C_H

#include <stdint.h>

#if defined(_WIN32)
#if defined(TALUS_C_BUILD)
#define TALUS_API __declspec(dllexport)
#else
#define TALUS_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TALUS_API __attribute__((visibility("default")))
#else
#define TALUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; talus_version() tells that of the library. */
#define TALUS_VERSION_MAJOR 0
#define TALUS_VERSION_MINOR 1
#define TALUS_VERSION_PATCH 0

typedef struct talus_devices talus_devices;
typedef struct talus_scene talus_scene;
typedef struct talus_prepared talus_prepared;
typedef struct talus_simulation talus_simulation;
typedef struct talus_checkpoint talus_checkpoint;

/* ---- Results ---- */

typedef int32_t talus_result;
enum {
  TALUS_OK = 0,
  TALUS_ERROR_INVALID_ARGUMENT = 1, /* a null pointer, a handle that is none, an index, a size or a value */
  TALUS_ERROR_SCENE = 2,            /* SceneError: "NAME:LINE:COLUMN: what is wrong and what is allowed" */
  TALUS_ERROR_DEVICE = 3,           /* NoDevice, DeviceError: no such device, or what it lacks */
  TALUS_ERROR_RESOURCE = 4,         /* ResourceError: the device was lost, or its memory ran out */
  TALUS_ERROR_STATE = 5,            /* StateError: not a number any more; the state is the last valid one */
  TALUS_ERROR_VERIFY = 6,           /* VerifyError: a pass differs from its reference (talus_options.verify) */
  TALUS_ERROR_CHECKPOINT = 7,       /* CheckpointError: unreadable, damaged, or of another scene */
  TALUS_ERROR_SEQUENCE = 8,         /* not now: steps are under way, or none are, or another thread is in a call */
  TALUS_ERROR_TOO_SMALL = 9,        /* an array has too little room; *count says what is needed */
  TALUS_ERROR_UNAVAILABLE = 10,     /* not on this device, such as Vulkan's handles on the CPU path */
  TALUS_ERROR_MEMORY = 11,          /* the host's memory ran out */
  TALUS_ERROR_INTERNAL = 12         /* anything else: a bug of Talus */
};

/* The sentence of the last call that failed on this thread, "" before the first; valid until the next that fails. */
TALUS_API const char* talus_last_error(void);

/* "TALUS_ERROR_SCENE"; "unknown" for what is none. Static. */
TALUS_API const char* talus_result_name(talus_result result);

/* The version of the library: 65536 major + 256 minor + patch, and as a text such as "0.1.0", which is static. */
TALUS_API uint32_t talus_version(void);
TALUS_API const char* talus_version_text(void);

/* ---- Devices ---- */

#define TALUS_NO_INDEX UINT32_MAX

typedef struct talus_device_info {
  uint32_t size;
  uint32_t index;   /* what talus_options.device takes for it, as a text; the CPU path: TALUS_NO_INDEX */
  const char* name; /* the texts are the list's or the simulation's, until that is freed */
  const char* driver;
  const char* api_version; /* "1.3.230"; CPU path: "" */
  const char* type;        /* "discrete GPU", "integrated GPU", "virtual GPU", "CPU", "other", "CPU path" */
  const char* missing;     /* why Talus cannot use it; "" where it can */
  uint64_t memory_bytes;   /* local to the device; CPU path: 0 */
} talus_device_info;

/* The Vulkan devices of this machine, those that Talus cannot use too. The device "cpu" is always there and in no list.
   TALUS_ERROR_DEVICE where there is no Vulkan. */
TALUS_API talus_result talus_devices_list(talus_devices** devices);
TALUS_API talus_result talus_devices_count(const talus_devices* devices, uint32_t* count);
TALUS_API talus_result talus_devices_get(const talus_devices* devices, uint32_t index, talus_device_info* info);
/* This and the other functions that free do nothing where they are given NULL. */
TALUS_API talus_result talus_devices_free(talus_devices* devices);

/* ---- Scenes ---- */

/* From the text of a scene file, or from the file. name stands for the file in messages, and meshes are looked for in
   its folder; NULL: "scene". overrides: texts "table.key=value", as after `talus run --set`. TALUS_ERROR_SCENE tells
   all that is wrong, one line each. */
TALUS_API talus_result talus_scene_parse(const char* text, const char* name, const char* const* overrides,
                                         uint64_t override_count, talus_scene** scene);
TALUS_API talus_result talus_scene_load(const char* file, const char* const* overrides, uint64_t override_count,
                                        talus_scene** scene);
TALUS_API talus_result talus_scene_free(talus_scene* scene);

/* The scene as TOML with every setting written out; the scene's until it is freed. */
TALUS_API talus_result talus_scene_text(const talus_scene* scene, const char** text);

typedef struct talus_scene_info {
  uint32_t size;
  uint32_t worlds;
  const char* title; /* the scene's until it is freed */
  uint64_t seed;
  double dt, end;                      /* s: length of a step, and when the scene ends */
  double domain_min[3], domain_max[3]; /* m */
  uint32_t substeps;                   /* per step; 0: "auto", chosen when the scene is prepared */
  uint32_t materials, emitters, sinks; /* the counts are those of one world */
  uint32_t bodies, shapes, cloths, depth_cameras;
} talus_scene_info;
TALUS_API talus_result talus_scene_describe(const talus_scene* scene, talus_scene_info* info);

/* Kinds of parts of a scene that have names. */
enum {
  TALUS_KIND_MATERIAL = 0,
  TALUS_KIND_BODY = 1,
  TALUS_KIND_SHAPE = 2, /* shape-matched body */
  TALUS_KIND_CLOTH = 3,
  TALUS_KIND_SINK = 4,
  TALUS_KIND_DEPTH_CAMERA = 5
};
/* The name of a part; the scene's until it is freed. index: its number in the order of the scene, from 0. */
TALUS_API talus_result talus_scene_name(const talus_scene* scene, uint32_t kind, uint32_t index, const char** name);

/* The first key in which `changed` differs from `running` so that talus_change() refuses it, such as "grains.0.radius";
   NULL where there is none. Valid until the next call of this function on this thread. */
TALUS_API talus_result talus_scene_needs_restart(const talus_scene* running, const talus_scene* changed,
                                                 const char** key);

/* Prepares the parts of a simulation that take long and need no device: initial grains, distance fields of meshes, the
   number of substeps. It may run on a thread of its own while simulations run. Any number of simulations may be made of
   the result. */
TALUS_API talus_result talus_prepare(const talus_scene* scene, talus_prepared** prepared);
TALUS_API talus_result talus_prepared_free(talus_prepared* prepared);

/* ---- Simulations ---- */

/* Vulkan's validation layer, with synchronization checks. */
enum {
  TALUS_VALIDATION_ENVIRONMENT = 0, /* on where the environment variable TALUS_VALIDATION is 1 */
  TALUS_VALIDATION_ON = 1,
  TALUS_VALIDATION_OFF = 2
};

/* 0 in every member but size is the default. */
typedef struct talus_options {
  uint32_t size;
  int32_t threads;        /* of the CPU path; 0: all cores. The result does not depend on it */
  const char* device;     /* "auto" (the best GPU, else the CPU), "cpu", an index or a part of a name; NULL: "auto" */
  uint32_t verify;        /* not 0: every pass there and by its reference, compared after each */
  uint32_t validation;    /* TALUS_VALIDATION_* */
  uint32_t no_timing;     /* not 0: passes are not measured */
  uint32_t lanes;         /* of the CPU path, at most: 4, 8 or 16; 0: 16. The result does not depend on it */
  double slice;           /* s: work that talus_start() and talus_ready() hand to a device at a time; 0: 1/60 */
  uint32_t grid_cells;    /* most cells of the neighbour table; 0: four per grain */
  uint32_t contact_slots; /* at first; 0: an estimate */
  uint32_t shelves;       /* how many states of worlds talus_save_world() can keep */
  uint32_t reserved;      /* 0 */
} talus_options;

/* options: NULL for the defaults. TALUS_ERROR_SCENE, TALUS_ERROR_DEVICE, TALUS_ERROR_RESOURCE. On a
   device other than "cpu", simulations are created one at a time, and other threads wait. Preparing their scenes with
   talus_prepare() shortens the wait. */
TALUS_API talus_result talus_simulation_create(const talus_scene* scene, const talus_options* options,
                                               talus_simulation** simulation);
TALUS_API talus_result talus_simulation_create_prepared(const talus_prepared* prepared, const talus_options* options,
                                                        talus_simulation** simulation);
/* Steps that are under way are given up. Frees nothing and fails where another thread is in a call. */
TALUS_API talus_result talus_simulation_free(talus_simulation* simulation);

/* Goes on by so many steps of talus_scene_info.dt, at most 2^53, and waits for them. TALUS_ERROR_RESOURCE,
   TALUS_ERROR_STATE and TALUS_ERROR_SCENE (a formula of a body's motion is not finite) leave the last valid state. */
TALUS_API talus_result talus_advance(talus_simulation* simulation, uint64_t steps);

/* talus_advance() without waiting: start begins the steps, *ready becomes 1 once finish would return at once, and
   finish takes the result over. Between start and finish a simulation takes talus_ready, talus_finish,
   talus_under_way, talus_simulation_free, talus_vulkan_handles and talus_get_buffer; all else is
   TALUS_ERROR_SEQUENCE. evaluate_contacts: not 0: as talus_evaluate_contacts() at the end of the steps. Beyond 256
   steps, and after buffers had to grow, finish computes the rest. */
TALUS_API talus_result talus_start(talus_simulation* simulation, uint64_t steps, uint32_t evaluate_contacts);
TALUS_API talus_result talus_ready(talus_simulation* simulation, uint32_t* ready);
TALUS_API talus_result talus_finish(talus_simulation* simulation);
TALUS_API talus_result talus_under_way(talus_simulation* simulation, uint32_t* under_way);

/* From the next step on goes by the settings of a scene of the same grains, bodies, cloth and domain: solver, gravity,
   laws of materials, emitters, dt, holes in bodies without a mass, looks, cameras. TALUS_ERROR_SCENE for all else, with
   the key that talus_scene_needs_restart() tells; nothing is changed then. */
TALUS_API talus_result talus_change(talus_simulation* simulation, const talus_scene* changed);

/* The scene that runs, as a new handle: with the substeps that were chosen, and what was changed. */
TALUS_API talus_result talus_simulation_scene(talus_simulation* simulation, talus_scene** scene);

/* The texts of info are the simulation's until it is freed. */
TALUS_API talus_result talus_simulation_device(talus_simulation* simulation, talus_device_info* info);

enum {
  TALUS_MESSAGE_WARNING = 0, /* not an error, but not as asked for */
  TALUS_MESSAGE_NOTE = 1     /* what was chosen for the scene and for commands */
};
/* One sentence each; the text is valid until the next call with this simulation. */
TALUS_API talus_result talus_message_count(talus_simulation* simulation, uint32_t kind, uint64_t* count);
TALUS_API talus_result talus_message(talus_simulation* simulation, uint32_t kind, uint64_t index, const char** text);

typedef struct talus_counts {
  uint32_t size;
  uint32_t worlds;
  uint64_t step;           /* steps done */
  uint32_t grains;         /* that are there; vertices of cloth are none */
  uint32_t grains_emitted; /* since the start, those of the start too */
  uint32_t fine_grains;    /* that are there */
  uint32_t bodies;         /* of all worlds, as are the next two */
  uint32_t shapes, cloths;
  uint64_t memory_bytes;         /* of all fields */
  uint64_t rebuilds;             /* of all neighbour lists */
  uint64_t incremental_rebuilds; /* of those near displaced grains */
  uint64_t cfl_violations;       /* grain-substeps faster than half a radius per substep */
  uint64_t cloth_uncounted;      /* pushes on cloth that were too large and did not move it */
} talus_counts;
TALUS_API talus_result talus_get_counts(talus_simulation* simulation, talus_counts* counts);

/* Simulated s, in a world since it was reset. A simulation of one world has the world 0. */
TALUS_API talus_result talus_time(talus_simulation* simulation, uint32_t world, double* seconds);

#define TALUS_ALL_WORLDS UINT32_MAX

typedef struct talus_measure {
  uint32_t size;
  uint32_t grains;
  uint32_t contacts_max;
  uint32_t reserved;
  double contacts_mean;    /* touching contacts per grain */
  double penetration_mean; /* over touching contacts, in radii of the smaller grain */
  double penetration_max;
  double kinetic_energy; /* J */
  double momentum[3];    /* kg m/s */
  double speed_max;      /* m/s */
  double height;         /* m, of the top of the highest grain above the domain's floor */
} talus_measure;
/* world: one, or TALUS_ALL_WORLDS. */
TALUS_API talus_result talus_measure_state(talus_simulation* simulation, uint32_t world, talus_measure* measure);

/* 64 bits over all grains, or those of one world: equal states have equal hashes. As `talus run --report` has it. */
TALUS_API talus_result talus_state_hash(talus_simulation* simulation, uint32_t world, uint64_t* hash);

/* Grains that sinks took, in the order of the scene, world after world. */
TALUS_API talus_result talus_sink_counts(talus_simulation* simulation, uint32_t* taken, uint64_t capacity,
                                         uint64_t* count);
typedef struct talus_emitter_count {
  uint32_t emitted;  /* so far; a clump is one */
  uint32_t waiting;  /* due, and without room */
  uint32_t given_up; /* found no room until the emitter's stop */
} talus_emitter_count;
TALUS_API talus_result talus_emitter_counts(talus_simulation* simulation, talus_emitter_count* counts,
                                            uint64_t capacity, uint64_t* count);

/* How often grains have crossed the ends of a periodic axis: x upwards, x downwards, y upwards, ..; modulo 2^32. */
TALUS_API talus_result talus_periodic_crossings(talus_simulation* simulation, uint32_t crossings[6]);

typedef struct talus_pass_time {
  const char* name; /* static */
  uint64_t calls;
  double ms; /* in total */
} talus_pass_time;
TALUS_API talus_result talus_pass_times(talus_simulation* simulation, talus_pass_time* times, uint64_t capacity,
                                        uint64_t* count);

/* ---- Grains ---- */

/* Arrays of the caller, of `capacity` grains each; one that is NULL is not written. */
typedef struct talus_grain_arrays {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t capacity;
  uint64_t count; /* written: grains that there are, with TALUS_ERROR_TOO_SMALL too */
  uint32_t* ids;
  float* positions;    /* m, 3 each */
  float* velocities;   /* m/s, 3 each */
  float* radii;        /* m */
  uint32_t* materials; /* index into the scene's materials */
  uint32_t* worlds;
  float* spins; /* angular velocities [rad/s], 3 each; 0 where grains do not rotate, and of fine grains */
} talus_grain_arrays;
/* A copy, sorted by world and id. With all arrays NULL the count alone. Fine grains have ids of their own. */
TALUS_API talus_result talus_read_grains(talus_simulation* simulation, talus_grain_arrays* grains);
TALUS_API talus_result talus_read_fine_grains(talus_simulation* simulation, talus_grain_arrays* grains);

/* The grains as they lie in the host's memory, in any order: no copy is made. */
typedef struct talus_grain_view {
  uint32_t size;
  uint32_t stride;           /* bytes from a grain to the next one in `grains` */
  uint64_t count;            /* slots; those of radius 0 are empty, and vertices of cloth are among them */
  const float* grains;       /* x, y, z, radius [m], vx, vy, vz [m/s], inverse mass [1/kg] */
  const uint32_t* ids;       /* within their world */
  const uint32_t* materials; /* index into the scene's materials in the low 8 bits */
  const float* spins;        /* 4 each: radius times angular velocity [m/s], m r^2 / I; NULL: grains do not rotate */
} talus_grain_view;
/* Describes the state until the next call that steps or changes it. The memory stays readable until the next call of
   this function, or until the simulation is freed. CPU path; on a device TALUS_ERROR_UNAVAILABLE: use talus_read_grains
   or talus_get_buffer there. */
TALUS_API talus_result talus_view_grains(talus_simulation* simulation, talus_grain_view* view);

/* ---- Bodies, shape-matched bodies, cloth, depth cameras ---- */

/* The number of a part in a world, which the functions below take: its index in the scene plus `world` times the number
   of its kind; for TALUS_KIND_BODY, TALUS_KIND_SHAPE and TALUS_KIND_CLOTH. TALUS_KIND_DEPTH_CAMERA: its index, since a
   camera sees all worlds. */
TALUS_API talus_result talus_find(talus_simulation* simulation, uint32_t kind, const char* name, uint32_t world,
                                  uint32_t* number);

typedef struct talus_pose {
  double position[3]; /* m */
  double rotation[4]; /* quaternion x, y, z, w; where it is given, of any length but 0 */
} talus_pose;
typedef struct talus_twist {
  double velocity[3]; /* m/s, of the origin */
  double spin[3];     /* rad/s, about it */
} talus_twist;
typedef struct talus_body_limits { /* 0: none */
  double speed, acceleration;      /* m/s, m/s2, of the origin */
  double spin, spin_acceleration;  /* rad/s, rad/s2 */
} talus_body_limits;

/* In the world; the twist is that of the step to come. */
TALUS_API talus_result talus_body_state(talus_simulation* simulation, uint32_t body, talus_pose* pose,
                                        talus_twist* twist);
/* Degrees and degrees/s (revolute), or m and m/s (prismatic). */
TALUS_API talus_result talus_joint_state(talus_simulation* simulation, uint32_t body, double* value, double* speed);
/* What the joint of a dynamic body did to it in the last step, as means over it, in the axes of the world. */
typedef struct talus_joint_load {
  double force[3];  /* N */
  double torque[3]; /* N m, about the joint, without what acts along its axis */
  double along;     /* N m (revolute) or N (prismatic): motor, friction, spring and limits */
} talus_joint_load;
/* known: 0 where the body has no mass or no joint; load is then left as it is. */
TALUS_API talus_result talus_get_joint_load(talus_simulation* simulation, uint32_t body, talus_joint_load* load,
                                            int* known);

/* The force and torque of grains on a body, in the axes of the world; the torque is about the body's origin. */
typedef struct talus_body_load {
  float force[3], torque[3];                   /* N, N m: means over a step */
  float force_filtered[3], torque_filtered[3]; /* by the scene's load_filter */
  uint32_t uncounted;                          /* pushes since the start that are not in it */
} talus_body_load;
/* Loads of the last step on the bodies of all worlds. */
TALUS_API talus_result talus_body_loads(talus_simulation* simulation, talus_body_load* loads, uint64_t capacity,
                                        uint64_t* count);
/* Loads in each step s of the last talus_advance() or talus_start(), on body b: element s * bodies + b. It has at most
   the last 65536 steps. */
TALUS_API talus_result talus_load_history(talus_simulation* simulation, talus_body_load* loads, uint64_t capacity,
                                          uint64_t* count);

/* Commands, from the next step on and until the next command. Targets are in the frame of the parent, or in the world
   for a body without one. TALUS_ERROR_INVALID_ARGUMENT for what cannot be.
     place: at once and at rest; grains that are in its way are moved out.
     move: straight to a pose, and at rest there. limits: NULL: none.
     drive: with constant velocities, once they are reached.
     move_joint: degrees or m, within its limits. drive_joint: degrees/s or m/s; the motor of a dynamic body.
     push_joint: torque about [N m], or force along [N], the joint of a dynamic body, beside its motor.
     push: force [N] and torque [N m] on a dynamic body, at its center of mass, in the axes of the world. */
TALUS_API talus_result talus_place_body(talus_simulation* simulation, uint32_t body, const talus_pose* at);
TALUS_API talus_result talus_move_body(talus_simulation* simulation, uint32_t body, const talus_pose* target,
                                       const talus_body_limits* limits);
TALUS_API talus_result talus_drive_body(talus_simulation* simulation, uint32_t body, const talus_twist* target,
                                        const talus_body_limits* limits);
TALUS_API talus_result talus_move_joint(talus_simulation* simulation, uint32_t body, double value);
TALUS_API talus_result talus_drive_joint(talus_simulation* simulation, uint32_t body, double speed);
TALUS_API talus_result talus_push_joint(talus_simulation* simulation, uint32_t body, double torque);
TALUS_API talus_result talus_push_body(talus_simulation* simulation, uint32_t body, const double force[3],
                                       const double torque[3]);

/* A hand: holds the grains whose centres are within a radius [m] of a place [m]; *held: how many. It moves on a
   straight line in the next step. */
TALUS_API talus_result talus_grab(talus_simulation* simulation, const double at[3], double radius, uint32_t* held);
TALUS_API talus_result talus_move_hand(talus_simulation* simulation, const double at[3]);
TALUS_API talus_result talus_release(talus_simulation* simulation);
/* In place of the hand a ball, which moves the grains whose centres are within a radius [m] of a place [m] straight
   away from it, those below it upwards, until they are at that distance; *pushed: how many. talus_release() ends it. */
TALUS_API talus_result talus_push_grains(talus_simulation* simulation, const double at[3], double radius,
                                         uint32_t* pushed);

/* Takes the grains whose centres are within a radius [m] of a place [m] out of the first world, and fine grains
   likewise; *removed: how many, without fine ones. Clumps go as a whole; fixed grains and vertices of cloth stay.
   talus_removed_grains: since the start, in all worlds. */
TALUS_API talus_result talus_remove_grains(talus_simulation* simulation, const double at[3], double radius,
                                           uint32_t* removed);
TALUS_API talus_result talus_removed_grains(talus_simulation* simulation, uint32_t* removed);

/* The pose of a shape-matched body's center of mass, its rotation from how it was given, and the mean velocity of its
   particles [m/s]. */
TALUS_API talus_result talus_shape_state(talus_simulation* simulation, uint32_t shape, talus_pose* pose,
                                         double velocity[3]);

/* Arrays of the caller; one that is NULL is not written. */
typedef struct talus_cloth_arrays {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t vertex_capacity;
  uint64_t triangle_capacity;
  uint64_t vertices, triangles;   /* written: how many there are, with TALUS_ERROR_TOO_SMALL too */
  float* positions;               /* m, 3 each; the sheet hangs together across periodic axes */
  float* velocities;              /* m/s, 3 each */
  uint32_t* corners;              /* 3 vertices of each triangle */
  double strain_mean, strain_max; /* written: of the sides that stretch, relative to their length at rest */
  double kinetic_energy;          /* written: J */
} talus_cloth_arrays;
TALUS_API talus_result talus_read_cloth(talus_simulation* simulation, uint32_t cloth, talus_cloth_arrays* arrays);

/* Pixels of a depth camera. */
TALUS_API talus_result talus_depth_size(talus_simulation* simulation, uint32_t camera, uint32_t* width,
                                        uint32_t* height);
/* The image of a depth camera: [worlds][height][width], rows from the top. Distances along its axis [m], "far" where it
   sees nothing; or, where the scene says so, heights above the domain's floor [m], 0 where it sees nothing. */
TALUS_API talus_result talus_read_depth(talus_simulation* simulation, uint32_t camera, float* pixels, uint64_t capacity,
                                        uint64_t* count);

/* ---- Worlds ---- */

/* Worlds go on side by side. These calls change some and leave the others alone; they are for simulations of several
   worlds, or with shelves (talus_options.shelves).
     reset: to the start of the scene; seeds: one for each of the worlds, or NULL for their own.
     fork: the worlds `to` as the world `from` is.
     save, restore: a world's state onto a shelf, and from a shelf into worlds. */
TALUS_API talus_result talus_reset_worlds(talus_simulation* simulation, const uint32_t* worlds, uint64_t count,
                                          const uint64_t* seeds);
TALUS_API talus_result talus_fork_world(talus_simulation* simulation, uint32_t from, const uint32_t* to,
                                        uint64_t count);
TALUS_API talus_result talus_save_world(talus_simulation* simulation, uint32_t world, uint32_t shelf);
TALUS_API talus_result talus_restore_world(talus_simulation* simulation, uint32_t shelf, const uint32_t* worlds,
                                           uint64_t count);

/* ---- Checkpoints ---- */

/* Everything that matters for going on bit for bit on the same device, commands too. The file is replaced in one go.
   TALUS_ERROR_CHECKPOINT leaves file and simulation as they were. */
TALUS_API talus_result talus_save(talus_simulation* simulation, const char* file);
TALUS_API talus_result talus_resume(talus_simulation* simulation, const char* file);
/* The same bytes in memory; they are the checkpoint's until it is freed. */
TALUS_API talus_result talus_checkpoint_create(talus_simulation* simulation, talus_checkpoint** checkpoint);
TALUS_API talus_result talus_checkpoint_bytes(const talus_checkpoint* checkpoint, const void** bytes, uint64_t* count);
TALUS_API talus_result talus_checkpoint_free(talus_checkpoint* checkpoint);
TALUS_API talus_result talus_resume_bytes(talus_simulation* simulation, const void* bytes, uint64_t count);

/* ---- Vulkan, for a renderer on the same device ---- */

/* Evaluates what grains feel, for TALUS_BUFFER_MEASURES and TALUS_BUFFER_CONTACT_LINES; nothing waits. */
TALUS_API talus_result talus_evaluate_contacts(talus_simulation* simulation);

/* Vulkan's handles as integers: pointers for those that are dispatchable. TALUS_ERROR_UNAVAILABLE on the CPU path. */
typedef struct talus_vulkan {
  uint32_t size;
  uint32_t queue_family;
  uint64_t instance;        /* VkInstance */
  uint64_t physical_device; /* VkPhysicalDevice */
  uint64_t device;          /* VkDevice */
  uint64_t queue;           /* VkQueue: that of all steps */
} talus_vulkan;
TALUS_API talus_result talus_vulkan_handles(talus_simulation* simulation, talus_vulkan* handles);

/* The structs are those of shaders/shared/types.h. */
enum {
  TALUS_BUFFER_GRAINS = 0, /* Grain: x, y, z, radius [m], vx, vy, vz [m/s], inverse mass [1/kg]; radius 0: none */
  TALUS_BUFFER_GRAIN_MATERIALS = 1, /* uint: index of the material in the low 8 bits */
  TALUS_BUFFER_GRAIN_IDS = 2,       /* uint */
  TALUS_BUFFER_FINE_GRAINS = 3,     /* Grain; in place of the inverse mass how loose it is, from 0 to 1 */
  TALUS_BUFFER_FINE_MATERIALS = 4,  /* uint: material in the low 8 bits, the id above them */
  TALUS_BUFFER_BODIES = 5,          /* Body, posed as at talus_time() */
  TALUS_BUFFER_SHAPES = 6,          /* ShapeMotion */
  TALUS_BUFFER_DEPTH = 7,           /* float: the images of all depth cameras, evaluated by this call */
  TALUS_BUFFER_MEASURES = 8,        /* GrainMeasure */
  TALUS_BUFFER_CONTACT_LINES = 9,   /* ContactLine; those of force 0 are none */
  TALUS_BUFFER_GRAIN_SPINS = 10     /* vec4: radius times angular velocity [m/s], m r^2 / I */
};
typedef struct talus_buffer {
  uint32_t size;
  uint32_t stride;    /* bytes from an element to the next one */
  uint64_t vk_buffer; /* VkBuffer; 0 where the scene has none of it */
  uint64_t count;     /* elements; worlds lie one after another */
  uint64_t bytes;     /* of the VkBuffer */
} talus_buffer;
/* Where something lies on the device. Passes that write it were submitted to talus_vulkan.queue before this returns;
   commands that read it go to the same queue, behind a barrier from compute shader writes. The answer holds until the
   next call with this simulation. TALUS_ERROR_UNAVAILABLE on the CPU path. */
TALUS_API talus_result talus_get_buffer(talus_simulation* simulation, uint32_t which, talus_buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif
