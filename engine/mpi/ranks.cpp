#include "engine/mpi/ranks.h"
#include "engine/mpi/commands.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <thread>

namespace talus::mpi {
namespace {

// The first byte of a packet says what rank 0 wants of the others.
enum class Word : std::uint8_t {
  begin,     // a simulation: Beginning
  commands,  // of the simulation
  end,       // of it
  leave      // all are done
};

struct Beginning {
  int threads;  // 0: each rank its share of its machine's cores
  int lanes;
};

template <class T> Bytes packet_of(Word word, const T& value) {
  Bytes packet(1 + sizeof value);
  packet[0] = static_cast<std::byte>(word);
  std::memcpy(packet.data() + 1, &value, sizeof value);
  return packet;
}

std::unique_ptr<Part> part_of(Communicator& communicator, const Beginning& beginning) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / communicator.ranks_here());
  return std::make_unique<Part>(communicator, beginning.threads > 0 ? beginning.threads : cores, beginning.lanes);
}

// Other ranks may wait for this one for ever, so that an error ends all of them.
[[noreturn]] void give_up(Communicator& communicator, const std::exception& error) {
  fmt::print(stderr, "error: rank {} of {}: {}\n", communicator.rank(), communicator.ranks(), error.what());
  std::fflush(stderr);
  communicator.abort(dynamic_cast<const ResourceError*>(&error) ? 4 : 5);
}

// The executor of rank 0 records what it is asked for, and has all ranks carry it out when somebody waits for it.
class SharedExecutor final : public Executor {
public:
  SharedExecutor(std::shared_ptr<Communicator> communicator, const Beginning& beginning)
      : communicator_(std::move(communicator)) {
    Bytes packet = packet_of(Word::begin, beginning);
    communicator_->broadcast(packet);
    part_ = part_of(*communicator_, beginning);
  }
  SharedExecutor(const SharedExecutor&) = delete;
  SharedExecutor& operator=(const SharedExecutor&) = delete;
  ~SharedExecutor() override {
    Bytes packet{static_cast<std::byte>(Word::end)};
    communicator_->broadcast(packet);
  }

  void specialize(const Features& features) override { commands_.specialize(features); }
  void run(Pass pass, Work work, const Args& args) override { commands_.run(pass, work, args); }
  void repeat(std::uint32_t times, const std::function<void()>& passes) override { commands_.repeat(times, passes); }
  void swap(FieldId id) override { commands_.swap(id); }
  void copy(FieldCopy from, FieldCopy to) override { commands_.copy(from, to); }
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) override {
    commands_.copy_part(from, from_offset, to, to_offset, bytes);
  }
  void finish() override {
    if (commands_.empty())
      return;
    Bytes packet{static_cast<std::byte>(Word::commands)};
    const Bytes commands = commands_.take();
    packet.insert(packet.end(), commands.begin(), commands.end());
    communicator_->broadcast(packet);
    try {
      carry_out(commands, *part_);
    } catch (const std::exception& e) {
      give_up(*communicator_, e);
    }
  }

  void keep(FieldCopy field, std::size_t elements) override { commands_.keep(field, elements); }
  std::span<const std::byte> kept(FieldCopy field) const override { return part_->here().kept(field); }

  void resize(FieldId id, std::size_t elements) override {
    commands_.resize(id, elements);
    finish();
  }
  std::size_t size(FieldId id) const override { return part_->here().size(id); }
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) override {
    constexpr std::size_t packet_most = 1 << 24;  // bytes, so that few copies are under way
    commands_.write(field, bytes, offset);
    if (commands_.size() > packet_most)
      finish();
  }
  void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset) override {
    commands_.make_whole(field);
    finish();
    part_->here().read(field, bytes, offset);
  }
  std::shared_ptr<const std::byte> hold(FieldId id) override {
    commands_.make_whole(id);
    finish();
    return part_->here().hold(id);
  }

  std::vector<PassTime> pass_times() const override { return part_->here().pass_times(); }
  DeviceSummary device() const override {
    DeviceSummary summary = part_->here().device();
    summary.driver += fmt::format(" in each of {} ranks", communicator_->ranks());
    return summary;
  }
  std::vector<RankSummary> ranks() override {
    finish();
    commands_.summarize();
    finish();
    return part_->last_summaries();
  }

private:
  std::shared_ptr<Communicator> communicator_;
  std::unique_ptr<Part> part_;
  Commands commands_;
};

class Group final : public RankGroup {
public:
  explicit Group(std::shared_ptr<Communicator> communicator) : communicator_(std::move(communicator)) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() override {
    if (rank() > 0)
      return;
    Bytes packet{static_cast<std::byte>(Word::leave)};
    communicator_->broadcast(packet);
  }

  int rank() const override { return communicator_->rank(); }
  int ranks() const override { return communicator_->ranks(); }

  void serve() override {
    std::unique_ptr<Part> part;
    try {
      for (Bytes packet;;) {
        communicator_->broadcast(packet);
        const std::span<const std::byte> rest = std::span(packet).subspan(1);
        switch (static_cast<Word>(packet.front())) {
        case Word::begin: {
          Beginning beginning;
          std::memcpy(&beginning, rest.data(), sizeof beginning);
          part = part_of(*communicator_, beginning);
          break;
        }
        case Word::commands:
          carry_out(rest, *part);
          break;
        case Word::end:
          part.reset();
          break;
        case Word::leave:
          return;
        }
      }
    } catch (const std::exception& e) {
      give_up(*communicator_, e);
    }
  }

  std::unique_ptr<Executor> make_executor(int threads, int lanes) override {
    return std::make_unique<SharedExecutor>(communicator_, Beginning{threads, lanes});
  }

private:
  std::shared_ptr<Communicator> communicator_;
};

}  // namespace

std::shared_ptr<RankGroup> join(int& argc, char**& argv, std::string_view build) {
  std::shared_ptr<Communicator> communicator = Communicator::join(argc, argv);
  if (!communicator)
    return nullptr;
  const auto text = std::as_bytes(std::span(build));
  Bytes first(text.begin(), text.end());
  communicator->broadcast(first);
  const bool same = std::ranges::equal(first, text);
  const std::vector<double> others = communicator->gather(same ? 0.0 : 1.0);
  if (const auto other = std::ranges::find(others, 1.0); other != others.end())
    throw DeviceError(fmt::format("rank {} runs another build than rank 0{}: start the same program on all machines",
                                  other - others.begin(), same ? "" : fmt::format(", {}", build)));
  return std::make_shared<Group>(std::move(communicator));
}

}  // namespace talus::mpi
