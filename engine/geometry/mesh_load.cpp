// OBJ, STL and PLY are read here, COLLADA in mesh_collada.cpp. glTF is checked here before assimp reads it, and assimp
// sees no file but what is handed to it in memory: its readers trust counts, recurse as deep as a file says and open
// what a file names.
#include "engine/base/base64.h"
#include "engine/base/read_double.h"
#include "engine/geometry/mesh_reader.h"
#include <algorithm>
#include <assimp/BaseImporter.h>
#include <assimp/Importer.hpp>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/importerdesc.h>
#include <assimp/scene.h>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace talus {

namespace {

using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;  // name, content
namespace fs = std::filesystem;

constexpr int depth_most = 200;  // of JSON and of a tree of nodes
constexpr std::size_t json_values_most = 2'000'000;
constexpr std::string_view blanks = " \t\r\f\v";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

// Takes the next word off the text; empty at its end.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

template <class T> T little_endian(std::string_view bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// A number of a text, which may have a plus sign.
std::optional<double> number_of(std::string_view word) {
  word.remove_prefix(word.starts_with('+'));
  double number = 0.0;
  const auto read = read_double(word.data(), word.data() + word.size(), number);
  return read.ec == std::errc() && read.ptr == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

// STL, read here: assimp's reader (5.2) loses memory on damaged files.
class Stl {
public:
  Stl(const MeshSource& source, std::string_view bytes) : source_(source), bytes_(bytes) {}

  // By how a file of so many bytes begins.
  void check(std::uintmax_t size) const {
    if (const std::optional<std::uint64_t> count = count_of(size))
      source_.check_triangles(*count);
  }

  void read(MeshBuilder& out) {
    out.start();
    if (const std::optional<std::uint64_t> count = count_of(bytes_.size()))
      return read_binary(*count, out);
    std::string_view start = bytes_.substr(0, 1000);
    if (next_word(start) == "solid" && start.find('\0') == start.npos)
      return read_text(out);
    if (bytes_.size() < header)
      source_.fail("is no STL: it neither starts with \"solid\" nor has the 84 bytes of a binary header");
    const std::uint64_t count = little_endian<std::uint32_t>(bytes_, 80);
    source_.fail(
        fmt::format("is damaged or cut short: it says that it has {} triangles, which take {} bytes, and has {}", count,
                    header + facet * count, bytes_.size()));
  }

private:
  static constexpr std::size_t header = 84, facet = 50;  // bytes; of a facet first the normal
  const MeshSource& source_;
  std::string_view bytes_;

  // The triangles of a binary file, whose header must agree with its size.
  std::optional<std::uint64_t> count_of(std::uintmax_t size) const {
    if (bytes_.size() < header)
      return {};
    const std::uint64_t count = little_endian<std::uint32_t>(bytes_, 80);
    return size == header + facet * count ? std::optional(count) : std::nullopt;
  }

  void read_binary(std::uint64_t count, MeshBuilder& out) const {
    if (count == 0)
      source_.fail("has no triangles");
    source_.check_triangles(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::size_t at = header + facet * i + 12, c = 0; c < 3; ++c, at += 12)
        out.vertex({little_endian<float>(bytes_, at), little_endian<float>(bytes_, at + 4),
                    little_endian<float>(bytes_, at + 8)});
      const std::array<std::uint32_t, 3> corners{3 * i, 3 * i + 1, 3 * i + 2};
      out.polygon(corners);
    }
  }

  void read_text(MeshBuilder& out) const {
    if (bytes_.find("endsolid") == bytes_.npos)
      source_.fail("is damaged or cut short: it has no \"endsolid\"");
    std::uint64_t facets = 0, line_number = 0;
    std::uint32_t vertices = 0;
    std::vector<std::uint32_t> corners;
    for (std::string_view rest = bytes_; !rest.empty();) {
      std::string_view line = next_line(rest);
      ++line_number;
      const auto fail = [&](const std::string& what) { source_.fail(fmt::format("line {}: {}", line_number, what)); };
      const std::string_view key = next_word(line);
      if (key == "vertex") {
        glm::dvec3 at(0.0);
        for (int a = 0; a < 3; ++a) {
          const std::string_view word = next_word(line);
          const auto number = number_of(word);
          if (!number)
            fail(word.empty() ? "a vertex needs three coordinates"
                              : fmt::format("\"{}\" is not a number", word.substr(0, 40)));
          at[a] = *number;
        }
        source_.check_vertices(++vertices);
        out.vertex(at);
        corners.push_back(vertices - 1);
      } else if (key == "endfacet") {
        source_.check_triangles(++facets);
        if (corners.size() != 3)
          fail(fmt::format("a facet has {} corners; it must have 3", corners.size()));
        out.polygon(corners);
        corners.clear();
      }
    }
    if (facets == 0)
      source_.fail("has no triangles");
  }
};

// OBJ: the vertices and the faces, without texture coordinates and normals. Read here, since assimp's reader (5.2)
// takes no number that begins with a point.
class Obj {
public:
  Obj(const MeshSource& source, std::string_view text) : source_(source), rest_(text) {}

  void read(MeshBuilder& out) {
    out.start();
    while (!rest_.empty())
      read_line(out);
    if (sizes_.empty())
      source_.fail("has no triangles");
    if (highest_ > vertices_)
      source_.fail(fmt::format("line {}: there is no vertex {}, but {}", highest_line_, highest_, vertices_));
    std::span<const std::uint32_t> corners(corners_);  // after all vertices, which may come later in the file
    for (const std::size_t size : sizes_) {
      out.polygon(corners.first(size));
      corners = corners.subspan(size);
    }
  }

private:
  const MeshSource& source_;
  std::string_view rest_;
  std::uint64_t line_number_ = 0, triangles_ = 0;
  std::int64_t vertices_ = 0, highest_ = 0;
  std::uint64_t highest_line_ = 0;
  std::vector<std::uint32_t> corners_;
  std::vector<std::size_t> sizes_;  // of the faces, in corners

  [[noreturn]] void fail(const std::string& what) const {
    source_.fail(fmt::format("line {}: {}", line_number_, what));
  }

  // A line may go on in the next one, and so on.
  static bool goes_on(std::string_view line) {
    const auto last = line.find_last_not_of(blanks);
    return last != line.npos && line[last] == '\\';
  }

  void read_line(MeshBuilder& out) {
    std::string_view line = next_line(rest_);
    ++line_number_;
    std::string joined;
    if (goes_on(line)) {
      for (; goes_on(line); line = next_line(rest_), ++line_number_)
        joined += line.substr(0, line.find_last_not_of(blanks));
      joined += line;
      line = joined;
    }
    const std::string_view key = next_word(line);
    if (key == "l" || key == "p")
      out.ignore(1);
    else if (key == "v")
      read_vertex(line, out);
    else if (key == "f")
      read_face(line);
  }

  void read_vertex(std::string_view line, MeshBuilder& out) {
    glm::dvec3 at(0.0);
    for (int a = 0; a < 3; ++a) {
      const std::string_view word = next_word(line);
      if (word.empty() || word[0] == '#')
        fail("a vertex needs three coordinates");
      const auto number = number_of(word);
      if (!number)
        fail(fmt::format("\"{}\" is not a number", word.substr(0, 40)));
      at[a] = *number;
    }
    source_.check_vertices(static_cast<std::uint64_t>(++vertices_));
    out.vertex(at);
  }

  void read_face(std::string_view line) {
    std::size_t corners = 0;
    for (std::string_view word = next_word(line); !word.empty() && word[0] != '#'; word = next_word(line), ++corners) {
      word = word.substr(0, word.find('/'));
      word.remove_prefix(word.starts_with('+'));
      std::int64_t index = 0;
      const char* const end = word.data() + word.size();
      if (const auto read = std::from_chars(word.data(), end, index); read.ec != std::errc() || read.ptr != end)
        fail(fmt::format("\"{}\" is not a vertex number", word.substr(0, 40)));
      if (index == 0 || index < -vertices_)  // negative: counted back from here
        fail(fmt::format("there is no vertex {}", index));
      const std::int64_t number = index > 0 ? index : vertices_ + 1 + index;
      if (number > highest_) {
        highest_ = number;
        highest_line_ = line_number_;
      }
      corners_.push_back(static_cast<std::uint32_t>(number - 1));
    }
    if (corners < 3)
      fail("a face needs three vertices");
    sizes_.push_back(corners);
    source_.check_triangles(triangles_ += corners - 2);
  }
};

// PLY, read here: on damaged files assimp's reader (5.2) crashes, takes gigabytes or does not end.
class Ply {
public:
  Ply(const MeshSource& source, std::string_view bytes) : source_(source), rest_(bytes) {}

  void read_header() {
    take_header();
    for (const Element& e : elements_)
      if (e.name == "vertex")
        source_.check_vertices(e.count);
      else if (e.name == "face")
        source_.check_triangles(e.count);
  }

  void read(MeshBuilder& out) {
    read_header();
    out.start();
    for (const std::string_view wanted : {"vertex", "face"}) {
      const auto at = std::ranges::find(elements_, wanted, &Element::name);
      if (at == elements_.end() || at->count == 0)
        source_.fail(wanted == "face" ? "has no triangles" : "has no vertices");
    }
    if (std::ranges::find(elements_, "face", &Element::name) < std::ranges::find(elements_, "vertex", &Element::name))
      source_.fail("has its faces before its vertices, which is not read");
    for (const Element& e : elements_)
      for (std::uint64_t i = 0; i < e.count && !e.properties.empty(); ++i)
        read(e, out);
  }

private:
  struct Type {
    std::size_t size;
    enum { whole, natural, real } kind;
  };
  struct Property {
    std::string name;
    Type type{};
    std::optional<Type> length;  // of a list
  };
  struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
  };

  Type type(std::string_view word) const {
    static const std::map<std::string_view, Type> types{
        {"char", {1, Type::whole}},    {"uchar", {1, Type::natural}},  {"int8", {1, Type::whole}},
        {"uint8", {1, Type::natural}}, {"short", {2, Type::whole}},    {"ushort", {2, Type::natural}},
        {"int16", {2, Type::whole}},   {"uint16", {2, Type::natural}}, {"int", {4, Type::whole}},
        {"uint", {4, Type::natural}},  {"int32", {4, Type::whole}},    {"uint32", {4, Type::natural}},
        {"float", {4, Type::real}},    {"float32", {4, Type::real}},   {"double", {8, Type::real}},
        {"float64", {8, Type::real}}};
    const auto found = types.find(word);
    if (found == types.end())
      source_.fail(fmt::format("is damaged: \"{}\" is not a PLY type", word.substr(0, 40)));
    return found->second;
  }

  void take_header() {
    std::string_view line = next_line(rest_), format;
    if (next_word(line) != "ply")
      source_.fail("is no PLY: it does not start with \"ply\"");
    for (;;) {
      if (rest_.empty())
        source_.fail("is damaged or cut short: its header has no end");
      line = next_line(rest_);
      const std::string_view key = next_word(line);
      if (key == "end_header")
        break;
      if (key == "format") {
        format = next_word(line);
      } else if (key == "element") {
        Element& e = elements_.emplace_back();
        e.name = next_word(line);
        const std::string_view count = next_word(line);
        const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), e.count);
        if (error != std::errc() || end != count.data() + count.size())
          source_.fail(fmt::format("is damaged: \"{}\" is not a number of elements", count.substr(0, 40)));
      } else if (key == "property") {
        if (elements_.empty())
          source_.fail("is damaged: a property before any element");
        Property& p = elements_.back().properties.emplace_back();
        std::string_view word = next_word(line);
        if (word == "list") {
          p.length = type(next_word(line));
          word = next_word(line);
        }
        p.type = type(word);
        p.name = next_word(line);
      }
    }
    ascii_ = format == "ascii";
    big_endian_ = format == "binary_big_endian";
    if (!ascii_ && !big_endian_ && format != "binary_little_endian")
      source_.fail(fmt::format("is damaged: \"{}\" is not a PLY format", format.substr(0, 40)));
  }

  double number(const Type& type) {
    if (ascii_) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
      double value = 0;
      const auto [end, error] = read_double(rest_.data(), rest_.data() + rest_.size(), value);
      if (rest_.empty())
        cut_short();
      if (error != std::errc())
        source_.fail(fmt::format("is damaged: \"{}\" is not a number",
                                 rest_.substr(0, rest_.find_first_of(" \t\r\n")).substr(0, 40)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return value;
    }
    if (rest_.size() < type.size)
      cut_short();
    std::array<char, 8> bytes{};
    std::copy_n(rest_.begin(), type.size, bytes.begin());
    rest_.remove_prefix(type.size);
    if (big_endian_)
      std::reverse(bytes.begin(), bytes.begin() + type.size);
    const auto bits = std::bit_cast<std::uint64_t>(bytes);
    if (type.kind == Type::real)
      return type.size == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
    const bool negative = type.kind == Type::whole && bits >> (8 * type.size - 1) != 0;
    return static_cast<double>(bits) - (negative ? std::ldexp(1.0, 8 * static_cast<int>(type.size)) : 0);
  }

  [[noreturn]] void cut_short() const {
    source_.fail("is damaged or cut short: it ends before all elements of its header");
  }

  std::uint32_t index(double value, const char* what) const {
    if (!(value >= 0 && value <= 4294967295.0) || value != std::floor(value))
      source_.fail(fmt::format("is damaged: {} is not a {}", value, what));
    return static_cast<std::uint32_t>(value);
  }

  void read(const Element& element, MeshBuilder& out) {
    glm::dvec3 at(0);
    for (const Property& p : element.properties) {
      if (!p.length) {
        const double value = number(p.type);
        if (p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z')
          at[p.name[0] - 'x'] = value;
        continue;
      }
      const bool corners = element.name == "face" && (p.name == "vertex_indices" || p.name == "vertex_index");
      corners_.clear();
      for (std::uint32_t n = index(number(*p.length), "length of a list"); n > 0; --n) {
        const double value = number(p.type);
        if (corners)
          corners_.push_back(index(value, "number of a vertex"));
      }
      if (corners)
        out.polygon(corners_);
    }
    if (element.name == "vertex")
      out.vertex(at);
  }

  const MeshSource& source_;
  std::string_view rest_;
  bool ascii_ = false, big_endian_ = false;
  std::vector<Element> elements_;
  std::vector<std::uint32_t> corners_;
};

// Counts what is in a JSON text without keeping any of it, and stops where that is too much. A callback of
// Json::parse() would do, but it looks through all of an array behind each of its objects.
class JsonSize : public nlohmann::json_sax<Json> {
public:
  bool exceeded() const { return exceeded_; }

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return count(); }
  bool start_object(std::size_t) override { return count(1); }
  bool start_array(std::size_t) override { return count(1); }
  bool end_object() override { return count(-1); }
  bool end_array() override { return count(-1); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
  bool exceeded_ = false;
  int depth_ = 0;
  std::size_t values_ = 0;

  bool count(int deeper = 0) {
    depth_ += deeper;
    exceeded_ = depth_ > depth_most || ++values_ > json_values_most;
    return !exceeded_;
  }
};

// glTF 2.0: a document of what a shape needs, with its buffers beside it.
class Gltf {
public:
  Gltf(MeshSource& source, std::string bytes, bool binary) : source_(source) {
    std::string_view text = bytes;
    if (binary) {
      bytes_ = std::move(bytes);
      text = unpack(bytes_);
    }
    JsonSize size;
    if (!Json::sax_parse(text, &size) && size.exceeded())
      source_.fail("is nested too deeply or has too many entries");
    in_ = Json::parse(text);
  }

  Files files() {
    const Json& asset = in_.at("asset");
    if (const std::string version = asset.at("version"); !version.starts_with("2."))
      source_.fail(fmt::format("is glTF {}; only version 2 is read", version.substr(0, 20)));
    for (const Json& name : list(in_, "extensionsRequired"))
      if (const std::string n = name; !n.starts_with("KHR_materials_") && !n.starts_with("KHR_texture_"))
        source_.fail(fmt::format("needs the extension {} of glTF, which is not read", n.substr(0, 60)));
    Json out{{"asset", {{"version", "2.0"}}}, {"scene", 0}};
    out["nodes"] = nodes();
    out["scenes"] = Json::array({{{"nodes", roots_}}});
    out["meshes"] = meshes();
    out["accessors"] = accessors_;
    out["bufferViews"] = views_;
    out["buffers"] = buffers_;
    files_["mesh.gltf"] = out.dump();
    return std::move(files_);
  }

private:
  static const Json& list(const Json& object, const char* key) {
    static const Json empty = Json::array();
    const auto found = object.find(key);
    return found == object.end() ? empty : *found;
  }

  std::uint64_t whole(const Json& value, const char* what) const {
    if (!value.is_number_unsigned())
      source_.fail(fmt::format("is damaged: {} is not a whole number", what));
    return value;
  }

  std::uint64_t whole_or_zero(const Json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? 0 : whole(*found, key);
  }

  const Json& element(const char* key, const Json& index) const {
    const std::uint64_t i = whole(index, key);
    const Json& elements = list(in_, key);
    if (!elements.is_array() || i >= elements.size())
      source_.fail(fmt::format("is damaged: it names number {} of its {} and has {}", i, key, elements.size()));
    return elements[i];
  }

  // The JSON of a GLB, whose buffer is embedded_.
  std::string_view unpack(std::string_view bytes) {
    if (bytes.size() < 20 || !bytes.starts_with("glTF"))
      source_.fail("is no GLB: it does not start with \"glTF\" and a header");
    if (const auto version = little_endian<std::uint32_t>(bytes, 4); version != 2)
      source_.fail(fmt::format("is GLB version {}; only version 2 is read", version));
    auto chunk = [&](std::string_view at, std::string_view type) {
      const std::uint64_t size = at.size() < 8 ? 0 : little_endian<std::uint32_t>(at, 0);
      if (at.size() < 8 + size)
        source_.fail("is damaged or cut short: it ends too early");
      if (at.substr(4, 4) != type)
        source_.fail("is damaged: a chunk is of the wrong type");
      return at.substr(8, size);
    };
    const std::string_view json = chunk(bytes.substr(12), "JSON"), rest = bytes.substr(20 + json.size());
    if (!rest.empty())
      embedded_ = chunk(rest, std::string_view("BIN\0", 4));
    return json;
  }

  Json nodes() {
    Json out = Json::array();
    const Json& in = list(in_, "nodes");
    std::vector<char> has_parent(in.size());
    for (const Json& n : in) {
      Json node = Json::object();
      for (const auto& [key, size] : {std::pair{"matrix", 16u}, {"translation", 3u}, {"rotation", 4u}, {"scale", 3u}})
        if (const auto found = n.find(key); found != n.end()) {
          if (!found->is_array() || found->size() != size || !std::ranges::all_of(*found, &Json::is_number))
            source_.fail(fmt::format("is damaged: {} is not made of {} numbers", key, size));
          node[key] = *found;
        }
      if (const auto mesh = n.find("mesh"); mesh != n.end()) {
        element("meshes", *mesh);
        node["mesh"] = *mesh;
      }
      const Json& children = list(n, "children");
      for (const Json& child : children) {
        element("nodes", child);
        if (std::exchange(has_parent[child.get<std::size_t>()], true))
          source_.fail(fmt::format("is damaged: node {} has two parents", child.get<std::size_t>()));
      }
      if (!children.empty())
        node["children"] = children;
      out.push_back(std::move(node));
    }
    if (!list(in_, "scenes").empty()) {
      const auto scene = in_.find("scene");
      roots_ = list(element("scenes", scene == in_.end() ? Json(0u) : *scene), "nodes");
    } else
      for (std::size_t n = 0; n < in.size(); ++n)
        if (!has_parent[n])
          roots_.push_back(n);
    check_depth(out, has_parent);
    return out;
  }

  void check_depth(const Json& nodes, const std::vector<char>& has_parent) const {
    std::vector<std::pair<std::size_t, int>> open;
    for (const Json& root : roots_) {
      element("nodes", root);
      open.emplace_back(root.get<std::size_t>(), 1);
      if (has_parent[open.back().first])
        source_.fail(fmt::format("is damaged: node {} of the scene has a parent", open.back().first));
    }
    while (!open.empty()) {
      const auto [node, depth] = open.back();
      open.pop_back();
      if (depth > depth_most)
        source_.fail(fmt::format("has nodes nested deeper than {}", depth_most));
      for (const Json& child : list(nodes[node], "children"))
        open.emplace_back(child.get<std::size_t>(), depth + 1);
    }
  }

  Json meshes() {
    Json out = Json::array();
    for (const Json& m : list(in_, "meshes")) {
      Json primitives = Json::array();
      for (const Json& p : m.at("primitives")) {
        const auto position = p.at("attributes").find("POSITION");
        if (position == p.at("attributes").end())
          continue;
        Json primitive{{"attributes", {{"POSITION", accessor(*position, true)}}}};
        if (const auto indices = p.find("indices"); indices != p.end()) {
          const std::size_t n = accessor(*indices, false);
          check_indices(n, accessors_[primitive["attributes"]["POSITION"].get<std::size_t>()]["count"]);
          primitive["indices"] = n;
        }
        if (const auto mode = p.find("mode"); mode != p.end()) {
          if (whole(*mode, "mode") > 6)
            source_.fail("is damaged: a mode of primitives is none of 0 to 6");
          primitive["mode"] = *mode;
        }
        primitives.push_back(std::move(primitive));
      }
      out.push_back({{"primitives", std::move(primitives)}});
    }
    return out;
  }

  // Bytes of an index by the componentType of its accessor, an unsigned integer of 8, 16 or 32 bits.
  static std::uint64_t index_bytes(std::uint64_t type) { return type == 5121 ? 1 : type == 5123 ? 2 : 4; }

  // Copies what an accessor reaches to a buffer of its own; its new number.
  std::size_t accessor(const Json& index, bool positions) {
    const Json& in = element("accessors", index);
    const std::uint64_t type = whole(in.at("componentType"), "componentType"), count = whole(in.at("count"), "count");
    if (positions ? type != 5126 || in.at("type") != "VEC3"
                  : (type != 5121 && type != 5123 && type != 5125) || in.at("type") != "SCALAR")
      source_.fail(positions ? "has positions that are not three floats each"
                             : "has indices that are not unsigned integers");
    const auto [known, added] = accessor_of_.try_emplace(index.get<std::size_t>(), accessors_.size());
    const std::size_t n = known->second;
    if (!added)
      return n;
    if (in.contains("sparse") || !in.contains("bufferView"))
      source_.fail("has sparse accessors or such without data, which are not read");
    if (count == 0 || count > mesh_vertices_most)
      source_.fail(
          fmt::format("has an accessor with {} elements; the number must be 1 to {}", count, mesh_vertices_most));
    const Json& view = element("bufferViews", in.at("bufferView"));
    const std::uint64_t size = positions ? 12 : index_bytes(type),
                        stride = std::max(size, whole_or_zero(view, "byteStride")),
                        offset = whole_or_zero(in, "byteOffset"), view_offset = whole_or_zero(view, "byteOffset"),
                        length = whole(view.at("byteLength"), "byteLength"), reach = (count - 1) * stride + size;
    const std::string_view bytes = content(view.at("buffer"));
    if (stride > 252 || view_offset > bytes.size() || length > bytes.size() - view_offset || offset > length ||
        reach > length - offset)
      source_.fail("is damaged or cut short: an accessor reaches beyond its buffer");
    const std::string name = fmt::format("buffer{}.bin", n);
    files_[name] = bytes.substr(view_offset + offset, reach);
    buffers_.push_back({{"uri", name}, {"byteLength", reach}});
    Json& own_view = views_.emplace_back(Json{{"buffer", n}, {"byteLength", reach}});
    if (stride > size)
      own_view["byteStride"] = stride;
    accessors_.push_back({{"bufferView", n}, {"componentType", type}, {"count", count}, {"type", in.at("type")}});
    return n;
  }

  // assimp takes indices beyond the vertices of lines and reads where nothing is.
  void check_indices(std::size_t accessor, std::uint64_t vertices) const {
    const std::uint64_t type = accessors_[accessor]["componentType"], count = accessors_[accessor]["count"];
    const std::size_t size = index_bytes(type), stride = views_[accessor].value("byteStride", size);
    const std::string_view bytes = files_.at(fmt::format("buffer{}.bin", accessor));
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::size_t at = k * stride;
      const std::uint64_t vertex = size == 1   ? little_endian<std::uint8_t>(bytes, at)
                                   : size == 2 ? little_endian<std::uint16_t>(bytes, at)
                                               : little_endian<std::uint32_t>(bytes, at);
      if (vertex >= vertices)
        source_.fail(fmt::format("is damaged: a face names vertex {}, and there are {}", vertex, vertices));
    }
  }

  std::string_view content(const Json& index) {
    const Json& buffer = element("buffers", index);
    const std::uint64_t length = whole(buffer.at("byteLength"), "byteLength");
    const auto uri = buffer.find("uri");
    std::string_view bytes = embedded_;
    if (uri != buffer.end()) {
      const auto [known, added] = read_.try_emplace(index.get<std::size_t>());
      if (added)
        known->second = read(*uri);
      bytes = known->second;
    } else if (index != 0 || !embedded_.data())
      source_.fail("is damaged: a buffer has no data");
    if (bytes.size() < length)
      source_.fail(fmt::format("is damaged or cut short: a buffer of {} bytes has {}", length, bytes.size()));
    return bytes.substr(0, length);
  }

  std::string read(const std::string& uri) {
    if (uri.starts_with("data:")) {
      const auto comma = uri.find(";base64,");
      if (comma == uri.npos)
        source_.fail("is damaged: a buffer's data is not in base64");
      auto bytes = decode_base64(std::string_view(uri).substr(comma + 8));
      if (!bytes)
        source_.fail("is damaged: a buffer's data is not in base64");
      return std::move(*bytes);
    }
    const fs::path name = decode_percent(uri);
    if (name.empty() || name.is_absolute() || uri.find(':') != uri.npos || uri.find('\\') != uri.npos ||
        std::ranges::find(name, "..") != name.end())
      source_.fail(fmt::format("names the buffer {}, which is not in its folder", uri.substr(0, 80)));
    return source_.read(source_.file().parent_path() / name);
  }

  std::string decode_percent(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      unsigned char c = 0;
      const char* digits = text.data() + i + 1;
      if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, c, 16).ptr == digits + 2) {
        out += static_cast<char>(c);
        i += 2;
      } else
        out += text[i];
    }
    if (out.find('\0') != out.npos)
      source_.fail("is damaged: it names a buffer with a zero byte");
    return out;
  }

  MeshSource& source_;
  Json in_;
  Json roots_ = Json::array(), accessors_ = Json::array(), views_ = Json::array(), buffers_ = Json::array();
  std::string bytes_;          // of a GLB
  std::string_view embedded_;  // its buffer
  std::map<std::size_t, std::string> read_;
  std::map<std::size_t, std::size_t> accessor_of_;
  Files files_;
};

