#include "bench/page.h"
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace bench {

namespace page {
std::string_view find_text(std::string_view name);
}

namespace {

// Every place where the mark stands.
void put(std::string& page, std::string_view mark, std::string_view text) {
  for (std::size_t at = 0; (at = page.find(mark, at)) != page.npos; at += text.size())
    page.replace(at, mark.size(), text);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

Cell text_cell(const std::string& text) {
  return {escaped(text), {}, "text"};
}

Cell number_cell(double value) {
  if (!std::isfinite(value))
    return {"", {}, ""};
  const double size = std::abs(value);
  for (const auto& [unit, factor] : {std::pair{"G", 1e9}, {"M", 1e6}, {"k", 1e3}})
    if (size >= 1e4 && size >= factor)
      return {fmt::format("{:.4g} {}", value / factor, unit), value, ""};
  return {fmt::format("{:.4g}", value), value, ""};
}

std::string table(const std::string& name, const std::vector<Column>& columns,
                  const std::vector<std::vector<Cell>>& rows) {
  std::string out = fmt::format("<div class=\"table\"><table class=\"{}\"><thead><tr>", name);
  for (std::size_t k = 0; k < columns.size(); ++k)
    out += fmt::format("<th data-key=\"{}\" class=\"{}\">{}</th>", columns[k].key,
                       !rows.empty() && rows[0][k].kind.starts_with("text") ? "text" : "", columns[k].title);
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : rows) {
    out += "<tr>";
    for (const Cell& cell : row)
      out += fmt::format("<td class=\"{}\"{}>{}</td>", cell.kind,
                         cell.value ? fmt::format(" data-value=\"{:.9g}\"", *cell.value) : "", cell.text);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string data_uri(std::string_view media_type, std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = fmt::format("data:{};base64,", media_type);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += at + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63u];
  }
  return out;
}

std::string page_of(const Page& given) {
  std::string data = given.charts.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = data.find("</", at)) != data.npos; at += 3)
    data.replace(at, 2, "<\\/");  // nothing in it ends the script that it stands in
  std::string page(page::find_text("page.html"));
  put(page, "@TITLE@", given.title);
  put(page, "@INTRO@", given.intro);
  put(page, "@STYLE@", page::find_text("page.css"));
  put(page, "@DATA@", data);
  put(page, "@SCRIPT@", page::find_text("page.js"));
  put(page, "@CONTENT@", given.content);
  return page;
}

}  // namespace bench
