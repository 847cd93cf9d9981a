// Grains of PLY files: the vertices, as text or binary in either order of bytes. Other elements are passed over.
#include "engine/scene/grain_reader.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace talus::grain_files {

namespace {

enum class PlyType : unsigned char { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
constexpr std::array<std::pair<std::string_view, PlyType>, 16> ply_types{{{"char", PlyType::int8},
                                                                          {"int8", PlyType::int8},
                                                                          {"uchar", PlyType::uint8},
                                                                          {"uint8", PlyType::uint8},
                                                                          {"short", PlyType::int16},
                                                                          {"int16", PlyType::int16},
                                                                          {"ushort", PlyType::uint16},
                                                                          {"uint16", PlyType::uint16},
                                                                          {"int", PlyType::int32},
                                                                          {"int32", PlyType::int32},
                                                                          {"uint", PlyType::uint32},
                                                                          {"uint32", PlyType::uint32},
                                                                          {"float", PlyType::float32},
                                                                          {"float32", PlyType::float32},
                                                                          {"double", PlyType::float64},
                                                                          {"float64", PlyType::float64}}};

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  std::optional<PlyType> length;  // of a list: the type of its number of values
};
struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

class Ply {
public:
  Ply(std::string_view bytes, Grains& grains) : lines_(bytes), left_(bytes), bytes_(bytes.size()), grains_(grains) {
    static_assert(std::endian::native == std::endian::little);
  }

  void read() {
    read_head();
    left_.remove_prefix(left_.size() - lines_.room());
    const auto vertices = std::ranges::find(elements_, "vertex", &PlyElement::name);
    if (vertices == elements_.end())
      grains_.fail("has no element \"vertex\"");
    std::vector<std::optional<Target>> targets;
    for (const PlyProperty& property : vertices->properties)
      targets.push_back(property.length ? std::nullopt : target_of(property.name));
    grains_.columns(std::move(targets), {});
    grains_.expect(vertices->count, 1, bytes_, {});
    for (auto element = elements_.begin(); element != vertices; ++element)
      for (std::uint64_t k = 0; k < element->count && (text_ || !element->properties.empty()); ++k)
        read_row(*element, nullptr);
    for (std::uint64_t k = 0; k < vertices->count; ++k) {
      Grains::Row row{};
      read_row(*vertices, &row);
      grains_.add(row, text_ ? Place{lines_.number()} : Place{});
    }
  }

private:
  enum class Order : unsigned char { little, big };

  PlyType type_of_name(std::string_view name) const {
    const auto found = std::ranges::find(ply_types, name, &std::pair<std::string_view, PlyType>::first);
    if (found == ply_types.end())
      grains_.fail({lines_.number()}, fmt::format("has the type \"{}\", which PLY does not have", name.substr(0, 40)));
    return found->second;
  }

  void read_head() {
    std::string_view line;
    if (!lines_.next(line) || line != "ply")
      grains_.fail("is no PLY file: it does not begin with \"ply\"");
    bool format = false;
    for (;;) {
      if (!lines_.next(line))
        grains_.fail("is cut short: its head has no \"end_header\"");
      split_words(line, words_);
      const auto is = [&](std::string_view word, std::size_t count) {
        return words_.size() >= count && words_[0] == word;
      };
      if (is("end_header", 1))
        break;
      if (is("format", 2)) {
        format = true;
        text_ = words_[1] == "ascii";
        order_ = words_[1] == "binary_big_endian" ? Order::big : Order::little;
        if (!text_ && order_ == Order::little && words_[1] != "binary_little_endian")
          grains_.fail({lines_.number()}, fmt::format("has the format {}: allowed are ascii, binary_little_endian and "
                                                      "binary_big_endian",
                                                      words_[1].substr(0, 40)));
      } else if (is("element", 3)) {
        elements_.push_back(
            {std::string(words_[1]), grains_.whole(words_[2], {lines_.number()}, "the number of elements"), {}});
      } else if (is("property", 3) && !elements_.empty()) {
        PlyProperty property;
        const bool list = words_[1] == "list";
        if (list && words_.size() < 5)
          grains_.fail({lines_.number()}, "is no property: a list has a type of its length, a type and a name");
        if (list)
          property.length = type_of_name(words_[2]);
        property.type = type_of_name(words_[list ? 3 : 1]);
        property.name = words_[list ? 4 : 2];
        elements_.back().properties.push_back(std::move(property));
      } else if (!words_.empty() && !is("comment", 1) && !is("obj_info", 1))
        grains_.fail({lines_.number()},
                     fmt::format("has a line \"{}\", which heads of PLY do not have", line.substr(0, 40)));
    }
    if (!format)
      grains_.fail("says no format in its head");
  }

