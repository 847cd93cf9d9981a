#include "engine/scene/grain_file.h"
#include "engine/base/cache.h"
#include "engine/base/read_double.h"
#include "engine/base/read_file.h"
#include "engine/scene/grain_reader.h"
#include "engine/scene/keys.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

namespace talus {
namespace grain_files {
namespace {

constexpr std::uintmax_t bytes_most = std::uintmax_t(4) << 30;
constexpr std::uint32_t types_most = 255;       // as many as a scene has materials
constexpr double id_most = 9007199254740992.0;  // 2^53, up to which doubles are whole numbers
constexpr std::string_view slot_names[slots]{"x",  "y",  "z",      "vx",   "vy", "vz",   "wx",
                                             "wy", "wz", "radius", "type", "id", "world"};

struct Name {
  std::string_view name;
  Target target;
};
// Numbers of types begin at 1 in LAMMPS and OVITO, those of materials in own exports at 0.
constexpr Name names[]{
    {"x", {Slot::x}},
    {"y", {Slot::y}},
    {"z", {Slot::z}},
    {"xu", {Slot::x}},
    {"yu", {Slot::y}},
    {"zu", {Slot::z}},
    {"vx", {Slot::vx}},
    {"vy", {Slot::vy}},
    {"vz", {Slot::vz}},
    {"wx", {Slot::wx}},
    {"wy", {Slot::wy}},
    {"wz", {Slot::wz}},
    {"omegax", {Slot::wx}},
    {"omegay", {Slot::wy}},
    {"omegaz", {Slot::wz}},
    {"AngularVelocityX", {Slot::wx}},
    {"AngularVelocityY", {Slot::wy}},
    {"AngularVelocityZ", {Slot::wz}},
    {"radius", {Slot::radius}},
    {"id", {Slot::id}},
    {"world", {Slot::world}},
    {"diameter", {Slot::radius, 0.5}},
    {"material", {Slot::type}},
    {"type", {Slot::type, 1.0, -1.0}},
};
constexpr std::pair<std::string_view, Slot> vectors[]{
    {"position", Slot::x}, {"pos", Slot::x}, {"Points", Slot::x}, {"velocity", Slot::vx},         {"velo", Slot::vx},
    {"vel", Slot::vx},     {"v", Slot::vx},  {"spin", Slot::wx},  {"angular_velocity", Slot::wx}, {"omega", Slot::wx},
};

Place place_of(std::string_view line, std::uint64_t number, std::string_view field) {
  return {number, static_cast<std::uint64_t>(field.data() - line.data()) + 1};
}

std::string read_bytes(const std::filesystem::path& file) {
  try {
    return read_file(file, bytes_most);
  } catch (const std::runtime_error& e) {
    throw GrainFileError(fmt::format("{}: {}", file.string(), e.what()));
  }
}

}  // namespace

std::optional<Target> target_of(std::string_view name) {
  for (const Name& known : names)
    if (known.name == name)
      return known.target;
  // As ParaView names the components of a vector: velocity:0.
  if (name.size() > 2 && name[name.size() - 2] == ':' && name.back() >= '0' && name.back() <= '2')
    return target_of(name.substr(0, name.size() - 2), static_cast<std::size_t>(name.back() - '0'));
  return {};
}

std::optional<Target> target_of(std::string_view vector, std::size_t component) {
  for (const auto& [name, slot] : vectors)
    if (name == vector && component < 3)
      return Target{slot + component};
  return {};
}

bool Lines::next(std::string_view& line) {
  if (left_.empty())
    return false;
  line = left_.substr(0, left_.find('\n'));
  left_.remove_prefix(std::min(line.size() + 1, left_.size()));
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  ++number_;
  return true;
}

bool Lines::skip(std::uint64_t count) {
  std::string_view line;
  for (; count > 0; --count)
    if (!next(line))
      return false;
  return true;
}

bool Lines::skip_blank() {
  for (Lines ahead = *this;;) {
    std::string_view line;
    if (!ahead.next(line))
      return false;
    if (line.find_first_not_of(" \t") != line.npos)
      return true;
    *this = ahead;
  }
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view blanks = " \t";
  words.clear();
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty())
      return;
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

void Grains::fail(Place at, const std::string& what) const {
  std::string place = file_.string();
  if (at.line > 0)
    place += fmt::format(":{}", at.line);
  if (at.column > 0)
    place += fmt::format(":{}", at.column);
  throw GrainFileError(fmt::format("{}: {}", place, what));
}

void Grains::columns(std::vector<std::optional<Target>> targets, Place at) {
  targets_ = std::move(targets);
  has_ = {};
  for (std::optional<Target>& target : targets_)
    if (target && std::exchange(has_[static_cast<std::size_t>(target->slot)], true))
      target.reset();
  for (const Slot vector : {Slot::x, Slot::vx, Slot::wx})
    for (std::size_t k = 0; k < 3; ++k)
      if ((vector == Slot::x || has(vector) || has(vector + 1) || has(vector + 2)) && !has(vector + k))
        fail(at, fmt::format("has no column {}", slot_names[static_cast<std::size_t>(vector + k)]));
}

void Grains::names_types(std::size_t n) {
  if (!std::exchange(has_[static_cast<std::size_t>(Slot::type)], true))
    named_ = n;
}

void Grains::expect(std::uint64_t count, std::uint64_t bytes_each, std::uint64_t bytes, Place at) {
  if (count == 0)
    fail(at, "has no grains");
  if (count > static_cast<std::uint64_t>(reading::grains_most))
    fail(at, fmt::format("has {} grains: the limit is {}", count, reading::grains_most));
  if (count > bytes / bytes_each)
    fail(at, fmt::format("is cut short: it has no room for the {} grains that it says to have", count));
  grains_.positions.reserve(count);
}

double Grains::number(std::string_view text, Place at, std::string_view what, bool exact) const {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  if (float value = 0.0f; exact) {
    // Some small numbers are none of float, and of double they are.
    if (const auto [stop, error] = read_float(begin, end, value);
        error == std::errc() && stop == end && std::isfinite(value))
      return value;
  }
  double value = 0.0;
  const auto [stop, error] = read_double(begin, end, value);
  if (text.empty() || error == std::errc::invalid_argument || stop != end)
    fail(at, fmt::format("{} must be a number, not \"{}\"", what, text.substr(0, 40)));
  if (error != std::errc() || !std::isfinite(value))
    fail(at, fmt::format("{} must be a finite number, not {}", what, text.substr(0, 40)));
  return value;
}

std::uint64_t Grains::whole(std::string_view text, Place at, std::string_view what) const {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size())
    fail(at, fmt::format("{} must be a whole number from 0 on, not \"{}\"", what, text.substr(0, 40)));
  return value;
}

void Grains::parse(std::string_view line, std::uint64_t number_of_line, const std::vector<std::string_view>& fields,
                   std::size_t first, Row& row) const {
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (const std::optional<Target>& to = targets_[first + k]) {
      const auto slot = static_cast<std::size_t>(to->slot);
      // A factor of 0.5 keeps the bits, too.
      const bool exact = to->slot < Slot::type && to->offset == 0.0 && options_.scale == 1.0;
      row[slot] = number(fields[k], place_of(line, number_of_line, fields[k]), slot_names[slot], exact) * to->factor +
                  to->offset;
    }
}

void Grains::add(std::string_view line, std::uint64_t number_of_line, const std::vector<std::string_view>& fields) {
  if (fields.size() != targets_.size())
    fail({number_of_line}, fmt::format("has {} columns in place of {}", fields.size(), targets_.size()));
  Row row{};
  parse(line, number_of_line, fields, 0, row);
  if (named_) {
    const std::string_view name = fields[*named_];
    auto known = type_names_.find(name);
    if (known == type_names_.end()) {
      if (type_names_.size() == types_most)
        fail(place_of(line, number_of_line, name), fmt::format("brings more than {} types", types_most));
      known = type_names_.emplace(name, static_cast<std::uint32_t>(type_names_.size())).first;
    }
    row[static_cast<std::size_t>(Slot::type)] = known->second;
  }
  add(row, {number_of_line});
}

void Grains::add(const Row& row, Place at) {
  const std::size_t i = grains_.size();
  // Files that are no text have no line to name.
  const auto refuse = [&](const std::string& what) {
    fail(at, at.line > 0 ? what : fmt::format("grain {} {}", i, what));
  };
  if (i == static_cast<std::size_t>(reading::grains_most))
    refuse(fmt::format("is one more than the {} grains that are the limit", reading::grains_most));
  const auto within = [&](double value, const reading::Range& range, std::string_view what) {
    if (!(value >= range.min && value <= range.max))
      refuse(fmt::format("has {} {:.6g} {}: allowed is {} to {}", what, value, range.unit, range.min, range.max));
    return static_cast<float>(value);
  };
  const auto value = [&](Slot slot) { return row[static_cast<std::size_t>(slot)]; };
  const auto vector = [&](Slot first, double factor, const reading::Range& range, std::string_view what) {
    glm::vec3 v;
    for (std::size_t k = 0; k < 3; ++k)
      v[static_cast<glm::length_t>(k)] = within(factor * value(first + k), range, what);
    return v;
  };
  const auto whole = [&](Slot slot, double most) {
    const double n = value(slot);
    if (!(n >= 0.0 && n <= most && n == std::floor(n)))
      refuse(fmt::format("has the {} {}, which is no whole number that is allowed here",
                         slot_names[static_cast<std::size_t>(slot)], n));
    return n;
  };
  grains_.positions.push_back(vector(Slot::x, options_.scale, reading::place_range, "a coordinate of"));
  if (has(Slot::vx))
    grains_.velocities.push_back(vector(Slot::vx, options_.scale, reading::speed_range, "a velocity of"));
  if (has(Slot::wx))
    grains_.spins.push_back(vector(Slot::wx, 1.0, reading::spin_range, "a spin of"));
  if (has(Slot::radius))
    grains_.radii.push_back(within(options_.scale * value(Slot::radius), reading::radius_range, "the radius"));
  if (has(Slot::type))
    grains_.types.push_back(static_cast<std::uint32_t>(whole(Slot::type, types_most - 1)));
  if (has(Slot::id))
    ids_.push_back(whole(Slot::id, id_most));
  if (has(Slot::world) && world_.value_or(value(Slot::world)) != value(Slot::world))
    refuse(
        fmt::format("is of world {}, and others of world {}: a scene takes one of them", value(Slot::world), *world_));
  if (has(Slot::world))
    world_ = value(Slot::world);
  if (at.line > 0)
    grains_.lines.push_back(static_cast<std::uint32_t>(at.line));
}

void Grains::set_box(const glm::dvec3& min, const glm::dvec3& max, const std::array<std::optional<bool>, 3>& periodic,
                     Place at) {
  for (int a = 0; a < 3; ++a)
    if (!(min[a] < max[a]))
      fail(at, fmt::format("has a box from {} to {} in {}", min[a], max[a], "xyz"[a]));
  grains_.box = {options_.scale * min, options_.scale * max, periodic};
}

std::size_t Grains::frame_of(std::size_t frames) const {
  if (frames == 0)
    fail("has no grains");
  if (options_.frame.value_or(0) >= frames)
    fail(fmt::format("has {} frames, and frame {} is asked for: allowed is 0 to {}", frames, *options_.frame,
                     frames - 1));
  return options_.frame.value_or(static_cast<std::uint32_t>(frames - 1));
}

LoadedGrains Grains::take() {
  const std::size_t n = grains_.size();
  if (n == 0)
    fail("has no grains");
  if (ids_.empty() || std::ranges::is_sorted(ids_, std::ranges::less_equal()))
    return std::move(grains_);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return ids_[i]; });
  for (std::size_t k = 1; k < n; ++k)
    if (ids_[order[k]] == ids_[order[k - 1]]) {
      const std::uint32_t later = std::max(order[k], order[k - 1]);
      fail({grains_.lines.empty() ? 0 : grains_.lines[later]},
           fmt::format("has a second grain of id {:.0f}", ids_[later]));
    }
  const auto sort = [&](auto& values) {
    if (values.empty())
      return;
    auto sorted = values;
    for (std::size_t k = 0; k < n; ++k)
      sorted[k] = values[order[k]];
    values = std::move(sorted);
  };
  sort(grains_.positions);
  sort(grains_.radii);
  sort(grains_.velocities);
  sort(grains_.spins);
  sort(grains_.types);
  sort(grains_.lines);
  return std::move(grains_);
}

}  // namespace grain_files

