// COLLADA 1.4 and 1.5: the polygons of the visual scene's nodes. Read here by pugixml, as robots are: assimp's reader
// turns the axes of the file before a caller can say what is up, and trusts counts as its other readers do.
#include "engine/base/read_double.h"
#include "engine/geometry/mesh_reader.h"
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <pugixml.hpp>
#include <unordered_map>

namespace talus {
namespace {

class Collada {
public:
  Collada(const MeshSource& source, const std::string& bytes) : source_(source) {
    const pugi::xml_parse_result parsed = document_.load_buffer(bytes.data(), bytes.size());
    if (!parsed)
      source_.fail(fmt::format("is no COLLADA: at its byte {}: {}", parsed.offset, parsed.description()));
    root_ = document_.child("COLLADA");
    if (!root_)
      source_.fail("is no COLLADA: its first element is not <COLLADA>");
    Ids walker(ids_);
    document_.traverse(walker);
    if (walker.too_deep)
      source_.fail(fmt::format("has elements nested deeper than {}", depth_most));
  }

  double meter() const {
    const pugi::xml_attribute meter = root_.child("asset").child("unit").attribute("meter");
    if (!meter)
      return 1.0;
    const double value = number(meter.value());
    if (!(value > 0.0) || !std::isfinite(value))
      source_.fail(fmt::format("says that its unit has {} m: it must be above 0", value));
    return value;
  }

  UpAxis up() const {
    const std::string_view word = root_.child("asset").child_value("up_axis");
    return word == "X_UP" ? UpAxis::x : word == "Z_UP" ? UpAxis::z : UpAxis::y;
  }

  void read(MeshBuilder& out) {
    const pugi::xml_node shown = root_.child("scene").child("instance_visual_scene");
    const pugi::xml_node scene = shown ? named(shown.attribute("url").value(), "visual_scene")
                                       : root_.child("library_visual_scenes").child("visual_scene");
    if (!scene)
      source_.fail("has no <visual_scene>, which says where its meshes are");
    open_.push_back({scene, glm::dmat4(1.0), 1});
    while (!open_.empty()) {
      const Open at = open_.back();
      open_.pop_back();
      read_node(at, out);
    }
    if (!polygons_)
      source_.fail("has no triangles");
  }

private:
  static constexpr int depth_most = 200;  // of elements within each other, and of nodes that name each other
  static constexpr std::size_t nodes_most = 2'000'000;

  static std::string_view next_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
  }

  using Ids_of = std::unordered_map<std::string, pugi::xml_node>;
  struct Ids : pugi::xml_tree_walker {
    explicit Ids(Ids_of& all) : ids(all) {}
    bool for_each(pugi::xml_node& node) override {
      if (const pugi::xml_attribute id = node.attribute("id"))
        ids.emplace(id.value(), node);
      too_deep = too_deep || depth() > depth_most;
      return !too_deep;
    }
    Ids_of& ids;
    bool too_deep = false;
  };
  struct Open {
    pugi::xml_node node;
    glm::dmat4 above;
    int depth;
  };
  struct Positions {
    std::vector<glm::dvec3> at;
  };

  double number(std::string_view word) const {
    double value = 0.0;
    const auto read = read_double(word.data(), word.data() + word.size(), value);
    if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size())
      source_.fail(fmt::format("is damaged: \"{}\" is not a number", word.substr(0, 40)));
    return value;
  }