  // An instance of an element; row: where the numbers of a grain go.
  void read_row(const PlyElement& element, Grains::Row* row) {
    if (text_) {
      std::string_view line;
      if (!lines_.next(line))
        grains_.fail(
            fmt::format("is cut short: it has not the {} of each element \"{}\"", element.count, element.name));
      split_words(line, words_);
      word_ = 0;
      start_of_line_ = line;
    }
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      const PlyProperty& property = element.properties[k];
      if (property.length) {
        const double length = value(*property.length, "the length of a list");
        if (!(length >= 0.0 && length <= static_cast<double>(bytes_)))
          grains_.fail(text_ ? Place{lines_.number()} : Place{}, "has a list of a length that is not possible");
        for (double n = 0; n < length; ++n)
          value(property.type, property.name);
      } else if (const std::optional<Target> to = row ? grains_.target(k) : std::nullopt) {
        // A text says a float32 by the decimal that is nearest to it.
        const bool exact = property.type == PlyType::float32 && to->offset == 0.0 && grains_.options().scale == 1.0;
        (*row)[static_cast<std::size_t>(to->slot)] =
            value(property.type, property.name, exact) * to->factor + to->offset;
      } else
        value(property.type, property.name);
    }
    if (text_ && word_ != words_.size())
      grains_.fail({lines_.number()}, fmt::format("has {} numbers in place of {}", words_.size(), word_));
  }

  double value(PlyType type, std::string_view name, bool exact = false) {
    if (text_) {
      if (word_ == words_.size())
        grains_.fail({lines_.number()}, fmt::format("has {} numbers, and none for {}", words_.size(), name));
      const std::string_view word = words_[word_++];
      return grains_.number(
          word, {lines_.number(), static_cast<std::uint64_t>(word.data() - start_of_line_.data()) + 1}, name, exact);
    }
    switch (type) {
    case PlyType::int8:
      return taken<std::int8_t>();
    case PlyType::uint8:
      return taken<std::uint8_t>();
    case PlyType::int16:
      return taken<std::int16_t>();
    case PlyType::uint16:
      return taken<std::uint16_t>();
    case PlyType::int32:
      return taken<std::int32_t>();
    case PlyType::uint32:
      return taken<std::uint32_t>();
    case PlyType::float32:
      return taken<float>();
    case PlyType::float64:
      break;
    }
    return taken<double>();
  }

  template <class T> T taken() {
    if (left_.size() < sizeof(T))
      grains_.fail("is damaged or cut short");
    std::array<char, sizeof(T)> bytes;
    std::copy_n(left_.data(), sizeof(T), bytes.begin());
    left_.remove_prefix(sizeof(T));
    if (order_ == Order::big)
      std::ranges::reverse(bytes);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  Lines lines_;            // of the head, and of all where it is text
  std::string_view left_;  // behind the head, of what is binary
  std::string_view start_of_line_;
  std::size_t bytes_, word_ = 0;
  Grains& grains_;
  bool text_ = false;
  Order order_ = Order::little;
  std::vector<std::string_view> words_;
  std::vector<PlyElement> elements_;
};

}  // namespace

void read_ply(std::string_view bytes, Grains& grains) {
  Ply(bytes, grains).read();
}

}  // namespace talus::grain_files
