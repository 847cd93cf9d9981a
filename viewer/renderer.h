#pragma once
// Draws grains, bodies and cloth into a picture, without a window: straight from the solver's buffers, grains as sphere
// impostors, bodies and cloth as triangles. Cloth is a smooth surface with two faces, as thin as paper. Where there are
// fine grains they are drawn as stones of many shapes and tints, in place of the coarse ones (Output::level).
//
//   talus::Renderer renderer(scene, 1280, 720, simulation.gpu_device());
//   talus::Image picture = renderer.draw(simulation);
//
// The scene says where the camera stands and what colours the grains (Output). Scales whose ends it does not give:
// speed up to Output::speed_max, or, where that is 0, the speed of a fall through the height of the content; overlap,
// contacts and spin from 0 to the most that a grain has; force over three powers of ten up to the greatest; depth and
// id from the lowest to the highest. Look adds what a scene does not say.
#include "engine/talus.h"
#include "viewer/renderer_camera.h"
#include "viewer/renderer_look.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace talus {
namespace gpu {
class Graph;
class Image;
}  // namespace gpu

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // rows from the top, sRGB, opaque
};

class Renderer {
public:
  // device: the one that the simulation runs on, so that its buffers are read in place. Null, or one that cannot draw:
  // the best Vulkan device that can. Throws DeviceError where there is none, ResourceError where memory does not
  // suffice.
  Renderer(const Scene& scene, int width, int height, gpu::Device* device = nullptr);
  Renderer(Renderer&&) noexcept;
  ~Renderer();

  // The simulation as it stands. One that does not run on the renderer's device has its grains and poses copied over.
  Image draw(Simulation& simulation, std::uint32_t world = 0);  // one of its worlds

  // The first `count` of buffers on the renderer's device: Grain and uint (shaders/shared/types.h). ids: numbers of the
  // grains, for the slight difference in shade that tells neighbours apart; null: all of a material alike. bodies:
  // Body, as many as the scene has; null: they stand where they start. cloth_first: number of the grain that is the
  // first vertex of cloth; unset, or without ids: cloth lies where it starts.
  Image draw(gpu::Buffer& grains, gpu::Buffer& tags, gpu::Buffer* ids, std::uint32_t count,
             gpu::Buffer* bodies = nullptr, std::optional<std::uint32_t> cloth_first = {});

  // From the host's memory; bodies and cloth are where they start.
  Image draw(const std::vector<GrainState>& grains);

  // For a window, whose pictures stay on the device and change from one to the next. What is taken is drawn until
  // something else is.
  //
  //   renderer.take(simulation);
  //   gpu::Image& picture = renderer.record();
  //   ... draw `picture` in the window, by passes on the same graph
  //   renderer.graph().submit(semaphores);
  void show(const Scene& scene);  // another scene, from its own view; nothing of it is taken yet
  void resize(int width, int height);
  void look(const View& view);
  void show_as(const Look& look);  // instead of the scene's own
  const Box& bounds() const;       // of what the scene is to show
  // A simulation on another device than the renderer's has its state copied over and must not be under way.
  // contacts_evaluated: what its grains feel is there, too; else grains have their own colour instead of one by that.
  void take(Simulation& simulation, bool contacts_evaluated = false);
  gpu::Image& record();
  Image read();  // what record() gave last, drawn and waited for
  // Ends of the colour scale in the last picture that is done; none where colours have no scale, or it is not known
  // yet.
  std::optional<glm::vec2> color_range();
  // What it shows at a place, 0 .. 1 from the left and from the top. Waits for the device.
  struct Picked {
    glm::vec3 point;                    // m
    std::optional<std::uint32_t> body;  // index into Scene::bodies; unset: a grain, or cloth
  };
  std::optional<Picked> pick(glm::vec2 place);
  // Grains drawn in the last picture that is done: as squares, as points, and as squares for their shadows.
  struct Drawn {
    std::uint32_t squares = 0, points = 0, shadows = 0;
  };
  Drawn drawn();
  gpu::Graph& graph();

  gpu::Device& device() const;
  std::vector<PassTime> pass_times() const;  // on the device, over all pictures so far

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talus
