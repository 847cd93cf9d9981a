#include "engine/mpi/communicator.h"
#include "engine/base/assert.h"
#include "engine/core/options.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <mpi.h>

namespace talus::mpi {
namespace {

// MPI counts elements by int: in lines of so many bytes a message may have 128 GiB.
constexpr std::size_t line = 64;

std::size_t padded(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

int lines_of(std::size_t bytes) {
  const std::size_t lines = padded(bytes) / line;
  if (lines > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw ResourceError(fmt::format("a message between ranks of {} bytes is longer than MPI's count allows", bytes));
  return static_cast<int>(lines);
}

MPI_Datatype line_type() {
  static const MPI_Datatype type = [] {
    MPI_Datatype made;
    MPI_Type_contiguous(static_cast<int>(line), MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return made;
  }();
  return type;
}

// Word 0 says how many of the words behind it are summed; of the others there is the maximum.
void combine_words(void* from, void* into, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::size_t words = static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
  for (int k = 0; k < *count; ++k) {
    const auto* const a = static_cast<const std::uint64_t*>(from) + static_cast<std::size_t>(k) * words;
    auto* const b = static_cast<std::uint64_t*>(into) + static_cast<std::size_t>(k) * words;
    const std::size_t sums = static_cast<std::size_t>(a[0]) + 1;
    for (std::size_t w = 1; w < sums; ++w)
      b[w] += a[w];
    for (std::size_t w = sums; w < words; ++w)
      b[w] = std::max(a[w], b[w]);
  }
}

MPI_Op combine_operation() {
  static const MPI_Op operation = [] {
    MPI_Op made;
    MPI_Op_create(combine_words, 1, &made);
    return made;
  }();
  return operation;
}

void grow(Bytes& bytes, std::size_t size) {
  if (bytes.size() < size)
    bytes.resize(size);
}

// The time between its construction and its destruction is added to the traffic.
class Waiting {
public:
  explicit Waiting(Traffic& traffic) : traffic_(traffic) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { traffic_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
  Traffic& traffic_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Launchers tell each process how many there are by one of these: Open MPI, MPICH and those built on it, Slurm.
bool started_by_launcher() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(name))
      return true;
  return false;
}

}  // namespace

std::unique_ptr<Communicator> Communicator::join(int& argc, char**& argv) {
  if (!started_by_launcher())
    return nullptr;
  // A live step may run on another thread than the one that waits for it, so that both call MPI, one at a time.
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED)
    throw DeviceError("this MPI library does not let several threads call it one at a time (MPI_THREAD_SERIALIZED)");
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::unique_ptr<Communicator> joined(new Communicator());
  return ranks > 1 ? std::move(joined) : nullptr;
}

Communicator::Communicator() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Comm here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks_here_);
  MPI_Comm_rank(here, &rank_here_);
  MPI_Comm_free(&here);
}

Communicator::~Communicator() {
  MPI_Finalize();
}

void Communicator::broadcast(Bytes& bytes) {
  const Waiting waiting(traffic_);
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const std::size_t there = padded(size);
  bytes.resize(there);
  MPI_Bcast(bytes.data(), lines_of(there), line_type(), 0, MPI_COMM_WORLD);
  bytes.resize(size);
  if (rank_ == 0)
    traffic_.bytes += size;
}

std::vector<std::span<const std::byte>> Communicator::gather(std::span<const std::byte> own,
                                                             std::span<const std::size_t> sizes) {
  TALUS_ASSERT(sizes.size() == static_cast<std::size_t>(ranks_) && own.size() == sizes[static_cast<std::size_t>(rank_)],
               sizes.size(), own.size());
  const Waiting waiting(traffic_);
  std::vector<int> lines, first;
  int before = 0;
  for (const std::size_t size : sizes) {
    lines.push_back(lines_of(size));
    first.push_back(before);
    before += lines.back();
  }
  grow(own_, padded(own.size()));
  grow(all_, static_cast<std::size_t>(before) * line);
  std::ranges::copy(own, own_.begin());
  MPI_Allgatherv(own_.data(), lines_of(own.size()), line_type(), all_.data(), lines.data(), first.data(), line_type(),
                 MPI_COMM_WORLD);
  traffic_.bytes += own.size() * static_cast<std::size_t>(ranks_ - 1);
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t r = 0; r < sizes.size(); ++r)
    parts.push_back(std::span(all_).subspan(static_cast<std::size_t>(first[r]) * line, sizes[r]));
  return parts;
}

