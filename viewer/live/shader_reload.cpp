#include "viewer/live/shader_reload.h"
#include "viewer/status.h"
#include <algorithm>
#include <fmt/format.h>

namespace viewer {

using namespace talus;
namespace fs = std::filesystem;

namespace {

// Throws UsageError where a draw shader sees fields otherwise than the shader that it replaces.
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

ShaderReload::Outcome ShaderReload::go_on(const Users& users) {
  Outcome outcome;
  for (const ShaderWatch::Compiled& shader : watch_.take()) {
    std::string wrong = shader.errors;
    try {
      if (wrong.empty())
        outcome.redrawn |= reload(shader, users);
    } catch (const std::exception& e) {
      wrong = e.what();
    }
    outcome.told += wrong.empty() ? fmt::format("{} is in use.\n", shader.name)
                                  : fmt::format("{} stays as it was:\n{}\n", shader.name, wrong);
  }
  return outcome;
}

// True: the renderer is another one.
bool ShaderReload::reload(const ShaderWatch::Compiled& shader, const Users& users) {
  const std::string name = fs::path(shader.name).stem().string();
  const auto pass = std::ranges::find(pass_infos, name, &PassInfo::name);
  if (pass == pass_infos.end()) {
    reload_drawing(shader, users);
    return true;
  }
  users.device.reload(static_cast<Pass>(pass - pass_infos.begin()), shader.code);
  return false;
}

// Draws once with the shader before it is taken, since only that finds all that does not fit.
void ShaderReload::reload_drawing(const ShaderWatch::Compiled& shader, const Users& users) {
  gpu::Device& device = users.device.device;
  check_strides(device, shader);
  std::vector<std::uint32_t> before = device.replace_shader(shader.name, shader.code);
  try {
    Renderer fresh(users.scene, users.width, users.height, &device);
    fresh.look(users.view);
    if (users.simulation)
      fresh.take(*users.simulation);
    fresh.record();
    fresh.graph().finish();
    users.gui.reload_shaders();
    users.renderer.emplace(std::move(fresh));
  } catch (...) {
    device.replace_shader(shader.name, std::move(before));
    throw;
  }
}

}  // namespace viewer
