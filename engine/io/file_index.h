#pragma once
// The table of files of one kind, of which there is one per time.
#include "engine/io/table.h"
#include "engine/io/writers.h"

namespace talus {

class FileIndex {
public:
  // DIR/table with the columns file, time, step and those that the header has besides; collect: also DIR/collection,
  // which has VTK's files in XML. keep_before: as that of Table.
  FileIndex(const std::filesystem::path& directory, std::string_view table, std::string_view collection,
            std::string_view header, std::uint64_t keep_before, bool collect);
  // rest: the columns behind file, time, step.
  void add(const std::string& file, double time, std::uint64_t step, const std::string& rest);
  std::size_t rows() const { return rows_; }

private:
  Table table_;
  std::filesystem::path collection_;
  bool collect_;
  std::size_t rows_ = 0;
  std::vector<CollectionEntry> entries_;
};

}  // namespace talus
