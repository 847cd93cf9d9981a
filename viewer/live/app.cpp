#include "viewer/live/app.h"
#include "viewer/live/input.h"
#include "viewer/live/panels.h"
#include "viewer/png.h"
#include "viewer/status.h"
#include "viewer/terminal.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>
#include <tuple>

namespace viewer {

using namespace talus;
namespace fs = std::filesystem;

namespace {

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

void smooth(double& mean, double value) {
  mean = mean == 0.0 ? value : mean + 0.1 * (value - mean);
}

Remembered remembered_in(const fs::path& folder) {
  return folder.empty() ? Remembered{} : Remembered::load(folder / "view.json");
}

// Where other scenes are to be expected.
fs::path scenes_near(const fs::path& scene) {
  if (!scene.empty())
    return fs::absolute(scene).parent_path();
  const fs::path here = fs::current_path();
  return fs::is_directory(here / "scenes") ? here / "scenes" : here;
}

// Nothing but the ground, for as long as no scene is there.
Scene empty_scene() {
  Scene scene;
  scene.domain.min = {-1.0, -1.0, 0.0};
  scene.domain.max = {1.0, 1.0, 1.0};
  return scene;
}

// A draw shader's fields against those of the shader that it replaces.
void check_strides(const gpu::Device& device, const ShaderWatch::Compiled& shader) {
  const gpu::Pipeline* old = device.find_pipeline(fs::path(shader.name).stem().string());
  if (!old)
    return;
  for (const gpu::BufferBinding& binding : gpu::reflect(shader.name, shader.code).buffers)
    for (const gpu::BufferBinding& known : old->buffers())
      if (binding.name == known.name && binding.stride != known.stride)
        throw UsageError(fmt::format("{} sees {} in elements of {} bytes, but the host's have {}", shader.name,
                                     binding.name, binding.stride, known.stride));
}

}  // namespace

App::App(const ViewOptions& options)
    : options_(options), remembered_(remembered_in(options.remembered)),
      device_(windows_.open_device(options.device, options.validation)),
      window_(*device_, "Talus", options.size ? options.size->x : remembered_.width,
              options.size ? options.size->y : remembered_.height),
      shaders_(options.shaders.empty() ? TALUS_SHADERS : options.shaders) {
  if (options_.scenes.empty())
    options_.scenes = scenes_near(options_.scene);
  window_.set_vsync(remembered_.vsync);
  std::optional<Scene> first;
  if (!options_.scene.empty())
    first = load_scene(options_.scene, options_.overrides);
  std::error_code error;
  fs::create_directories(options_.remembered, error);
  start_drawing();
  camera_.start(empty_scene(), renderer_->bounds());
  if (first)
    loader_.start(std::move(*first), options_.scene);
  else if (!options_.replay.empty())
    replay(options_.replay);
}

App::~App() {
  stop_recording();
  if (session_)
    session_->finish();
  if (device_)
    device_->device.drain();
  if (!window_.hidden())
    std::tie(remembered_.width, remembered_.height) = window_.points();
  if (!options_.remembered.empty())
    remembered_.save(options_.remembered / "view.json");
}

void App::start_drawing() {
  renderer_.emplace(empty_scene(), std::max(window_.width(), 16), std::max(window_.height(), 16), &device_->device);
  gui_.emplace(window_, device_->device, renderer_->graph(),
               options_.remembered.empty() ? fs::path() : options_.remembered / "panels.ini");
  previews_.emplace(device_->device, options_.program, options_.previews);
  renderer_->graph().submit();
}

void App::stop_drawing() {
  picture_ = nullptr;
  previews_.reset();
  gui_.reset();
  session_.reset();
  renderer_.reset();
  window_.leave();
  device_.reset();
}

// playing: before what was lost stopped it.
void App::lose_device(bool playing) {
  constexpr auto again = std::chrono::seconds(30);
  const bool twice = lost_ && Clock::now() < *lost_ + again;
  lost_ = Clock::now();
  stop_recording();
  hold_.reset();
  if (session_ && !loader_.busy()) {
    kept_ = session_->kept();
    kept_->playing = playing && !twice;  // the scene may be what the device does not bear
    loader_.start(kept_->scene, session_->file());
  }
  stop_drawing();
  open_device_again();
}

// Where it does not open, nothing can be drawn: the title tells, and stderr.
void App::open_device_again() {
  constexpr auto pause = std::chrono::seconds(2);
  const bool first = !reopen_;
  try {
    device_ = windows_.open_device(options_.device, options_.validation);
    window_.use(*device_);
    start_drawing();
    reopen_.reset();
    window_.title("Talus");
    tell(fmt::format("The device was lost, and is open again: {}.{}", device_->device.info().name,
                     !kept_         ? ""
                     : kept_->state ? fmt::format(" The scene goes on from step {}.", kept_->state->step)
                                    : " The scene starts again."));
  } catch (const std::exception& e) {
    stop_drawing();
    reopen_ = Clock::now() + pause;
    if (!first)
      return;
    window_.title("The device was lost; opening it again .. (close to end) - Talus");
    print_err("error: the device was lost and does not open again: {}\nThe window tries on until it is closed.\n",
              e.what());
    save_kept();
  }
}

void App::save_kept() const {
  if (!kept_ || !kept_->state)
    return;
  const std::string file = crash_file(loader_.file()).string();
  try {
    write_checkpoint(file, *kept_->state);
    print_err("The state of step {} is in {}: `talus run {} --resume {}` goes on from it, with --device cpu "
              "without a device.\n",
              kept_->state->step, file, loader_.file().string(), file);
  } catch (const std::exception& e) {
    print_err("Its state could not be saved: {}\n", e.what());
  }
}

Options App::simulation_options() const {
  Options options;
  options.threads = options_.threads;
  options.validation = options_.validation;
  // The CPU path where there is no real GPU, as for the other verbs.
  const bool cpu = options_.device == "cpu" || (options_.device == "auto" && !device_->device.info().gpu);
  options.device = cpu ? "cpu" : "auto";
  options.on = device_;
  return options;
}

void App::open(const fs::path& file) {
  if (is_mesh(file))
    return read_mesh(file);
  replay_.reset();
  kept_.reset();
  if (file.extension() == ".json")
    return replay(file);
  loader_.start(file, file == options_.scene ? options_.overrides : std::vector<std::string>{});
}

void App::read_mesh(const fs::path& file) {
  if (!session_)
    return tell(fmt::format("{} becomes a body of a scene: open one first.", file.filename().string()));
  if (reading_mesh_.valid())
    return tell("One mesh after the other: another one is being read.");
  reading_mesh_ =
      std::async(std::launch::async, [file, domain = session_->scene().domain] { return read_dropped(file, domain); });
}

void App::take_mesh() {
  if (!reading_mesh_.valid() || reading_mesh_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  try {
    dropped_mesh_ = reading_mesh_.get();
  } catch (const std::exception& e) {
    tell(e.what());
  }
}

void App::add_mesh() {
  const DroppedMesh mesh = *std::exchange(dropped_mesh_, {});
  if (session_)
    loader_.start_text(
        with_body(session_->scene(), mesh, renderer_->bounds(), fs::absolute(session_->file()).parent_path()),
        session_->file());
}

const std::vector<fs::path>& App::scene_files() {
  constexpr auto age = std::chrono::seconds(2);
  if (scenes_listed_ && Clock::now() < *scenes_listed_ + age)
    return scene_files_;
  scenes_listed_ = Clock::now();
  scene_files_.clear();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options_.scenes, error))
    if (entry.path().extension() == ".toml")
      scene_files_.push_back(entry.path());
  std::ranges::sort(scene_files_);
  return scene_files_;
}

