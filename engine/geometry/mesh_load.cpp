// Files are checked here before assimp reads them, and assimp sees no file but what is handed to it in memory: its
// readers trust counts, recurse as deep as a file says and open what a file names.
#include "engine/geometry/mesh.h"
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
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace talus {

namespace {

using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;  // name, content
namespace fs = std::filesystem;

constexpr std::size_t vertices_most = 3 * mesh_triangles_most;
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

class Source {
public:
  explicit Source(const fs::path& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw MeshError(fmt::format("{}: {}", file_.string(), what));
  }

  // The content of a file, this one or one that it names.
  std::string read(const fs::path& file) {
    auto refuse = [&](const std::string& why) {
      fail(file == file_ ? why : fmt::format("names {}, which {}", file.filename().string(), why));
    };
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status))
      refuse("does not exist");
    if (!fs::is_regular_file(status))
      refuse("is not a file");
    const std::uintmax_t size = fs::file_size(file, error);
    if (error)
      refuse("cannot be read: " + error.message());
    if (size == 0)
      refuse("is empty");
    if (size > left_)
      refuse(fmt::format("is too large: a mesh may have {} MiB", mesh_bytes_most >> 20));
    std::string bytes(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(size)))
      refuse("cannot be read");
    left_ -= size;
    return bytes;
  }

  void check_triangles(std::uint64_t count) const { check(count, mesh_triangles_most, "triangles"); }
  void check_vertices(std::uint64_t count) const { check(count, vertices_most, "vertices"); }

  const fs::path& file() const { return file_; }

private:
  void check(std::uint64_t count, std::uint64_t most, std::string_view what) const {
    if (count > most)
      fail(fmt::format("has {} {}; at most {} are taken", count, what, most));
  }

  const fs::path& file_;
  std::uintmax_t left_ = mesh_bytes_most;
};

// STL: the count of a binary file must be that of its bytes.
void check_stl(const Source& source, std::string_view bytes) {
  const bool counted = bytes.size() >= 84;
  const std::uint64_t count = counted ? little_endian<std::uint32_t>(bytes, 80) : 0;
  if (counted && bytes.size() == 84 + 50 * count) {
    if (count == 0)
      source.fail("has no triangles");
    source.check_triangles(count);
    return;
  }
  std::string_view start = bytes.substr(0, 1000);
  if (next_word(start) != "solid" || start.find('\0') != start.npos) {
    if (!counted)
      source.fail("is no STL: it neither starts with \"solid\" nor has the 84 bytes of a binary header");
    source.fail(
        fmt::format("is damaged or cut short: it says that it has {} triangles, which take {} bytes, and has {}", count,
                    84 + 50 * count, bytes.size()));
  }
  std::uint64_t facets = 0;
  for (auto at = bytes.find("endfacet"); at != bytes.npos; at = bytes.find("endfacet", at + 8))
    ++facets;
  source.check_triangles(facets);
  if (facets == 0)
    source.fail("has no triangles");
}

// OBJ: keeps the vertices and the faces, without texture coordinates and normals.
std::string filter_obj(const Source& source, std::string_view text, std::size_t& ignored) {
  std::string out;
  out.reserve(text.size() + 64);
  std::uint64_t vertices = 0, faces = 0, line_number = 0;
  std::string joined;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    ++line_number;
    auto continued = [&] {
      return line.find_last_not_of(blanks) != line.npos && line[line.find_last_not_of(blanks)] == '\\';
    };
    if (continued()) {
      joined.clear();
      for (; continued(); line = next_line(text), ++line_number)
        joined += line.substr(0, line.find_last_not_of(blanks));
      joined += line;
      line = joined;
    }
    const std::string_view key = next_word(line);
    ignored += key == "l" || key == "p";
    if (key != "v" && key != "f")
      continue;
    auto fail = [&](const std::string& what) { source.fail(fmt::format("line {}: {}", line_number, what)); };
    out += key;
    std::size_t words = 0;
    for (std::string_view word = next_word(line); !word.empty() && word[0] != '#'; word = next_word(line), ++words) {
      if (key == "f")
        word = word.substr(0, word.find('/'));
      if (key == "v" && words == 3)
        break;
      out += ' ';
      out += word;
      if (key == "v")
        continue;
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
      const auto known = static_cast<std::int64_t>(vertices);
      if (error != std::errc() || end != word.data() + word.size())
        fail(fmt::format("\"{}\" is no number of a vertex", word.substr(0, 40)));
      if (index == 0 || index < -known)
        fail(fmt::format("there is no vertex {}", index));
    }
    out += '\n';
    if (words < 3)
      fail(key == "v" ? "a vertex needs three coordinates" : "a face needs three vertices");
    ++(key == "v" ? vertices : faces);
    source.check_vertices(vertices);
    source.check_triangles(faces);
  }
  if (faces == 0)
    source.fail("has no triangles");
  return out + "# end of mesh\n";
}

