#pragma once
// The live viewer: a window with a scene in it, and panels to watch, change, drive and record it.
#include "viewer/live/arranger.h"
#include "viewer/live/canvas.h"
#include "viewer/live/dropped_mesh.h"
#include "viewer/live/forces.h"
#include "viewer/live/loader.h"
#include "viewer/live/machine.h"
#include "viewer/live/mouse_hold.h"
#include "viewer/live/orbit.h"
#include "viewer/live/panels.h"
#include "viewer/live/recorder.h"
#include "viewer/live/recovery.h"
#include "viewer/live/remembered.h"
#include "viewer/live/scene_folder.h"
#include "viewer/live/session.h"
#include "viewer/live/shader_reload.h"
#include "viewer/live/sharpness.h"
#include "viewer/live/statistics.h"
#include "viewer/live/step_describer.h"
#include "viewer/live/undo.h"
#include <array>
#include <chrono>

namespace viewer {

// Owns what the window is about: the canvas, the session of the scene that is shown, camera and levers, and the picture
// with what is written of it. It passes on between these what concerns several; other jobs have types of their own.
//
// Between frames:
// - There is a session only while the canvas draws.
// - The picture is null, or of the canvas's renderer as it is.
// - What went wrong with something that the user asked for is the message, and the scene goes on as before.
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
  std::optional<DroppedMesh>& dropped_mesh() { return mesh_drop_.asked(); }  // that is asked about
  void add_mesh();
  // Puts what is chosen to where the arranger has it: the scene starts again with it there, and stands.
  void arrange();
  bool may_arrange() const;  // nothing else has the scene
  void keep_view();          // as the scene's own
  void start_camera();       // back to the scene's own view
  void restart();            // from the scene's start, with the settings it has now
  // Takes back the last action of the user, or those from that place of undo_points() on: state, settings and time are
  // again as they were before it, and a recording of inputs ends there. Says why where that cannot be.
  void undo();
  void undo(std::size_t place);
  std::vector<Undo::Point> undo_points() const { return undo_.points(); }
  // Pauses, and takes the scene to the kept state of its run that is nearest to a time [s simulated]. Those after it
  // stay until the scene goes on from there.
  void scrub(double time);
  const Undo& kept_states() const { return undo_; }
  // Written when the next frame is drawn. panels: all of the window, not the scene alone.
  void take_picture(const std::filesystem::path& file, bool panels);
  // A video, or pictures in a folder, of `fps` frames per simulated second, until stop_recording or the scene's end.
  void record(const std::filesystem::path& file, double fps);
  void stop_recording();
  // What was done to the scene since its start, as a file; and such a file played back.
  void save_inputs(const std::filesystem::path& file);
  void replay(const std::filesystem::path& file);
  void save_charts();                      // of the panel Statistics, as CSV beside the scene
  Tool& tool() { return mouse_.tool; }     // in the mouse
  float& reach() { return mouse_.reach; }  // radii of the largest grain: of the tool's ball
  // The mouse holds what is at this place of the window, 0 .. 1 from the left and from the top, and drags it along,
  // or does there what its tool does; unset: it lets go.
  void hold(std::optional<glm::vec2> place) { mouse_.hold(place); }
  bool holding() const { return mouse_.holding(); }
  // The mouse is about to use its tool at this place; unset: it is not.
  void point(std::optional<glm::vec2> place) { mouse_.point(place); }
  const std::optional<MouseHold::Ball>& ball() const { return mouse_.ball(); }  // of the tool, to be drawn
  Arranger& arranger() { return arranger_; }
  talus::View view() const;
  void tell(const std::string& message) { message_ = message; }  // in the window, until it is closed there

