#pragma once
// Dear ImGui in a window: its input from GLFW, its lists drawn by the render graph.
#include "viewer/live/window.h"
#include <filesystem>
#include <imgui.h>

namespace viewer {

class Gui {
public:
  // layout: file that remembers where panels are; empty: they are forgotten.
  Gui(Window& window, talus::gpu::Device& device, talus::gpu::Graph& graph, const std::filesystem::path& layout);
  ~Gui();
  Gui(const Gui&) = delete;

  void begin();  // of a frame: panels may be built from here on
  void end();    // no more panels; without draw() the frame is dropped
  // Into all of the image: the picture, and over it what was built since begin().
  void draw(talus::gpu::Graph& graph, talus::gpu::Image& into, talus::gpu::Image& picture);
  void reload_shaders();  // as the device has them now; throws what is wrong with them, and keeps the old ones

  // For ImGui::Image. The image must live until the frame is drawn.
  static ImTextureID texture(talus::gpu::Image& image) { return static_cast<ImTextureID>(&image); }
  void show_light(bool light);            // dark letters on light panels from now on, or light ones on dark panels
  float scale() const { return scale_; }  // pixels per point, rounded so that letters stay sharp

private:
  talus::gpu::Device& device_;
  std::string layout_;
  float scale_ = 1.0f;
  bool light_ = false;
  VkFormat format_;  // of the window
  talus::gpu::Image letters_;
  std::unique_ptr<talus::gpu::GraphicsPipeline> pipeline_;
  talus::gpu::Buffer vertices_, indices_;

  void load_letters(talus::gpu::Graph& graph);
  void upload(talus::gpu::Graph& graph, const ImDrawData& data);
};

// Colours of letters, as panels are now.
ImVec4 accent_tone();
ImVec4 error_tone();

}  // namespace viewer