// All that assimp can open.
class MemoryFiles : public Assimp::IOSystem {
public:
  explicit MemoryFiles(Files files) : files_(std::move(files)) {}
  bool Exists(const char* file) const override { return find(file) != nullptr; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* file, const char*) override {
    const std::string* content = find(file);
    return content ? new Assimp::MemoryIOStream(reinterpret_cast<const std::uint8_t*>(content->data()), content->size())
                   : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

private:
  const std::string* find(std::string_view file) const {
    const auto found = files_.find(std::string(file.substr(file.find_last_of("/\\") + 1)));
    return found == files_.end() ? nullptr : &found->second;
  }
  Files files_;
};

// All meshes of a scene.
void add(const aiScene& scene, const MeshSource& source, MeshBuilder& out) {
  auto matrix = [](const aiMatrix4x4& m) {
    return glm::dmat4(m.a1, m.b1, m.c1, m.d1, m.a2, m.b2, m.c2, m.d2, m.a3, m.b3, m.c3, m.d3, m.a4, m.b4, m.c4, m.d4);
  };
  std::vector<std::pair<const aiMesh*, glm::dmat4>> placed;
  std::vector<std::pair<const aiNode*, glm::dmat4>> open{{scene.mRootNode, glm::dmat4(1)}};
  std::uint64_t vertices = 0, faces = 0;
  while (!open.empty()) {
    const auto [node, above] = open.back();
    open.pop_back();
    if (!node)
      continue;
    const glm::dmat4 to_file = above * matrix(node->mTransformation);
    for (unsigned m = 0; m < node->mNumMeshes; ++m) {
      const aiMesh* mesh = scene.mMeshes[node->mMeshes[m]];
      placed.emplace_back(mesh, to_file);
      source.check_vertices(vertices += mesh->mNumVertices);
      source.check_triangles(faces += mesh->mNumFaces);
    }
    for (unsigned c = node->mNumChildren; c-- > 0;)
      open.emplace_back(node->mChildren[c], to_file);
  }
  for (const auto& [mesh, to_file] : placed) {
    out.start(to_file);
    for (unsigned v = 0; v < mesh->mNumVertices; ++v)
      out.vertex({mesh->mVertices[v].x, mesh->mVertices[v].y, mesh->mVertices[v].z});
    for (unsigned f = 0; f < mesh->mNumFaces; ++f)
      out.polygon({mesh->mFaces[f].mIndices, mesh->mFaces[f].mNumIndices});
  }
}

// Leaves assimp the reader of one extension, so that no other one tries its luck with the content.
void keep_reader(Assimp::Importer& importer, const std::string& extension) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    Assimp::BaseImporter* reader = importer.GetImporter(i);
    const aiImporterDesc* about = importer.GetImporterInfo(i);
    const bool wanted =
        about && (" " + std::string(about->mFileExtensions) + " ").find(" " + extension + " ") != std::string::npos &&
        std::string_view(about->mName).find("glTF Importer") == std::string_view::npos;
    if (!wanted) {
      importer.UnregisterLoader(reader);
      delete reader;
    }
  }
}