void App::start_camera() {
  if (session_)
    camera_.start(session_->scene(), renderer_->bounds());
}

void App::restart() {
  if (session_)
    loader_.start(session_->scene(), session_->file());
}

void App::take_picture(const fs::path& file, bool panels) {
  shot_ = {file, panels};
}

void App::record(const fs::path& file, double fps) {
  if (!session_)
    return;
  try {
    session_->finish();  // the first frame shows the time that it stands for
    fresh_ = true;
    recorder_.start(file, window_.width(), window_.height(), fps, session_->time());
    session_->playing = true;
  } catch (const std::exception& e) {
    tell(e.what());
  }
}

void App::stop_recording() {
  if (session_)
    session_->hold.reset();
  if (!recorder_.running())
    return;
  const std::string wrong = recorder_.stop();
  tell(wrong.empty() ? fmt::format("{} frames in {}", recorder_.frames(), recorder_.file().string()) : wrong);
}

void App::rescue() {
  if (!session_)
    return;
  session_->finish();
  viewer::rescue(session_->simulation(), {crash_file(session_->file())});
}

void App::take_loaded() {
  try {
    if (auto loaded = loader_.take())
      show(std::move(*loaded));
  } catch (const std::exception& e) {
    replay_.reset();
    kept_.reset();
    tell(e.what());
  }
}