// PLY: the header's counts must be those of the bytes that follow.
class Ply {
public:
  Ply(const Source& source, std::string_view bytes) : source_(source), rest_(bytes) {}

  void check() {
    read_header();
    for (const Element& e : elements_) {
      if (e.name == "vertex")
        source_.check_vertices(e.count);
      if (e.name == "face")
        source_.check_triangles(e.count);
      if (format_ == "ascii")
        take(e.count, std::max<std::size_t>(1, 2 * e.properties.size()) - (e.count > 0));
      else
        walk(e);
    }
  }

private:
  struct Property {
    std::size_t size = 0, count_size = 0;  // bytes; count_size of a list
    bool count_signed = false;
  };
  struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
  };

  std::size_t size_of(std::string_view type) const {
    static const std::map<std::string_view, std::size_t> sizes{
        {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
        {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
        {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    const auto found = sizes.find(type);
    if (found == sizes.end())
      source_.fail(fmt::format("is damaged: \"{}\" is no type of a PLY", type.substr(0, 40)));
    return found->second;
  }

  void read_header() {
    std::string_view line = next_line(rest_);
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
        format_ = next_word(line);
      } else if (key == "element") {
        const std::string_view name = next_word(line), count = next_word(line);
        Element& e = elements_.emplace_back();
        e.name = name;
        const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), e.count);
        if (error != std::errc() || end != count.data() + count.size() || e.count >> 32 != 0)
          source_.fail(fmt::format("is damaged: \"{}\" is no number of elements", count.substr(0, 40)));
      } else if (key == "property") {
        if (elements_.empty())
          source_.fail("is damaged: a property before any element");
        Property p;
        std::string_view type = next_word(line);
        if (type == "list") {
          type = next_word(line);
          p.count_size = size_of(type);
          p.count_signed = type[0] != 'u';
          if (type[0] == 'f' || type[0] == 'd')
            source_.fail("is damaged: the length of a list is no integer");
          type = next_word(line);
        }
        p.size = size_of(type);
        elements_.back().properties.push_back(p);
      }
    }
    if (format_ != "ascii" && format_ != "binary_little_endian" && format_ != "binary_big_endian")
      source_.fail(fmt::format("is damaged: \"{}\" is no format of a PLY", format_.substr(0, 40)));
    if (std::ranges::none_of(elements_, [](const Element& e) { return e.name == "face" || e.name == "tristrips"; }))
      source_.fail("has no triangles");
  }

  void take(std::uint64_t count, std::uint64_t size) {
    if (size > 0 && count > rest_.size() / size)
      source_.fail("is damaged or cut short: it ends before all elements of its header");
    if (format_ != "ascii")
      rest_.remove_prefix(count * size);
  }

  void walk(const Element& e) {
    if (std::ranges::none_of(e.properties, &Property::count_size)) {
      std::uint64_t size = 0;
      for (const Property& p : e.properties)
        size += p.size;
      take(e.count, size);
      return;
    }
    for (std::uint64_t i = 0; i < e.count; ++i)
      for (const Property& p : e.properties) {
        std::uint64_t count = 1;
        if (p.count_size > 0) {
          const std::string_view bytes = rest_.substr(0, p.count_size);
          take(1, p.count_size);
          count = 0;
          for (std::size_t k = 0; k < bytes.size(); ++k) {
            const auto byte = static_cast<unsigned char>(bytes[k]);
            count |= std::uint64_t(byte) << 8 * (format_ == "binary_big_endian" ? bytes.size() - 1 - k : k);
          }
          if (p.count_signed && count >> (8 * p.count_size - 1) != 0)
            source_.fail("is damaged: a list has less than no elements");
        }
        take(count, p.size);
      }
  }

  const Source& source_;
  std::string_view rest_, format_;
  std::vector<Element> elements_;
};