void read_with_assimp(const MeshSource& source, Files files, MeshBuilder& out) {
  // assimp turns every exception into a text, that of a lack of memory too.
  const auto no_memory = [](std::string_view why) {
    return why.find("bad_alloc") != why.npos || why.find("allocat") != why.npos;
  };
  try {
    Assimp::Importer importer;
    keep_reader(importer, "gltf");
    importer.SetIOHandler(new MemoryFiles(std::move(files)));  // the importer deletes it
    const aiScene* scene = importer.ReadFile("mesh.gltf", 0);
    if (!scene && no_memory(importer.GetErrorString()))
      throw std::bad_alloc();
    if (!scene)
      source.fail(fmt::format("cannot be read as glTF: {}", importer.GetErrorString()));
    add(*scene, source, out);
  } catch (const MeshError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    if (no_memory(e.what()))
      throw std::bad_alloc();
    source.fail(fmt::format("cannot be read: {}", e.what()));
  }
}

}  // namespace

LoadedMesh load_mesh(const fs::path& file, const MeshOptions& options) {
  MeshSource source(file);
  if (!(options.scale > 0) || !std::isfinite(options.scale))
    source.fail(fmt::format("its scale must be above 0, not {}", options.scale));
  const std::string extension = lower(file.extension().string());
  const bool gltf = extension == ".gltf" || extension == ".glb";
  if (!gltf && extension != ".obj" && extension != ".stl" && extension != ".ply" && extension != ".dae")
    source.fail("is of no kind that is read; its name must end in .obj, .stl, .ply, .gltf, .glb or .dae");

  MeshBuilder builder(source, options, options.up.value_or(gltf ? UpAxis::y : UpAxis::z));
  std::string bytes = source.read(file, [&](std::string_view begin, std::uintmax_t size) {
    if (extension == ".stl")
      Stl(source, begin).check(size);
    else if (extension == ".ply" && begin.find("end_header\n") != begin.npos)
      Ply(source, begin).read_header();
  });
  if (extension == ".dae")
    builder = read_collada(source, bytes, options);
  else if (extension == ".ply")
    Ply(source, bytes).read(builder);
  else if (extension == ".stl")
    Stl(source, bytes).read(builder);
  else if (extension == ".obj")
    Obj(source, bytes).read(builder);
  else {
    Files files;
    try {
      files = Gltf(source, std::move(bytes), extension == ".glb").files();
    } catch (const Json::exception& e) {
      source.fail(fmt::format("is not valid glTF: {}", e.what()));
    }
    read_with_assimp(source, std::move(files), builder);
  }
  LoadedMesh loaded = repair_mesh(builder.take(), file.string(), options);
  if (const std::size_t ignored = builder.ignored())
    loaded.repairs.insert(loaded.repairs.begin(), ignored == 1
                                                      ? "1 point or line was ignored"
                                                      : fmt::format("{} points and lines were ignored", ignored));
  return loaded;
}

}  // namespace talus
