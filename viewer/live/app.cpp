#include "viewer/live/app.h"
#include "engine/base/atomic_file.h"
#include "engine/scene/text.h"
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

namespace first_scene {
std::string_view find_text(std::string_view name);
}

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

// Nothing but the ground, for as long as no scene is there.
const Scene& empty_scene() {
  static const Scene empty = [] {
    Scene scene;
    scene.domain.min = {-1.0, -1.0, 0.0};
    scene.domain.max = {1.0, 1.0, 1.0};
    return scene;
  }();
  return empty;
}

}  // namespace

App::App(const ViewOptions& options)
    : options_(options), remembered_(remembered_in(options.remembered)),
      canvas_(options, options.size ? options.size->x : remembered_.width,
              options.size ? options.size->y : remembered_.height),
      shaders_(options.shaders.empty() ? TALUS_SHADERS : options.shaders),
      scene_folder_(options.scenes.empty() ? scenes_near(options.scene) : options.scenes),
      describer_({.device = options.device == "cpu" ? "auto" : options.device, .validation = options.validation}) {
  canvas_.window().set_vsync(remembered_.vsync);
  std::optional<Scene> first;
  if (!options_.scene.empty())
    first = load_scene(options_.scene, options_.overrides);
  std::error_code error;
  fs::create_directories(options_.remembered, error);
  canvas_.start(empty_scene());
  camera_.start(empty_scene(), renderer().bounds());
  if (first)
    loader_.start(std::move(*first), options_.scene);
  else if (!options_.replay.empty())
    replay(options_.replay);
  else if (options_.welcome && remembered_.recent.empty())
    welcome();
}

// The hourglass of the folder of scenes, or where there is none, as after an installation, the one that is built in.
void App::welcome() {
  const std::vector<fs::path>& files = scene_files();
  const auto found = std::ranges::find(files, "hourglass.toml", [](const fs::path& file) { return file.filename(); });
  if (found != files.end())
    loader_.start(*found, {});
  else
    loader_.start_text(std::string(first_scene::find_text("hourglass.toml")), "hourglass.toml");
  hint_ = true;
}

App::~App() {
  stop_recording();
  if (session_)
    session_->finish();
  if (drawing())
    device().device.drain();
  if (!canvas_.window().hidden())
    std::tie(remembered_.width, remembered_.height) = canvas_.window().points();
  if (!options_.remembered.empty())
    remembered_.save(options_.remembered / "view.json");
}

// playing: before what was lost stopped it.
void App::lose_device(bool playing) {
  const bool twice = recovery_.lose();
  stop_recording();
  mouse_.hold({});
  if (session_ && !loader_.busy()) {
    Session::Kept kept = session_->kept();
    kept.playing = playing && !twice;
    loader_.start(kept.scene, session_->file());
    recovery_.keep(std::move(kept));
  }
  picture_ = nullptr;
  session_.reset();
  canvas_.leave();
  open_device_again();
}

// Where it does not open, nothing can be drawn: the title tells, and stderr.
void App::open_device_again() {
  const bool first = !recovery_.waiting();
  try {
    canvas_.open_again(empty_scene());
    recovery_.opened();
    canvas_.window().title("Talus");
    tell(recovery_.news(device().device.info().name));
  } catch (const std::exception& e) {
    recovery_.failed();
    if (!first)
      return;
    canvas_.window().title("The device was lost; opening it again .. (close to end) - Talus");
    print_err("error: the device was lost and does not open again: {}\nThe window tries on until it is closed.\n",
              e.what());
    recovery_.save(loader_.file());
  }
}

const Scene& App::shown_scene() const {
  return session_ ? session_->scene() : empty_scene();
}

Options App::simulation_options() const {
  Options options;
  options.threads = options_.threads;
  options.validation = options_.validation;
  // The CPU path where there is no real GPU, as for the other verbs.
  const bool cpu = options_.device == "cpu" || (options_.device == "auto" && !canvas_.device()->device.info().gpu);
  options.device = cpu ? "cpu" : "auto";
  options.on = canvas_.device();
  return options;
}

void App::open(const fs::path& file) {
  if (is_mesh(file))
    return read_mesh(file);
  forget_loading();
  hint_ = false;
  if (file.extension() == ".json")
    return replay(file);
  loader_.start(file, file == options_.scene ? options_.overrides : std::vector<std::string>{});
}

// What was meant for a scene that does not come.
void App::forget_loading() {
  replay_.reset();
  recovery_.forget();
  undone_.reset();
  replaced_.clear();
  stands_ = false;
}

