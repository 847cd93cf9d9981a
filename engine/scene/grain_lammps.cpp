// Grains of LAMMPS, whose documentation describes both formats: dump and read_data (https://docs.lammps.org).
#include "engine/scene/grain_reader.h"
#include <fmt/format.h>
#include <unordered_map>

namespace talus::grain_files {

namespace {

// In lj, the default of LAMMPS, which has no units of its own, numbers are taken as they are.
void check_units(std::string_view units, Place at, const Grains& grains) {
  if (units == "si" || units == "lj" || grains.options().scale != 1.0)
    return;
  if (units == "cgs")
    grains.fail(at, "is in units cgs: give fill.scale = 0.01 m, and domain.scale where domain.file is this file");
  grains.fail(at, fmt::format("is in units {}, whose unit of time is not 1 s: allowed are si, lj and cgs", units));
}

struct Bounds3 {
  glm::dvec3 min{0.0}, max{0.0};
  std::array<std::optional<bool>, 3> periodic;
  bool tilted = false;
};

class Dump {
public:
  Dump(std::string_view text, Grains& grains) : lines_(text), grains_(grains), size_(text.size()) {}

  void read() {
    std::vector<Lines> frames;
    for (Lines at = lines_; at.skip_blank();) {
      frames.push_back(at);
      if (!skip_frame(at))
        break;
    }
    lines_ = frames.at(grains_.frame_of(frames.size()));
    while (read_item())
      ;
    if (!read_grains_)
      grains_.fail({lines_.number()}, "is cut short: it has no ITEM: ATOMS");
  }

private:
  // False where the text ends before the frame does.
  static bool starts(std::string_view line, std::string_view item) {
    return line.starts_with("ITEM: ") && line.substr(6).starts_with(item);
  }
  bool skip_frame(Lines& at) const {
    std::uint64_t count = 0;
    for (std::string_view line; at.next(line);) {
      if (starts(line, "NUMBER OF ATOMS")) {
        if (!at.next(line))
          return false;
        count = grains_.whole(line, {at.number(), 1}, "the number of atoms");
      } else if (starts(line, "ATOMS"))
        return count < size_ && at.skip(count);
    }
    return false;
  }

  std::string_view next(std::string_view what) {
    std::string_view line;
    if (!lines_.next(line))
      grains_.fail({lines_.number()}, fmt::format("is cut short: it lacks {}", what));
    return line;
  }

  // False behind the grains.
  bool read_item() {
    const std::string_view item = next("ITEM: ATOMS");
    if (!item.starts_with("ITEM: "))
      grains_.fail({lines_.number(), 1}, fmt::format("must be an ITEM: of a dump, not \"{}\"", item.substr(0, 40)));
    if (starts(item, "UNITS"))
      read_units();
    else if (starts(item, "NUMBER OF ATOMS"))
      read_count();
    else if (starts(item, "BOX BOUNDS"))
      read_box(item);
    else if (starts(item, "ATOMS")) {
      read_atoms(item);
      return false;
    } else
      next("a value");
    return true;
  }

  void read_units() {
    const std::string_view units = next("the units");
    check_units(units, {lines_.number(), 1}, grains_);
  }
  void read_count() {
    const std::string_view count = next("the number of atoms");
    count_ = grains_.whole(count, {lines_.number(), 1}, "the number of atoms");
  }

  // ITEM: BOX BOUNDS pp ff mm, with the ends of the box along each axis. Of a tilted box the names of three tilts stand
  // before that, or "abc origin", with three vectors and a coordinate of the origin each.
  void read_box(std::string_view item) {
    split_words(item, fields_);
    const bool by_vectors = fields_.size() > 4 && fields_[3] == "abc";
    box_.tilted = !by_vectors && fields_.size() > 6;
    const std::size_t first = by_vectors ? 5 : 3;
    for (std::size_t a = 0; a < 3 && !box_.tilted && fields_.size() == first + 3; ++a)
      box_.periodic[a] = fields_[first + a] == "pp";
    for (int a = 0; a < 3; ++a) {
      const std::string_view line = next("the bounds of the box");
      split_words(line, fields_);
      const Place at{lines_.number()};
      const std::size_t width = by_vectors ? 4 : box_.tilted ? 3 : 2;
      if (fields_.size() != width)
        grains_.fail(at, fmt::format("has {} numbers of the box in place of {}", fields_.size(), width));
      std::array<double, 4> numbers{};
      for (std::size_t k = 0; k < width; ++k)
        numbers[k] = grains_.number(fields_[k], at, "a bound of the box");
      box_.min[a] = by_vectors ? numbers[3] : numbers[0];
      box_.max[a] = by_vectors ? numbers[3] + numbers[static_cast<std::size_t>(a)] : numbers[1];
      for (std::size_t k = 0; by_vectors && k < 3; ++k)
        box_.tilted = box_.tilted || (k != static_cast<std::size_t>(a) && numbers[k] != 0.0);
    }
    if (!box_.tilted)
      grains_.set_box(box_.min, box_.max, box_.periodic, {lines_.number()});
    has_box_ = true;
  }

