// Simulations and pictures of them.
#include "engine/core/executor.h"
#include "engine/executors/open_devices.h"
#include "engine/io/report.h"
#include "engine/io/series.h"
#include "engine/io/writers.h"
#include "engine/simulation/checkpoint_file.h"
#include "engine/simulation/robot.h"
#include "module.h"
#include "repr.h"
#include "scene.h"
#include "state.h"
#include "viewer/renderer.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace talus_python {

using namespace nb::literals;
using talus::Options;

namespace {

constexpr double no_limit = talus::BodyLimits::none;
const Four no_rotation{{0.0, 0.0, 0.0, 1.0}};

// Of a scene's body, cloth or shape: its place, or its name.
using Which = std::variant<std::int64_t, std::string>;
using Pixels = Array<std::uint8_t, nb::shape<any, any, 3>>;
// Nobody else has it, so that it may be written to, and torch.from_dlpack takes it.
using Images = nb::ndarray<nb::numpy, float, nb::shape<any, any, any>>;

bool on_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"));
}

// A simulation, and what draws it. While a thread steps it, which needs no interpreter, no other may look at it.
class Simulation {
public:
  Simulation(const Scene& scene, const Options& options) : simulation_(scene.read(), options) {}

  talus::Simulation& idle() {
    if (stepping_)
      throw std::runtime_error("another thread steps this simulation: wait until its advance() has returned");
    return simulation_;
  }

  void advance(std::int64_t steps) {
    if (steps < 0)
      throw nb::value_error(("steps must be 0 or more, not " + std::to_string(steps)).c_str());
    talus::Simulation& simulation = idle();
    // Ctrl-C, and other signals, are for Python's handlers, which need the interpreter, and run on the main thread
    // alone. Another thread that computes keeps the interpreter for up to 5 ms, so that it is asked for five times a
    // second. Other threads do not ask: one that did when the program ends would be ended amid the engine's steps.
    const bool signals = on_main_thread();
    bool interrupted = false;
    constexpr std::chrono::milliseconds pause(200);
    auto asked = std::chrono::steady_clock::now();
    const std::function<bool()> goes_on = [&] {
      const auto now = std::chrono::steady_clock::now();
      if (now - asked < pause)
        return true;
      const nb::gil_scoped_acquire acquired;
      asked = now;
      interrupted = PyErr_CheckSignals() != 0;
      return !interrupted;
    };
    {
      const Stepping stepping(stepping_);
      const nb::gil_scoped_release released;
      const std::uint64_t first = simulation.step(), grains = simulation.grain_count();
      const auto begin = std::chrono::steady_clock::now();
      simulation.advance(static_cast<std::uint64_t>(steps), signals ? goes_on : std::function<bool()>());
      facts_.wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      facts_.particle_steps += (simulation.step() - first) * (grains + simulation.grain_count()) / 2;
    }
    if (interrupted)
      throw nb::python_error();
  }

  // from: a file or a checkpoint. The report counts from there on.
  void resume(const auto& from) {
    idle().resume(from);
    facts_ = {.first_step = simulation_.step()};
  }

  // The report is JSON, which Python's own module reads.
  nb::object report() { return nb::module_::import_("json").attr("loads")(talus::report_json(idle(), facts_)); }

  std::uint32_t body(const Which& which) {
    return find(which, idle().worlds() * idle().scene().bodies.size(), "bodies",
                [](const talus::Simulation& s, std::string_view name) { return s.body(name); });
  }
  std::uint32_t cloth(const Which& which) {
    return find(which, idle().worlds() * idle().scene().cloths.size(), "cloths",
                [](const talus::Simulation& s, std::string_view name) { return s.cloth(name); });
  }
  std::uint32_t shape(const Which& which) {
    return find(which, idle().worlds() * idle().scene().shapes.size(), "shapes",
                [](const talus::Simulation& s, std::string_view name) { return s.shape(name); });
  }

  void change(const Scene& scene) {
    idle().change(scene.read());
    renderer_.reset();
  }

  void write(const std::filesystem::path& out, const std::optional<std::string>& format, bool contacts);
  std::string repr() const;
  GrainMemory grain_memory();
  Cloth cloth_state(const Which& which);
  Pixels render(int width, int height, const std::optional<Three>& eye, const std::optional<Three>& target,
                std::optional<double> fov, Number world);
  Images depth(const Which& which);

private:
  struct Stepping {
    explicit Stepping(bool& flag) : flag_(flag) { flag_ = true; }
    ~Stepping() { flag_ = false; }
    bool& flag_;
  };

  std::uint32_t find(const Which& which, std::size_t count, const char* what, auto named) {
    if (const std::string* name = std::get_if<std::string>(&which))
      return named(idle(), *name);
    const std::int64_t index = std::get<std::int64_t>(which);
    if (index < 0 || static_cast<std::uint64_t>(index) >= count)
      throw nb::index_error(
          ("there are " + std::to_string(count) + " " + what + ", and no number " + std::to_string(index)).c_str());
    return static_cast<std::uint32_t>(index);
  }

  talus::Simulation simulation_;
  talus::RunFacts facts_;
  struct Export {
    talus::Format format;
    bool contacts;
    talus::Series series;
  };
  std::map<std::filesystem::path, Export> series_;  // by directory
  bool stepping_ = false;                           // read and written by who holds the interpreter
  std::optional<talus::Renderer> renderer_;         // of the size and the scene of the last picture
  int width_ = 0, height_ = 0;
};