  Window& window() { return canvas_.window(); }
  bool drawing() const { return canvas_.drawing(); }  // else the device is lost, and did not open again so far
  talus::OpenDevice& device() { return *canvas_.device(); }
  talus::Renderer& renderer() { return *canvas_.renderer(); }
  Session* session() { return session_ ? &*session_ : nullptr; }
  Orbit& camera() { return camera_; }
  Machine& machine() { return machine_; }
  const Recorder& recorder() const { return recorder_; }
  Remembered& remembered() { return remembered_; }
  talus::Look& look() { return look_; }                                                      // of the scene, now
  const std::vector<std::filesystem::path>& scene_files() { return scene_folder_.files(); }  // for the browser
  Previews& previews() { return canvas_.previews(); }
  const Loader& loader() const { return loader_; }
  std::string& message() { return message_; }
  std::string& setting_words() { return setting_words_; }  // that are searched for among the settings
  bool& hint() { return hint_; }                           // what can be done is told in a line, on the first start
  const Forces& forces() const { return forces_; }
  const Statistics& statistics() const { return statistics_; }
  Sharpness& sharpness() { return sharpness_; }
  std::uint32_t& chosen_body() { return chosen_body_; }  // of the scene: whose load is shown
  std::string chosen_body_name() const;                  // empty: the scene has none
  // The passes of a step of the scene as it is now, and the elements of each field: made ready beside the window, where
  // the solver is another one than before. Null: not yet.
  const Described* described();
  float gui_scale() const { return canvas_.gui().scale(); }
  std::array<PanelPlace, panel_count>& panel_places() { return panel_places_; }
  // Means over the last frames [s]: of the whole frame, and of what the host spent on it.
  double frame_seconds() const { return frame_seconds_; }
  double host_seconds() const { return host_seconds_; }

private:
  using Clock = std::chrono::steady_clock;

  ViewOptions options_;
  Remembered remembered_;
  Canvas canvas_;
  std::optional<Session> session_;
  Loader loader_;
  ShaderReload shaders_;
  SceneFolder scene_folder_;
  MeshDrop mesh_drop_;
  Orbit camera_;
  Machine machine_;
  MouseHold mouse_;
  Arranger arranger_;
  std::optional<Inputs> replay_;       // for the scene that is on its way
  std::optional<Undo::Point> undone_;  // that it goes on from
  std::string replaced_;               // by it: the action, "restart"; empty: nothing that can be taken back
  bool stands_ = false;                // then, and does not play
  Undo undo_;
  Recovery recovery_;
  Recorder recorder_;
  Sharpness sharpness_;
  Statistics statistics_;
  Forces forces_;
  std::uint32_t chosen_body_ = 0;
  std::array<PanelPlace, panel_count> panel_places_;
  StepDescriber describer_;
  std::uint64_t shown_ = 0;  // so many scenes have been shown
  talus::Look look_;
  std::string message_;
  std::string setting_words_;
  bool hint_ = false;
  Clock::time_point last_ = Clock::now();
  double frame_seconds_ = 0.0, host_seconds_ = 0.0;
  bool fresh_ = false;                    // the renderer does not have the state yet
  talus::gpu::Image* picture_ = nullptr;  // of the state that the renderer has
  bool redraw_ = true;                    // the picture shows something else than it should
  struct Shot {
    std::filesystem::path file;
    bool panels;
  };
  std::optional<Shot> shot_;

  talus::Options simulation_options() const;
  const talus::Scene& shown_scene() const;  // that of the session, or an empty one
  void welcome();
  void lose_device(bool playing);
  void open_device_again();
  void build_frame();
  void reload_shaders();
  void take_loaded();
  void forget_loading();
  void go_back(Undo::Point point);
  void go_on_from(Undo::Point point);
  void read_mesh(const std::filesystem::path& file);
  void take_mesh();
  void show(Loader::Loaded loaded);
  void draw_scene(const talus::Scene& scene);
  void resize(int edge);
  void run(double passed);
  void watch_actions(double passed);
  void drive();
  void look_at_state();
  std::vector<std::uint32_t> watched_bodies() const;
  void take_state();
  void refresh_picture();
  void record_frame();
  void draw(talus::gpu::Image& image);
  void save_shot(const Shot& shot);
};

}  // namespace viewer