std::vector<double> Communicator::gather(double own) {
  const Waiting waiting(traffic_);
  std::vector<double> all(static_cast<std::size_t>(ranks_));
  MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  return all;
}

void Communicator::combine(std::span<std::uint64_t> sums, std::span<std::uint64_t> maxima) {
  if (sums.empty() && maxima.empty())
    return;
  const Waiting waiting(traffic_);
  std::vector<std::uint64_t> words{sums.size()};
  words.insert(words.end(), sums.begin(), sums.end());
  words.insert(words.end(), maxima.begin(), maxima.end());
  std::vector<std::uint64_t> result(words.size());
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(words.size()), MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Allreduce(words.data(), result.data(), 1, type, combine_operation(), MPI_COMM_WORLD);
  MPI_Type_free(&type);
  std::copy_n(result.begin() + 1, sums.size(), sums.begin());
  std::copy_n(result.begin() + 1 + static_cast<std::ptrdiff_t>(sums.size()), maxima.size(), maxima.begin());
  traffic_.bytes += words.size() * sizeof(std::uint64_t);
}

void Communicator::exchange(std::span<const Message> outgoing, std::span<Message> incoming) {
  const Waiting waiting(traffic_);
  std::vector<MPI_Request> requests(outgoing.size() + incoming.size());
  std::vector<std::size_t> sizes;
  auto request = requests.begin();
  for (Message& message : incoming) {
    sizes.push_back(message.bytes.size());
    message.bytes.resize(padded(message.bytes.size()));
    MPI_Irecv(message.bytes.data(), lines_of(message.bytes.size()), line_type(), message.rank, 0, MPI_COMM_WORLD,
              &*request++);
  }
  std::vector<Bytes> lines;
  lines.reserve(outgoing.size());
  for (const Message& message : outgoing) {
    const std::byte* data = message.bytes.data();
    if (message.bytes.size() % line != 0) {
      Bytes& padded_bytes = lines.emplace_back(padded(message.bytes.size()));
      std::ranges::copy(message.bytes, padded_bytes.begin());
      data = padded_bytes.data();
    }
    MPI_Isend(data, lines_of(message.bytes.size()), line_type(), message.rank, 0, MPI_COMM_WORLD, &*request++);
    traffic_.bytes += message.bytes.size();
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t k = 0; k < incoming.size(); ++k)
    incoming[k].bytes.resize(sizes[k]);
}

std::vector<Bytes> Communicator::deal(std::span<const Bytes> those) {
  TALUS_ASSERT(those.size() == static_cast<std::size_t>(ranks_), those.size());
  std::vector<std::uint64_t> sizes, sizes_from(those.size());
  std::ranges::transform(those, std::back_inserter(sizes), [](const Bytes& bytes) { return bytes.size(); });
  {
    const Waiting waiting(traffic_);
    MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, sizes_from.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  }
  std::vector<Message> outgoing, incoming;
  for (int r = 0; r < ranks_; ++r) {
    const auto k = static_cast<std::size_t>(r);
    if (r != rank_ && sizes[k] > 0)
      outgoing.push_back({r, those[k]});
    if (r != rank_ && sizes_from[k] > 0)
      incoming.push_back({r, Bytes(sizes_from[k])});
  }
  exchange(outgoing, incoming);
  std::vector<Bytes> dealt(those.size());
  for (Message& message : incoming)
    dealt[static_cast<std::size_t>(message.rank)] = std::move(message.bytes);
  return dealt;
}

void Communicator::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

}  // namespace talus::mpi
