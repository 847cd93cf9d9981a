#pragma once
// Files of VTK in XML, which ParaView opens.
#include "engine/io/points.h"
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

// A head in XML that describes arrays, and behind it their bytes in blocks compressed one by one by zlib. Each array
// begins with the number of blocks, the size of a whole one and of the last one (0: it is whole), and their compressed
// sizes.
class VtkXmlFile {
public:
  // A data set of one piece, each with its attributes. time: s, the field TimeValue.
  VtkXmlFile(std::string_view type, std::string_view attributes, std::string_view of_piece, double time);

  void open(std::string_view section) { text(fmt::format("<{}>\n", section)); }
  void close(std::string_view section) { text(fmt::format("</{}>\n", section)); }

  // values: of one tuple after another.
  template <class T> void array(std::string_view name, std::size_t components, const std::vector<T>& values) {
    add(type_name<T>(), name, components, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  void array(const PointColumn& c) {
    std::visit([&](const auto& values) { array(c.quantity->name, c.quantity->components(), values); }, c.values);
  }
  // Cells of so many corners each.
  void cells(std::string_view kind, int corners, const std::vector<std::int32_t>& connectivity);

  void write(const std::filesystem::path& file);  // throws ExportError

private:
  template <class T> static constexpr std::string_view type_name() {
    if constexpr (std::is_same_v<T, float>)
      return "Float32";
    else if constexpr (std::is_same_v<T, std::uint32_t>)
      return "UInt32";
    else
      return "Int32";
  }

  void text(std::string_view more) { head_.append(more); }
  void add(std::string_view type, std::string_view name, std::size_t components, std::string_view bytes);

  std::string type_;
  fmt::memory_buffer head_, data_;
};

}  // namespace talus
