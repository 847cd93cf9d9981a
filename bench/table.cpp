#include "bench/table.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bench {
namespace {

std::string replaced(std::string text, char special, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(special, at)) != text.npos; at += by.size())
    text.replace(at, 1, by);
  return text;
}

}  // namespace

std::string csv(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::vector<std::string> out;
    for (const std::string& cell : cells)
      out.push_back(cell.find_first_of(",\"\n") == cell.npos ? cell : '"' + replaced(cell, '"', "\"\"") + '"');
    return fmt::format("{}\n", fmt::join(out, ","));
  };
  std::string out = line(table.columns);
  for (const auto& row : table.rows)
    out += line(row);
  return out;
}

std::string markdown(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells)
      out += ' ' + replaced(cell, '|', "\\|") + " |";
    return out + '\n';
  };
  std::string out = line(table.columns);
  out += line(std::vector<std::string>(table.columns.size(), "---"));
  for (const auto& row : table.rows)
    out += line(row);
  return out;
}

}  // namespace bench