// glTF 2.0: a document of what a shape needs, with its buffers beside it.
class Gltf {
public:
  Gltf(Source& source, std::string bytes, bool binary) : source_(source) {
    std::string_view text = bytes;
    if (binary)
      text = unpack(bytes);
    std::size_t values = 0;
    in_ = Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > depth_most || ++values > json_values_most)
        source_.fail("is nested too deeply or has too many entries");
      return true;
    });
  }

  Files files() {
    const Json& asset = in_.at("asset");
    if (const std::string version = asset.at("version"); !version.starts_with("2."))
      source_.fail(fmt::format("is glTF {}; read is version 2", version.substr(0, 20)));
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
      source_.fail(fmt::format("is damaged: {} is no whole number", what));
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

  // The JSON of a GLB; its buffer goes to embedded_.
  std::string_view unpack(std::string_view bytes) {
    if (bytes.size() < 20 || !bytes.starts_with("glTF"))
      source_.fail("is no GLB: it does not start with \"glTF\" and a header");
    if (const auto version = little_endian<std::uint32_t>(bytes, 4); version != 2)
      source_.fail(fmt::format("is GLB version {}; read is version 2", version));
    auto chunk = [&](std::string_view at, std::string_view type) {
      const std::uint64_t size = at.size() < 8 ? 0 : little_endian<std::uint32_t>(at, 0);
      if (at.size() < 8 + size)
        source_.fail("is damaged or cut short: it ends too early");
      if (at.substr(4, 4) != type)
        source_.fail("is damaged: a chunk is of the wrong type");
      return at.substr(8, size);
    };
    const std::string_view json = chunk(bytes.substr(12), "JSON"), rest = bytes.substr(20 + json.size());
    if (!rest.empty()) {
      embedded_ = chunk(rest, std::string_view("BIN\0", 4));
      has_embedded_ = true;
    }
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
        if (const auto indices = p.find("indices"); indices != p.end())
          primitive["indices"] = accessor(*indices, false);
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

  // Copies an accessor with its view and buffer; its new number.
  std::size_t accessor(const Json& index, bool positions) {
    const Json& in = element("accessors", index);
    const auto [known, added] = accessor_of_.try_emplace(index.get<std::size_t>(), accessors_.size());
    const std::uint64_t type = whole(in.at("componentType"), "componentType"), count = whole(in.at("count"), "count");
    if (positions ? type != 5126 || in.at("type") != "VEC3"
                  : (type != 5121 && type != 5123 && type != 5125) || in.at("type") != "SCALAR")
      source_.fail(positions ? "has positions that are not three floats each"
                             : "has indices that are no unsigned integers");
    if (!added)
      return known->second;
    if (in.contains("sparse") || !in.contains("bufferView"))
      source_.fail("has sparse accessors or such without data, which are not read");
    if (count == 0 || count > vertices_most)
      source_.fail(fmt::format("has an accessor with {} elements; allowed are 1 to {}", count, vertices_most));
    const Json& view = element("bufferViews", in.at("bufferView"));
    const std::uint64_t size = positions      ? 12
                               : type == 5121 ? 1
                               : type == 5123 ? 2
                                              : 4,
                        stride = std::max(size, whole_or_zero(view, "byteStride")),
                        offset = whole_or_zero(in, "byteOffset"), view_offset = whole_or_zero(view, "byteOffset"),
                        length = whole(view.at("byteLength"), "byteLength");
    const auto [buffer, bytes] = this->buffer(view.at("buffer"));
    if (view_offset > bytes || length > bytes - view_offset || stride > 252 || offset > length ||
        (count - 1) * stride + size > length - offset)
      source_.fail("is damaged or cut short: an accessor reaches beyond its buffer");
    Json copy{{"buffer", buffer}, {"byteOffset", view_offset}, {"byteLength", length}};
    if (stride > size)
      copy["byteStride"] = stride;
    accessors_.push_back({{"bufferView", views_.size()},
                          {"byteOffset", offset},
                          {"componentType", type},
                          {"count", count},
                          {"type", in.at("type")}});
    views_.push_back(std::move(copy));
    return known->second;
  }

  // A buffer's new number and its size.
  std::pair<std::size_t, std::size_t> buffer(const Json& index) {
    const Json& in = element("buffers", index);
    const auto [known, added] = buffer_of_.try_emplace(index.get<std::size_t>(), buffers_.size());
    const std::string name = fmt::format("buffer{}.bin", known->second);
    if (added) {
      std::string bytes = content(in, index == 0);
      const std::uint64_t length = whole(in.at("byteLength"), "byteLength");
      if (bytes.size() < length)
        source_.fail(fmt::format("is damaged or cut short: a buffer of {} bytes has {}", length, bytes.size()));
      bytes.resize(length);
      buffers_.push_back({{"uri", name}, {"byteLength", length}});
      files_[name] = std::move(bytes);
    }
    return {known->second, files_.at(name).size()};
  }

  std::string content(const Json& buffer, bool first) {
    const auto uri = buffer.find("uri");
    if (uri == buffer.end()) {
      if (!first || !has_embedded_)
        source_.fail("is damaged: a buffer has no data");
      return std::move(embedded_);
    }
    const std::string text = *uri;
    if (text.starts_with("data:")) {
      const auto comma = text.find(";base64,");
      if (comma == text.npos)
        source_.fail("is damaged: a buffer's data is not in base64");
      return decode_base64(std::string_view(text).substr(comma + 8));
    }
    const fs::path name = decode_percent(text);
    if (name.empty() || name.is_absolute() || text.find(':') != text.npos || text.find('\\') != text.npos ||
        std::ranges::find(name, "..") != name.end())
      source_.fail(fmt::format("names the buffer {}, which is not in its folder", text.substr(0, 80)));
    return source_.read(source_.file().parent_path() / name);
  }

  std::string decode_base64(std::string_view text) const {
    static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::uint32_t, 256> value;
    value.fill(64);
    for (std::uint32_t d = 0; d < 64; ++d)
      value[static_cast<unsigned char>(digits[d])] = d;
    std::string out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text.substr(0, text.find('='))) {
      const std::uint32_t digit = value[static_cast<unsigned char>(c)];
      if (digit == 64)
        source_.fail("is damaged: a buffer's data is not in base64");
      bits = bits << 6 | digit;
      held += 6;
      if (held >= 8)
        out += static_cast<char>(bits >> (held -= 8));
    }
    return out;
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

  Source& source_;
  Json in_;
  Json roots_ = Json::array(), accessors_ = Json::array(), views_ = Json::array(), buffers_ = Json::array();
  std::map<std::size_t, std::size_t> accessor_of_, buffer_of_;
  std::string embedded_;
  bool has_embedded_ = false;
  Files files_;
};

// All that assimp can open.
class MemoryFiles : public Assimp::IOSystem {
public:
  explicit MemoryFiles(const Files& files) : files_(files) {}
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
  const Files& files_;
};

// The meshes of a scene as one, each placed where its nodes say.
class Merge {
public:
  Merge(const Source& source, const MeshOptions& options, UpAxis up) : source_(source) {
    const double s = options.scale;
    const glm::dmat3 to_z[] = {{{0, 0, s}, {s, 0, 0}, {0, s, 0}}, {{s, 0, 0}, {0, 0, s}, {0, -s, 0}}, glm::dmat3(s)};
    root_ = glm::dmat4(to_z[static_cast<int>(up)]);
  }

  Mesh take(const aiScene& scene) {
    std::vector<std::pair<const aiMesh*, glm::dmat4>> placed;
    std::vector<std::pair<const aiNode*, glm::dmat4>> open{{scene.mRootNode, root_}};
    std::uint64_t vertices = 0, faces = 0;
    while (!open.empty()) {
      const auto [node, above] = open.back();
      open.pop_back();
      if (!node)
        continue;
      const glm::dmat4 to_world = above * matrix(node->mTransformation);
      for (unsigned m = 0; m < node->mNumMeshes; ++m) {
        const aiMesh* mesh = scene.mMeshes[node->mMeshes[m]];
        placed.emplace_back(mesh, to_world);
        source_.check_vertices(vertices += mesh->mNumVertices);
        source_.check_triangles(faces += mesh->mNumFaces);
      }
      for (unsigned c = node->mNumChildren; c-- > 0;)
        open.emplace_back(node->mChildren[c], to_world);
    }
    for (const auto& [mesh, to_world] : placed)
      add(*mesh, to_world);
    return std::move(out_);
  }

  std::size_t ignored() const { return ignored_; }

private:
  static glm::dmat4 matrix(const aiMatrix4x4& m) {
    return {{m.a1, m.b1, m.c1, m.d1}, {m.a2, m.b2, m.c2, m.d2}, {m.a3, m.b3, m.c3, m.d3}, {m.a4, m.b4, m.c4, m.d4}};
  }

  void add(const aiMesh& mesh, const glm::dmat4& to_world) {
    const auto first = static_cast<std::uint32_t>(out_.vertices.size());
    const bool mirrored = glm::determinant(glm::dmat3(to_world)) < 0;
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D& p = mesh.mVertices[v];
      const glm::dvec3 at(p.x, p.y, p.z);  // what is not finite stays so under any matrix, for repair_mesh to refuse
      const bool finite = std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
      out_.vertices.emplace_back(finite ? glm::dvec3(to_world * glm::dvec4(at, 1)) : at);
    }
    std::vector<glm::dvec3> outline;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      outline.clear();
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= mesh.mNumVertices)
          source_.fail(
              fmt::format("is damaged: a face names vertex {}, and there are {}", face.mIndices[k], mesh.mNumVertices));
        outline.emplace_back(out_.vertices[first + face.mIndices[k]]);
      }
      if (outline.size() < 3) {
        ++ignored_;
        continue;
      }
      source_.check_triangles(out_.triangles.size() + outline.size() - 2);
      for (const glm::uvec3& t : triangulate(outline)) {
        const glm::uvec3 v(face.mIndices[t.x], face.mIndices[t.y], face.mIndices[t.z]);
        out_.triangles.push_back(first + (mirrored ? glm::uvec3(v.x, v.z, v.y) : v));
      }
    }
  }

  const Source& source_;
  glm::dmat4 root_;
  Mesh out_;
  std::size_t ignored_ = 0;  // points and lines
};

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

}  // namespace

