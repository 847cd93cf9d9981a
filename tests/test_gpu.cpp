// The folder engine/gpu on its own: devices, buffers, reflection, derived barriers, drawing.
#include "catch.h"
#include "engine/gpu/freeze.h"
#include "engine/gpu/graph.h"
#include "scratch.h"
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <spirv_cross/GLSL.std.450.h>
#include <spirv_cross/spirv.hpp>

namespace talus::test_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

using namespace talus::gpu;
using talus::test_shaders::find_shader;
using talus_tests::contains;

std::string wanted_device() {
  const char* name = std::getenv("TALUS_TEST_DEVICE");
  return name ? name : "auto";
}

// A device under the validation layer, which has to be silent to the end: what is left over counts as well.
struct Machine {
  Instance instance{{.validation = true}};
  std::vector<DeviceInfo> devices = list_devices(instance);
  std::unique_ptr<Device> owned;
  Device& device;

  explicit Machine(const DeviceOptions& options = {.pipeline_cache = false})
      : owned(std::make_unique<Device>(instance, choose(devices, wanted_device()), options)), device(*owned) {}
  ~Machine() {
    owned.reset();
    expect_silence();
  }

  void expect_silence() {
    for (const std::string& message : instance.log().messages())
      UNSCOPED_INFO(message);
    CHECK(instance.log().count() == 0);
  }
};

template <class T> std::vector<T> download(Graph& graph, Buffer& buffer) {
  std::vector<T> data(buffer.bytes() / sizeof(T));
  graph.download(buffer, std::as_writable_bytes(std::span(data)));
  return data;
}

template <class T> void upload(Graph& graph, Buffer& buffer, const std::vector<T>& data) {
  graph.upload(buffer, std::as_bytes(std::span(data)));
}

struct ScaleArgs {
  std::uint32_t count;
  float factor;
};
struct AddArgs {
  std::uint32_t count, value;
};
constexpr Constant add_group{7, 64};

DeviceInfo made_up(std::uint32_t index, const std::string& name, const std::string& type,
                   std::vector<std::string> missing) {
  DeviceInfo info;
  info.index = index;
  info.name = name;
  info.type = type;
  info.usable = missing.empty();
  info.missing = std::move(missing);
  return info;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<Hazard> hazards(const PassRecord& pass) {
  std::vector<Hazard> found;
  for (const BarrierReason& reason : pass.barrier)
    found.push_back(reason.hazard);
  return found;
}

}  // namespace

TEST_CASE("a device is chosen by rank, index or name", "[gpu]") {
  const std::vector<DeviceInfo> list{made_up(0, "Old Card", "discrete GPU", {"It lacks timeline semaphores."}),
                                     made_up(1, "GeForce 1", "discrete GPU", {}), made_up(2, "llvmpipe", "CPU", {})};
  CHECK(choose(list, "auto").index == 1);
  CHECK(choose(list, "2").index == 2);
  CHECK(choose(list, "LLVM").index == 2);
  CHECK_THROWS_AS(choose(list, "0"), NoDevice);
  CHECK_THROWS_AS(choose(list, "3"), NoDevice);
  CHECK_THROWS_AS(choose(list, "radeon"), NoDevice);
  CHECK_THROWS_AS(choose(list, ""), NoDevice);
  CHECK_THROWS_AS(choose({}, "auto"), NoDevice);
  const std::string unusable = message_of([&] { choose(list, "old"); });
  CHECK(contains(unusable, "Old Card"));
  CHECK(contains(unusable, "timeline semaphores"));
  CHECK(contains(message_of([&] { choose(list, "radeon"); }), "GeForce 1"));
}