void Simulation::write(const std::filesystem::path& out, const std::optional<std::string>& format, bool contacts) {
  talus::Simulation& simulation = idle();
  if (out.empty())
    throw talus::ExportError("out is empty: it must be the path of a directory, or of a file");
  const std::string extension = out.extension().string();
  const auto* of_file = extension.empty()
                            ? talus::format_names.end()
                            : std::ranges::find(talus::format_names, std::string_view(extension).substr(1));
  if (!format && talus::is_ground_file(out)) {
    talus::write_ground(out, simulation.soil_heights(), simulation.scene(), simulation.time());
    return;
  }
  if (!format && of_file != talus::format_names.end()) {
    talus::write_points(out, talus::parse_format(*of_file),
                        talus::points_of(talus::frame_of(simulation, {contacts})).grains, simulation.scene());
    return;
  }
  const talus::Format wanted = talus::parse_format(format.value_or("vtp"));
  const std::filesystem::path directory = std::filesystem::absolute(out).lexically_normal();
  auto held = series_.find(directory);
  if (held == series_.end())
    held = series_
               .emplace(directory,
                        Export{wanted, contacts, talus::Series(directory, wanted, simulation.scene(), 0, {contacts})})
               .first;
  Export& begun = held->second;
  if (begun.format != wanted)
    throw nb::value_error((out.string() + " holds this simulation's exports as " + std::string(name_of(begun.format)) +
                           ": use another directory for another format")
                              .c_str());
  if (begun.contacts != contacts)
    throw nb::value_error((out.string() + " holds this simulation's exports " + (contacts ? "without" : "with") +
                           " contacts: use another directory for others")
                              .c_str());
  begun.series.add(simulation);
  begun.series.finish();
}

std::string Simulation::repr() const {
  Repr out("Simulation");
  const talus::Scene& scene = simulation_.scene();
  out.add(text_of(scene.title.empty() ? scene.source : scene.title));
  if (stepping_)
    return out.add("another thread steps it");
  out("device", simulation_.device().name)("grains", simulation_.grain_count())("step", simulation_.step());
  return out.add("time=" + text_of(simulation_.time()) + " s");
}

GrainMemory Simulation::grain_memory() {
  using talus::FieldId;
  using talus::shared::Grain;
  talus::Simulation& simulation = idle();
  talus::Executor& executor = simulation.executor();
  const std::size_t places = simulation.grain_places();
  static const std::byte none[sizeof(Grain)]{};
  // Held where it lies in the host's memory, else copied; with what keeps it.
  const auto look = [&]<class T>(FieldId id, const T*& first) {
    if (auto held = executor.hold(id)) {
      first = reinterpret_cast<const T*>(held.get());
      return owner_of(std::move(held));
    }
    auto copy = std::make_unique<std::vector<T>>(talus::read_field<T>(executor, id, places));
    first = copy->empty() ? reinterpret_cast<const T*>(none) : copy->data();
    return owner_of(std::move(copy));
  };
  const Grain* grain = nullptr;
  const std::uint32_t *id = nullptr, *tag = nullptr;
  const talus::shared::vec4* spin = nullptr;
  const nb::capsule grains = look(FieldId::grains, grain), ids = look(FieldId::grain_id, id),
                    tags = look(FieldId::grain_tag, tag);
  const bool rotates = simulation.scene().solver.rotation;
  const nb::capsule spins = rotates ? look(FieldId::grain_spin, spin) : grains;
  const float* surface = rotates ? &spin->x : &grain->velocity.x;
  return {member_of<Columns3<float>>(&grain->position.x, sizeof(Grain), {places, 3}, grains),
          member_of<Column<float>>(&grain->position.w, sizeof(Grain), {places}, grains),
          member_of<Columns3<float>>(&grain->velocity.x, sizeof(Grain), {places, 3}, grains),
          member_of<Column<float>>(&grain->velocity.w, sizeof(Grain), {places}, grains),
          member_of<Column<std::uint32_t>>(id, sizeof(std::uint32_t), {places}, ids),
          member_of<Column<std::uint32_t>>(tag, sizeof(std::uint32_t), {places}, tags),
          member_of<Columns3<float>>(surface, sizeof(*spin), {rotates ? places : 0, 3}, spins),
          executor.hold(FieldId::grains) != nullptr};
}

template <class T, int n> Columns3<T> vectors_of(const std::vector<glm::vec<n, T>>& vectors, nb::handle owner) {
  static const glm::vec<n, T> none{};
  const glm::vec<n, T>& first = vectors.empty() ? none : vectors.front();
  return member_of<Columns3<T>>(&first.x, sizeof(first), {vectors.size(), 3}, owner);
}

Cloth Simulation::cloth_state(const Which& which) {
  auto kept = std::make_unique<talus::ClothState>(idle().cloth_state(cloth(which)));
  const talus::ClothState& state = *kept;
  const nb::capsule owner = owner_of(std::move(kept));
  return {vectors_of(state.positions, owner),
          vectors_of(state.velocities, owner),
          vectors_of(state.triangles, owner),
          state.strain_mean,
          state.strain_max,
          state.kinetic_energy};
}

