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

// Bytes to or from another rank.
struct Message {
  int rank = 0;
  Bytes bytes;
};

// What this rank has sent, and how long it has waited for others, since the start.
struct Traffic {
  std::uint64_t bytes = 0;
  double seconds = 0.0;
};

class Communicator {
public:
  // The ranks that mpirun has started; null where it has started none but this process, or this process was started
  // without it. To be called once.
  static std::unique_ptr<Communicator> join(int& argc, char**& argv);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int ranks_here() const { return ranks_here_; }  // on this machine

  // Collective: what rank 0 has, to all.
  void broadcast(Bytes& bytes);
  // Collective: so many bytes of each rank. What it returns is there until the next call.
  std::vector<std::span<const std::byte>> gather(std::span<const std::byte> own, std::span<const std::size_t> sizes);
  // Collective: one number of each rank.
  std::vector<double> gather(double own);
  // Collective: sums (modulo 2^64) and maxima over all ranks, word by word.
  void combine(std::span<std::uint64_t> sums, std::span<std::uint64_t> maxima);
  // Sends messages and waits for those of the sizes that `incoming` has, one for each rank at most.
  void exchange(std::span<const Message> outgoing, std::span<Message> incoming);
  // Collective: messages whose sizes the others do not know, those[r] for rank r. Returns those from each rank.
  std::vector<Bytes> deal(std::span<const Bytes> those);

  const Traffic& traffic() const { return traffic_; }

  // Ends all ranks.
  [[noreturn]] void abort(int status);

private:
  Communicator();
  int rank_ = 0, ranks_ = 1, ranks_here_ = 1;
  Traffic traffic_;
  Bytes own_, all_;  // of gather(), kept, since the system clears memory that is new
};

}  // namespace talus::mpi