TEST_CASE("a shader describes its bindings", "[gpu]") {
  const std::vector<Constant> constants{{0, 16}};
  const Reflection r = reflect("layout.comp", find_shader("layout.comp"), constants);
  CHECK(r.stage == VK_SHADER_STAGE_COMPUTE_BIT);
  CHECK(r.local_size == std::array<std::uint32_t, 3>{16, 2, 1});
  CHECK(reflect("layout.comp", find_shader("layout.comp")).local_size[0] == 1);
  CHECK(r.push_bytes == 28);
  CHECK(portability_problems("layout.comp", r).empty());

  REQUIRE(r.buffers.size() == 4);  // what is declared and not used does not count
  const BufferBinding &points = r.buffers[0], &status = r.buffers[1], &particles = r.buffers[2];
  CHECK(points.name == "points");
  CHECK(points.binding == 2);
  CHECK(points.access == BufferAccess::write);
  CHECK(points.array);
  CHECK(points.stride == 12);
  REQUIRE(points.scalars.size() == 3);
  CHECK(points.scalars[1].name == "y");
  CHECK(points.scalars[1].offset == 4);

  CHECK(status.name == "status");
  CHECK(status.access == BufferAccess::read_write);
  CHECK_FALSE(status.array);
  CHECK(status.stride == 20);
  REQUIRE(status.scalars.size() == 5);
  CHECK(status.scalars[1].name == "most");
  CHECK(status.scalars[4].name == "cells[2]");
  CHECK(status.scalars[4].kind == ScalarKind::int32);
  CHECK(status.scalars[4].offset == 16);

  CHECK(particles.name == "particles");  // a block without instance goes by its only member
  CHECK(particles.member == "particles");
  CHECK(particles.access == BufferAccess::read);
  CHECK(particles.stride == 88);
  REQUIRE(particles.scalars.size() == 22);
  CHECK(particles.scalars[3].name == "radius");
  CHECK(particles.scalars[4].name == "cell.x");
  CHECK(particles.scalars[4].kind == ScalarKind::int32);
  CHECK(particles.scalars[15].name == "inner[1].counts[1]");
  CHECK(particles.scalars[15].offset == 60);
  CHECK(particles.scalars[15].kind == ScalarKind::uint32);
  CHECK(particles.scalars[21].name == "frame[1].z");
  CHECK(particles.scalars[21].offset == 84);

  const BufferBinding& table = r.buffers[3];  // a header and what lies behind it
  CHECK(table.name == "header");
  CHECK(table.member == "header");
  CHECK(table.access == BufferAccess::read);
  CHECK_FALSE(table.array);
  CHECK(table.stride == 20);
  REQUIRE(table.scalars.size() == 5);
  CHECK(table.scalars[1].name == "axis.y");
  CHECK(table.scalars[4].name == "counts[1]");
  CHECK(table.scalars[4].offset == 16);
  CHECK(table.tail == "rows");
  CHECK(table.tail_stride == 12);
  CHECK(points.tail.empty());

  CHECK(contains(message_of([] { reflect("mixed.comp", find_shader("mixed.comp")); }), "mixed_block"));
  CHECK_THROWS_AS(reflect("nothing", {}), Error);

  const Reflection draw = reflect("show.frag", find_shader("show.frag"));
  REQUIRE(draw.images.size() == 2);
  CHECK(draw.images[0].name == "picture");
  CHECK_FALSE(draw.images[0].compare);
  CHECK(draw.images[1].name == "shadow");
  CHECK(draw.images[1].compare);
}

TEST_CASE("a shader with too many buffers is named with their number and names", "[gpu]") {
  Reflection r;
  for (std::size_t k = 0; k < buffers_most; ++k)
    r.buffers.push_back({.name = "field_" + std::to_string(k)});
  CHECK(portability_problems("full.comp", r).empty());
  r.buffers.push_back({.name = "grains"});
  const std::vector<std::string> problems = portability_problems("full.comp", r);
  REQUIRE(problems.size() == 1);
  CHECK(contains(problems[0], "full.comp binds 16 storage buffers, and 15 is the most: field_0, field_1"));
  CHECK(contains(problems[0], "field_14, grains."));
}

TEST_CASE("devices are listed with what they are", "[gpu][device]") {
  Machine machine;
  REQUIRE_FALSE(machine.devices.empty());
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const DeviceInfo& d = machine.devices[i];
    CHECK(d.index == i);
    CHECK_FALSE(d.name.empty());
    CHECK_FALSE(d.driver.empty());
    CHECK(d.usable == d.missing.empty());
    if (i > 0)
      CHECK(machine.devices[i - 1].gpu >= d.gpu);
  }
  const DeviceInfo& used = machine.device.info();
  CHECK(used.memory_bytes > 0);
  CHECK(used.subgroup_size > 0);
  CHECK(used.max_group_size >= 256);
  CHECK(used.max_storage_buffer_range >= (1u << 27));
}