Pixels Simulation::render(int width, int height, const std::optional<Three>& eye, const std::optional<Three>& target,
                          std::optional<double> fov, Number world) {
  talus::Simulation& simulation = idle();
  if (world.value < 0 || world.value >= simulation.worlds())
    throw nb::index_error(("there is no world " + std::to_string(world.value)).c_str());
  constexpr int smallest = 16, largest = 8192;
  if (std::min(width, height) < smallest || std::max(width, height) > largest)
    throw nb::value_error("a picture has from 16 to 8192 pixels along each side");
  talus::Scene seen = simulation.scene();
  const auto place = [](const std::optional<Three>& given, const char* argument, std::optional<glm::dvec3>& to) {
    if (!given)
      return;
    to = vector_of(*given, argument);
    if (!std::isfinite(to->x + to->y + to->z))
      throw nb::value_error((std::string(argument) + " must be finite").c_str());
  };
  place(eye, "eye", seen.camera.eye);
  place(target, "target", seen.camera.target);
  if (seen.camera.eye && seen.camera.eye == seen.camera.target)
    throw nb::value_error("eye and target must be two points: they give the direction that the camera looks in");
  seen.camera.fov = fov.value_or(seen.camera.fov);
  if (!(seen.camera.fov >= 1.0 && seen.camera.fov <= 170.0))  // as [camera] of a scene
    throw nb::value_error(("fov must be from 1 to 170 degrees, not " + text_of(seen.camera.fov)).c_str());
  if (!renderer_) {
    renderer_.emplace(simulation.scene(), width, height, simulation.gpu_device());
  } else if (width != width_ || height != height_) {
    renderer_->resize(width, height);
  }
  width_ = width, height_ = height;
  renderer_->look(talus::view_of(seen, static_cast<float>(width) / static_cast<float>(height)));
  const talus::Image picture = renderer_->draw(simulation, world);

  auto rgb = std::make_unique<std::vector<std::uint8_t>>();
  rgb->reserve(picture.rgba.size() / 4 * 3);
  for (std::size_t p = 0; p < picture.rgba.size(); p += 4)
    rgb->insert(rgb->end(), {picture.rgba[p], picture.rgba[p + 1], picture.rgba[p + 2]});
  const std::uint8_t* data = rgb->data();
  return Pixels(data, {static_cast<std::size_t>(picture.height), static_cast<std::size_t>(picture.width), 3},
                owner_of(std::move(rgb)));
}

Images Simulation::depth(const Which& which) {
  talus::Simulation& simulation = idle();
  const auto& cameras = simulation.scene().depth_cameras;
  const std::uint32_t camera =
      find(which, cameras.size(), "depth cameras", std::mem_fn(&talus::Simulation::depth_camera));
  auto pixels = std::make_unique<std::vector<float>>(simulation.depth(camera));
  float* data = pixels->data();
  return Images(data, {simulation.worlds(), cameras[camera].size.y, cameras[camera].size.x},
                owner_of(std::move(pixels)));
}

talus::Pose pose_of(const Three& position, const Four& rotation) {
  const auto& [x, y, z, w] = rotation.of("rotation");
  return {vector_of(position, "position"), glm::dquat(w, x, y, z)};
}

void bind_options(nb::class_<Simulation>& c) {
  c.def(
      "__init__",
      [](Simulation* self, const Scene& scene, std::string device, int threads, bool verify, bool validation,
         bool timing, std::uint32_t grid_cells, std::uint32_t contact_slots, std::uint32_t shelves,
         std::shared_ptr<talus::OpenDevices> devices) {
        new (self) Simulation(scene, {.device = std::move(device),
                                      .threads = threads,
                                      .verify = verify,
                                      .validation = validation ? std::optional(true) : std::nullopt,
                                      .timing = timing,
                                      .grid_cells = grid_cells,
                                      .contact_slots = contact_slots,
                                      .shelves = shelves,
                                      .devices = std::move(devices)});
      },
      "scene"_a, nb::kw_only(), "device"_a = "auto", "threads"_a = 0, "verify"_a = false, "validation"_a = false,
      "timing"_a = true, "grid_cells"_a = 0, "contact_slots"_a = 0, "shelves"_a = 0, "devices"_a = nb::none(),
      "Sets a scene up on a device. scene: checked here, and copied. Raises SceneError, DeviceError or\n"
      "ResourceError.\n\n"
      "device: \"auto\" (the best real GPU; without one the CPU), \"cpu\", or the index or a part of\n"
      "the name of one of devices(). threads: of the CPU path, 0: all cores; the result does not depend\n"
      "on it. verify: runs every pass on the device and by its reference, and compares them.\n"
      "validation: switches Vulkan's validation layer on. timing: measures each pass for pass_times.\n"
      "grid_cells: most cells of the neighbour table, 0: four per grain. contact_slots: slots for\n"
      "contacts at first, 0: an estimate. shelves: number of states of worlds that save_world() can\n"
      "keep. devices: what keep_devices_open() returned, to take the device from; simulations that are\n"
      "alive at a time share a device without it.");
}

// Of a property that the engine has as a member without arguments.
template <auto member> auto told() {
  return [](Simulation& s) { return (s.idle().*member)(); };
}