void App::read_mesh(const fs::path& file) {
  if (!session_)
    return tell(fmt::format("{} becomes a body of a scene: open one first.", file.filename().string()));
  if (mesh_drop_.reading())
    return tell("One mesh after the other: another one is being read.");
  mesh_drop_.read(file, session_->scene().domain);
}

void App::take_mesh() {
  try {
    mesh_drop_.take();
  } catch (const std::exception& e) {
    tell(e.what());
  }
}

void App::add_mesh() {
  const DroppedMesh mesh = *std::exchange(mesh_drop_.asked(), {});
  if (!session_)
    return;
  forget_loading();
  replaced_ = "mesh " + mesh.file.stem().string();
  loader_.start_text(
      with_body(session_->scene(), mesh, renderer().bounds(), fs::absolute(session_->file()).parent_path()),
      session_->file());
}

bool App::may_arrange() const {
  return session_ && !session_->replaying() && !loader_.busy() && !recorder_.running();
}

void App::arrange() {
  if (!may_arrange() || !arranger_.chosen())
    return;
  const Scene& scene = session_->scene();
  forget_loading();
  replaced_ = "move " + name_of(scene, *arranger_.chosen());
  stands_ = true;
  // As text, so that all is checked that a scene file is checked for.
  loader_.start_text(to_toml(moved(scene, *arranger_.chosen(), arranger_.motion())), session_->file());
}

void App::keep_view() {
  const View now = view();
  const double distance = camera_.distance();
  session_->between_steps([now, distance](Simulation& simulation) {
    Scene scene = simulation.scene();
    scene.camera.eye = glm::dvec3(now.eye);
    scene.camera.target = glm::dvec3(now.eye) + distance * glm::dvec3(now.forward);
    simulation.change(scene);
  });
}

void App::start_camera() {
  if (session_)
    camera_.start(session_->scene(), renderer().bounds());
}

void App::restart() {
  if (!session_)
    return;
  forget_loading();
  replaced_ = "restart";
  loader_.start(session_->scene(), session_->file());
}

void App::undo() {
  if (const std::size_t points = undo_.points().size(); points > 0)
    undo(points - 1);
  else if (session_)
    tell(undo_.why_not());
}

void App::undo(std::size_t place) {
  if (!session_)
    return;
  if (recorder_.running() || session_->replaying())
    return tell(recorder_.running() ? "Nothing is taken back while a video is recorded: stop that first."
                                    : "Nothing is taken back while a recording of inputs plays.");
  session_->finish();
  go_back(undo_.take(place));
}

void App::scrub(double time) {
  if (!session_ || loader_.busy())
    return;
  if (recorder_.running())
    return tell("The timeline stands still while a video is recorded: stop that first.");
  session_->finish();
  session_->playing = false;
  if (auto point = undo_.go_to(time, *session_)) {
    point->action.clear();
    go_back(std::move(*point));
  }
}

// To the state before an action. Where that is of a scene to which this one cannot change, such as one without a mesh,
// a simulation of it is made ready first.
void App::go_back(Undo::Point point) {
  mouse_.start();
  bool changed = true;
  try {
    session_->simulation().change(point.before->scene);
  } catch (const SceneError&) {
    changed = false;
  }
  if (changed)
    try {
      return go_on_from(std::move(point));
    } catch (const CheckpointError& e) {
      return tell(e.what());
    }
  forget_loading();
  loader_.start(point.before->scene, session_->file());
  undone_ = std::move(point);
}

// session_: of the scene of that state. What was held then and is not now is let go. An action was taken back, or else
// it is a moment of the timeline, whose later moments the charts still show.
void App::go_on_from(Undo::Point point) {
  session_->go_back_to(*point.before);
  machine_.start(session_->scene());
  for (Input& input : letting_go(session_->done()))
    session_->give(std::move(input));
  fresh_ = true;
  statistics_.go_to(session_->simulation());
  if (point.action.empty())
    return;
  statistics_.forget_later(session_->time());
  tell(fmt::format("Taken back: {}. The scene is at {:.3f} s again.", point.action, session_->time()));
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
    recorder_.start(file, canvas_.window().width(), canvas_.window().height(), fps, session_->time());
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
    forget_loading();
    arranger_.start();
    tell(e.what());
  }
}

// Or, where that cannot be, the scene that is shown already.
void App::draw_scene(const Scene& scene) {
  gpu::Image* const picture = std::exchange(picture_, nullptr);
  fresh_ = true;
  try {
    renderer().show(scene);
  } catch (...) {
    renderer().show(shown_scene());
    picture_ = picture;
    throw;
  }
}

