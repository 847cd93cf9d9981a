#include "engine/io/vtk_xml.h"
#include "engine/base/atomic_file.h"
#include <bit>
#include <zlib.h>

namespace talus {

VtkXmlFile::VtkXmlFile(std::string_view type, std::string_view attributes, std::string_view of_piece, double time)
    : type_(type) {
  static_assert(std::endian::native == std::endian::little);
  text(fmt::format("<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                   "compressor=\"vtkZLibDataCompressor\">\n<{0}{1}{2}>\n",
                   type_, attributes.empty() ? "" : " ", attributes));
  text(fmt::format("<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                   "format=\"ascii\">{}</DataArray>\n</FieldData>\n",
                   time));
  text(fmt::format("<Piece {}>\n", of_piece));
}

void VtkXmlFile::cells(std::string_view kind, int corners, const std::vector<std::int32_t>& connectivity) {
  std::vector<std::int32_t> offsets(connectivity.size() / static_cast<std::size_t>(corners));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int32_t>(i + 1) * corners;
  open(kind);
  array("connectivity", 1, connectivity);
  array("offsets", 1, offsets);
  close(kind);
}

void VtkXmlFile::write(const std::filesystem::path& file) {
  text(fmt::format("</Piece>\n</{}>\n<AppendedData encoding=\"raw\">\n_", type_));
  head_.append(data_);
  text("\n</AppendedData>\n</VTKFile>\n");
  write_file(file, {head_.data(), head_.size()});
}

void VtkXmlFile::add(std::string_view type, std::string_view name, std::size_t components, std::string_view bytes) {
  text(fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
                   "offset=\"{}\"/>\n",
                   type, name, components, data_.size()));
  constexpr std::uint64_t block = 1 << 18;
  std::vector<std::uint64_t> sizes{(bytes.size() + block - 1) / block, block, bytes.size() % block};
  fmt::memory_buffer packed;
  std::vector<Bytef> room(compressBound(block));
  for (std::string_view left = bytes; !left.empty();) {
    const std::string_view piece = left.substr(0, block);
    left.remove_prefix(piece.size());
    uLongf size = room.size();
    // Of 100,000 grains, level 6 takes twice as long as the first (0.20 and 0.10 s) and saves 0.4 %.
    compress2(room.data(), &size, reinterpret_cast<const Bytef*>(piece.data()), piece.size(), Z_BEST_SPEED);
    sizes.push_back(size);
    packed.append(room.data(), room.data() + size);
  }
  const char* head = reinterpret_cast<const char*>(sizes.data());
  data_.append(head, head + sizes.size() * sizeof(sizes[0]));
  data_.append(packed);
}

}  // namespace talus