void bind_facts(nb::class_<Simulation>& c) {
  using S = talus::Simulation;
  c.def_prop_ro(
       "scene", [](Simulation& s) { return Scene(s.idle().scene()); },
       "A copy of the scene, with the number of substeps that was chosen.")
      .def_prop_ro(
          "notes", [](Simulation& s) { return s.idle().notes(); },
          "What Talus chose for the scene and for commands, a sentence each.")
      .def_prop_ro(
          "warnings", [](Simulation& s) { return s.idle().warnings(); },
          "What in the scene does not work as asked, a sentence each.")
      .def_prop_ro("step", told<&S::step>(), "Number of steps done.")
      .def_prop_ro(
          "time", [](Simulation& s) { return s.idle().time(); }, "Simulated time of world 0 since it was reset [s].")
      .def(
          "world_time", [](Simulation& s, Number world) { return s.idle().time(world); }, "world"_a,
          "Returns the simulated time of a world since it was reset [s]. world: its number.")
      .def_prop_ro("worlds", told<&S::worlds>(),
                   "Number of worlds (scene.worlds): copies of the scene side by side that do not touch each other.")
      .def_prop_ro("grain_count", told<&S::grain_count>(), "Number of grains that are there, in all worlds.")
      .def_prop_ro("grains_born", told<&S::grains_born>(),
                   "Number of grains since the start, with those that sinks have taken, in all worlds.")
      .def_prop_ro("fine_count", told<&S::fine_count>(), "Number of fine grains; 0 without [upsampling].")
      .def_prop_ro("device", told<&S::device>(), "The device that the simulation runs on.")
      .def_prop_ro("memory_bytes", told<&S::memory_bytes>(), "Memory of all fields [bytes].")
      .def_prop_ro("rebuilds", told<&S::rebuilds>(), "Number of times that all neighbour lists were built.")
      .def_prop_ro("incremental_rebuilds", told<&S::incremental_rebuilds>(),
                   "Number of times that only the neighbour lists near displaced grains were built.")
      .def_prop_ro(
          "soil",
          [](Simulation& s) -> nb::object {
            const auto soil = s.idle().soil();
            if (!soil)
              return nb::none();
            nb::dict told;
            told["mass"] = soil->mass;
            told["grid_mass"] = soil->grid_mass;
            told["quanta"] = soil->quanta;
            told["live_grains"] = soil->live_grains;
            told["rough_grains"] = soil->rough_grains;
            told["loosened_mass"] = soil->loosened_mass;
            told["swell"] = soil->swell;
            told["deepest_track"] = soil->deepest_track;
            nb::dict materials;
            for (const talus::SoilMaterialSummary& m : soil->materials) {
              nb::dict of;
              of["mass"] = m.mass;
              of["grid_mass"] = m.grid_mass;
              of["quanta"] = m.quanta;
              materials[m.name.c_str()] = of;
            }
            told["materials"] = materials;
            return told;
          },
          nb::sig("def soil(self) -> dict[str, typing.Any] | None"),
          "The ground, over all worlds, or None where the scene has no [soil]: \"mass\" of the soil and\n"
          "\"grid_mass\" of what of it lies in columns [kg]; \"quanta\", the mass as a whole number, which\n"
          "never changes; \"live_grains\" that came out of the ground, and \"rough_grains\", the fixed ones\n"
          "beside these; \"loosened_mass\" of soil in the columns that was dug [kg], and \"swell\", its mean\n"
          "volume by that of as much undisturbed soil; \"deepest_track\" [m] of those that bodies with\n"
          "ground = \"surface\" have left; \"materials\", by name \"mass\", \"grid_mass\" [kg] and \"quanta\" of\n"
          "each material of the ground.")
      .def(
          "soil_heights",
          [](Simulation& s, Number world) {
            auto kept = std::make_unique<talus::SoilHeights>(s.idle().soil_heights(world));
            const float* data = kept->heights.data();
            const std::size_t nx = kept->columns.x, ny = kept->columns.y;
            return Array<float, nb::shape<any, any>>(data, {ny, nx}, owner_of(std::move(kept)));
          },
          "world"_a = 0,
          "Returns the height of the ground above the floor of the domain, with the soil in and on it [m],\n"
          "float32 [rows along y, columns along x]; float32 [0, 0] where the scene has no [soil]. world:\n"
          "its number.")
      .def_prop_ro(
          "awake", [](Simulation& s) { return s.idle().awake(); },
          "Number of grains that are awake, or None where grains do not sleep (solver.sleep).")
      .def_prop_ro(
          "grain_updates", [](Simulation& s) { return s.idle().grain_updates(); },
          "Number of grains that dem went through, summed over substeps, or None where grains do not sleep.")
      .def_prop_ro(
          "cfl_violations", told<&S::cfl_violations>(),
          "Number of times that a grain moved more than half a radius in a substep, which is too fast for contacts.")
      .def_prop_ro("cloth_uncounted", told<&S::cloth_uncounted>(),
                   "Number of impulses on cloth that were too large to be counted, and did not move it.")
      .def_prop_ro("pass_times", told<&S::pass_times>(),
                   "Time of each pass since the start. With timing=False all are 0 on a Vulkan device.")
      .def_prop_ro(
          "sink_counts", [](Simulation& s) { return column_of(s.idle().sink_counts()); }, handed_over,
          "Number of grains that each sink has taken, in the order of Scene.sinks, world after world,\n"
          "uint32 [W sinks].")
      .def_prop_ro(
          "removed_grains", [](Simulation& s) { return s.idle().removed_grains(); },
          "Number of grains that remove_grains has taken since the start, in all worlds.")
      .def_prop_ro(
          "emitter_counts",
          [](Simulation& s) {
            std::vector<std::array<std::uint32_t, 3>> counts;
            for (const talus::EmitterCounts& c : s.idle().emitter_counts())
              counts.push_back({c.born, c.waiting, c.given_up});
            return counts;
          },
          "Three numbers for each emitter, world after world: grains released, grains due that wait for\n"
          "room, and grains given up since they found no room until its stop.")
      .def_prop_ro(
          "periodic_crossings",
          [](Simulation& s) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> axes;
            for (const talus::SeamCrossings& axis : s.idle().periodic_crossings())
              axes.emplace_back(axis.up, axis.down);
            return axes;
          },
          "Number of times that grains went through the ends of the x, y and z axis, where periodic: (up, down) each.")
      .def(
          "measure",
          [](Simulation& s, std::optional<Number> world) {
            return world ? s.idle().measure(*world) : s.idle().measure();
          },
          "world"_a = nb::none(),
          "Measures contacts, overlaps, energy and height of the state. world: number of one world; None: all of them.")
      .def("report", &Simulation::report, nb::sig("def report(self) -> dict[str, typing.Any]"),
           "Returns what the program talus writes after --report, as dicts and lists: scene, device, solver,\n"
           "speed, the numbers of measure(), time of each pass [ms], and the state of bodies, robots, cloth,\n"
           "emitters and sinks. wall_s is the time spent in advance() [s]; it and the steps count from the\n"
           "start, or from the last resume().")
      .def(
          "state_hash",
          [](Simulation& s, std::optional<Number> world) {
            return world ? s.idle().state_hash(*world) : s.idle().state_hash();
          },
          "world"_a = nb::none(),
          "Returns a hash of 64 bits over all grains: equal states have equal hashes. world: number of one\n"
          "world; None: all.")
      .def(
          "grains", [](Simulation& s) { return grains_of(s.idle().grains()); },
          "Returns a copy of all grains, sorted by world and id.")
      .def(
          "clumps", [](Simulation& s) { return clumps_of(s.idle().clumps()); },
          "Returns a copy of the poses and velocities of all clumps, sorted by world and first.")
      .def(
          "fine_grains", [](Simulation& s) { return grains_of(s.idle().fine_grains()); },
          "Returns a copy of all fine grains, sorted by id. Their ids are numbers of their own.")
      .def(
          "contacts", [](Simulation& s) { return contacts_of(talus::contacts_of(s.idle())); },
          "Returns a copy of the contacts that press, with their forces, sorted by world, grain, kind and partner.")
      .def("grain_memory", &Simulation::grain_memory,
           "Returns the grains as they lie in memory: on the CPU path without a copy.")
      .def(
          "describe_step", [](Simulation& s, bool dot) { return s.idle().describe_step(dot); }, "dot"_a = false,
          "Returns a line per pass of a step: what it reads and writes, and the barrier before it. dot: as Graphviz.");
}

