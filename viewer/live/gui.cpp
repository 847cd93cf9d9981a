#include "viewer/live/gui.h"
#include "shaders/shared/draw.h"
#include <algorithm>
#include <array>
#include <backends/imgui_impl_glfw.h>
#include <cmath>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace talus::draw_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace viewer {

using namespace talus;
using shared::GuiDraw, shared::GuiVertex;

static_assert(sizeof(GuiVertex) == sizeof(ImDrawVert) && offsetof(GuiVertex, place) == offsetof(ImDrawVert, uv) &&
              offsetof(GuiVertex, color) == offsetof(ImDrawVert, col));

namespace {

std::unique_ptr<gpu::GraphicsPipeline> pipeline_for(gpu::Device& device, VkFormat format) {
  gpu::GraphicsOptions options;
  options.colour_formats = {format};
  options.depth_test = options.depth_write = false;
  options.blend = true;
  return std::make_unique<gpu::GraphicsPipeline>(device, "draw_gui", draw_shaders::find_shader("draw_gui.vert"),
                                                 draw_shaders::find_shader("draw_gui.frag"), options);
}

// Fonts that are there on most systems and easier to read than the one built in.
const char* letters_file() {
  static constexpr std::array files{"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                    "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
                                    "C:\\Windows\\Fonts\\segoeui.ttf",
                                    "/System/Library/Fonts/Supplemental/Arial.ttf"};
  const auto found = std::ranges::find_if(files, [](const char* file) { return std::filesystem::exists(file); });
  return found == files.end() ? nullptr : *found;
}

void set_dark_tones(ImGuiStyle& style) {
  ImGui::StyleColorsDark();
  const auto tone = [&](ImGuiCol which, float r, float g, float b, float a) { style.Colors[which] = {r, g, b, a}; };
  tone(ImGuiCol_WindowBg, 0.10f, 0.11f, 0.12f, 0.92f);
  tone(ImGuiCol_TitleBg, 0.10f, 0.11f, 0.12f, 0.95f);
  tone(ImGuiCol_TitleBgActive, 0.16f, 0.17f, 0.19f, 0.95f);
  tone(ImGuiCol_FrameBg, 0.20f, 0.21f, 0.23f, 1.0f);
  tone(ImGuiCol_FrameBgHovered, 0.27f, 0.28f, 0.31f, 1.0f);
  tone(ImGuiCol_FrameBgActive, 0.32f, 0.33f, 0.36f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_Button, ImGuiCol_Header, ImGuiCol_Tab, ImGuiCol_TabUnfocused})
    tone(which, 0.24f, 0.25f, 0.28f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered, ImGuiCol_TabHovered})
    tone(which, 0.62f, 0.44f, 0.20f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_ButtonActive, ImGuiCol_HeaderActive, ImGuiCol_TabActive,
                               ImGuiCol_TabUnfocusedActive, ImGuiCol_SliderGrabActive})
    tone(which, 0.78f, 0.55f, 0.25f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_PlotHistogram, ImGuiCol_PlotLines})
    tone(which, 0.88f, 0.66f, 0.33f, 1.0f);
}

