#include "engine/io/usd_series.h"
#include "engine/io/body_meshes.h"
#include "engine/io/report.h"
#include "engine/io/table.h"
#include "engine/io/writers.h"
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace talus {
namespace {

constexpr std::size_t rate_width = 24;  // characters of a number that is written anew in its place

// The attribute of USD that holds a column. Values are multiplied by the factor.
struct Attribute {
  std::string type, name;
  float factor = 1.0f;
  bool primvar = false;
};
Attribute attribute_of(const PointColumn& column) {
  const Quantity& q = *column.quantity;
  if (q.name == "position")
    return {"point3f", "points"};
  if (q.name == "velocity")
    return {"vector3f", "velocities"};
  if (q.name == "radius")
    return {"float", "widths", 2.0f};
  if (q.name == "id")
    return {"int64", "ids"};
  const std::string name = fmt::format("primvars:{}", q.name);
  if (std::holds_alternative<std::vector<std::uint32_t>>(column.values))
    return {"int", name, 1.0f, true};
  return {q.components() == 1 ? "float" : fmt::format("float{}", q.components()), name, 1.0f, true};
}
std::string interpolation(const Attribute& attribute) {
  return attribute.primvar || attribute.name == "widths" ? " (\n            interpolation = \"vertex\"\n        )" : "";
}

using Text = fmt::memory_buffer;

void add_values(Text& text, const PointColumn& column, float factor) {
  std::visit(
      [&](const auto& values) {
        const auto out = std::back_inserter(text);
        const std::size_t n = column.quantity->components();
        text.push_back('[');
        for (std::size_t i = 0; i < values.size(); i += n) {
          text.append(std::string_view(i > 0 ? ", " : ""));
          text.append(std::string_view(n > 1 ? "(" : ""));
          for (std::size_t k = 0; k < n; ++k) {
            text.append(std::string_view(k > 0 ? ", " : ""));
            if constexpr (std::is_same_v<std::decay_t<decltype(values[0])>, float>)
              fmt::format_to(out, "{}", factor * values[i + k]);
            else
              fmt::format_to(out, "{}", values[i + k]);
          }
          text.append(std::string_view(n > 1 ? ")" : ""));
        }
        text.push_back(']');
      },
      column.values);
}

// A prim of a time, or, without values, of the manifest and of the stage.
void add_prim(Text& text, std::string_view kind, const std::string& name, const Points& points, bool values,
              std::string_view more = "") {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "    {} \"{}\"\n    {{\n{}", kind, name, more);
  const auto sample = [&](const std::string& attribute, const PointColumn& column, float factor) {
    fmt::format_to(out, "        {}", attribute);
    if (values) {
      fmt::format_to(out, ".timeSamples = {{ 0: ");
      add_values(text, column, factor);
      text.append(std::string_view(" }"));
    }
  };
  for (const PointColumn& column : points.columns) {
    const Attribute attribute = attribute_of(column);
    sample(fmt::format("{}[] {}", attribute.type, attribute.name), column, attribute.factor);
    fmt::format_to(out, "{}\n", values ? "" : interpolation(attribute));
    if (column.quantity->name == "material") {  // colours by material
      sample("int[] primvars:displayColor:indices", column, 1.0f);
      text.push_back('\n');
    }
  }
  fmt::format_to(out, "    }}\n");
}

std::string vector_text(const glm::dvec3& v) {
  return fmt::format("({}, {}, {})", v.x, v.y, v.z);
}

// Of triangles that stay: how the points of a mesh hang together.
std::string triangles_text(const std::vector<glm::uvec3>& triangles, std::string_view indent) {
  Text text;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out, "{}uniform token subdivisionScheme = \"none\"\n{}bool doubleSided = true\n{}int[] faceVertexCounts = [",
      indent, indent, indent);
  for (std::size_t i = 0; i < triangles.size(); ++i)
    fmt::format_to(out, "{}3", i > 0 ? ", " : "");
  fmt::format_to(out, "]\n{}int[] faceVertexIndices = [", indent);
  for (std::size_t i = 0; i < triangles.size(); ++i)
    fmt::format_to(out, "{}{}, {}, {}", i > 0 ? ", " : "", triangles[i].x, triangles[i].y, triangles[i].z);
  fmt::format_to(out, "]\n");
  return {text.data(), text.size()};
}

