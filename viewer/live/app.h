#pragma once
// The live viewer: a window with a scene in it, and panels to watch, change, drive and record it.
#include "engine/step_trace.h"
#include "viewer/live/dropped_mesh.h"
#include "viewer/live/grasp.h"
#include "viewer/live/gui.h"
#include "viewer/live/loader.h"
#include "viewer/live/machine.h"
#include "viewer/live/orbit.h"
#include "viewer/live/panels.h"
#include "viewer/live/previews.h"
#include "viewer/live/recorder.h"
#include "viewer/live/remembered.h"
#include "viewer/live/session.h"
#include "viewer/live/shader_watch.h"
#include "viewer/live/sharpness.h"
#include "viewer/live/statistics.h"
#include "viewer/renderer.h"
#include <array>
#include <chrono>
#include <future>

namespace viewer {

struct ViewOptions {
  std::filesystem::path scene;         // empty: none at first
  std::vector<std::string> overrides;  // of it
  std::filesystem::path replay;        // of inputs, instead of `scene`
  std::string device = "auto";         // as in `talus devices`
  int threads = 0;                     // of the CPU path; 0: all cores
  bool validation = false;
  std::optional<glm::ivec2> size;  // of the window, points; unset: as it was last
  bool paused = false;             // at the start
  std::filesystem::path
      scenes;  // folder that the browser lists first; empty: that of `scene`, or without one ./scenes, or .
  std::filesystem::path program;     // `talus`, which draws the browser's pictures; empty: it goes without new ones
  std::filesystem::path previews;    // folder of those pictures; empty: in the user's cache
  std::filesystem::path shaders;     // whose sources are watched; empty: those that this was built from
  std::filesystem::path remembered;  // folder of what lasts from one run to the next; empty: nothing does
};

class App {
public:
  // Throws NoWindow, DeviceError, and what is wrong with the first scene.
  explicit App(const ViewOptions& options);
  ~App();

  // One round: input, simulation, panels, picture. False when the window is to close. Never waits for a step. A device
  // that is lost is opened again, and the scene goes on. Throws what ends the window, such as memory that ran out.
  bool frame();
  void rescue();  // after that: saves the scene's state where it can be, and tells of it on stderr

  // A scene in place of this one, which goes on until that is there; or a recording of inputs. What is wrong with it is
  // shown in the window. A mesh is asked about there, and with add_mesh() the scene has it as a body and starts again.
  void open(const std::filesystem::path& file);
  std::optional<DroppedMesh>& dropped_mesh() { return dropped_mesh_; }  // that is asked about
  void add_mesh();
  void start_camera();  // back to the scene's own view
  void restart();       // from the scene's start, with the settings it has now
  // Written when the next frame is drawn. panels: all of the window, not the scene alone.
  void take_picture(const std::filesystem::path& file, bool panels);
  // A video, or pictures in a folder, of `fps` frames per simulated second, until stop_recording or the scene's end.
  void record(const std::filesystem::path& file, double fps);
  void stop_recording();
  // What was done to the scene since its start, as a file; and such a file played back.
  void save_inputs(const std::filesystem::path& file);
  void replay(const std::filesystem::path& file);
  // The mouse holds what is at this place of the window, 0 .. 1 from the left and from the top, and drags it along;
  // unset: it lets go.
  void hold(std::optional<glm::vec2> place) { hold_ = place; }
  bool holding() const { return hold_.has_value(); }
  void tell(const std::string& message) { message_ = message; }  // in the window, until it is closed there

