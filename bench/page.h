#pragma once
// Pages that need nothing but a browser: tables that sort by a click, charts of page.js, pictures; all in one file.
#include "bench/results.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

std::string escaped(const std::string& text);  // as HTML

// A cell of a table, which is sorted by the value, or by the text where there is none.
struct Cell {
  std::string text;  // HTML
  std::optional<double> value;
  std::string kind = "text";  // CSS classes
};
Cell text_cell(const std::string& text);
Cell number_cell(double value);  // four digits, with k, M or G from 1e4 on; empty where it is none

struct Column {
  std::string key, title;
};
// name: its CSS class.
std::string table(const std::string& name, const std::vector<Column>& columns,
                  const std::vector<std::vector<Cell>>& rows);

// "data:TYPE;base64,..", so that a page holds the file itself.
std::string data_uri(std::string_view media_type, std::string_view bytes);

struct Page {
  std::string title, intro, content;  // HTML
  Json charts = Json::object();       // what page.js says
};
std::string page_of(const Page& page);

}  // namespace bench
