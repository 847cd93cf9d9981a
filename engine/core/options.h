#pragma once
// How a simulation is run, which errors it throws, and what it says of the device.
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace talus {

class OpenDevice;
class OpenDevices;
class RankGroup;

// No such device, or it lacks something that Talus needs (says what). Exit status 3.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The device was lost or memory ran out: what was needed and what there is. Exit status 4.
struct ResourceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The state is not a number any more: step and grain. The simulation stands at its last valid state. Exit status 5.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// --verify: a pass differs from its reference: pass, field, element, both values. Exit status 5.
struct VerifyError : StateError {
  using StateError::StateError;
};
// A checkpoint that cannot be read, or that belongs to another scene. Exit status 2.
struct CheckpointError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// For Options::devices, where one simulation follows another. Closes its devices with its last owner.
std::shared_ptr<OpenDevices> keep_devices_open();

struct Options {
  std::string device = "auto";  // auto | cpu | index | part of a name, as in `talus devices`; with ranks also indices
                                // with commas between them, which the ranks of a machine take in turn
  int threads = 0;              // of the CPU path; 0: all cores. The result does not depend on it
  bool verify = false;          // every pass there and by its reference, compared after each; cpu: the vectorised ones
  int lanes = 16;               // CPU path: numbers side by side, 4, 8 or 16, at most; fewer where the processor has no
                                // registers for as many. The result does not depend on it
  // Vulkan validation layer with synchronization checks; unset: where the environment variable TALUS_VALIDATION is 1.
  std::optional<bool> validation;
  bool timing = true;  // measure each pass
  // s: how much a live view hands to a device at a time (Simulation::start), so that its frames get in between. As the
  // passes are measured; all at once where they are not.
  double slice = 1.0 / 60.0;
  std::uint32_t grid_cells = 0;  // most cells of the neighbour table, on open axes and between walls; 0: four per grain
  std::uint32_t contact_slots = 0;  // initial capacity; 0: an estimate. Grows when a step needs more
  // Places to keep the states of worlds at, on the device (Simulation::save_world).
  std::uint32_t shelves = 0;
  // Gives each grain a number of the caller's own (FieldId::grain_mark), 0 at first, that no pass reads: where a grain
  // came from, say. It stays with the grain, and is part of the state.
  bool marks = false;
  // A simulation takes a device from here that none uses, opened and with the passes compiled that those before it
  // needed, and leaves it here. Null: it shares the device of simulations that are alive; the last of them closes it.
  std::shared_ptr<OpenDevices> devices;
  // One device for several simulations and what draws them (engine/executors/open_devices.h), all on one thread. Takes
  // the place of `device`, unless that is "cpu".
  std::shared_ptr<OpenDevice> on;
  // Processes that share the simulation's grains, where this is their rank 0 (engine/core/ranks.h).
  std::shared_ptr<RankGroup> ranks;
};

struct DeviceSummary {
  std::string name, driver, api_version, type;
};

// What one of the processes that share a simulation has done since it began.
struct RankSummary {
  double device = -1.0;          // index of its Vulkan device on its machine, as in `talus devices`; -1: the CPU path
  double grains = 0.0;           // whose contacts it computes now, in places in memory
  double ghosts = 0.0;           // of other ranks that those touch, likewise
  double computing_s = 0.0;      // s, in passes that are shared
  double everywhere_s = 0.0;     // s, in passes of which all ranks do the whole
  double communicating_s = 0.0;  // s, with waiting for others
  double bytes_sent = 0.0;
};

struct PassTime {
  std::string name;
  std::uint64_t calls = 0;
  double ms = 0.0;  // in total
};

}  // namespace talus
