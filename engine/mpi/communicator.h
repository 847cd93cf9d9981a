#pragma once
// The ranks of a run under mpirun, and the messages between them. The only file of the engine that knows MPI is
// communicator.cpp. What stands here as collective is to be called by all ranks, in the same order.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace talus::mpi {

using Bytes = std::vector<std::byte>;

// A message to this rank or from it.
struct Message {
  int rank = 0;
  Bytes bytes;
};

// Counts what this rank has sent since the start [bytes] and how long its calls have taken, with waiting for others
// [s].
struct Traffic {
  std::uint64_t bytes = 0;
  double seconds = 0.0;
};

class Communicator {
public:
  // Joins the ranks that mpirun has started, once in a process. Returns null where this process was started alone, by
  // mpirun or without it. Throws DeviceError.
  static std::unique_ptr<Communicator> join(int& argc, char**& argv);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int ranks_here() const { return ranks_here_; }  // on this machine
  int rank_here() const { return rank_here_; }    // among these

  // Collective: gives all ranks the bytes that rank 0 has.
  void broadcast(Bytes& bytes);
  // Collective: gives all ranks the bytes of each, sizes[r] of rank r. They are there until the next call.
  std::vector<std::span<const std::byte>> gather(std::span<const std::byte> own, std::span<const std::size_t> sizes);
  // Collective: gives all ranks the number of each.
  std::vector<double> gather(double own);
  // Collective: replaces the words by their sums, modulo 2^64, and by their maxima over all ranks.
  void combine(std::span<std::uint64_t> sums, std::span<std::uint64_t> maxima);
  // Sends messages and waits for those of the sizes that `incoming` has, one for each rank at most.
  void exchange(std::span<const Message> outgoing, std::span<Message> incoming);
  // Collective: sends those[r] to rank r, whose size the receiver does not know. Returns what each rank has sent here.
  std::vector<Bytes> deal(std::span<const Bytes> those);

  const Traffic& traffic() const { return traffic_; }

  // Ends all ranks with this exit status.
  [[noreturn]] void abort(int status);

private:
  Communicator();
  int rank_ = 0, ranks_ = 1, ranks_here_ = 1, rank_here_ = 0;
  Traffic traffic_;
  Bytes own_, all_;  // gather() keeps them, since the system clears memory that is new
};

}  // namespace talus::mpi
