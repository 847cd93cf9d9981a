#include "engine/io/table.h"
#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <system_error>

namespace talus {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw ExportError(
      fmt::format("{} cannot be written: {}", file.string(), std::generic_category().message(errno ? errno : EIO)));
}

std::vector<std::string> rows_before(const std::filesystem::path& file, std::string_view header, std::uint64_t step) {
  std::vector<std::string> rows;
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != header)
    return rows;
  std::size_t step_column = 0;
  while (csv_column(header, step_column) != "step")
    ++step_column;
  while (std::getline(in, line) && !in.eof() && !line.empty() &&  // a row without an end is half a row
         std::strtoull(std::string(csv_column(line, step_column)).c_str(), nullptr, 10) < step)
    rows.push_back(line);
  return rows;
}

}  // namespace

std::string csv_field(std::string_view name) {
  std::string text(name);
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return fmt::format("\"{}\"", text);
}

std::string_view csv_column(std::string_view row, std::size_t n) {
  for (; n > 0; --n)
    row.remove_prefix(std::min(row.find(','), row.size() - 1) + 1);
  return row.substr(0, row.find(','));
}

std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::ranges::replace_if(
      plain,
      [](char c) {
        return !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-');
      },
      '_');
  return plain;
}

std::vector<std::string> plain_names(const std::vector<std::string>& names) {
  std::vector<std::string> plain;
  for (const std::string& name : names) {
    std::string own = plain_name(name);
    while (std::ranges::find(plain, own) != plain.end())
      own += '_';
    plain.push_back(std::move(own));
  }
  return plain;
}

Table::Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before) : file_(file) {
  if (keep_before > 0)
    kept_ = rows_before(file, header, keep_before);
  std::string text = fmt::format("{}\n", header);
  for (const std::string& line : kept_)
    text += line + '\n';
  write_file(file, text);
  size_ = text.size();
  errno = 0;
  out_.open(file, std::ios::binary | std::ios::app);
  if (!out_)
    fail(file);
}

void Table::row(std::string_view line) {
  errno = 0;
  out_ << line << '\n' << std::flush;
  if (!out_) {
    const int why = errno;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file_, ignored) && std::filesystem::file_size(file_, ignored) > size_)
      std::filesystem::resize_file(file_, size_, ignored);
    errno = why;
    fail(file_);
  }
  size_ += line.size() + 1;
}

}  // namespace talus