void App::show(Loader::Loaded loaded) {
  Simulation simulation(std::move(loaded.scene), simulation_options());
  draw_scene(simulation.scene());
  stop_recording();
  const bool goes_on = recovery_.kept() || undone_;  // from a state of the run
  const bool same = recovery_.kept() || (session_ && session_->file() == loaded.file);
  if (!same || replay_)
    undo_.clear();
  const bool playing = session_ && same ? session_->playing : !options_.paused;
  const double pace = same ? session_->pace : 1.0;
  if (session_)
    session_->finish();
  if (session_ && !replaced_.empty())
    undo_.keep(std::exchange(replaced_, {}), *session_);
  if (!goes_on)
    undo_.start_run();
  session_.emplace(std::move(simulation), loaded.file);
  session_->playing = playing && !std::exchange(stands_, false);
  session_->pace = pace;
  if (auto kept = recovery_.take_kept())
    session_->go_on_from(std::move(*kept));
  if (replay_) {
    session_->replay(*std::exchange(replay_, {}));
    session_->playing = true;
  }
  machine_.start(session_->scene());
  mouse_.start();
  arranger_.start();
  if (!same) {
    arranger_.choose({});
    look_ = session_->scene().output;
    // A film's picture takes many, and a driver without a GPU has no time for more than a draft.
    look_.quality =
        canvas_.device()->device.info().type == "CPU" ? Quality::draft : std::min(look_.quality, Quality::good);
    camera_.start(session_->scene(), renderer().bounds());
  }
  if (std::error_code error; fs::exists(loaded.file, error))  // the one that is built in is in no file
    remembered_.opened(loaded.file);
  const std::string& title = session_->scene().title;
  canvas_.window().title(fmt::format("{} - Talus", title.empty() ? loaded.file.filename().string() : title));
  statistics_.start(session_->simulation());
  forces_.start();
  if (undone_)
    go_on_from(*std::exchange(undone_, {}));
  ++shown_;
  chosen_body_ = machine_.empty() ? 0 : machine_.axes().back().body;
}

// edge: of a pixel of the picture, in pixels of the window.
void App::resize(int edge) {
  const int width = std::max(canvas_.window().width() / edge, 16),
            height = std::max(canvas_.window().height() / edge, 16);
  if (picture_ && picture_->width() == static_cast<std::uint32_t>(width) &&
      picture_->height() == static_cast<std::uint32_t>(height))
    return;
  renderer().resize(width, height);
  redraw_ = true;
}

// The levers and the mouse, as they were held when the last frame was built. While no step is under way.
void App::drive() {
  for (Input& input : machine_.inputs(session_->simulation()))
    session_->give(std::move(input));
  mouse_.drag(*session_, renderer(), view(), picture_ != nullptr);
  if (std::string why = mouse_.take_refusal(); !why.empty())
    tell(why);
  if (const auto place = arranger_.take_click(); place && picture_)
    if (const auto picked = renderer().pick(*place); picked && picked->body)
      arranger_.choose(Movable{Movable::Kind::body, *picked->body});
}