// Text has a contrast of 8.8 or more on each of them, where WCAG 2.1 asks for 7 at its level AAA; the accent has 4.8 on
// panels.
void set_light_tones(ImGuiStyle& style) {
  ImGui::StyleColorsLight();
  const auto tone = [&](ImGuiCol which, float r, float g, float b, float a) { style.Colors[which] = {r, g, b, a}; };
  tone(ImGuiCol_Text, 0.10f, 0.10f, 0.11f, 1.0f);
  tone(ImGuiCol_TextDisabled, 0.38f, 0.38f, 0.40f, 1.0f);
  tone(ImGuiCol_WindowBg, 0.96f, 0.96f, 0.95f, 0.94f);
  tone(ImGuiCol_PopupBg, 0.98f, 0.98f, 0.97f, 0.98f);
  tone(ImGuiCol_MenuBarBg, 0.90f, 0.90f, 0.89f, 1.0f);
  tone(ImGuiCol_TitleBg, 0.88f, 0.88f, 0.87f, 0.96f);
  tone(ImGuiCol_TitleBgActive, 0.82f, 0.82f, 0.80f, 0.96f);
  tone(ImGuiCol_FrameBg, 0.87f, 0.87f, 0.86f, 1.0f);
  tone(ImGuiCol_FrameBgHovered, 0.82f, 0.81f, 0.79f, 1.0f);
  tone(ImGuiCol_FrameBgActive, 0.77f, 0.76f, 0.73f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_Button, ImGuiCol_Header, ImGuiCol_Tab, ImGuiCol_TabUnfocused})
    tone(which, 0.83f, 0.83f, 0.81f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered, ImGuiCol_TabHovered})
    tone(which, 0.94f, 0.78f, 0.54f, 1.0f);
  for (const ImGuiCol which :
       {ImGuiCol_ButtonActive, ImGuiCol_HeaderActive, ImGuiCol_TabActive, ImGuiCol_TabUnfocusedActive})
    tone(which, 0.90f, 0.68f, 0.38f, 1.0f);
  for (const ImGuiCol which : {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_PlotLines})
    tone(which, 0.62f, 0.36f, 0.04f, 1.0f);
  tone(ImGuiCol_PlotHistogram, 0.90f, 0.68f, 0.38f, 1.0f);  // with text over it
}

void set_style(float scale, bool light) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();  // of scale 1
  light ? set_light_tones(style) : set_dark_tones(style);
  style.WindowRounding = style.PopupRounding = 6.0f;
  style.FrameRounding = style.GrabRounding = style.TabRounding = 4.0f;
  style.WindowBorderSize = 0.0f;
  style.FramePadding = {8.0f, 4.0f};
  style.ItemSpacing = {8.0f, 6.0f};
  style.ScaleAllSizes(scale);
}

template <class T> void grow(gpu::Device& device, gpu::Buffer& buffer, const char* name, std::size_t count) {
  constexpr std::size_t least = 8192;  // that a message more or less does not make it grow
  if (!buffer || buffer.bytes() < count * sizeof(T))
    buffer = gpu::Buffer(device, name, std::bit_ceil(std::max(count, least)) * sizeof(T));
}

}  // namespace

Gui::Gui(Window& window, gpu::Device& device, gpu::Graph& graph, const std::filesystem::path& layout)
    : device_(device), layout_(layout.string()), format_(window.format()), pipeline_(pipeline_for(device, format_)) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = layout_.empty() ? nullptr : layout_.c_str();
  io.BackendRendererName = "talus";
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableGamepad;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  float x = 1.0f, y = 1.0f;
  glfwGetWindowContentScale(window.handle(), &x, &y);
  scale_ = std::max(1.0f, x);
  set_style(scale_, light_);
  load_letters(graph);
  ImGui_ImplGlfw_InitForOther(window.handle(), true);
}

Gui::~Gui() {
  device_.drain();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void Gui::show_light(bool light) {
  if (light_ != light)
    set_style(scale_, light_ = light);
}

ImVec4 accent_tone() {
  return ImGui::GetStyleColorVec4(ImGuiCol_CheckMark);
}

ImVec4 error_tone() {
  const bool light = ImGui::GetStyleColorVec4(ImGuiCol_Text).x < 0.5f;
  return light ? ImVec4(0.70f, 0.12f, 0.05f, 1.0f) : ImVec4(1.0f, 0.55f, 0.45f, 1.0f);
}

void Gui::reload_shaders() {
  pipeline_ = pipeline_for(device_, format_);
}

void Gui::load_letters(gpu::Graph& graph) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  if (const char* file = letters_file())
    atlas.AddFontFromFileTTF(file, std::round(14.0f * scale_));
  else {
    ImFontConfig config;
    config.SizePixels = 13.0f * std::round(scale_);
    atlas.AddFontDefault(&config);
  }
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  const auto w = static_cast<std::uint32_t>(width), h = static_cast<std::uint32_t>(height);
  letters_ = gpu::Image(device_, "letters", {w, h, VK_FORMAT_R8G8B8A8_UNORM, true});
  graph.upload(letters_, std::as_bytes(std::span(pixels, std::size_t{4} * w * h)));
  atlas.SetTexID(texture(letters_));
  atlas.ClearTexData();
}