// The module talus.plot, which is imported when it is first asked for.
nb::object plots() {
  return nb::module_::import_("talus.plot");
}

void bind_pictures(nb::class_<Simulation>& c) {
  c.def("render", &Simulation::render, "width"_a = 1280, "height"_a = 720, nb::kw_only(), "eye"_a = nb::none(),
        "target"_a = nb::none(), "fov"_a = nb::none(), "world"_a = 0,
        "Draws one world, by its number world, and returns a picture of sRGB colours,\n"
        "uint8 [height, width, 3], rows from the top. width, height: 16 to 8192 pixels. eye, target:\n"
        "camera and the point it looks at [m], and fov: its vertical field of view [degrees]; those of\n"
        "the scene by default. Raises DeviceError where no Vulkan device can draw.")
      .def("depth", &Simulation::depth, "camera"_a,
           "Returns what a depth camera of the scene sees in each of the W worlds [m],\n"
           "float32 [W, height, width], rows from the top. camera: number or name. Where it sees nothing, a\n"
           "depth is the camera's far, and a height is 0. The array is the caller's alone, and may be\n"
           "written to.")
      .def(
          "plot", [](nb::object self, Number world) { return plots().attr("overview")(self, "world"_a = world); },
          nb::kw_only(), "world"_a = 0, nb::sig("def plot(self, *, world: int = 0) -> matplotlib.figure.Figure"),
          "Returns a figure by talus.plot.overview(): the grains of a world from the side, the profile of\n"
          "the heap, and the forces on bodies in the last advance(). world: its number. Raises\n"
          "ModuleNotFoundError without matplotlib.")
      .def(
          "_repr_png_", [](nb::object self) { return plots().attr("png")(self); },
          nb::sig("def _repr_png_(self) -> bytes | None"),
          "Returns a picture of world 0 for notebooks, or None where no Vulkan device can draw or\n"
          "matplotlib is missing.");
}

void bind_bodies(nb::class_<Simulation>& c) {
  c.def(
       "body", [](Simulation& s, const std::string& name, Number world) { return s.idle().body(name, world); },
       "name"_a, "world"_a = 0,
       "Returns the number of a body: world * len(scene.bodies) + its index in Scene.bodies. name: that\n"
       "of the scene. Raises ValueError where there is none.")
      .def("shape", &Simulation::shape, "name"_a,
           "Returns the number of a shape-matched body of world 0. name: name or number. Raises ValueError\n"
           "or IndexError where there is none.")
      .def("cloth", &Simulation::cloth, "name"_a,
           "Returns the number of a sheet of cloth of world 0. name: name or number. Raises ValueError or\n"
           "IndexError where there is none.")
      .def(
          "body_state", [](Simulation& s, const Which& body) { return s.idle().body_state(s.body(body)); }, "body"_a,
          "Returns pose and velocities of a body. body: number or name.")
      .def(
          "shape_state", [](Simulation& s, const Which& shape) { return s.idle().shape_state(s.shape(shape)); },
          "shape"_a, "Returns pose and velocity of a shape-matched body. shape: number or name.")
      .def("cloth_state", &Simulation::cloth_state, "cloth"_a,
           "Returns vertices, triangles and strain of a sheet of cloth. cloth: number or name.")
      .def(
          "joint_state", [](Simulation& s, const Which& body) { return s.idle().joint_state(s.body(body)); }, "body"_a,
          "Returns value and speed of the joint that a body hangs on. body: number or name. Raises\n"
          "ValueError where it hangs on none.")
      .def(
          "joint_load", [](Simulation& s, const Which& body) { return s.idle().joint_load(s.body(body)); }, "body"_a,
          "Returns what the joint of a dynamic body did to it in the last step, as means over it, or None of\n"
          "a body without mass or joint. body: number or name.")
      .def(
          "body_loads",
          [](Simulation& s) {
            std::vector<talus::BodyLoad> loads = s.idle().body_loads();
            const std::size_t bodies = loads.size();
            return loads_of(std::move(loads), {bodies});
          },
          "Returns the loads on all bodies in the last step.")
      .def(
          "load_history",
          [](Simulation& s) {
            std::vector<talus::BodyLoad> loads = s.idle().load_history();
            const std::size_t bodies = s.idle().worlds() * s.idle().scene().bodies.size();
            const std::size_t steps = bodies > 0 ? loads.size() / bodies : 0;
            return loads_of(std::move(loads), {steps, bodies});
          },
          "Returns the loads on all bodies in each step of the last advance(), or in the last 65536 of\n"
          "them: arrays with an axis of steps before that of the bodies.");
}