// Contacts are data: of the purpose "guide", they are drawn where somebody asks for guides, and then as points with a
// tenth of the diameter [m] of the smallest grain.
std::string contacts_text(const Scene& scene) {
  return fmt::format("        uniform token purpose = \"guide\"\n        float[] widths = [{}] (\n"
                     "            interpolation = \"constant\"\n        )\n",
                     static_cast<float>(0.2 * radii_of(scene).min));
}

// A name of a prim: letters, digits and '_', no digit first.
std::vector<std::string> prim_names(std::string_view kind, const std::vector<std::string>& names) {
  std::vector<std::string> prims;
  for (const std::string& name : names) {
    std::string& prim = prims.emplace_back(fmt::format("{}_{}", kind, name));
    for (char& c : prim)
      if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')))
        c = '_';
  }
  return plain_names(prims);
}

std::string clip_name(std::size_t number) {
  return fmt::format("grains_{:05}.usda", number);
}

constexpr std::string_view samples_end = "    }\n}\n";

}  // namespace

UsdBody::UsdBody(const std::filesystem::path& file, const std::string& prim, const BodySpec& body, const Domain& domain,
                 std::size_t keep_times)
    : file_(file, keep_times > 0) {
  const Mesh mesh = exported_mesh(body, domain);
  Text head;
  const auto out = std::back_inserter(head);
  fmt::format_to(out,
                 "#usda 1.0\n(\n    defaultPrim = \"{}\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n"
                 "    timeCodesPerSecond = ",
                 prim);
  rate_at_ = head.size();
  fmt::format_to(out, "{:<{}}\n)\n\ndef Xform \"{}\"\n{{\n    def Mesh \"surface\"\n    {{\n", 1, rate_width, prim);
  fmt::format_to(out, "{}        point3f[] points = [", triangles_text(mesh.triangles, "        "));
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    fmt::format_to(out, "{}({}, {}, {})", i > 0 ? ", " : "", mesh.vertices[i].x, mesh.vertices[i].y,
                   mesh.vertices[i].z);
  fmt::format_to(out, "]\n");
  if (body.color)
    fmt::format_to(out, "        color3f[] primvars:displayColor = [{}]\n", vector_text(glm::dvec3(*body.color)));
  fmt::format_to(out, "    }}\n\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"
                      "    matrix4d xformOp:transform.timeSamples = {{\n");
  end_ = head.size();
  if (keep_times == 0) {
    file_.write(0, head.data(), head.size());
    return;
  }
  std::string there(file_.size(), '\0');
  file_.read(0, there.data(), there.size());
  end_ = std::min(there.find(fmt::format("\n        {}: ", keep_times)), there.rfind(samples_end) - 1) + 1;
}

void UsdBody::add(const Pose& pose, std::size_t time_code) {
  const glm::dmat3 turned = glm::mat3_cast(pose.rotation);
  std::string sample = fmt::format("        {}: ( ", time_code);
  for (int a = 0; a < 3; ++a)  // USD multiplies row vectors
    sample += fmt::format("({}, {}, {}, 0), ", turned[a].x, turned[a].y, turned[a].z);
  sample += fmt::format("({}, {}, {}, 1) ),\n", pose.position.x, pose.position.y, pose.position.z);
  const std::string whole = sample + std::string(samples_end);
  file_.write(end_, whole.data(), whole.size());
  file_.flush();
  end_ += sample.size();
}

void UsdBody::set_rate(double per_second) {
  const std::string text = fmt::format("{:<{}}", per_second, rate_width);
  file_.write(rate_at_, text.data(), rate_width);
}

UsdSeries::UsdSeries(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before)
    : directory_(directory), scene_(scene), index_(directory, scene, keep_before, BodyMeshes::within) {
  std::vector<std::string> cloths, bodies;
  for (std::uint32_t w = 0; w < scene.worlds; ++w) {
    for (const ClothSpec& cloth : scene.cloths)
      cloths.push_back(name_in_world(scene, cloth.name, w));
    for (const BodySpec& body : scene.bodies)
      bodies.push_back(name_in_world(scene, body.name, w));
  }
  cloths_ = prim_names("cloth", cloths);
  body_names_ = prim_names("body", bodies);
  for (std::size_t b = 0; b < body_names_.size(); ++b) {
    const BodySpec& body = scene.bodies[b % scene.bodies.size()];
    bodies_.push_back(body.show == Show::hidden
                          ? nullptr
                          : std::make_unique<UsdBody>(directory / (body_names_[b] + ".usda"), body_names_[b], body,
                                                      scene.domain, index_.times().size()));
  }
}