  // xs is x as a share of the box, xsu likewise of an atom that has not been wrapped into it.
  std::optional<Target> target(std::string_view name) const {
    if ((name.ends_with('s') || name.ends_with("su")) && name.size() <= 3 && name[0] >= 'x' && name[0] <= 'z') {
      const int a = name[0] - 'x';
      if (!has_box_ || box_.tilted)
        grains_.fail({lines_.number()}, fmt::format("the scaled coordinate {} needs a box that is not tilted", name));
      return Target{Slot::x + static_cast<std::size_t>(a), box_.max[a] - box_.min[a], box_.min[a]};
    }
    return target_of(name);
  }

  void read_atoms(std::string_view item) {
    split_words(item, fields_);
    std::vector<std::optional<Target>> targets;
    for (std::size_t k = 2; k < fields_.size(); ++k)
      targets.push_back(target(fields_[k]));
    grains_.columns(std::move(targets), {lines_.number()});
    grains_.expect(count_, 2 * grains_.number_of_columns(), lines_.room() + 1, {lines_.number()});
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::string_view line = next(fmt::format("{} of {} atoms", count_ - i, count_));
      split_words(line, fields_);
      grains_.add(line, lines_.number(), fields_);
    }
    read_grains_ = true;
  }

  Lines lines_;
  Grains& grains_;
  std::size_t size_;
  std::vector<std::string_view> fields_;
  Bounds3 box_;
  std::uint64_t count_ = 0;
  bool has_box_ = false, read_grains_ = false;
};

// A data file of atom_style sphere, which LIGGGHTS calls granular: ID, type, diameter, density, x, y, z and, where the
// file was written by LAMMPS, three numbers of images. Velocities: ID, vx, vy, vz and the angular velocity.
class Data {
public:
  Data(std::string_view text, Grains& grains) : lines_(text), grains_(grains) {}

  void read() {
    grains_.frame_of(1);
    read_title();
    for (Section section = read_header(); section != Section::end;) {
      if (section == Section::atoms)
        atoms_ = read_lines();
      else if (section == Section::velocities)
        velocities_ = read_lines();
      section = next_section();
    }
    add();
  }

private:
  enum class Section { atoms, velocities, other, end };
  struct Atom {
    std::string_view line;
    std::uint64_t number;
  };

  static std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

  // The first line is a title, in which write_data says the units.
  void read_title() {
    std::string_view line;
    lines_.next(line);
    if (const auto at = line.find("units = "); at != line.npos) {
      split_words(line.substr(at + 8), fields_);
      if (!fields_.empty())
        check_units(fields_[0], {1, at + 9}, grains_);
    }
  }

  Section read_header() {
    std::string_view line;
    while (lines_.next(line)) {
      split_words(without_comment(line), fields_);
      if (fields_.empty())
        continue;
      const Place at{lines_.number()};
      if (const Section section = section_of(line); section != Section::end) {
        if (has_box_[0] && has_box_[1] && has_box_[2] && !tilted_)
          grains_.set_box(box_.min, edge_ == glm::dvec3(0.0) ? box_.max : box_.min + edge_, box_.periodic, at);
        return section;
      }
      if (fields_.size() == 2 && fields_[1] == "atoms")
        count_ = grains_.whole(fields_[0], at, "the number of atoms");
      for (int a = 0; a < 3; ++a)
        if (fields_.size() == 4 && fields_[2] == fmt::format("{}lo", "xyz"[a]) &&
            fields_[3] == fmt::format("{}hi", "xyz"[a])) {
          box_.min[a] = grains_.number(fields_[0], at, fields_[2]);
          box_.max[a] = grains_.number(fields_[1], at, fields_[3]);
          has_box_[static_cast<std::size_t>(a)] = true;
        }
      if (fields_.size() == 6 && fields_[3] == "xy")
        for (std::size_t k = 0; k < 3; ++k)
          tilted_ = tilted_ || grains_.number(fields_[k], at, fields_[3 + k]) != 0.0;
      read_vectors(at);
    }
    return Section::end;
  }

  // The four vectors of a general box, in the order in which the file gives them: avec, bvec, cvec, origin.
  void read_vectors(Place at) {
    constexpr std::string_view names[]{"avec", "bvec", "cvec"};
    const auto numbers = [&] {
      return glm::dvec3(grains_.number(fields_[0], at, "x"), grains_.number(fields_[1], at, "y"),
                        grains_.number(fields_[2], at, "z"));
    };
    for (int a = 0; a < 3 && fields_.size() == 4; ++a)
      if (fields_[3] == names[a]) {
        const glm::dvec3 edge = numbers();
        for (int k = 0; k < 3; ++k)
          tilted_ = tilted_ || (k != a && edge[k] != 0.0);
        edge_[a] = edge[a];
        has_box_[static_cast<std::size_t>(a)] = true;
      }
    if (fields_.size() == 5 && fields_[3] == "abc" && fields_[4] == "origin")
      box_.min = numbers();
  }