// Or, where that cannot be, the scene that is shown already.
void App::draw_scene(const Scene& scene) {
  gpu::Image* const picture = std::exchange(picture_, nullptr);
  fresh_ = true;
  try {
    renderer_->show(scene);
  } catch (...) {
    renderer_->show(session_ ? session_->scene() : empty_scene());
    picture_ = picture;
    throw;
  }
}

void App::show(Loader::Loaded loaded) {
  Simulation simulation(std::move(loaded.scene), simulation_options());
  draw_scene(simulation.scene());
  stop_recording();
  const bool same = kept_ || (session_ && session_->file() == loaded.file);
  const bool playing = session_ && same ? session_->playing : !options_.paused;
  const double pace = same ? session_->pace : 1.0;
  if (session_)
    session_->finish();
  session_.emplace(std::move(simulation), loaded.file);
  session_->playing = playing;
  session_->pace = pace;
  if (kept_)
    session_->go_on_from(*std::exchange(kept_, {}));
  if (replay_) {
    session_->replay(*std::exchange(replay_, {}));
    session_->playing = true;
  }
  machine_.start(session_->scene());
  grasp_ = {};
  hold_.reset();
  if (!same) {
    look_ = session_->scene().output;
    camera_.start(session_->scene(), renderer_->bounds());
  }
  remembered_.opened(loaded.file);
  const std::string& title = session_->scene().title;
  window_.title(fmt::format("{} - Talus", title.empty() ? loaded.file.filename().string() : title));
  statistics_.start(session_->simulation());
  ++shown_;
  chosen_body_ = machine_.empty() ? 0 : machine_.axes().back().body;
}

// edge: of a pixel of the picture, in pixels of the window.
void App::resize(int edge) {
  const int width = std::max(window_.width() / edge, 16), height = std::max(window_.height() / edge, 16);
  if (picture_ && picture_->width() == static_cast<std::uint32_t>(width) &&
      picture_->height() == static_cast<std::uint32_t>(height))
    return;
  renderer_->resize(width, height);
  redraw_ = true;
}

// The levers and the mouse, as they were held when the last frame was built. While no step is under way.
void App::drive() {
  for (Input& input : machine_.inputs(session_->simulation()))
    session_->give(std::move(input));
  drag();
}

View App::view() const {
  return camera_.view(static_cast<float>(window_.width()) / static_cast<float>(window_.height()));
}

void App::drag() {
  const Simulation& simulation = session_->simulation();
  if (!hold_) {
    if (grasp_.holding())
      session_->give(grasp_.release(simulation.scene()));
    return;
  }
  const View view = this->view();
  if (!grasp_.holding() && picture_) {
    const auto picked = renderer_->pick(*hold_);
    if (picked && grasp_.take(simulation, *picked, view) && !picked->body)
      session_->give(Grab{picked->point, grasp_.radius(simulation.scene())});
    else if (!grasp_.holding())
      hold_.reset();
  }
  if (!grasp_.holding())
    return;
  if (auto input = grasp_.move(simulation, view, glm::vec2(2.0f, -2.0f) * *hold_ + glm::vec2(-1.0f, 1.0f)))
    session_->give(std::move(*input));
}