View App::view() const {
  return camera_.view(static_cast<float>(canvas_.window().width()) / static_cast<float>(canvas_.window().height()));
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

std::string App::chosen_body_name() const {
  const std::vector<BodySpec>& bodies = shown_scene().bodies;
  return chosen_body_ < bodies.size() ? bodies[chosen_body_].name : "";
}

void App::save_charts() {
  if (!session_)
    return;
  try {
    fs::path file = fs::absolute(session_->file());
    file.replace_filename(session_->file().stem().string() + "-charts.csv");
    write_file(file, statistics_.csv(chosen_body_name()));
    tell(fmt::format("Charts saved: {}", file.string()));
  } catch (const std::exception& e) {
    tell(e.what());
  }
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
  statistics_.sample_frames(session_->simulation(), renderer());
  if (!session_->simulation().gpu_device())
    take_state();
  if (pass_times_shown(*this))
    statistics_.sample(session_->simulation(), session_->rate(), chosen_body_);
  if (drive_shown(*this))
    forces_.sample(session_->simulation(), watched_bodies());
}

// Returns the bodies that are driven, each once, and the one that is chosen.
std::vector<std::uint32_t> App::watched_bodies() const {
  std::vector<std::uint32_t> bodies{chosen_body_};
  for (const Machine::Axis& axis : machine_.axes())
    if (std::ranges::find(bodies, axis.body) == bodies.end())
      bodies.push_back(axis.body);
  return bodies;
}

const Described* App::described() {
  try {
    return describer_.of(*session_, shown_);
  } catch (const std::exception& e) {
    tell(e.what());
    return describer_.of(*session_, shown_);
  }
}

void App::take_state() {
  if (!session_ || !fresh_ || (!session_->simulation().gpu_device() && session_->simulation().under_way()))
    return;
  renderer().take(session_->simulation(), session_->contacts_evaluated());
  fresh_ = false;
  redraw_ = true;
}

// Only where something is to be seen that it does not show: a paused scene costs its panels alone.
void App::refresh_picture() {
  take_state();
  const bool kept = recorder_.running() || shot_;
  resize(kept ? 1 : sharpness_.edge(frame_seconds_, redraw_));
  if (redraw_ || !picture_) {
    renderer().look(view());
    renderer().show_as(look_);
    picture_ = &renderer().record();
  }
  redraw_ = false;
}

// Not while the session waits for a scene in which it goes on from a state that was kept.
void App::watch_actions(double passed) {
  if (!undone_ && undo_.watch(*session_, passed))
    statistics_.forget_later(session_->time());
}

void App::run(double passed) {
  if (recorder_.running())
    session_->hold = recorder_.next();
  fresh_ |= session_->settle(passed);
  statistics_.frame(passed);
  if (!session_->simulation().under_way()) {
    drive();
    watch_actions(mouse_.holding() ? 0.0 : passed);  // as long as it holds it is one action
    fresh_ |= session_->carry_out();
    fresh_ |= session_->evaluate_contacts(shows_contacts(look_));
    look_at_state();
    session_->go_on();
  }
  if (std::string note = session_->note(); !note.empty())
    tell(note);
}

// What was edited is in use from here on, where it compiles and fits.
void App::reload_shaders() {
  Simulation* const still = session_ && !session_->simulation().under_way() ? &session_->simulation() : nullptr;
  const auto [told, redrawn] = shaders_.go_on({.device = device(),
                                               .renderer = canvas_.renderer(),
                                               .gui = canvas_.gui(),
                                               .scene = shown_scene(),
                                               .simulation = still,
                                               .view = view(),
                                               .width = canvas_.window().width(),
                                               .height = canvas_.window().height()});
  if (redrawn) {
    picture_ = nullptr;
    fresh_ = true;
  }
  if (!told.empty())
    tell(told);
}

bool App::frame() {
  canvas_.window().poll();
  if (canvas_.window().closing())
    return false;
  if (!drawing()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (recovery_.due())
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
    if (!device().device.is_lost())
      throw;
  }
  if (lost || device().device.is_lost())
    lose_device(playing);
  return true;
}

void App::build_frame() {
  const auto now = Clock::now();
  const double passed = seconds(now - last_);
  last_ = now;
  smooth(frame_seconds_, passed);

  reload_shaders();
  for (const fs::path& file : canvas_.window().dropped())
    open(file);
  take_loaded();
  take_mesh();
  if (session_)
    run(passed);
  canvas_.gui().show_light(remembered_.light);
  canvas_.gui().begin();
  if (session_)
    arranger_.keep_to(session_->scene(), loader_.busy() || (may_arrange() && arrange_shown(*this)));
  redraw_ |= read_input(*this, static_cast<float>(passed));
  if (arranger_.take_released())
    arrange();
  redraw_ |= build_panels(*this);
  canvas_.gui().end();

  if (gpu::Image* image = canvas_.window().acquire())
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
  previews().go_on(renderer().graph());
  canvas_.gui().draw(renderer().graph(), image, *picture_);
  canvas_.window().present(renderer().graph());
}

void App::record_frame() {
  if (fresh_ || session_->time() < recorder_.next() - 0.5 * session_->scene().dt) {
    if (session_->ended())
      stop_recording();
    return;
  }
  try {
    recorder_.add(renderer().read());
  } catch (const std::exception& e) {
    stop_recording();
    tell(e.what());
  }
}

void App::save_shot(const Shot& shot) {
  try {
    Image image = renderer().read();
    if (shot.panels) {
      gpu::Image all(device().device, "window picture",
                     {picture_->width(), picture_->height(), canvas_.window().format(), false});
      canvas_.gui().draw(renderer().graph(), all, *picture_);
      const std::vector<std::byte> bytes = renderer().graph().download(all);
      const auto* values = reinterpret_cast<const std::uint8_t*>(bytes.data());
      image.rgba.assign(values, values + bytes.size());
      if (canvas_.window().format() == VK_FORMAT_B8G8R8A8_UNORM)
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