  // A line that begins with a capital letter is the name of a section: end if it is none.
  Section section_of(std::string_view line) const {
    std::vector<std::string_view> words;
    split_words(line, words);
    if (words.empty() || words[0][0] < 'A' || words[0][0] > 'Z')
      return Section::end;
    if (words[0] == "Velocities")
      return Section::velocities;
    if (words[0] != "Atoms")
      return Section::other;
    if (words.size() > 2 && words[1] == "#" && words[2] != "sphere" && words[2] != "granular")
      grains_.fail({lines_.number()}, fmt::format("is of atom_style {}: allowed is sphere", words[2]));
    return Section::atoms;
  }

  Section next_section() {
    for (std::string_view line; lines_.next(line);)
      if (const Section section = section_of(line); section != Section::end)
        return section;
    return Section::end;
  }

  // As many as there are atoms.
  std::vector<Atom> read_lines() {
    grains_.expect(count_, 2 * 4, lines_.room() + 1, {lines_.number()});
    std::vector<Atom> lines;
    lines.reserve(count_);
    lines_.skip_blank();
    for (std::string_view line; lines.size() < count_;) {
      if (!lines_.next(line))
        grains_.fail({lines_.number()},
                     fmt::format("is cut short: it ends after {} of {} atoms", lines.size(), count_));
      lines.push_back({without_comment(line), lines_.number()});
    }
    return lines;
  }

  std::size_t width_of(const Atom& first, std::array<std::size_t, 2> allowed, std::string_view what) {
    split_words(first.line, fields_);
    if (fields_.size() != allowed[0] && fields_.size() != allowed[1])
      grains_.fail({first.number}, fmt::format("has {} columns in place of {} or {}: {}", fields_.size(), allowed[0],
                                               allowed[1], what));
    return fields_.size();
  }

  void split(const Atom& atom, std::size_t width) {
    split_words(atom.line, fields_);
    if (fields_.size() != width)
      grains_.fail({atom.number}, fmt::format("has {} columns in place of {}", fields_.size(), width));
  }

  void add() {
    if (atoms_.empty())
      grains_.fail("has no section Atoms");
    std::vector<std::optional<Target>> targets;
    for (const std::string_view name : {"id", "type", "diameter", "", "x", "y", "z"})
      targets.push_back(target_of(name));
    const std::size_t of_atom =
        width_of(atoms_[0], {7, 10},
                 "an atom of atom_style sphere has an ID, a type, a diameter, a density, x, y, z, and maybe three "
                 "numbers of images");
    targets.resize(of_atom);
    std::size_t of_velocity = 0;
    if (!velocities_.empty()) {
      of_velocity = width_of(velocities_[0], {4, 7},
                             "Velocities have an ID, vx, vy, vz, and maybe the components of the angular velocity");
      for (const std::string_view name : {"", "vx", "vy", "vz", "wx", "wy", "wz"})
        if (targets.size() < of_atom + of_velocity)
          targets.push_back(target_of(name));
    }
    grains_.columns(std::move(targets), {atoms_[0].number});
    // Both sections have the atoms in any order.
    std::unordered_map<std::uint64_t, const Atom*> velocity_of;
    for (const Atom& line : velocities_) {
      split(line, of_velocity);
      if (!velocity_of.emplace(grains_.whole(fields_[0], {line.number, 1}, "an ID"), &line).second)
        grains_.fail({line.number, 1}, fmt::format("has the ID {} a second time", fields_[0]));
    }
    for (const Atom& atom : atoms_) {
      Grains::Row row{};
      split(atom, of_atom);
      grains_.parse(atom.line, atom.number, fields_, 0, row);
      if (of_velocity > 0) {
        const auto found = velocity_of.find(grains_.whole(fields_[0], {atom.number, 1}, "an ID"));
        if (found == velocity_of.end())
          grains_.fail({atom.number, 1}, fmt::format("has an atom {}, which Velocities lacks", fields_[0]));
        split(*found->second, of_velocity);
        grains_.parse(found->second->line, found->second->number, fields_, of_atom, row);
      }
      grains_.add(row, {atom.number});
    }
  }

  Lines lines_;
  Grains& grains_;
  std::vector<std::string_view> fields_;
  std::vector<Atom> atoms_, velocities_;
  Bounds3 box_;
  glm::dvec3 edge_{0.0};  // of a box by vectors
  std::uint64_t count_ = 0;
  std::array<bool, 3> has_box_{};
  bool tilted_ = false;
};

}  // namespace

void read_lammps_dump(std::string_view text, Grains& grains) {
  Dump(text, grains).read();
}

void read_lammps_data(std::string_view text, Grains& grains) {
  Data(text, grains).read();
}

}  // namespace talus::grain_files
