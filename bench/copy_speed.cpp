#include "bench/copy_speed.h"
#include "bench/suite.h"
#include "engine/core/executor.h"
#include "engine/gpu/graph.h"
#include <algorithm>
#include <thread>

namespace bench {

namespace shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

// Bytes per s, read and written: the best of some times. A device that has idled raises its clocks meanwhile.
double best_rate(double bytes, const std::function<void()>& copy) {
  constexpr int least = 7;
  constexpr double enough = 0.4;  // s
  copy();                         // touches the memory
  double best = 0.0;
  const Stopwatch all;
  for (int k = 0; k < least || all.stop(1).real_s < enough; ++k) {
    const Stopwatch watch;
    copy();
    best = std::max(best, 2.0 * bytes / std::max(watch.stop(1).real_s, 1e-9));
  }
  return best;
}

double copy_on_host(std::size_t bytes) {
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  return best_rate(static_cast<double>(bytes), [&] {
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        const std::size_t begin = bytes * t / threads, end = bytes * (t + 1) / threads;
        std::copy(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end),
                  to.begin() + static_cast<std::ptrdiff_t>(begin));
      });
    for (std::thread& worker : workers)
      worker.join();
  });
}

// GPUs copy faster by a compute pass, drivers on a CPU by their own.
double copy_on_device(talus::gpu::Device& device, std::size_t bytes) {
  talus::gpu::Buffer from(device, "from", bytes), to(device, "to", bytes);
  talus::gpu::ComputePipeline copy(device, "copy", shaders::find_shader("copy.comp"));
  const std::vector<talus::gpu::Buffer*> bound = copy.resolve({{"from", &from}, {"to", &to}});
  talus::gpu::Graph graph(device, {.timing = false});
  graph.fill(from);
  struct {
    std::uint32_t count;
  } const args{static_cast<std::uint32_t>(bytes / 16)};
  const auto rate_of = [&](const std::function<void()>& pass) {
    constexpr int copies = 8;  // of one submission, whose own time does not count then
    return best_rate(static_cast<double>(copies * bytes), [&] {
      for (int k = 0; k < copies; ++k)
        pass();
      graph.finish();
    });
  };
  return std::max(rate_of([&] { graph.compute(copy, bound, args, talus::gpu::Work::elements(args.count)); }),
                  rate_of([&] { graph.copy(from, to); }));
}

}  // namespace

CopySpeed copy_speed(const talus::Options& options, std::uint64_t memory_bytes, bool quick) {
  const bool cpu = options.device == "cpu";
  const std::uint64_t wanted = quick ? 32u << 20 : cpu ? 512u << 20 : 1u << 30;
  auto bytes = static_cast<std::size_t>(memory_bytes > 0 ? std::min(wanted, memory_bytes / 4) : wanted);
  if (cpu)
    return {copy_on_host(bytes), bytes};
  const auto executor = talus::make_gpu_executor(options);
  talus::gpu::Device& device = *executor->gpu_device();
  bytes = std::min<std::size_t>(bytes, device.info().max_storage_buffer_range) / 16 * 16;
  return {copy_on_device(device, bytes), bytes};
}

}  // namespace bench