  std::size_t whole(std::string_view word, std::string_view what) const {
    std::size_t value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size())
      source_.fail(fmt::format("is damaged: \"{}\" is not {}", word.substr(0, 40), what));
    return value;
  }
  std::size_t whole_or(const pugi::xml_attribute& at, std::size_t otherwise) const {
    return at ? whole(at.value(), fmt::format("a whole number, which {} is", at.name())) : otherwise;
  }

  pugi::xml_node named(const std::string& url, const char* kind) const {
    const auto found = url.starts_with('#') ? ids_.find(url.substr(1)) : ids_.end();
    if (found == ids_.end() || std::strcmp(found->second.name(), kind) != 0)
      source_.fail(fmt::format("names the {} \"{}\", which it does not have", kind, url.substr(0, 80)));
    return found->second;
  }

  template <std::size_t n> std::array<double, n> numbers(const pugi::xml_node& node) const {
    std::string_view text = node.child_value();
    std::array<double, n> out;
    for (double& number_of : out)
      number_of = number(next_word(text));
    return out;
  }

  glm::dmat4 transform(const pugi::xml_node& node) const {
    glm::dmat4 all(1.0);
    for (const pugi::xml_node& part : node.children()) {
      const std::string_view name = part.name();
      if (name == "matrix") {
        const auto m = numbers<16>(part);  // row after row
        glm::dmat4 own(1.0);
        for (int row = 0; row < 4; ++row)
          for (int column = 0; column < 4; ++column)
            own[column][row] = m[static_cast<std::size_t>(4 * row + column)];
        all *= own;
      } else if (name == "translate") {
        const auto v = numbers<3>(part);
        all = glm::translate(all, {v[0], v[1], v[2]});
      } else if (name == "scale") {
        const auto v = numbers<3>(part);
        all = glm::scale(all, {v[0], v[1], v[2]});
      } else if (name == "rotate") {
        const auto v = numbers<4>(part);
        const glm::dvec3 axis(v[0], v[1], v[2]);
        if (!(glm::length(axis) > 0.0))
          source_.fail("is damaged: it turns a node about an axis of length 0");
        all = glm::rotate(all, glm::radians(v[3]), glm::normalize(axis));
      } else if (name == "skew" || name == "lookat") {
        source_.fail(fmt::format("places a node by <{}>, which is not read", name));
      }
    }
    return all;
  }

  void read_node(const Open& at, MeshBuilder& out) {
    if (at.depth > depth_most)
      source_.fail(fmt::format("has nodes nested deeper than {}", depth_most));
    if (++nodes_ > nodes_most)
      source_.fail(fmt::format("has more than {} nodes", nodes_most));
    const glm::dmat4 to_file = at.above * transform(at.node);
    for (const pugi::xml_node& child : at.node.children()) {
      const std::string_view name = child.name();
      if (name == "node")
        open_.push_back({child, to_file, at.depth + 1});
      else if (name == "instance_node")
        open_.push_back({named(child.attribute("url").value(), "node"), to_file, at.depth + 1});
      else if (name == "instance_geometry")
        read_geometry(named(child.attribute("url").value(), "geometry"), to_file, out);
      else if (name == "instance_controller")
        source_.fail("has a mesh that bones bend (<instance_controller>), which is not read");
    }
  }

  // Returns the positions of the <vertices> that a list of polygons names [units of the file].
  const Positions& positions(const std::string& url) {
    const auto [known, added] = positions_.try_emplace(url);
    if (!added)
      return known->second;
    const pugi::xml_node input = named(url, "vertices").find_child_by_attribute("input", "semantic", "POSITION");
    if (!input)
      source_.fail("is damaged: its <vertices> have no positions");
    const pugi::xml_node source = named(input.attribute("source").value(), "source");
    const pugi::xml_node accessor = source.child("technique_common").child("accessor");
    const std::size_t stride = whole_or(accessor.attribute("stride"), 3),
                      offset = whole_or(accessor.attribute("offset"), 0);
    if (stride < 3 || stride > 252)
      source_.fail(fmt::format("is damaged: its positions have a stride of {}", stride));
    std::string_view text = source.child("float_array").child_value();
    glm::dvec3 place(0.0);
    std::size_t at = 0;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text), ++at) {
      if (at < offset)
        continue;
      const std::size_t column = (at - offset) % stride;
      if (column >= 3)
        continue;
      place[static_cast<int>(column)] = number(word);
      if (column == 2) {
        source_.check_vertices(known->second.at.size() + 1);
        known->second.at.push_back(place);
      }
    }
    return known->second;
  }

  void read_geometry(const pugi::xml_node& geometry, const glm::dmat4& to_file, MeshBuilder& out) {
    for (const pugi::xml_node& list : geometry.child("mesh").children()) {
      const std::string_view name = list.name();
      if (name == "lines" || name == "linestrips")
        out.ignore(whole_or(list.attribute("count"), 1));
      if (name != "triangles" && name != "polylist" && name != "polygons" && name != "tristrips" && name != "trifans")
        continue;
      std::size_t stride = 1, offset = 0;  // of indices: a corner has one for each kind of input
      std::string vertices;
      for (const pugi::xml_node& input : list.children("input")) {
        const std::size_t own = whole_or(input.attribute("offset"), 0);
        if (own > 63)
          source_.fail(fmt::format("is damaged: a corner has {} indices", own + 1));
        stride = std::max(stride, own + 1);
        if (std::strcmp(input.attribute("semantic").value(), "VERTEX") == 0) {
          offset = own;
          vertices = input.attribute("source").value();
        }
      }
      out.start(to_file);
      const Positions& places = positions(vertices);
      total_ += places.at.size();
      source_.check_vertices(total_);
      for (const glm::dvec3& place : places.at)
        out.vertex(place);
      std::string_view sizes = list.child("vcount").child_value();
      for (const pugi::xml_node& p : list.children("p"))
        read_polygons(name, p.child_value(), sizes, stride, offset, out);
    }
  }

  void read_polygons(std::string_view kind, std::string_view text, std::string_view& sizes, std::size_t stride,
                     std::size_t offset, MeshBuilder& out) {
    std::vector<std::uint32_t> corners;
    std::size_t at = 0;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text), ++at)
      if (at % stride == offset) {
        const std::size_t corner = whole(word, "the number of a vertex");
        corners.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(corner, no_index)));
      }
    const std::span<const std::uint32_t> all(corners);
    const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
      add(std::array{all[a], all[b], all[c]}, out);
    };
    if (kind == "triangles") {
      if (all.size() % 3 != 0)
        source_.fail("is damaged or cut short: its triangles have corners left over");
      for (std::size_t k = 0; k < all.size(); k += 3)
        triangle(k, k + 1, k + 2);
    } else if (kind == "polygons") {
      add(all, out);
    } else if (kind == "polylist") {
      std::size_t first = 0;
      for (std::string_view word = next_word(sizes); !word.empty(); word = next_word(sizes)) {
        const std::size_t size = whole(word, "a number of corners");
        if (size > all.size() - first)
          source_.fail("is damaged or cut short: its polygons have more corners than it lists");
        add(all.subspan(first, size), out);
        first += size;
      }
    } else {
      for (std::size_t k = 2; k < all.size(); ++k)
        if (kind == "trifans")
          triangle(0, k - 1, k);
        else
          triangle(k % 2 == 0 ? k - 2 : k - 1, k % 2 == 0 ? k - 1 : k - 2, k);
    }
  }

  void add(std::span<const std::uint32_t> corners, MeshBuilder& out) {
    out.polygon(corners);
    polygons_ = true;
  }

  const MeshSource& source_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  Ids_of ids_;
  std::map<std::string, Positions> positions_;  // by the url of their <vertices>
  std::vector<Open> open_;
  std::size_t nodes_ = 0, total_ = 0;
  bool polygons_ = false;
};

}  // namespace

MeshBuilder read_collada(const MeshSource& source, const std::string& bytes, const MeshOptions& options) {
  Collada file(source, bytes);
  MeshOptions in_metres = options;
  in_metres.scale *= file.meter();
  MeshBuilder out(source, in_metres, options.up.value_or(file.up()));
  file.read(out);
  return out;
}

}  // namespace talus
