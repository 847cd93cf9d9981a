#pragma once
// Processes that share the grains of one simulation. engine/mpi has those that mpirun starts; the engine does without.
#include "engine/core/executor.h"

namespace talus {

class RankGroup {
public:
  virtual ~RankGroup() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // Of ranks other than 0: does what the executors of rank 0 ask of all, and returns when rank 0 leaves the group.
  virtual void serve() = 0;
  // Of rank 0: an executor whose passes all ranks run, each on its part of the grains. One at a time. Throws
  // DeviceError where a rank has no device of that name, or where the devices of the ranks may differ in their bits.
  virtual std::unique_ptr<Executor> make_executor(const Options& options) = 0;
};

}  // namespace talus