TEST_CASE("bytes come back as they went up", "[gpu][device]") {
  Machine machine;
  Graph graph(machine.device);
  for (const std::size_t bytes : {1u, 2u, 3u, 4u, 5u, 17u, 4096u, 65537u, 8u << 20, (8u << 20) + 1, 10'000'000u}) {
    Buffer buffer(machine.device, "bytes", bytes);
    std::vector<std::uint8_t> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    upload(graph, buffer, data);
    CHECK((download<std::uint8_t>(graph, buffer) == data));
    if (bytes < 8)
      continue;
    const std::vector<std::uint8_t> piece{1, 2, 3};
    graph.upload(buffer, std::as_bytes(std::span(piece)), bytes - 4);
    std::copy(piece.begin(), piece.end(), data.end() - 4);
    CHECK((download<std::uint8_t>(graph, buffer) == data));
  }
  Buffer empty(machine.device, "empty", 0), words(machine.device, "words", 64), other(machine.device, "other", 64);
  CHECK(download<std::uint8_t>(graph, empty).empty());
  graph.fill(empty);
  graph.fill(words, 7);
  graph.fill(words, 9, 4, 8);
  graph.copy(words, other, 60, 0, 4);
  graph.fill(other, 1, 0, 4);
  CHECK(download<std::uint32_t>(graph, other) ==
        std::vector<std::uint32_t>{1, 7, 9, 9, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  CHECK_THROWS_AS(graph.copy(words, other, 64, 4), Error);
  CHECK_THROWS_AS(graph.fill(words, 0, 2), Error);
  CHECK_THROWS_AS(graph.upload(empty, std::as_bytes(std::span("a"))), Error);
}

TEST_CASE("many uploads that are not waited for do not overwrite each other", "[gpu][device]") {
  Machine machine;
  Graph graph(machine.device);
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 30; ++i) {
    buffers.emplace_back(machine.device, "piece", 1'000'004);
    upload(graph, buffers.back(), std::vector<std::uint32_t>(250'001, i));
    if (i % 4 == 0)
      graph.submit();
  }
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    CHECK((download<std::uint32_t>(graph, buffers[i]) == std::vector<std::uint32_t>(250'001, i)));
}

TEST_CASE("a compute pass takes its buffers by name", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 1000;
  Buffer source(device, "source", count * 4), target(device, "target", count * 4);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  CHECK(scale.group_size() == 64);
  const auto bound = scale.resolve({{"target", &target}, {"source", &source}, {"unrelated", &target}});
  CHECK(bound == std::vector<Buffer*>{&source, &target});
  CHECK(contains(message_of([&] { (void)scale.resolve({{"source", &source}}); }), "target"));

  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  Graph graph(device);
  upload(graph, source, values);
  graph.compute(scale, bound, ScaleArgs{count, 3.0f}, talus::gpu::Work::elements(count));
  for (float& v : values)
    v *= 3.0f;
  CHECK((download<float>(graph, target) == values));

  const std::vector<Buffer*> one{&source}, none{&source, nullptr};
  CHECK_THROWS_AS(graph.compute(scale, one, ScaleArgs{}, talus::gpu::Work::elements(1)), Error);
  CHECK_THROWS_AS(graph.compute(scale, none, ScaleArgs{}, talus::gpu::Work::elements(1)), Error);
  CHECK_THROWS_AS(graph.compute(scale, bound, {}, talus::gpu::Work::elements(1)), Error);
  graph.compute(scale, bound, ScaleArgs{0, 1.0f}, talus::gpu::Work::elements(0));  // an empty world is fine
  graph.finish();
}

TEST_CASE("frozen shaders have constants where they had specialization constants", "[gpu]") {
  const std::vector<Constant> constants{{1, 0}, {3, 1}};
  const auto code = freeze(find_shader("switches.comp"), constants);
  std::set<std::uint32_t> found, folded;  // operations; those that OpSpecConstantOp computes
  for (std::size_t at = 5; at < code.size(); at += code[at] >> 16) {
    found.insert(code[at] & 0xFFFF);
    if ((code[at] & 0xFFFF) == spv::OpSpecConstantOp)
      folded.insert(code[at + 3]);
    CHECK(((code[at] & 0xFFFF) != spv::OpDecorate || code[at + 2] != spv::DecorationSpecId));
  }
  for (const std::uint32_t gone : {spv::OpSpecConstantTrue, spv::OpSpecConstantFalse, spv::OpSpecConstant})
    CHECK_FALSE(found.contains(gone));
  for (const std::uint32_t gone : {spv::OpIEqual, spv::OpINotEqual, spv::OpBitwiseAnd})
    CHECK_FALSE(folded.contains(gone));
  CHECK(folded.contains(spv::OpIMul));  // is left to the driver
  CHECK(found.contains(spv::OpDecorate));
  CHECK(freeze(code, {}) == code);
  const std::vector<Constant> group{{0, 8}};
  CHECK(reflect("switches.comp", freeze(find_shader("switches.comp"), group)).local_size[0] == 8);
}

TEST_CASE("frozen shaders are left without the code that their constants switch off", "[gpu]") {
  const auto switched_off = [](std::vector<Constant> constants) {  // what takes a root or a hyperbolic sine
    const auto code = freeze(find_shader("pruned.comp"), constants);
    int count = 0;
    for (std::size_t at = 5; at < code.size(); at += code[at] >> 16)
      count +=
          (code[at] & 0xFFFF) == spv::OpExtInst && (code[at + 4] == GLSLstd450Sinh || code[at + 4] == GLSLstd450Sqrt);
    CHECK(freeze(code, {}) == code);
    return count;
  };
  CHECK(switched_off({}) == 0);
  CHECK(switched_off({{0, 2}}) == 2);  // a function that is asked of two kinds is not known for one of them
  CHECK(switched_off({{0, 4}}) == 2);
  CHECK(switched_off({{1, 1}}) == 5);
  CHECK(switched_off({{0, 6}, {1, 1}}) == 7);
}

TEST_CASE("frozen shaders do what they did", "[gpu][device]") {
  Machine machine;
  Buffer values(machine.device, "values", 9 * 4);
  const auto run = [&](std::vector<Constant> constants) {
    ComputePipeline pruned(machine.device, "pruned", find_shader("pruned.comp"), constants);
    Graph graph(machine.device);
    upload(graph, values, std::vector<float>{4, 1, 1, 1, 1, 1, 1, 7, 1});
    graph.compute(pruned, pruned.resolve({{"values", &values}}), {}, talus::gpu::Work::groups(1));
    return download<float>(graph, values);
  };
  CHECK(run({}) == std::vector<float>{0, 2, 2, 1, 1, 2, 0, 7, 2});
  std::vector<float> all = run({{0, 6}, {1, 1}});
  const float sine = std::sinh(1.0f);
  for (const auto& [place, value] : std::vector<std::pair<std::size_t, float>>{
           {0, 5.0f}, {1, sine}, {2, sine}, {3, 2.0f + std::sqrt(2.0f)}, {4, sine}, {7, std::sinh(7.0f)}, {8, 10.0f}})
    CHECK(all[place] == Approx(value).epsilon(1e-4));
  CHECK(all[6] == 0.0f);
}

TEST_CASE("specialization constants have their values", "[gpu][device]") {
  Machine machine;
  Buffer values(machine.device, "values", 9 * 4);
  const auto run = [&](std::vector<Constant> constants) {
    ComputePipeline switches(machine.device, "switches", find_shader("switches.comp"), constants);
    Graph graph(machine.device);
    graph.compute(switches, switches.resolve({{"values", &values}}), {}, talus::gpu::Work::groups(1));
    return download<float>(graph, values);
  };
  CHECK(run({}) == std::vector<float>{5, 1, 1, 1, 0, 0.5f, -1, 1, 15});
  CHECK(run({{0, 8}, {1, 3}, {2, 0}, {3, 1}, {4, std::bit_cast<std::uint32_t>(2.5f)}, {5, 7}}) ==
        std::vector<float>{3, 0, 0, 0, 1, 2.5f, 7, 8, 9});
}

TEST_CASE("barriers stand exactly where a hazard is", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 4096;
  Buffer a(device, "a", count * 4), b(device, "b", count * 4), c(device, "c", count * 4), d(device, "d", count * 4);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  Graph graph(device);
  graph.set_trace(true);
  const auto run = [&](Buffer& from, Buffer& to) {
    const std::vector<Buffer*> bound{&from, &to};
    graph.compute(scale, bound, ScaleArgs{count, 2.0f}, talus::gpu::Work::elements(count));
  };
  upload(graph, a, std::vector<float>(count, 1.0f));
  run(a, b);  // after the upload
  run(a, c);  // reads only what nobody writes, writes what nobody uses
  run(b, d);  // needs the first
  run(b, d);  // needs b, which it sees; overwrites d
  run(c, a);  // c is covered by the barriers since; a was read
  run(a, b);
  graph.submit();
  run(b, c);  // over the border of a submission
  const std::vector<PassRecord> passes = graph.take_trace();
  REQUIRE(passes.size() == 8);
  using H = std::vector<Hazard>;
  CHECK(hazards(passes[0]) == H{});
  CHECK(hazards(passes[1]) == H{Hazard::read_after_write});
  CHECK(passes[1].barrier[0].resource == "a");
  CHECK(passes[1].barrier[0].earlier == "upload");
  CHECK(hazards(passes[2]) == H{});
  CHECK(hazards(passes[3]) == H{Hazard::read_after_write});
  CHECK(hazards(passes[4]) == H{Hazard::write_after_write});
  CHECK(hazards(passes[5]) == H{});  // the barriers before covered the read of a as well
  CHECK(hazards(passes[6]) == H{Hazard::read_after_write, Hazard::write_after_read});
  CHECK(hazards(passes[7]) == H{Hazard::read_after_write});
  CHECK(passes[7].reads == std::vector<std::string>{"b"});
  CHECK(passes[7].writes == std::vector<std::string>{"c"});
  CHECK(contains(to_text(passes), "barrier: read after write of b after scale\nscale [compute] reads: b; writes: c\n"));

  run(c, d);
  d = Buffer(device, "larger d", 2 * count * 4);  // while the old one is in use by what is recorded
  run(c, d);
  CHECK((download<float>(graph, c) == std::vector<float>(count, 16.0f)));
  CHECK(download<float>(graph, d)[count - 1] == 32.0f);
}

TEST_CASE("write after read waits, too", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 1000;
  Buffer a(device, "a", count * 4), b(device, "b", count * 4), c(device, "c", count * 4);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  Graph graph(device);
  upload(graph, a, std::vector<float>(count, 1.0f));
  graph.fill(c, std::bit_cast<std::uint32_t>(5.0f));
  graph.finish();
  graph.set_trace(true);
  const std::vector<Buffer*> first{&a, &b}, second{&c, &a};
  graph.compute(scale, first, ScaleArgs{count, 1.0f}, talus::gpu::Work::elements(count));
  graph.compute(scale, second, ScaleArgs{count, 1.0f}, talus::gpu::Work::elements(count));
  const auto passes = graph.take_trace();
  REQUIRE(hazards(passes.at(1)) == std::vector<Hazard>{Hazard::write_after_read});
  CHECK(passes[1].barrier[0].resource == "a");
  CHECK((download<float>(graph, b) == std::vector<float>(count, 1.0f)));
  CHECK((download<float>(graph, a) == std::vector<float>(count, 5.0f)));
}

TEST_CASE("a pair of buffers goes back and forth", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 300;
  Buffer even(device, "even", count * 4), odd(device, "odd", count * 4);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  Graph graph(device);
  upload(graph, even, std::vector<float>(count, 1.0f));
  const std::vector<Buffer*> bound{&even, &odd};  // roles; the contents are swapped between them
  for (int i = 0; i < 20; ++i) {
    graph.compute(scale, bound, ScaleArgs{count, 2.0f}, talus::gpu::Work::elements(count));
    std::swap(even, odd);
    if (i % 3 == 0)
      graph.submit();
  }
  CHECK((download<float>(graph, even) == std::vector<float>(count, 1048576.0f)));
  CHECK(graph.barriers() <= 24);
}

TEST_CASE("what is repeated is recorded once", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 300;
  Buffer even(device, "even", count * 4), odd(device, "odd", count * 4);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  Graph graph(device);
  upload(graph, even, std::vector<float>(count, 1.0f));
  const auto pass = [&](Buffer& from, Buffer& to, float factor) {
    const auto bound = scale.resolve({{"source", &from}, {"target", &to}});
    graph.compute(scale, bound, ScaleArgs{count, factor}, talus::gpu::Work::elements(count));
  };
  pass(even, odd, 3.0f);
  pass(odd, even, 1.0f);
  const std::uint64_t before = graph.passes();
  graph.repeat(7, [&] {  // what its end writes its beginning reads
    pass(even, odd, 2.0f);
    pass(odd, even, 1.0f);
  });
  CHECK(graph.passes() == before + 2);
  pass(even, odd, 5.0f);
  CHECK((download<float>(graph, odd) == std::vector<float>(count, 3.0f * 128.0f * 5.0f)));
  CHECK_THAT(message_of([&] { graph.repeat(2, [&] { graph.submit(); }); }), Catch::Contains("as a whole"));
}

TEST_CASE("passes behind a condition are left out where it is zero", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 200;
  Buffer values(device, "values", count * 4), words(device, "words", 8);
  ComputePipeline add(device, "add", find_shader("add.comp"), std::span(&add_group, 1));
  Graph graph(device);
  const std::vector<Buffer*> added{&values};
  const auto add_one = [&] { graph.compute(add, added, AddArgs{count, 1}, talus::gpu::Work::elements(count)); };
  graph.fill(values);
  for (const std::uint32_t word : {0u, 1u, 0u, 7u}) {
    graph.fill(words, word, 4, 4);  // of the device's own making, as gates are
    graph.begin_condition(words, 4);
    add_one();
    add_one();
    graph.end_condition();
  }
  add_one();
  const std::uint32_t expected = device.conditions() ? 5 : 9;
  CHECK((download<std::uint32_t>(graph, values) == std::vector<std::uint32_t>(count, expected)));
  CHECK_THAT(message_of([&] { graph.end_condition(); }), Catch::Contains("no condition"));
  CHECK_THAT(message_of([&] { graph.begin_condition(words, 6); }), Catch::Contains("words"));
  graph.begin_condition(words, 0);
  CHECK_THAT(message_of([&] { graph.submit(); }), Catch::Contains("as a whole"));
  CHECK_THAT(message_of([&] { graph.begin_condition(words, 0); }), Catch::Contains("nest"));
  graph.end_condition();
  graph.finish();
}

TEST_CASE("the device plans its own dispatch", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 5000;
  Buffer values(device, "values", count * 4), arguments(device, "arguments", 32);
  ComputePipeline plan(device, "plan", find_shader("plan.comp"));
  ComputePipeline add(device, "add", find_shader("add.comp"), std::span(&add_group, 1));
  CHECK(add.group_size() == 64);
  Graph graph(device);
  const std::vector<Buffer*> planned{&arguments}, added{&values};
  graph.fill(values);
  graph.set_trace(true);
  for (const std::uint32_t part : {count, count / 2}) {  // arguments are read, then written again
    graph.compute(plan, planned, AddArgs{part, 64}, talus::gpu::Work::groups(1));
    graph.compute(add, added, AddArgs{part, 3}, talus::gpu::Work::indirect(arguments));
  }
  const auto passes = graph.take_trace();
  CHECK(passes.at(1).barrier.size() == 2);  // the fill, and the arguments
  CHECK(hazards(passes.at(2)) == std::vector<Hazard>{Hazard::write_after_write, Hazard::write_after_read});
  const auto result = download<std::uint32_t>(graph, values);
  CHECK(result.front() == 6);
  CHECK(result[count / 2 - 1] == 6);
  CHECK(result[count / 2] == 3);
  CHECK(result.back() == 3);
  CHECK_THROWS_AS(graph.compute(add, added, AddArgs{}, talus::gpu::Work::indirect(arguments, 24)), Error);
}

TEST_CASE("a pass that runs a part of its groups leaves those after it whole", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t groups = 40, count = groups * 64;
  Buffer values(device, "values", count * 4), arguments(device, "arguments", 32);
  ComputePipeline plan(device, "plan", find_shader("plan.comp"));
  ComputePipeline add(device, "add", find_shader("add.comp"), std::span(&add_group, 1));
  ComputePipeline add_part(device, "add_part", find_shader("add.comp"), std::span(&add_group, 1),
                           talus::gpu::Starts::anywhere);
  Graph graph(device);
  const std::vector<Buffer*> planned{&arguments}, added{&values};
  graph.fill(values);
  graph.compute(plan, planned, AddArgs{count, 64}, talus::gpu::Work::groups(1));
  graph.compute(add_part, added, AddArgs{count, 1}, talus::gpu::Work::range(7, 31));
  graph.compute(add, added, AddArgs{count, 10}, talus::gpu::Work::indirect(arguments));
  graph.compute(add_part, added, AddArgs{count, 100}, talus::gpu::Work::range(31, 40));
  graph.compute(add, added, AddArgs{count, 1000}, talus::gpu::Work::elements(count));
  const auto result = download<std::uint32_t>(graph, values);
  for (std::uint32_t group = 0; group < groups; ++group) {
    INFO("group " << group);
    const std::uint32_t expected = (group < 7 ? 0 : group < 31 ? 1 : 100) + 1010;
    CHECK(std::count(result.begin() + 64 * group, result.begin() + 64 * (group + 1), expected) == 64);
  }
  CHECK_THAT(message_of([&] {
               graph.compute(add, added, AddArgs{count, 1}, talus::gpu::Work::range(0, 1));
             }),
             Catch::Contains("not compiled for a part of its groups"));
}

TEST_CASE("without barriers the validation layer finds the hazard", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  Buffer a(device, "a", 4096), b(device, "b", 4096), c(device, "c", 4096);
  ComputePipeline scale(device, "scale", find_shader("scale.comp"));
  const std::vector<Buffer*> first{&a, &b}, second{&b, &c};
  for (const bool barriers : {true, false}) {
    Graph graph(device, {.barriers = barriers});
    graph.compute(scale, first, ScaleArgs{1024, 1.0f}, talus::gpu::Work::elements(1024));
    graph.compute(scale, second, ScaleArgs{1024, 1.0f}, talus::gpu::Work::elements(1024));
    graph.finish();
    if (barriers)
      machine.expect_silence();
  }
  REQUIRE(machine.instance.log().count() > 0);
  CHECK(contains(machine.instance.log().messages()[0], "SYNC-HAZARD-READ"));
  machine.instance.log().clear();
}

TEST_CASE("more than 65535 groups", "[gpu][device]") {
  Machine machine;
  constexpr std::uint32_t count = 70'000;
  const Constant single{7, 1};
  ComputePipeline add(machine.device, "add", find_shader("add.comp"), std::span(&single, 1));
  Buffer values(machine.device, "values", count * 4);
  Graph graph(machine.device);
  graph.fill(values, 1);
  const std::vector<Buffer*> bound{&values};
  graph.compute(add, bound, AddArgs{count, 1}, talus::gpu::Work::elements(count));
  CHECK((download<std::uint32_t>(graph, values) == std::vector<std::uint32_t>(count, 2)));
  CHECK_THROWS_AS(graph.compute(add, bound, AddArgs{count, 1}, talus::gpu::Work::groups(1ull << 31)), Error);
}

TEST_CASE("every pass is counted and timed", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  constexpr std::uint32_t count = 1000;
  Buffer values(device, "values", count * 4);
  ComputePipeline add(device, "add", find_shader("add.comp"), std::span(&add_group, 1));
  const std::vector<Buffer*> bound{&values};
  Graph graph(device);
  const Label second = device.label("second");
  CHECK(device.label("second").id == second.id);
  graph.fill(values);
  std::uint32_t expected = 0;
  for (const int calls : {1, 700, 700}) {  // more than the first pool of timestamps holds
    for (int i = 0; i < calls; ++i) {
      graph.compute(add, bound, AddArgs{count, 1}, talus::gpu::Work::elements(count), i % 2 ? second : Label{});
      ++expected;
    }
    graph.submit();
  }
  device.wait_idle();
  const auto times = graph.times();
  REQUIRE(times.size() == 3);
  CHECK(times[0].name == "fill");
  CHECK(times[1].name == "add");
  CHECK(times[1].calls == 701);
  CHECK(times[2].name == "second");
  CHECK(times[2].calls == 700);
  if (device.info().timestamps)
    CHECK(times[1].ms > 0.0);
  graph.clear_times();
  graph.set_timing(false);
  graph.compute(add, bound, AddArgs{count, 1}, talus::gpu::Work::elements(count));
  CHECK((download<std::uint32_t>(graph, values) == std::vector<std::uint32_t>(count, expected + 1)));
  CHECK(graph.times().empty());
}

TEST_CASE("results can be read without stopping the device", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  Buffer values(device, "values", 256);
  std::vector<Buffer> copies;
  std::vector<Ticket> tickets;
  ComputePipeline add(device, "add", find_shader("add.comp"), std::span(&add_group, 1));
  const std::vector<Buffer*> bound{&values};
  Graph graph(device);
  graph.fill(values);
  for (int i = 0; i < 6; ++i) {
    graph.compute(add, bound, AddArgs{64, 1}, talus::gpu::Work::elements(64));
    copies.emplace_back(device, "copy", 256, Buffer::Kind::readback);
    graph.copy(values, copies.back());
    tickets.push_back(graph.submit());
  }
  for (std::uint32_t i = 0; i < copies.size(); ++i) {
    device.wait(tickets[i]);
    CHECK(reinterpret_cast<const std::uint32_t*>(copies[i].mapped().data())[63] == i + 1);
  }
  CHECK_THROWS_AS(device.wait(tickets.back() + 1), Error);
}

TEST_CASE("memory is counted and refused in one sentence", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  const std::uint64_t before = device.memory_bytes();
  {
    Buffer some(device, "some", 1 << 20);
    CHECK(device.memory_bytes() >= before + (1 << 20));
  }
  CHECK(device.memory_bytes() == before);
  const std::string message = message_of([&] { Buffer(device, "slots", device.info().max_storage_buffer_range + 1); });
  CHECK(contains(message, "slots"));
  CHECK(contains(message, byte_text(device.info().max_storage_buffer_range)));
  std::vector<Buffer> many;
  const std::uint64_t size = std::min<std::uint64_t>(device.info().max_storage_buffer_range, 1 << 27);
  if (device.info().memory_bytes <= 16 * size) {  // a driver without a GPU; do not fill anybody's card
    const std::string full = message_of([&] {
      for (int i = 0; i < 20; ++i)
        many.emplace_back(device, "many", size);
    });
    CHECK(contains(full, "many"));
    CHECK(contains(full, "in use by Talus"));
  }
}

TEST_CASE("one graph at a time holds passes", "[gpu][device]") {
  Machine machine;
  Buffer values(machine.device, "values", 64);
  Graph one(machine.device), two(machine.device);
  one.fill(values, 1);
  CHECK_THROWS_AS(two.fill(values, 2), Error);
  one.submit();
  two.fill(values, 2);
  CHECK((download<std::uint32_t>(two, values) == std::vector<std::uint32_t>(16, 2)));
}

TEST_CASE("compiled pipelines are kept on disk", "[gpu][device]") {
  const talus_tests::Scratch scratch;
  const DeviceOptions options{.cache_directory = scratch.path() / "deep" / "cache"};
  std::filesystem::path file;
  {
    Machine machine(options);
    CHECK(machine.device.logical().pipeline_cache_loaded() == 0);
    ComputePipeline scale(machine.device, "scale", find_shader("scale.comp"));
    file = machine.device.logical().pipeline_cache_file();
  }
  REQUIRE(std::filesystem::exists(file));
  CHECK(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}) == 1);
  const std::string good = talus_tests::read_text(file);
  {
    Machine machine(options);
    CHECK(machine.device.logical().pipeline_cache_loaded() > 0);
    ComputePipeline scale(machine.device, "scale", find_shader("scale.comp"));
  }
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  for (const std::string& bad :
       {std::string(), std::string("nonsense"), good.substr(0, good.size() - 1), good + "x", flipped}) {
    talus_tests::write_text(file, bad);
    Machine machine(options);
    CHECK(machine.device.logical().pipeline_cache_loaded() == 0);
    ComputePipeline scale(machine.device, "scale", find_shader("scale.comp"));
  }
}

TEST_CASE("draws read what compute passes wrote", "[gpu][device]") {
  Machine machine;
  Device& device = machine.device;
  if (!device.graphics())
    return;
  struct CornerArgs {
    float size, depth;
  };
  constexpr std::uint32_t edge = 64;
  Buffer corners(device, "corners", 3 * 24), tint(device, "tint", 4), indices(device, "indices", 12);
  Image colour(device, "colour", {edge, edge}), depth(device, "depth", {edge, edge, depth_format});
  Image result(device, "result", {edge, edge, VK_FORMAT_R8G8B8A8_UNORM});
  ComputePipeline place(device, "place", find_shader("corners.comp"));
  GraphicsPipeline triangle(device, "triangle", find_shader("triangle.vert"), find_shader("triangle.frag"),
                            {.colour_formats = {colour.format()}, .depth_format = depth_format});
  GraphicsPipeline shadow(device, "shadow", find_shader("triangle.vert"), {}, {.depth_format = depth_format});
  GraphicsPipeline show(device, "show", find_shader("show.vert"), find_shader("show.frag"),
                        {.depth_test = false, .colour_formats = {result.format()}});
  const auto placed = place.resolve({{"corners", &corners}});
  const auto drawn = triangle.resolve({{"corners", &corners}, {"tint", &tint}});
  const std::vector<Image*> sampled{&colour, &depth};

  Graph graph(device);
  graph.set_trace(true);
  upload(graph, tint, std::vector<float>{1.0f});
  upload(graph, indices, std::vector<std::uint32_t>{2, 0, 1});
  const auto pixel = [](const std::vector<std::byte>& data, std::uint32_t x, std::uint32_t y) {
    std::array<int, 4> rgba{};
    for (int i = 0; i < 4; ++i)
      rgba[i] = std::to_integer<int>(data[4 * (y * edge + x) + i]);
    return rgba;
  };
  for (int frame = 0; frame < 3; ++frame) {  // the second time around every layout and hazard is another
    graph.compute(place, placed, CornerArgs{1.0f, 0.25f}, talus::gpu::Work::elements(3));
    graph.begin_rendering({.colour = {{.image = &colour}}, .depth = {.image = &depth}});
    graph.draw(triangle, drawn, {}, {}, {.vertices = 3, .indices = frame ? &indices : nullptr});
    graph.end_rendering();
    graph.begin_rendering({.colour = {{.image = &result}}});
    graph.draw(show, {}, sampled, {}, {.vertices = 3});
    graph.end_rendering();
    const auto picture = graph.download(colour);
    CHECK(pixel(picture, 10, 10) == std::array{0, 255, 153, 255});
    CHECK(pixel(picture, 60, 60) == std::array{0, 0, 0, 255});
    CHECK(pixel(picture, 0, 10) == std::array{0, 0, 0, 255});  // discarded
    const auto seen = graph.download(result);
    CHECK(pixel(seen, 10, 10) == std::array{255, 0, 0, 255});  // the triangle is before 0.5 and shadows it
    CHECK(pixel(seen, 60, 60) == std::array{0, 255, 0, 255});
    const auto depths = graph.download(depth);
    float nearest = 0.0f;
    std::memcpy(&nearest, depths.data() + 4 * (10 * edge + 10), 4);
    CHECK(nearest == Approx(0.25f));
  }
  const auto passes = graph.take_trace();
  CHECK(passes.at(3).kind == "draw");
  CHECK(passes[3].reads == std::vector<std::string>{"corners", "tint"});
  CHECK(passes[3].writes == std::vector<std::string>{"colour", "depth"});

  SECTION("depth alone, kept contents, part of the target, indirectly") {
    const std::vector<Buffer*> corner{&corners};
    Buffer arguments(device, "arguments", sizeof(VkDrawIndirectCommand));
    upload(graph, arguments, std::vector<std::uint32_t>{3, 1, 0, 0});
    graph.compute(place, placed, CornerArgs{1.0f, 0.75f}, talus::gpu::Work::elements(3));
    graph.begin_rendering({.colour = {}, .depth = {.image = &depth}});
    graph.draw(shadow, corner, {}, {}, {.indirect = &arguments, .viewport = {32, 0, 32, 64}});
    graph.end_rendering();
    graph.begin_rendering({.colour = {{.image = &result, .clear = false}}, .depth = {}});
    graph.end_rendering();
    const auto depths = graph.download(depth);
    float left = 0.0f, right = 0.0f;
    std::memcpy(&left, depths.data() + 4 * (10 * edge + 10), 4);
    std::memcpy(&right, depths.data() + 4 * (10 * edge + 40), 4);
    CHECK(left == 1.0f);
    CHECK(right == Approx(0.75f));
    CHECK(pixel(graph.download(result), 10, 10) == std::array{255, 0, 0, 255});
  }
  SECTION("pixels come back as they went up") {
    Image large(device, "large", {1500, 2000});
    std::vector<std::byte> data(4 * 1500 * 2000);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<std::byte>(i * 13 + i / 977);
    graph.upload(large, data);
    CHECK((graph.download(large) == data));
  }
  SECTION("misuse") {
    CHECK_THROWS_AS(graph.draw(triangle, drawn, {}, {}, {.vertices = 3}), Error);
    graph.begin_rendering({.colour = {{.image = &colour}}});
    CHECK_THROWS_AS(graph.fill(tint), Error);
    CHECK_THROWS_AS(graph.draw(show, {}, sampled, {}, {.vertices = 3}), Error);  // samples its own target
    graph.end_rendering();
    CHECK_THROWS_AS(graph.end_rendering(), Error);
    CHECK_THROWS_AS(graph.begin_rendering({.colour = {{.image = &depth}}}), Error);
  }
  graph.finish();
}