// A robot, which keeps its simulation.
class Robot {
public:
  Robot(nb::object simulation, const std::string& name, std::uint32_t world)
      : simulation_(std::move(simulation)), robot_(nb::cast<Simulation&>(simulation_).idle(), name, world) {}

  talus::Robot& idle() {
    nb::cast<Simulation&>(simulation_).idle();
    return robot_;
  }

  // By the names of joints, or all of them in their order.
  using Values = std::variant<std::map<std::string, double>, std::vector<double>>;
  std::map<std::string, double> named(const Values& values) const {
    if (const auto* by_name = std::get_if<std::map<std::string, double>>(&values))
      return *by_name;
    const auto& all = std::get<std::vector<double>>(values);
    const std::vector<std::string>& joints = robot_.joints();
    if (all.size() != joints.size())
      throw nb::value_error(("robot " + robot_.name() + " has " + std::to_string(joints.size()) + " joints, not " +
                             std::to_string(all.size()))
                                .c_str());
    std::map<std::string, double> out;
    for (std::size_t j = 0; j < all.size(); ++j)
      out.emplace(joints[j], all[j]);
    return out;
  }

private:
  nb::object simulation_;
  talus::Robot robot_;
};

void bind_robots(nb::module_& m, nb::class_<Simulation>& c) {
  nb::class_<Robot>(m, "Robot",
                    "A robot of a simulation, by the names of its J joints. Values are degrees (revolute) or m\n"
                    "(prismatic). Joints that follow others (mimic) are not among the J: they go along.")
      .def_prop_ro(
          "name", [](Robot& r) { return r.idle().name(); }, "Name of the robot in the scene.")
      .def_prop_ro(
          "joints", [](Robot& r) { return r.idle().joints(); },
          "Names of the J joints that can be commanded, in the order of all arrays.")
      .def_prop_ro(
          "links", [](Robot& r) { return r.idle().links(); },
          "Names of the bodies that are its links, for Simulation.body_state() and the like.")
      .def_prop_ro(
          "positions", [](Robot& r) { return column_of(r.idle().positions()); }, handed_over,
          "Values of the joints [degrees or m], float64 [J].")
      .def_prop_ro(
          "velocities", [](Robot& r) { return column_of(r.idle().velocities()); }, handed_over,
          "Speeds of the joints in the step to come [degrees/s or m/s], float64 [J].")
      .def_prop_ro(
          "torques", [](Robot& r) { return column_of(r.idle().torques()); }, handed_over,
          "Torque about, or force along, each joint that grains, bodies and walls exerted in the last step,\n"
          "in the direction in which its value grows [N m or N], float64 [J]. Gravity and the inertia of\n"
          "links are not in it.")
      .def_prop_ro(
          "efforts", [](Robot& r) { return column_of(r.idle().efforts()); }, handed_over,
          "What motor, friction, damping and limits exerted about, or along, each joint in the last step\n"
          "[N m or N], float64 [J]. These are -torques where drive is \"prescribed\".")
      .def(
          "move", [](Robot& r, const Robot::Values& values) { r.idle().move(r.named(values)); },
          nb::sig("def move(self, values: collections.abc.Mapping[str, float] | collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[typing.Any]) -> None"),
          "values"_a,
          "Moves joints to values within their limits [degrees or m]. values: a dict by name, or one number\n"
          "for each of the J joints. Joints that are not named keep their command. Raises ValueError, and\n"
          "commands none, for what cannot be.")
      .def(
          "drive", [](Robot& r, const Robot::Values& speeds) { r.idle().drive(r.named(speeds)); },
          nb::sig("def drive(self, speeds: collections.abc.Mapping[str, float] | collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[typing.Any]) -> None"),
          "speeds"_a,
          "Drives joints with speeds up to their limits [degrees/s or m/s]. speeds: a dict by name, or one\n"
          "number for each of the J joints. Joints that are not named keep their command. Raises\n"
          "ValueError, and commands none, for what cannot be.")
      .def(
          "push", [](Robot& r, const Robot::Values& torques) { r.idle().push(r.named(torques)); },
          nb::sig("def push(self, torques: collections.abc.Mapping[str, float] | collections.abc.Sequence[float] | "
                  "numpy.typing.NDArray[typing.Any]) -> None"),
          "torques"_a,
          "Pushes joints with torques, or forces, beside those of their motors, until the next ones [N m or N].\n"
          "torques: a dict by name, or one number for each of the J joints. Raises ValueError, and pushes none,\n"
          "where drive is \"prescribed\".")
      .def("__repr__", [](Robot& r) -> std::string {
        Repr out("Robot");
        out.add(text_of(r.idle().name()));
        for (std::size_t j = 0; const double value : r.idle().positions())
          out(r.idle().joints()[j++].c_str(), value);
        return out;
      });
  c.def(
       "robot",
       [](nb::object self, const std::string& name, Number world) { return new Robot(std::move(self), name, world); },
       "name"_a, "world"_a = 0, nb::rv_policy::take_ownership,
       "Returns a robot of a world, by its number world. name: that of the scene. Raises ValueError\n"
       "where there is none.")
      .def_prop_ro(
          "robots",
          [](nb::object self) {
            nb::dict all;
            for (const talus::RobotSpec& spec : nb::cast<Simulation&>(self).idle().scene().robots)
              all[spec.name.c_str()] = nb::cast(new Robot(self, spec.name, 0), nb::rv_policy::take_ownership);
            return all;
          },
          nb::sig("def robots(self) -> dict[str, Robot]"),
          "Robots of the scene by name, in world 0; robot() returns those of other worlds.");
}