void Gui::begin() {
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
}

void Gui::end() {
  ImGui::Render();
}

void Gui::upload(gpu::Graph& graph, const ImDrawData& data) {
  std::vector<GuiVertex> vertices;
  std::vector<std::uint32_t> indices;
  vertices.reserve(data.TotalVtxCount + 4);
  indices.reserve(data.TotalIdxCount + 6);
  // First the picture, over all of the window.
  const ImVec2 low = data.DisplayPos, high{low.x + data.DisplaySize.x, low.y + data.DisplaySize.y};
  for (const auto& [x, y] : {std::pair{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 1.0f}})
    vertices.push_back({{low.x + x * (high.x - low.x), low.y + y * (high.y - low.y)}, {x, y}, ~0u});
  indices.assign({0, 1, 2, 2, 1, 3});
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawVert& v : list.VtxBuffer)
      vertices.push_back({{v.pos.x, v.pos.y}, {v.uv.x, v.uv.y}, v.col});
    indices.insert(indices.end(), list.IdxBuffer.begin(), list.IdxBuffer.end());
  }
  grow<GuiVertex>(device_, vertices_, "gui_vertices", vertices.size());
  grow<std::uint32_t>(device_, indices_, "gui_indices", indices.size());
  graph.upload(vertices_, std::as_bytes(std::span(vertices)));
  graph.upload(indices_, std::as_bytes(std::span(indices)));
}

void Gui::draw(gpu::Graph& graph, gpu::Image& into, gpu::Image& picture) {
  const ImDrawData& data = *ImGui::GetDrawData();
  upload(graph, data);
  const std::vector<gpu::Buffer*> buffers =
      pipeline_->resolve({{"gui_vertices", &vertices_}, {"gui_indices", &indices_}});
  const glm::vec2 size(std::max(data.DisplaySize.x, 1.0f), std::max(data.DisplaySize.y, 1.0f));
  const glm::vec2 origin(data.DisplayPos.x, data.DisplayPos.y);
  const glm::vec2 pixels(data.FramebufferScale.x, data.FramebufferScale.y);
  GuiDraw push{};
  push.scale = 2.0f / size;
  push.shift = -1.0f - origin * push.scale;

  const auto triangles = [&](gpu::Image& image, const glm::vec4& clip, std::uint32_t first, std::uint32_t count,
                             std::uint32_t first_vertex) {
    push.clip = clip;
    push.first_vertex = first_vertex;
    std::array<gpu::Image*, 1> images{&image};
    graph.draw(*pipeline_, buffers, images, push, {.vertices = count, .first_vertex = first});
  };
  graph.begin_rendering({.colour = {{.image = &into}}}, pipeline_->label());
  triangles(picture, {0.0f, 0.0f, into.width(), into.height()}, 0, 6, 0);
  std::uint32_t vertex = 4, index = 6;
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const glm::vec4 clip((glm::vec2(command.ClipRect.x, command.ClipRect.y) - origin) * pixels,
                           (glm::vec2(command.ClipRect.z, command.ClipRect.w) - origin) * pixels);
      if (command.ElemCount > 0 && clip.z > clip.x && clip.w > clip.y)
        triangles(*static_cast<gpu::Image*>(command.GetTexID()), clip, index + command.IdxOffset, command.ElemCount,
                  vertex + command.VtxOffset);
    }
    vertex += static_cast<std::uint32_t>(list.VtxBuffer.Size);
    index += static_cast<std::uint32_t>(list.IdxBuffer.Size);
  }
  graph.end_rendering();
}

}  // namespace viewer
