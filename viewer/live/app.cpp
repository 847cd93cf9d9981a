#include "viewer/live/app.h"
#include "viewer/live/input.h"
#include "viewer/live/panels.h"
#include "viewer/png.h"
#include "viewer/status.h"
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

}  // namespace

App::App(const ViewOptions& options)
    : options_(options), remembered_(remembered_in(options.remembered)),
      device_(windows_.open_device(options.device, options.validation)),
      window_(*device_, "Talus", options.size ? options.size->x : remembered_.width,
              options.size ? options.size->y : remembered_.height) {
  if (options_.scenes.empty())
    options_.scenes = scenes_near(options_.scene);
  window_.set_vsync(remembered_.vsync);
  std::optional<Scene> first;
  if (!options_.scene.empty())
    first = load_scene(options_.scene, options_.overrides);
  renderer_.emplace(empty_scene(), std::max(window_.width(), 16), std::max(window_.height(), 16), &device_->device);
  std::error_code error;
  fs::create_directories(options_.remembered, error);
  gui_.emplace(window_, device_->device, renderer_->graph(),
               options_.remembered.empty() ? fs::path() : options_.remembered / "panels.ini");
  renderer_->graph().submit();
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
  device_->device.drain();
  if (!window_.hidden())
    std::tie(remembered_.width, remembered_.height) = window_.points();
  if (!options_.remembered.empty())
    remembered_.save(options_.remembered / "view.json");
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

void App::open(const fs::path& scene) {
  replay_.reset();
  if (scene.extension() == ".json")
    return replay(scene);
  loader_.start(scene, scene == options_.scene ? options_.overrides : std::vector<std::string>{});
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
  viewer::rescue(session_->simulation(), session_->file().stem().string() + ".crash.talus");
}

void App::take_loaded() {
  try {
    if (auto loaded = loader_.take())
      show(std::move(*loaded));
  } catch (const std::exception& e) {
    replay_.reset();
    tell(e.what());
  }
}

void App::show(Loader::Loaded loaded) {
  Simulation simulation(std::move(loaded.scene), simulation_options());
  stop_recording();
  const bool same = session_ && session_->file() == loaded.file;
  const bool playing = session_ && same ? session_->playing || session_->ended() : !options_.paused;
  const double pace = same ? session_->pace : 1.0;
  if (session_)
    session_->finish();
  session_.emplace(std::move(simulation), loaded.file);
  session_->playing = playing;
  session_->pace = pace;
  if (replay_) {
    session_->replay(*std::exchange(replay_, {}));
    session_->playing = true;
  }
  machine_.start(session_->scene());
  grasp_ = {};
  hold_.reset();
  renderer_->show(session_->scene());
  if (!same) {
    look_ = session_->scene().output;
    camera_.start(session_->scene(), renderer_->bounds());
  }
  remembered_.opened(loaded.file);
  const std::string& title = session_->scene().title;
  window_.title(fmt::format("{} - Talus", title.empty() ? loaded.file.filename().string() : title));
  statistics_.start(session_->simulation());
  description_.clear();
  chosen_body_ = machine_.empty() ? 0 : machine_.axes().back().body;
  picture_ = nullptr;
  fresh_ = true;
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
    loader_.start(parse_scene(replay_->scene_text, replay_->scene.string()), replay_->scene);
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
  if (remembered_.panels_shown && statistics_shown(*this))
    statistics_.sample(session_->simulation(), session_->rate(), chosen_body_);
}

void App::describe() {
  session_->between_steps([this](Simulation& simulation) { description_ = simulation.describe_step(false); });
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

bool App::frame() {
  window_.poll();
  if (window_.closing())
    return false;
  const auto now = Clock::now();
  const double passed = seconds(now - last_);
  last_ = now;
  smooth(frame_seconds_, passed);

  for (const fs::path& file : window_.dropped())
    open(file);
  take_loaded();
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
  return true;
}

void App::draw(gpu::Image& image) {
  refresh_picture();
  if (recorder_.running())
    record_frame();
  if (shot_)
    save_shot(*std::exchange(shot_, {}));
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
