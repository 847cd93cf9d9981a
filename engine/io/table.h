#pragma once
// Tables that grow by a row at a time, comma separated.
#include "engine/base/atomic_file.h"
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

// As a field of a table, where it may hold commas and quotes.
std::string csv_field(std::string_view name);

// PointColumn n of a row that has no quotes before it.
std::string_view csv_column(std::string_view row, std::size_t n);

// A name as part of a file's, or as a word: what is no letter, digit, '.' or '-' is '_'.
std::string plain_name(std::string_view name);

// Plain names of all of these, each with as many '_' at its end as tell it from those before it.
std::vector<std::string> plain_names(const std::vector<std::string>& names);

// A table with a header. One of its columns is "step": a run that goes on from keep_before takes over the rows of
// earlier steps that it finds in the file, and writes the others again. It begins in one go, and grows in its place, so
// that others can follow it and a run that was killed leaves what it had. Each row is flushed and checked: one that
// does not fit on the disk is taken back whole.
class Table {
public:
  Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before = 0);
  void row(std::string_view line);
  const std::vector<std::string>& kept() const { return kept_; }

private:
  std::filesystem::path file_;
  std::ofstream out_;
  std::vector<std::string> kept_;
  std::uintmax_t size_ = 0;  // bytes of whole rows
};

}  // namespace talus
