// Grains of VTK's XML files of PolyData (https://docs.vtk.org, "VTK XML Formats"): arrays as text, in base64, or behind
// the XML, as they are or compressed by zlib.
#include "engine/base/base64.h"
#include "engine/scene/grain_reader.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <zlib.h>

namespace talus::grain_files {

namespace {

struct VtkType {
  std::string_view name;
  std::size_t size;
  double (*read)(const char*);
};
template <class T> double read_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}
template <class T> constexpr VtkType vtk_type(std::string_view name) {
  return {name, sizeof(T), read_as<T>};
}
constexpr VtkType vtk_types[]{
    vtk_type<float>("Float32"),        vtk_type<double>("Float64"),       vtk_type<std::int8_t>("Int8"),
    vtk_type<std::uint8_t>("UInt8"),   vtk_type<std::int16_t>("Int16"),   vtk_type<std::uint16_t>("UInt16"),
    vtk_type<std::int32_t>("Int32"),   vtk_type<std::uint32_t>("UInt32"), vtk_type<std::int64_t>("Int64"),
    vtk_type<std::uint64_t>("UInt64"),
};

constexpr std::uint64_t zlib_most = 1032;  // bytes that come of one, at most

class Vtp {
public:
  Vtp(std::string_view bytes, Grains& grains) : bytes_(bytes), grains_(grains) {
    static_assert(std::endian::native == std::endian::little);
  }

  void read() {
    grains_.frame_of(1);
    parse();
    const pugi::xml_node root = document_.child("VTKFile"), data = root.child("PolyData");
    if (!data)
      grains_.fail("holds no PolyData, which is what VTK calls points");
    if (std::string_view(root.attribute("byte_order").as_string("LittleEndian")) != "LittleEndian")
      grains_.fail("is big endian, which is not read");
    head_size_ = std::string_view(root.attribute("header_type").as_string("UInt32")) == "UInt64" ? 8 : 4;
    if (const std::string_view compressor = root.attribute("compressor").as_string(); !compressor.empty()) {
      if (compressor != "vtkZLibDataCompressor")
        grains_.fail(fmt::format("is compressed by {}: allowed is vtkZLibDataCompressor or none", compressor));
      compressed_ = true;
    }
    if (data.child("Piece").next_sibling("Piece"))
      grains_.fail("has several pieces: allowed is one");
    read_piece(data.child("Piece"));
  }

private:
  struct Array {
    const VtkType* type;
    std::size_t components;
    std::string bytes;
    double at(std::size_t tuple, std::size_t component) const {
      return type->read(bytes.data() + (tuple * components + component) * type->size);
    }
  };

  // The appended section holds raw bytes, which an XML parser must not see.
  void parse() {
    std::string head(bytes_);
    if (const auto at = bytes_.find("<AppendedData"); at != bytes_.npos) {
      head = std::string(bytes_.substr(0, at)) + "</VTKFile>";
      const auto begin = bytes_.find('_', at);
      const std::string_view tag = bytes_.substr(at, begin - at);
      appended_ = begin == bytes_.npos ? std::string_view() : bytes_.substr(begin + 1);
      appended_raw_ = tag.find("\"base64\"") == tag.npos;
    }
    if (const auto parsed = document_.load_buffer(head.data(), head.size()); !parsed)
      grains_.fail(fmt::format("is no XML: {}, at byte {}", parsed.description(), parsed.offset));
  }

  void read_piece(const pugi::xml_node& piece) {
    const std::uint64_t count = grains_.whole(piece.attribute("NumberOfPoints").as_string("0"), {}, "NumberOfPoints");
    grains_.expect(count, 3 * sizeof(float), zlib_most * bytes_.size(), {});
    std::vector<std::optional<Target>> targets;
    const auto add = [&](const pugi::xml_node& node, std::string_view name) {
      const std::size_t components = components_of(node);
      std::vector<std::optional<Target>> own;
      for (std::size_t k = 0; k < components; ++k)
        own.push_back(components == 1 ? target_of(name) : target_of(name, k));
      if (std::ranges::none_of(own, [](const auto& target) { return target.has_value(); }))
        return;
      auto shared = std::make_shared<Array>(array(node, components, count));
      for (std::size_t k = 0; k < components; ++k)
        if (own[k]) {
          targets.push_back(own[k]);
          columns_.push_back({shared, k});
        }
    };
    add(piece.child("Points").child("DataArray"), "Points");
    for (const pugi::xml_node& node : piece.child("PointData").children("DataArray"))
      add(node, node.attribute("Name").as_string());
    grains_.columns(targets, {});
    for (std::uint64_t i = 0; i < count; ++i) {
      Grains::Row row{};
      for (std::size_t k = 0; k < columns_.size(); ++k)
        if (const std::optional<Target>& to = grains_.target(k))
          row[static_cast<std::size_t>(to->slot)] =
              columns_[k].array->at(i, columns_[k].component) * to->factor + to->offset;
      grains_.add(row, {});
    }
  }

  std::size_t components_of(const pugi::xml_node& node) const {
    constexpr std::uint64_t most = 64;
    const std::uint64_t components =
        grains_.whole(node.attribute("NumberOfComponents").as_string("1"), {}, "NumberOfComponents");
    if (components == 0 || components > most)
      fail(node, fmt::format("has {} components: allowed is 1 to {}", components, most));
    return components;
  }

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
    grains_.fail(fmt::format("its array \"{}\" {}", node.attribute("Name").as_string(), what));
  }