void bind_commands(nb::class_<Simulation>& c) {
  c.def(
       "place_body",
       [](Simulation& s, const Which& body, const Three& position, const Four& rotation) {
         s.idle().place_body(s.body(body), pose_of(position, rotation));
       },
       "body"_a, "position"_a, "rotation"_a = no_rotation,
       "Puts a body at a pose at once, and at rest there, as where an episode begins. body: number or\n"
       "name. position [m] and rotation, a quaternion x, y, z, w, are as of move_body(). Grains in its\n"
       "place are moved out of it.")
      .def(
          "move_body",
          [](Simulation& s, const Which& body, const Three& position, const Four& rotation, double speed,
             double acceleration, double spin, double spin_acceleration) {
            s.idle().move_body(s.body(body), pose_of(position, rotation),
                               {speed, acceleration, spin, spin_acceleration});
          },
          "body"_a, "position"_a, "rotation"_a = no_rotation, nb::kw_only(), "speed"_a = no_limit,
          "acceleration"_a = no_limit, "spin"_a = no_limit, "spin_acceleration"_a = no_limit,
          "Moves a body straight to a pose, where it comes to rest. body: number or name. position: of its\n"
          "origin [m]; rotation: quaternion x, y, z, w; both in the frame of the parent, or in the world.\n"
          "Limits above 0: speed [m/s], acceleration [m/s2], spin [rad/s], spin_acceleration [rad/s2];\n"
          "without them it is there after a step. The command takes the place of the motion in the scene\n"
          "until another one does. Raises ValueError for what cannot be.")
      .def(
          "drive_body",
          [](Simulation& s, const Which& body, const Three& velocity, const Three& spin, double acceleration,
             double spin_acceleration) {
            s.idle().drive_body(s.body(body), {vector_of(velocity, "velocity"), vector_of(spin, "spin")},
                                {.acceleration = acceleration, .spin_acceleration = spin_acceleration});
          },
          "body"_a, "velocity"_a, "spin"_a = Three{}, nb::kw_only(), "acceleration"_a = no_limit,
          "spin_acceleration"_a = no_limit,
          "Drives a body with a constant velocity of its origin [m/s] and a constant spin [rad/s] once they\n"
          "are reached. body: number or name. Frame and limits (acceleration [m/s2],\n"
          "spin_acceleration [rad/s2]) are as of move_body(). Raises ValueError for what cannot be.")
      .def(
          "move_joint",
          [](Simulation& s, const Which& body, double value) { s.idle().move_joint(s.body(body), value); }, "body"_a,
          "value"_a,
          "Moves the joint that a body hangs on to a value [degrees or m] within its limits. body: number\n"
          "or name. Of a dynamic body, value is the target of its motor. Raises ValueError for what cannot\n"
          "be.")
      .def(
          "drive_joint",
          [](Simulation& s, const Which& body, double speed) { s.idle().drive_joint(s.body(body), speed); }, "body"_a,
          "speed"_a,
          "Drives the joint that a body hangs on with a speed [degrees/s or m/s] until it is at a limit.\n"
          "body: number or name. Of a dynamic body, speed is the target of its motor. Raises ValueError for\n"
          "what cannot be.")
      .def(
          "push_joint",
          [](Simulation& s, const Which& body, double torque) { s.idle().push_joint(s.body(body), torque); }, "body"_a,
          "torque"_a,
          "Applies a torque about the joint of a dynamic body [N m], or a force along it [N], beside its\n"
          "motor, until another one. body: number or name. Raises ValueError for what cannot be.")
      .def(
          "push_body",
          [](Simulation& s, const Which& body, const Three& force, const Three& torque) {
            s.idle().push_body(s.body(body), {vector_of(force, "force"), vector_of(torque, "torque")});
          },
          "body"_a, "force"_a, "torque"_a = Three{},
          "Applies a force at the centre of mass of a dynamic body [N] and a torque [N m], in the axes of\n"
          "the world, beside gravity and contacts, until another one. body: number or name. Raises\n"
          "ValueError for what cannot be.")
      .def(
          "grab",
          [](Simulation& s, const Three& at, double radius) { return s.idle().grab(vector_of(at, "at"), radius); },
          "at"_a, "radius"_a,
          "Makes a hand hold the grains whose centres are within a radius of a place, in place of those it\n"
          "held, and returns how many they are. at: centre [m], three numbers. radius: of the hand [m].")
      .def(
          "move_hand", [](Simulation& s, const Three& at) { s.idle().move_hand(vector_of(at, "at")); }, "at"_a,
          "Moves the hand to a place, on a straight line in the next step. at: its centre [m], three numbers.")
      .def(
          "release", [](Simulation& s) { s.idle().release(); }, "Makes the hand let go of its grains.")
      .def(
          "push_grains",
          [](Simulation& s, const Three& at, double radius) {
            return s.idle().push_grains(vector_of(at, "at"), radius);
          },
          "at"_a, "radius"_a,
          "Moves the grains whose centres are within a radius of a place straight away from it, those below it\n"
          "upwards, until they are at that distance, in place of the hand; returns how many they are. For where\n"
          "it goes then, push again; release ends it. at: centre [m], three numbers. radius: of the ball [m].")
      .def(
          "remove_grains",
          [](Simulation& s, const Three& at, double radius) {
            return s.idle().remove_grains(vector_of(at, "at"), radius);
          },
          "at"_a, "radius"_a,
          "Takes the grains whose centres are within a radius of a place out of the first world, and fine\n"
          "grains likewise; returns how many, without fine ones. Clumps go as a whole; fixed grains and\n"
          "vertices of cloth stay. at: centre [m], three numbers. radius: [m]. Raises ValueError where either is\n"
          "not finite.")
      .def("change", &Simulation::change, "scene"_a,
           "Goes on by the settings of another scene of the same grains, bodies, cloth and domain. Raises\n"
           "SceneError, and changes nothing, where they differ in more than settings; the message names the\n"
           "key. Bodies without a mass may have other holes: parts with subtract and after_fill = true.");
}