LoadedMesh load_mesh(const fs::path& file, const MeshOptions& options) {
  Source source(file);
  if (!(options.scale > 0) || !std::isfinite(options.scale))
    source.fail(fmt::format("its scale must be above 0, not {}", options.scale));
  const std::string extension = lower(file.extension().string());
  const bool gltf = extension == ".gltf" || extension == ".glb";
  if (!gltf && extension != ".obj" && extension != ".stl" && extension != ".ply")
    source.fail("is of no kind that is read; its name must end in .obj, .stl, .ply, .gltf or .glb");

  Files files;
  const std::string name = "mesh" + (gltf ? ".gltf" : extension);
  std::string bytes = source.read(file);
  std::size_t ignored = 0;
  try {
    if (gltf) {
      files = Gltf(source, std::move(bytes), extension == ".glb").files();
    } else {
      if (extension == ".stl")
        check_stl(source, bytes);
      else if (extension == ".ply")
        Ply(source, bytes).check();
      else
        bytes = filter_obj(source, bytes, ignored);
      files[name] = std::move(bytes);
    }
  } catch (const Json::exception& e) {
    source.fail(fmt::format("is no valid glTF: {}", e.what()));
  }

  Mesh mesh;
  try {
    Assimp::Importer importer;
    keep_reader(importer, name.substr(5));
    importer.SetIOHandler(new MemoryFiles(files));  // the importer deletes it
    const aiScene* scene = importer.ReadFile(name, 0);
    if (!scene)
      source.fail(fmt::format("cannot be read as {}: {}", name.substr(5), importer.GetErrorString()));
    Merge merge(source, options, options.up.value_or(gltf ? UpAxis::y : UpAxis::z));
    mesh = merge.take(*scene);
    ignored += merge.ignored();
  } catch (const MeshError&) {
    throw;
  } catch (const std::exception& e) {
    source.fail(fmt::format("cannot be read: {}", e.what()));
  }
  files.clear();

  LoadedMesh loaded = repair_mesh(std::move(mesh), file.string(), options);
  if (ignored)
    loaded.repairs.insert(loaded.repairs.begin(), ignored == 1
                                                      ? "1 point or line was ignored"
                                                      : fmt::format("{} points and lines were ignored", ignored));
  return loaded;
}

}  // namespace talus