void App::save_inputs(const fs::path& file) {
  session_->between_steps([this, file](Simulation&) {
    try {
      session_->recording().save(file);
      tell(
          fmt::format("What was done is in {}: `talus view --replay {}` plays it back.", file.string(), file.string()));
    } catch (const std::exception& e) {
      tell(e.what());
    }
  });
}

void App::replay(const fs::path& file) {
  try {
    replay_ = Inputs::load(file);
    loader_.start(replay_->parse(), replay_->scene);
  } catch (const std::exception& e) {
    replay_.reset();
    tell(e.what());
  }
}

// While no step is under way.
void App::look_at_state() {
  statistics_.sample_frames(session_->simulation(), *renderer_);
  if (!session_->simulation().gpu_device())
    take_state();
  if (remembered_.panels_shown && pass_times_shown(*this))
    statistics_.sample(session_->simulation(), session_->rate(), chosen_body_);
}

// On a device of its own, as preparing a large scene takes long.
void App::describe() {
  Options options{.device = options_.device == "cpu" ? "auto" : options_.device, .validation = options_.validation};
  session_->between_steps([this, options](Simulation& simulation) {
    Described described{.scene = shown_, .solver = simulation.scene().solver};
    for (std::size_t f = 0; f < field_count; ++f)
      described.elements[f] = simulation.executor().size(static_cast<FieldId>(f));
    if (!describing_.valid())
      describing_ = std::async(std::launch::async, [described, options, scene = simulation.scene()]() mutable {
        described.trace = Simulation::trace_step(scene, options);
        return described;
      });
  });
}