using WorldNumbers = std::vector<Number>;

std::vector<std::uint32_t> numbers_of(const WorldNumbers& worlds) {
  return {worlds.begin(), worlds.end()};
}

void bind_worlds(nb::class_<Simulation>& c) {
  c.def(
       "reset_worlds",
       [](Simulation& s, const WorldNumbers& worlds, const std::vector<std::uint64_t>& seeds) {
         s.idle().reset_worlds(numbers_of(worlds), seeds);
       },
       "worlds"_a, "seeds"_a = std::vector<std::uint64_t>(),
       "Starts worlds anew and leaves the others alone. worlds: their numbers. seeds: one for each of\n"
       "them, for grains in other places; by default their own. Raises SceneError where a seed makes\n"
       "more grains than a world has room for.")
      .def(
          "fork_world",
          [](Simulation& s, Number world, const WorldNumbers& to) { s.idle().fork_world(world, numbers_of(to)); },
          "world"_a, "to"_a,
          "Copies a world (grains, bodies, commands, contact history, time) into others. world: its number.\n"
          "to: the numbers of the others.")
      .def(
          "save_world", [](Simulation& s, Number world, Number shelf) { s.idle().save_world(world, shelf); }, "world"_a,
          "shelf"_a = 0,
          "Keeps the state of a world on one of Simulation(shelves=...), on the device. world, shelf: their numbers.")
      .def(
          "restore_world",
          [](Simulation& s, Number shelf, const WorldNumbers& worlds) {
            s.idle().restore_world(shelf, numbers_of(worlds));
          },
          "shelf"_a, "worlds"_a,
          "Copies the state on a shelf into worlds, as often as one likes. shelf: its number. worlds: their\n"
          "numbers. Raises ValueError where the shelf is empty.");
}

}  // namespace

void bind_simulation(nb::module_& m) {
  nb::class_<talus::Checkpoint>(m, "Checkpoint",
                                "A state in memory, from Simulation.checkpoint() for Simulation.resume().")
      .def_ro("step", &talus::Checkpoint::step, "Number of steps done.")
      .def_ro("device", &talus::Checkpoint::device, "Device on which a run goes on bit for bit.")
      .def("__repr__", [](const talus::Checkpoint& c) -> std::string {
        return Repr("Checkpoint")("step", c.step)("device", c.device);
      });

  nb::class_<Simulation> c(
      m, "Simulation",
      "A scene that runs. One thread may use a simulation at a time; advance() lets other threads of\n"
      "Python run, and a notebook shows a simulation as a picture where a Vulkan device can draw.");
  bind_options(c);
  c.def("advance", &Simulation::advance, "steps"_a = 1,
        "Advances by a number of steps of scene.dt; one call of many steps is faster than many of one.\n"
        "Ctrl-C ends it within about 0.2 s, after a whole step, by KeyboardInterrupt. Raises ResourceError,\n"
        "StateError, or SceneError where a formula of a body's motion is not finite.");
  c.def("__repr__", &Simulation::repr);
  bind_facts(c);
  bind_bodies(c);
  bind_robots(m, c);
  bind_commands(c);
  bind_worlds(c);
  c.def("export", &Simulation::write, "out"_a, "format"_a = nb::none(), nb::kw_only(), "contacts"_a = false,
        "Writes the state as files in a directory out, for one time more with each call; the first call\n"
        "begins them anew. format: \"vtp\" for ParaView (the default), \"extxyz\" for OVITO, \"ply\",\n"
        "\"csv\", \"vtkhdf\", \"gsd\" or \"usda\". Grains are in grains_00000.vtp, grains_00001.vtp ..,\n"
        "and beside them are fine grains, cloth, bodies, heights of the ground, and indices with the\n"
        "times. contacts: writes contacts as well, and the force on each grain. Without a format, an out\n"
        "that ends with one (\"heap.vtp\") is a file of the grains alone, and one that ends with .tif\n"
        "(GeoTIFF) or .vti (ParaView) is a file of the ground's heights, of world 0. Raises ExportError,\n"
        "or ValueError for an unknown format.");
  c.def(
       "save", [](Simulation& s, const std::filesystem::path& file) { s.idle().save(file); }, "file"_a,
       "Saves the state to a file, from which resume() goes on bit for bit on the same device.")
      .def(
          "resume", [](Simulation& s, const std::filesystem::path& file) { s.resume(file); }, "file"_a,
          "Goes on from a file of save(). Raises CheckpointError where it cannot be read or is of another scene.")
      .def(
          "resume", [](Simulation& s, const talus::Checkpoint& checkpoint) { s.resume(checkpoint); }, "checkpoint"_a,
          "Goes on from a checkpoint in memory. Raises CheckpointError where it is of another scene.")
      .def("checkpoint", told<&talus::Simulation::checkpoint>(), "Returns the state in memory, for resume().");
  bind_pictures(c);
}

}  // namespace talus_python
