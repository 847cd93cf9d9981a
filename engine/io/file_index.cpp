#include "engine/io/file_index.h"
#include <fmt/format.h>

namespace talus {

FileIndex::FileIndex(const std::filesystem::path& directory, std::string_view table, std::string_view collection,
                     std::string_view header, std::uint64_t keep_before, bool collect)
    : table_(directory / table, header, keep_before), collection_(directory / collection), collect_(collect),
      rows_(table_.kept().size()) {
  for (const std::string& row : table_.kept())
    if (std::string file(csv_column(row, 0)); file.ends_with(".vtp") || file.ends_with(".vti"))
      entries_.push_back({std::string(csv_column(row, 1)), std::move(file)});
}

void FileIndex::add(const std::string& file, double time, std::uint64_t step, const std::string& rest) {
  table_.row(fmt::format("{},{},{},{}", file, time, step, rest));
  ++rows_;
  if (!collect_)
    return;
  entries_.push_back({fmt::format("{}", time), file});
  write_pvd(collection_, entries_);
}

}  // namespace talus