  Array array(const pugi::xml_node& node, std::size_t components, std::size_t count) const {
    const std::string_view type = node.attribute("type").as_string(), format = node.attribute("format").as_string();
    const VtkType* known = std::ranges::find(vtk_types, type, &VtkType::name);
    if (known == std::end(vtk_types))
      fail(node, fmt::format("is of type {}, which holds no numbers", type));
    Array array{known, components, {}};
    const std::uint64_t size = components * count * known->size;
    if (format == "ascii")
      array = numbers_of(node, components, count);
    else if (format == "binary")
      array.bytes = bytes_of(node, trimmed(node.text().as_string()), false, size);
    else if (format == "appended") {
      const std::uint64_t offset = grains_.whole(node.attribute("offset").as_string(), {}, "offset");
      if (offset > appended_.size())
        fail(node, "begins beyond the end of the file");
      array.bytes = bytes_of(node, appended_.substr(offset), appended_raw_, size);
    } else
      fail(node, fmt::format("has the format \"{}\": allowed are ascii, binary and appended", format));
    return array;
  }

  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
  }

  Array numbers_of(const pugi::xml_node& node, std::size_t components, std::size_t count) const {
    constexpr std::string_view blanks = " \t\r\n";
    Array array{&vtk_types[1], components, {}};
    std::size_t found = 0;
    const bool single = std::string_view(node.attribute("type").as_string()) == "Float32";
    for (std::string_view left = trimmed(node.text().as_string()); !left.empty(); ++found) {
      const std::string_view word = left.substr(0, left.find_first_of(blanks));
      const double value = grains_.number(
          word, {}, fmt::format("a number of the array \"{}\"", node.attribute("Name").as_string()), single);
      array.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      left.remove_prefix(word.size());
      left.remove_prefix(std::min(left.find_first_not_of(blanks), left.size()));
    }
    if (found != components * count)
      fail(node, fmt::format("has {} numbers in place of {}", found, components * count));
    return array;
  }

  // Takes bytes off a text in base64 or as they are. In base64, the head of what is compressed stands by itself.
  class Stream {
  public:
    Stream(std::string_view text, bool raw) : text_(text), raw_(raw) {}
    std::optional<std::string> take(std::uint64_t bytes) {
      const std::uint64_t length = raw_ ? bytes : (bytes + 2) / 3 * 4;
      if (bytes > text_.size() || length > text_.size())
        return {};
      const std::string_view piece = text_.substr(0, length);
      text_.remove_prefix(length);
      auto out = raw_ ? std::optional(std::string(piece)) : decode_base64(piece);
      return out && out->size() >= bytes ? std::optional(out->substr(0, bytes)) : std::nullopt;
    }
    std::optional<std::string> peek(std::uint64_t bytes) const { return Stream(*this).take(bytes); }

  private:
    std::string_view text_;
    bool raw_;
  };

  std::uint64_t head_at(const std::string& head, std::size_t n) const {
    return static_cast<std::uint64_t>(head_size_ == 8 ? read_head<std::uint64_t>(head, n)
                                                      : read_head<std::uint32_t>(head, n));
  }
  template <class T> static T read_head(const std::string& head, std::size_t n) {
    T value;
    std::memcpy(&value, head.data() + n * sizeof value, sizeof value);
    return value;
  }

  std::string bytes_of(const pugi::xml_node& node, std::string_view text, bool raw, std::uint64_t size) const {
    Stream stream(text, raw);
    const auto need = [&](std::optional<std::string> bytes) {
      if (!bytes)
        fail(node, "is damaged or cut short");
      return std::move(*bytes);
    };
    if (!compressed_) {
      std::string all = need(stream.take(head_size_ + size));
      if (head_at(all, 0) != size)
        fail(node, fmt::format("has {} bytes in place of {}", head_at(all, 0), size));
      return all.substr(head_size_);
    }
    const std::uint64_t blocks = head_at(need(stream.peek(head_size_)), 0);
    if (blocks > text.size())
      fail(node, "is damaged or cut short");
    const std::string head = need(stream.take((3 + blocks) * head_size_));
    const std::uint64_t block = head_at(head, 1), last = head_at(head, 2);
    std::uint64_t packed = 0;
    for (std::size_t b = 0; b < blocks; ++b)
      if (head_at(head, 3 + b) > text.size() || (packed += head_at(head, 3 + b)) > text.size())
        fail(node, "is damaged or cut short");
    const auto wrong_size = [&] { fail(node, fmt::format("does not hold the {} bytes of its points", size)); };
    if (size > zlib_most * packed)
      wrong_size();
    const std::string data = need(stream.take(packed));
    std::string out(size, '\0');
    std::uint64_t from = 0, to = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t in = head_at(head, 3 + b), whole = b + 1 == blocks && last > 0 ? last : block;
      if (whole > size - to)
        wrong_size();
      uLongf got = whole;
      if (uncompress(reinterpret_cast<Bytef*>(out.data() + to), &got,
                     reinterpret_cast<const Bytef*>(data.data() + from), in) != Z_OK ||
          got != whole)
        fail(node, "is damaged: zlib cannot read it");
      from += in;
      to += whole;
    }
    if (to != size)
      wrong_size();
    return out;
  }

  struct Column {
    std::shared_ptr<const Array> array;
    std::size_t component;
  };

  std::string_view bytes_, appended_;
  Grains& grains_;
  pugi::xml_document document_;
  std::vector<Column> columns_;
  std::size_t head_size_ = 4;
  bool compressed_ = false, appended_raw_ = true;
};

}  // namespace

void read_vtp(std::string_view bytes, Grains& grains) {
  Vtp(bytes, grains).read();
}

}  // namespace talus::grain_files
