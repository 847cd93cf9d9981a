#include "engine/mpi/ranks.h"
#include "engine/mpi/bytes.h"
#include "engine/mpi/commands.h"
#include <algorithm>
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

// Options::device follows it in the packet.
struct Beginning {
  int threads;  // 0: each rank its share of its machine's cores
  int lanes;
  bool timing, validation;
};

Bytes packet_of(const Options& options) {
  Bytes packet{static_cast<std::byte>(Word::begin)};
  put(packet, Beginning{options.threads, options.lanes, options.timing, gpu::wants_validation(options.validation)});
  const auto name = std::as_bytes(std::span(options.device));
  packet.insert(packet.end(), name.begin(), name.end());
  return packet;
}

// The options of all ranks, of a packet without its first byte.
Options options_of(std::span<const std::byte> packet) {
  const auto beginning = take<Beginning>(packet);
  Options options;
  options.threads = beginning.threads;
  options.lanes = beginning.lanes;
  options.timing = beginning.timing;
  options.validation = beginning.validation;
  options.device.assign(reinterpret_cast<const char*>(packet.data()), packet.size());
  return options;
}

// The real GPUs of this machine that are as the first of them, by their index.
std::vector<std::string> alike_gpus() {
  std::vector<std::string> alike;
  try {
    gpu::Instance instance;
    const gpu::DeviceInfo* first = nullptr;
    const std::vector<gpu::DeviceInfo> devices = gpu::list_devices(instance);
    for (const gpu::DeviceInfo& device : devices) {
      if (!device.usable || !device.gpu)
        continue;
      first = first ? first : &device;
      if (device.name == first->name && device.driver == first->driver)
        alike.push_back(std::to_string(device.index));
    }
  } catch (const gpu::NoDevice&) {  // no Vulkan here
  }
  return alike;
}

// Numbers with commas between them, apart; any other name as it is.
std::vector<std::string> names_of(const std::string& devices) {
  if (devices.find_first_not_of("0123456789,") != std::string::npos)
    return {devices};
  std::vector<std::string> names{""};
  for (const char c : devices)
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

// Opens the device that this rank takes: the ranks of a machine take the devices that are named in turn, and several
// may share one. Null: the CPU path, where that is named, or where no machine is to have a GPU.
std::unique_ptr<GpuExecutor> open_device(const Communicator& communicator, Options options) {
  if (options.device == "cpu")
    return nullptr;
  const std::vector<std::string> names = options.device == "auto" ? alike_gpus() : names_of(options.device);
  if (names.empty())
    return nullptr;
  options.device = names[static_cast<std::size_t>(communicator.rank_here()) % names.size()];
  return std::make_unique<GpuExecutor>(options);
}

// The texts of all ranks.
std::vector<std::string> gather(Communicator& communicator, const std::string& own) {
  std::vector<std::size_t> sizes;
  for (const double size : communicator.gather(static_cast<double>(own.size())))
    sizes.push_back(static_cast<std::size_t>(size));
  std::vector<std::string> texts;
  for (const std::span<const std::byte> text : communicator.gather(std::as_bytes(std::span(own)), sizes))
    texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  return texts;
}

// Throws DeviceError on all ranks, with the same sentence, where one has no device or where they differ. The bits of
// two devices are known to be the same only where name and driver are the same, since the driver compiles the passes.
std::unique_ptr<Part> part_of(Communicator& communicator, const Options& options) {
  std::unique_ptr<GpuExecutor> device;
  std::string failure, kind = "the CPU path";
  try {
    device = open_device(communicator, options);
    if (device)
      kind = fmt::format("{} ({})", device->device().name, device->device().driver);
  } catch (const std::runtime_error& e) {
    failure = e.what();
  }
  const std::vector<std::string> failures = gather(communicator, failure), kinds = gather(communicator, kind);
  for (std::size_t r = 0; r < failures.size(); ++r)
    if (!failures[r].empty())
      throw DeviceError(fmt::format("rank {}: {}", r, failures[r]));
  for (std::size_t r = 0; r < kinds.size(); ++r)
    if (kinds[r] != kinds[0])
      throw DeviceError(
          fmt::format("rank {} has {} and rank 0 {}, whose results differ in their last bits: name devices "
                      "of one kind with --device, or use --device cpu",
                      r, kinds[r], kinds[0]));
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / communicator.ranks_here());
  return std::make_unique<Part>(communicator, options.threads > 0 ? options.threads : cores, options.lanes,
                                std::move(device));
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
  SharedExecutor(std::shared_ptr<Communicator> communicator, const Options& options)
      : communicator_(std::move(communicator)) {
    Bytes packet = packet_of(options);
    communicator_->broadcast(packet);
    part_ = part_of(*communicator_, options_of(std::span(packet).subspan(1)));
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
        case Word::begin:
          part.reset();
          try {
            part = part_of(*communicator_, options_of(rest));
          } catch (const DeviceError&) {  // Rank 0 says why, and asks this rank for nothing.
          }
          break;
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

  std::unique_ptr<Executor> make_executor(const Options& options) override {
    return std::make_unique<SharedExecutor>(communicator_, options);
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