LoadedGrains load_grains(const std::filesystem::path& file, const GrainFileOptions& options) {
  using namespace grain_files;
  Grains grains(file, options);
  const std::string extension = file.extension().string();
  if (extension == ".vtkhdf") {
    read_vtkhdf(file, grains);
    return grains.take();
  }
  const std::string bytes = read_bytes(file);
  const std::string_view text = std::string_view(bytes).substr(bytes.starts_with("\xef\xbb\xbf") ? 3 : 0);
  if (extension == ".csv")
    read_csv(text, grains);
  else if (extension == ".extxyz" || extension == ".xyz")
    read_extxyz(text, grains);
  else if (extension == ".vtp")
    read_vtp(text, grains);
  else if (extension == ".gsd")
    read_gsd(text, grains);
  else if (extension == ".ply")
    read_ply(text, grains);
  else if (text.starts_with("ITEM:"))
    read_lammps_dump(text, grains);
  else if (text.find("\nAtoms") != text.npos)
    read_lammps_data(text, grains);
  else
    grains.fail(
        "is of no kind that is read: its name must end in .csv, .extxyz, .xyz, .vtp, .vtkhdf, .gsd or .ply, or it must "
        "be a dump or a data file of LAMMPS as text");
  return grains.take();
}

RadiusRange radii_of(const LoadedGrains& grains) {
  if (grains.radii.empty())
    return {};
  const auto [least, most] = std::ranges::minmax_element(grains.radii);
  return {*least, *most};
}

double fastest_of(const GrainGroup& group) {
  // Components of the random velocity are uniform within +- velocity_random.
  double fastest = glm::length(group.velocity);
  if (const auto* file = std::get_if<FileFill>(&group.shape); file && !group.fixed) {
    for (const glm::vec3& v : file->loaded->velocities)
      fastest = std::max(fastest, glm::length(group.velocity + glm::dvec3(v)));
  }
  return fastest + std::numbers::sqrt3 * group.velocity_random;
}

std::uint32_t material_of(const GrainGroup& group, const FileFill& file, std::size_t i) {
  const std::vector<std::uint32_t>& types = file.loaded->types;
  return types.empty() || types[i] >= file.materials.size() ? group.material : file.materials[types[i]];
}

std::uint64_t checksum(const LoadedGrains& grains, std::uint64_t sum) {
  const auto add = [&](const auto& values) { sum = checksum(std::as_bytes(std::span(values)), sum); };
  add(grains.positions);
  add(grains.radii);
  add(grains.velocities);
  add(grains.spins);
  add(grains.types);
  return sum;
}

}  // namespace talus
