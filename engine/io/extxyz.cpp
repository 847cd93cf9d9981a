#include "engine/base/atomic_file.h"
#include "engine/io/table.h"
#include "engine/io/writers.h"
#include <fmt/format.h>
#include <iterator>

namespace talus {

// A grain's species is the name of its material. The positions of what lies outside of the cell of an open axis are as
// they are.
void write_extxyz(const std::filesystem::path& file, const Points& points, const Scene& scene) {
  const Domain& d = scene.domain;
  const glm::dvec3 size = d.max - d.min;
  std::vector<std::string> species;
  for (const Material& m : scene.materials)
    species.push_back(m.name);
  species = plain_names(species);
  const std::vector<std::uint32_t>* materials = points.wholes("material");
  const auto periodic = [&](std::size_t a) { return d.axis[a] == Axis::periodic ? 'T' : 'F'; };
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Origin=\"{} {} {}\" pbc=\"{} {} {}\" Properties=", points.count,
                 size.x, size.y, size.z, d.min.x, d.min.y, d.min.z, periodic(0), periodic(1), periodic(2));
  if (materials)
    fmt::format_to(out, "species:S:1:");
  for (const PointColumn& c : points.columns)
    fmt::format_to(out, "{}{}:{}:{}", &c == points.columns.data() ? "" : ":", c.quantity->extxyz,
                   std::holds_alternative<std::vector<float>>(c.values) ? 'R' : 'I', c.quantity->components());
  fmt::format_to(out, " Time={}\n", points.time);
  for (std::size_t i = 0; i < points.count; ++i) {
    if (materials)
      fmt::format_to(out, "{} ", species.at((*materials)[i]));
    append_row(text, points, i, ' ');
    text.push_back('\n');
  }
  write_file(file, {text.data(), text.size()});
}

}  // namespace talus