double UsdSeries::rate() const {
  const std::vector<double>& times = index_.times();
  return times.size() > 1 && times[1] > times[0] ? 1.0 / (times[1] - times[0]) : 1.0;
}

void UsdSeries::add(const Frame& frame) {
  const std::size_t number = index_.times().size();
  const FramePoints points = points_of(frame);
  write_clip(frame, points);
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (bodies_[b])
      bodies_[b]->add(frame.bodies[b].pose, number);
  index_.add(frame, clip_name(number));
  if (rate() != rate_)
    for (const auto& body : bodies_)
      if (body)
        body->set_rate(rate());
  rate_ = rate();
  write_stage(frame, points);
}

void UsdSeries::write_clip(const Frame& frame, const FramePoints& points) const {
  Text text;
  text.append(std::string_view("#usda 1.0\n\nover \"talus\"\n{\n"));
  add_prim(text, "over", "grains", points.grains, true);
  if (points.fine)
    add_prim(text, "over", "fine", *points.fine, true);
  if (points.contacts)
    add_prim(text, "over", "contacts", *points.contacts, true);
  for (std::size_t c = 0; c < cloths_.size(); ++c)
    add_prim(text, "over", cloths_[c], poly_data(frame.cloths[c], frame.time).points, true);
  text.append(std::string_view("}\n"));
  write_file(directory_ / clip_name(index_.times().size()), {text.data(), text.size()});
}

void UsdSeries::write_stage(const Frame& frame, const FramePoints& points) {
  if (prims_.empty()) {
    const auto declare = [&](Text& text, bool of_stage) {
      std::string colours = "        color3f[] primvars:displayColor = [";
      for (std::size_t m = 0; m < scene_.materials.size(); ++m)
        colours += (m > 0 ? ", " : "") + vector_text(glm::dvec3(scene_.materials[m].color));
      colours += "] (\n            interpolation = \"vertex\"\n        )\n";
      const std::string_view kind = of_stage ? "def Points" : "over";
      const std::string own = of_stage ? colours : "";
      add_prim(text, kind, "grains", points.grains, false, own);
      if (points.fine)
        add_prim(text, kind, "fine", *points.fine, false, own);
      if (points.contacts)
        add_prim(text, kind, "contacts", *points.contacts, false, of_stage ? contacts_text(scene_) : "");
      for (std::size_t c = 0; c < cloths_.size(); ++c)
        add_prim(text, of_stage ? "def Mesh" : "over", cloths_[c], poly_data(ClothState{}, 0.0).points, false,
                 of_stage ? triangles_text(frame.cloths[c].triangles, "        ") : "");
    };
    Text manifest, stage;
    manifest.append(std::string_view("#usda 1.0\n\nover \"talus\"\n{\n"));
    declare(manifest, false);
    manifest.append(std::string_view("}\n"));
    write_file(directory_ / "manifest.usda", {manifest.data(), manifest.size()});
    declare(stage, true);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (bodies_[b])
        fmt::format_to(std::back_inserter(stage),
                       "    def \"{0}\" (\n        references = @./{0}.usda@\n    )\n    {{\n    }}\n", body_names_[b]);
    prims_ = {stage.data(), stage.size()};
  }
  const std::size_t count = index_.times().size();
  std::string paths, active, times;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view comma = k > 0 ? ", " : "";
    paths += fmt::format("{}@./{}@", comma, clip_name(k));
    active += fmt::format("{}({}, {})", comma, k, k);
    times += fmt::format("{}({}, 0)", comma, k);
  }
  write_file(directory_ / "scene.usda",
             fmt::format("#usda 1.0\n(\n    defaultPrim = \"talus\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n"
                         "    timeCodesPerSecond = {0}\n    framesPerSecond = {0}\n    startTimeCode = 0\n"
                         "    endTimeCode = {1}\n)\n\ndef Xform \"talus\" (\n    clips = {{\n"
                         "        dictionary default = {{\n            asset[] assetPaths = [{2}]\n"
                         "            asset manifestAssetPath = @./manifest.usda@\n"
                         "            string primPath = \"/talus\"\n            double2[] active = [{3}]\n"
                         "            double2[] times = [{4}]\n        }}\n    }}\n)\n{{\n{5}}}\n",
                         rate(), count - 1, paths, active, times, prims_));
}

}  // namespace talus