const App::Described* App::described() {
  try {
    if (describing_.valid() && describing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      described_ = describing_.get();
  } catch (const std::exception& e) {
    described_ = Described{.scene = shown_, .solver = session_->scene().solver};  // not again
    tell(e.what());
  }
  const bool fits = described_ && described_->scene == shown_ && described_->solver == session_->scene().solver;
  if (!fits && !describing_.valid())
    describe();
  return fits ? &*described_ : nullptr;
}

void App::take_state() {
  if (!session_ || !fresh_ || (!session_->simulation().gpu_device() && session_->simulation().under_way()))
    return;
  renderer_->take(session_->simulation(), session_->surveyed());
  fresh_ = false;
  redraw_ = true;
}

// Only where something is to be seen that it does not show: a paused scene costs its panels alone.
void App::refresh_picture() {
  take_state();
  const bool kept = recorder_.running() || shot_;
  resize(kept ? 1 : sharpness_.edge(frame_seconds_, redraw_));
  if (redraw_ || !picture_) {
    renderer_->look(view());
    renderer_->show_as(look_);
    picture_ = &renderer_->record();
  }
  redraw_ = false;
}

void App::run(double passed) {
  if (recorder_.running())
    session_->hold = recorder_.next();
  fresh_ |= session_->settle(passed);
  statistics_.frame(passed);
  if (!session_->simulation().under_way()) {
    drive();
    fresh_ |= session_->carry_out();
    fresh_ |= session_->survey(shows_contacts(look_));
    look_at_state();
    session_->go_on();
  }
  if (std::string note = session_->note(); !note.empty())
    tell(note);
}

// What was edited, where it compiles and fits.
void App::reload_shaders() {
  std::string told;
  for (const ShaderWatch::Compiled& shader : shaders_.take()) {
    std::string wrong = shader.errors;
    try {
      if (wrong.empty())
        reload(shader);
    } catch (const std::exception& e) {
      wrong = e.what();
    }
    told += wrong.empty() ? fmt::format("{} is in use.\n", shader.name)
                          : fmt::format("{} stays as it was:\n{}\n", shader.name, wrong);
  }
  if (!told.empty())
    tell(told);
}

void App::reload(const ShaderWatch::Compiled& shader) {
  const std::string name = fs::path(shader.name).stem().string();
  const auto pass = std::ranges::find(pass_infos, name, &PassInfo::name);
  if (pass != pass_infos.end())
    device_->reload(static_cast<Pass>(pass - pass_infos.begin()), shader.code);
  else
    reload_drawing(shader);
}

// Drawn with once before it is taken: only that finds all that does not fit.
void App::reload_drawing(const ShaderWatch::Compiled& shader) {
  gpu::Device& device = device_->device;
  check_strides(device, shader);
  std::vector<std::uint32_t> before = device.replace_shader(shader.name, shader.code);
  try {
    Renderer fresh(session_ ? session_->scene() : empty_scene(), window_.width(), window_.height(), &device);
    fresh.look(view());
    if (session_ && !session_->simulation().under_way())
      fresh.take(session_->simulation());
    fresh.record();
    fresh.graph().finish();
    gui_->reload_shaders();
    renderer_.emplace(std::move(fresh));
  } catch (...) {
    device.replace_shader(shader.name, std::move(before));
    throw;
  }
  picture_ = nullptr;
  fresh_ = true;
}

bool App::frame() {
  window_.poll();
  if (window_.closing())
    return false;
  if (!device_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (Clock::now() > *reopen_)
      open_device_again();
    return true;
  }
  const bool playing = session_ && session_->playing;
  bool lost = false;
  try {
    build_frame();
  } catch (const gpu::DeviceLost&) {
    lost = true;
  } catch (const std::exception&) {
    if (!device_->device.is_lost())
      throw;
  }
  if (lost || device_->device.is_lost())
    lose_device(playing);
  return true;
}

void App::build_frame() {
  const auto now = Clock::now();
  const double passed = seconds(now - last_);
  last_ = now;
  smooth(frame_seconds_, passed);

  reload_shaders();
  for (const fs::path& file : window_.dropped())
    open(file);
  take_loaded();
  take_mesh();
  if (session_)
    run(passed);
  gui_->begin();
  redraw_ |= read_input(*this, static_cast<float>(passed));
  redraw_ |= build_panels(*this);
  gui_->end();

  if (gpu::Image* image = window_.acquire())
    draw(*image);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  smooth(host_seconds_, seconds(Clock::now() - now));
}

void App::draw(gpu::Image& image) {
  refresh_picture();
  if (recorder_.running())
    record_frame();
  if (shot_)
    save_shot(*std::exchange(shot_, {}));
  previews_->go_on(renderer_->graph());
  gui_->draw(renderer_->graph(), image, *picture_);
  window_.present(renderer_->graph());
}

void App::record_frame() {
  if (fresh_ || session_->time() < recorder_.next() - 0.5 * session_->scene().dt) {
    if (session_->ended())
      stop_recording();
    return;
  }
  try {
    recorder_.add(renderer_->read());
  } catch (const std::exception& e) {
    stop_recording();
    tell(e.what());
  }
}

void App::save_shot(const Shot& shot) {
  try {
    Image image = renderer_->read();
    if (shot.panels) {
      gpu::Image all(device_->device, "window picture",
                     {picture_->width(), picture_->height(), window_.format(), false});
      gui_->draw(renderer_->graph(), all, *picture_);
      const std::vector<std::byte> bytes = renderer_->graph().download(all);
      const auto* values = reinterpret_cast<const std::uint8_t*>(bytes.data());
      image.rgba.assign(values, values + bytes.size());
      if (window_.format() == VK_FORMAT_B8G8R8A8_UNORM)
        for (std::size_t p = 0; p < image.rgba.size(); p += 4)
          std::swap(image.rgba[p], image.rgba[p + 2]);
    }
    write_png(shot.file, image.width, image.height, image.rgba);
    tell(fmt::format("Picture saved: {}", shot.file.string()));
  } catch (const std::exception& e) {
    tell(e.what());
  }
}

}  // namespace viewer
