#pragma once
// The meshes that a scene names, each with what it is of.
#include "engine/scene/scene.h"
#include <fmt/format.h>
#include <string_view>

namespace talus {

// Calls visit(name, mesh) for each mesh of a scene.
void each_mesh(const Scene& scene, auto&& visit) {
  const auto among = [&](const std::string& name, const std::vector<BodyPart>& parts) {
    for (const BodyPart& part : parts)
      if (const auto* mesh = std::get_if<MeshPart>(&part.shape))
        visit(name, *mesh);
  };
  for (const BodySpec& body : scene.bodies)
    among("body " + body.name, body.parts);
  for (const ClothSpec& cloth : scene.cloths)
    if (const auto* mesh = std::get_if<MeshPart>(&cloth.sheet))
      visit("cloth " + cloth.name, *mesh);
  for (const SinkSpec& sink : scene.sinks)
    among("sink " + sink.name, sink.parts);
  const auto filled = [&](std::string_view table, const auto& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (const auto& clump = sources[i].clump; clump && clump->mesh())
        visit(fmt::format("clump of {}.{}", table, i), *clump->mesh());
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (const auto* solid = std::get_if<SolidFill>(&sources[i].shape))
        among(fmt::format("{}.{}", table, i), solid->parts);
  };
  filled("grains", scene.grains);
  for (const ShapeSpec& shape : scene.shapes)
    if (const auto* solid = std::get_if<SolidFill>(&shape.grains.shape))
      among("shape " + shape.name, solid->parts);
  filled("emitter", scene.emitters);
}

}  // namespace talus
