#pragma once
#include <string>
#include <vector>

namespace bench {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string csv(const Table& table);
std::string markdown(const Table& table);

}  // namespace bench
