// Grains of csv and extended xyz.
#include "engine/scene/grain_reader.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::grain_files {

namespace {

// The fields of a row, without the quotes around them.
void split_csv(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with('"')) {
      fields.push_back(line.substr(1, line.find('"', 1) - 1));
      line.remove_prefix(std::min(fields.back().size() + 2, line.size()));
    } else {
      fields.push_back(line.substr(0, line.find(',')));
      fields.back().remove_suffix(fields.back().size() - (fields.back().find_last_not_of(" \t") + 1));
    }
    const std::size_t comma = line.find(',');
    if (comma == line.npos)
      return;
    line.remove_prefix(comma + 1);
  }
}

// The value of KEY=value, KEY="values" or KEY={values} in the second line of a frame of extended xyz.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key, Place& at) {
  std::string_view left = line;
  const auto column = [&] { return static_cast<std::uint64_t>(left.data() - line.data()) + 1; };
  for (;;) {
    left.remove_prefix(std::min(left.find_first_not_of(" \t"), left.size()));
    if (left.empty())
      return {};
    const std::size_t name_end = left.find_first_of("= \t");
    const std::string_view name = left.substr(0, name_end);
    left.remove_prefix(name.size());
    if (!left.starts_with('='))
      continue;  // a word that says yes
    left.remove_prefix(1);
    const char quote = left.empty() ? ' ' : left.front();
    std::string_view value;
    if (quote == '"' || quote == '\'' || quote == '{') {
      left.remove_prefix(1);
      value = left.substr(0, left.find(quote == '{' ? '}' : quote));
    } else
      value = left.substr(0, left.find_first_of(" \t"));
    if (name == key) {
      at.column = column();
      return value;
    }
    left.remove_prefix(std::min(value.size() + 1, left.size()));
  }
}

// Properties=species:S:1:pos:R:3:radius:R:1
void read_properties(std::string_view properties, Place at, Grains& grains) {
  std::vector<std::string_view> parts;
  for (std::string_view left = properties;;) {
    parts.push_back(left.substr(0, left.find(':')));
    if (parts.back().size() == left.size())
      break;
    left.remove_prefix(parts.back().size() + 1);
  }
  constexpr std::uint64_t columns_most = 1000;
  std::vector<std::optional<Target>> targets;
  std::optional<std::size_t> species;
  for (std::size_t p = 0; p < parts.size(); p += 3) {
    if (p + 2 >= parts.size())
      grains.fail(at, "Properties must consist of NAME:TYPE:COLUMNS");
    const std::uint64_t count = grains.whole(parts[p + 2], at, "the number of columns of a property");
    if (count == 0 || targets.size() + count > columns_most)
      grains.fail(at, fmt::format("Properties has {} columns: allowed is {}", targets.size() + count, columns_most));
    if (parts[p] == "species" && count == 1)
      species = targets.size();
    for (std::size_t k = 0; k < count; ++k)
      targets.push_back(count == 1 ? target_of(parts[p]) : target_of(parts[p], k));
  }
  grains.columns(std::move(targets), at);
  if (species)
    grains.names_types(*species);
}

void read_cell(std::string_view line, Place at, Grains& grains) {
  std::vector<std::string_view> words;
  const auto numbers = [&](std::string_view key, std::size_t count) {
    std::vector<double> values;
    Place of_key = at;
    if (const auto text = value_of(line, key, of_key)) {
      split_words(*text, words);
      if (words.size() != count)
        grains.fail(of_key, fmt::format("{} must have {} values", key, count));
      for (const std::string_view word : words)
        values.push_back(grains.number(word, of_key, key));
    }
    return values;
  };
  const std::vector<double> lattice = numbers("Lattice", 9), origin = numbers("Origin", 3);
  if (lattice.empty())
    return;
  std::array<std::optional<bool>, 3> periodic;
  Place of_key = at;
  if (const auto text = value_of(line, "pbc", of_key)) {
    split_words(*text, words);
    if (words.size() != 3)
      grains.fail(of_key, "pbc must have 3 values");
    for (std::size_t a = 0; a < 3; ++a)
      periodic[a] = words[a] == "T" || words[a] == "1" || words[a] == "True" || words[a] == "true";
  }
  for (std::size_t k = 0; k < 9; ++k)
    if (k % 4 != 0 && lattice[k] != 0.0)
      return;  // a box along no axes
  const glm::dvec3 min = origin.empty() ? glm::dvec3(0.0) : glm::dvec3(origin[0], origin[1], origin[2]);
  grains.set_box(min, min + glm::dvec3(lattice[0], lattice[4], lattice[8]), periodic, at);
}

}  // namespace

void read_csv(std::string_view text, Grains& grains) {
  grains.frame_of(1);
  Lines lines(text);
  std::string_view line;
  std::vector<std::string_view> fields;
  if (!lines.skip_blank() || !lines.next(line))
    grains.fail("is empty");
  split_csv(line, fields);
  std::vector<std::optional<Target>> targets;
  for (const std::string_view field : fields)
    targets.push_back(target_of(field));
  grains.columns(std::move(targets), {lines.number()});
  while (lines.skip_blank()) {
    lines.next(line);
    split_csv(line, fields);
    grains.add(line, lines.number(), fields);
  }
}

void read_extxyz(std::string_view text, Grains& grains) {
  Lines lines(text);
  std::string_view line;
  std::vector<std::string_view> fields;
  const auto count_of = [&](Lines& at) {
    at.next(line);
    split_words(line, fields);
    if (fields.size() != 1)
      grains.fail({at.number()}, "must hold the number of grains alone");
    return grains.whole(fields[0], {at.number(), 1}, "the number of grains");
  };
  std::vector<Lines> frames;
  for (Lines at = lines; at.skip_blank();) {
    frames.push_back(at);
    const std::uint64_t count = count_of(at);
    if (count >= text.size() || !at.skip(count + 1))
      break;  // cut short
  }
  lines = frames.at(grains.frame_of(frames.size()));
  const std::uint64_t count = count_of(lines);
  if (!lines.next(line))
    grains.fail({lines.number()}, "is cut short: it has no second line");
  Place at{lines.number()};
  read_cell(line, at, grains);
  read_properties(value_of(line, "Properties", at).value_or("species:S:1:pos:R:3"), at, grains);
  grains.expect(count, 2 * grains.number_of_columns(), lines.room() + 1, {lines.number() - 1});
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!lines.next(line))
      grains.fail({lines.number()}, fmt::format("is cut short: it ends after {} of {} grains", i, count));
    split_words(line, fields);
    grains.add(line, lines.number(), fields);
  }
}

}  // namespace talus::grain_files