  Window& window() { return window_; }
  bool drawing() const { return device_ != nullptr; }  // else the device is lost, and did not open again so far
  talus::OpenDevice& device() { return *device_; }
  talus::Renderer& renderer() { return *renderer_; }
  Session* session() { return session_ ? &*session_ : nullptr; }
  Orbit& camera() { return camera_; }
  Machine& machine() { return machine_; }
  const Recorder& recorder() const { return recorder_; }
  Remembered& remembered() { return remembered_; }
  talus::Look& look() { return look_; }                     // of the scene, now
  const std::vector<std::filesystem::path>& scene_files();  // of the browser's folder; read anew every two seconds
  Previews& previews() { return *previews_; }
  const Loader& loader() const { return loader_; }
  std::string& message() { return message_; }
  const Statistics& statistics() const { return statistics_; }
  Sharpness& sharpness() { return sharpness_; }
  std::uint32_t& chosen_body() { return chosen_body_; }  // of the scene: whose load is shown
  // The passes of a step of the scene as it is now, and the elements of each field: made ready beside the window, where
  // the solver is another one than before. Null: not yet.
  struct Described {
    std::uint64_t scene = 0;  // number of the one that was shown
    talus::Solver solver;
    talus::StepTrace trace;
    std::array<std::size_t, talus::field_count> elements{};
  };
  const Described* described();
  float gui_scale() const { return gui_->scale(); }
  std::array<PanelPlace, panel_count>& panel_places() { return panel_places_; }
  // Of the last frames, s: all of it; what the host spent on it.
  double frame_seconds() const { return frame_seconds_; }
  double host_seconds() const { return host_seconds_; }

private:
  using Clock = std::chrono::steady_clock;

  ViewOptions options_;
  Remembered remembered_;
  Windows windows_;
  std::shared_ptr<talus::OpenDevice> device_;
  Window window_;
  std::optional<talus::Renderer> renderer_;
  std::optional<Session> session_;
  std::optional<Gui> gui_;
  std::optional<Previews> previews_;
  Loader loader_;
  ShaderWatch shaders_;
  std::future<DroppedMesh> reading_mesh_;
  std::optional<DroppedMesh> dropped_mesh_;
  Orbit camera_;
  Machine machine_;
  Grasp grasp_;
  std::optional<glm::vec2> hold_;
  std::optional<Inputs> replay_;                    // for the scene that is on its way
  std::optional<Session::Kept> kept_;               // likewise, after its device was lost
  std::optional<Clock::time_point> lost_, reopen_;  // when the device was lost last; when it is to be opened again
  Recorder recorder_;
  Sharpness sharpness_;
  Statistics statistics_;
  std::uint32_t chosen_body_ = 0;
  std::array<PanelPlace, panel_count> panel_places_;
  std::future<Described> describing_;
  std::optional<Described> described_;
  std::uint64_t shown_ = 0;  // scenes, so far
  talus::Look look_;
  std::string message_;
  Clock::time_point last_ = Clock::now();
  double frame_seconds_ = 0.0, host_seconds_ = 0.0;
  bool fresh_ = false;                    // the state was not taken yet
  talus::gpu::Image* picture_ = nullptr;  // of what was taken
  bool redraw_ = true;                    // it shows something else than it should
  struct Shot {
    std::filesystem::path file;
    bool panels;
  };
  std::optional<Shot> shot_;
  std::vector<std::filesystem::path> scene_files_;
  std::optional<Clock::time_point> scenes_listed_;

  talus::Options simulation_options() const;
  void start_drawing();
  void stop_drawing();
  void lose_device(bool playing);
  void open_device_again();
  void save_kept() const;
  void build_frame();
  void reload_shaders();
  void reload(const ShaderWatch::Compiled& shader);
  void reload_drawing(const ShaderWatch::Compiled& shader);
  void take_loaded();
  void read_mesh(const std::filesystem::path& file);
  void take_mesh();
  void describe();
  void show(Loader::Loaded loaded);
  void draw_scene(const talus::Scene& scene);
  void resize(int edge);
  void run(double passed);
  void drive();
  void drag();
  talus::View view() const;
  void look_at_state();
  void take_state();
  void refresh_picture();
  void record_frame();
  void draw(talus::gpu::Image& image);
  void save_shot(const Shot& shot);
};

}  // namespace viewer
