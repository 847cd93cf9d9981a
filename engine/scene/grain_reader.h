#pragma once
// The readers of grain files share the names of columns, the parsing of numbers and the checks of each grain.
#include "engine/scene/grain_file.h"
#include <map>
#include <string_view>

namespace talus::grain_files {

// A number of a grain. The components of a vector follow one another.
enum class Slot : unsigned char { x, y, z, vx, vy, vz, wx, wy, wz, radius, type, id, world };
inline constexpr std::size_t slots = 13;
constexpr Slot operator+(Slot slot, std::size_t component) {
  return static_cast<Slot>(static_cast<std::size_t>(slot) + component);
}

// Where the numbers of a column go: number * factor + offset.
struct Target {
  Slot slot;
  double factor = 1.0, offset = 0.0;
};

// By the name of a column that holds one number, or of a vector and which of its components. Columns of a name that
// says nothing to Talus have none.
std::optional<Target> target_of(std::string_view name);
std::optional<Target> target_of(std::string_view vector, std::size_t component);

// Where in a text something is; 0: in no line.
struct Place {
  std::uint64_t line = 0, column = 0;
};

// A text by its lines, without their ends.
class Lines {
public:
  explicit Lines(std::string_view text) : left_(text) {}
  bool next(std::string_view& line);
  bool skip(std::uint64_t count);                   // false where there are fewer
  bool skip_blank();                                // up to the next line that is not blank; false where there is none
  std::uint64_t number() const { return number_; }  // of the line that came last, from 1
  std::uint64_t room() const { return left_.size(); }  // bytes that are left

private:
  std::string_view left_;
  std::uint64_t number_ = 0;
};

// The words of a line, apart by blanks.
void split_words(std::string_view line, std::vector<std::string_view>& words);

// Takes grains one after the other, and checks each.
class Grains {
public:
  using Row = std::array<double, slots>;

  Grains(const std::filesystem::path& file, const GrainFileOptions& options) : file_(file), options_(options) {}

  [[noreturn]] void fail(Place at, const std::string& what) const;
  [[noreturn]] void fail(const std::string& what) const { fail({}, what); }

  // The columns that follow are these. Of two that go to one place the first counts.
  void columns(std::vector<std::optional<Target>> targets, Place at);
  // Column n holds names of types, which are numbered as they come.
  void names_types(std::size_t n);
  std::size_t number_of_columns() const { return targets_.size(); }
  const std::optional<Target>& target(std::size_t column) const { return targets_[column]; }

  // Of so many that a file says it has, each at least so many bytes long.
  void expect(std::uint64_t count, std::uint64_t bytes_each, std::uint64_t bytes, Place at);

  // A grain of a line that has been taken apart.
  void add(std::string_view line, std::uint64_t number, const std::vector<std::string_view>& fields);
  void add(const Row& row, Place at);
  // The numbers of a line that has the columns from `first` on.
  void parse(std::string_view line, std::uint64_t number, const std::vector<std::string_view>& fields,
             std::size_t first, Row& row) const;

  // A number of a text. exact: as the float nearest to it, which it will be.
  double number(std::string_view text, Place at, std::string_view what, bool exact = false) const;
  std::uint64_t whole(std::string_view text, Place at, std::string_view what) const;

  void set_box(const glm::dvec3& min, const glm::dvec3& max, const std::array<std::optional<bool>, 3>& periodic,
               Place at);

  // The one that is asked for, of so many.
  std::size_t frame_of(std::size_t frames) const;

  const GrainFileOptions& options() const { return options_; }
  LoadedGrains take();

private:
  bool has(Slot slot) const { return has_[static_cast<std::size_t>(slot)]; }

  const std::filesystem::path& file_;
  const GrainFileOptions& options_;
  std::vector<std::optional<Target>> targets_;
  std::array<bool, slots> has_{};
  std::optional<std::size_t> named_;
  std::map<std::string, std::uint32_t, std::less<>> type_names_;
  std::optional<double> world_;
  std::vector<double> ids_;
  LoadedGrains grains_;
};

void read_csv(std::string_view text, Grains& grains);
void read_extxyz(std::string_view text, Grains& grains);
void read_vtp(std::string_view bytes, Grains& grains);
void read_gsd(std::string_view bytes, Grains& grains);
void read_ply(std::string_view bytes, Grains& grains);
// By HDF5, which reads from the file what is asked for. Fails where Talus is built without it.
void read_vtkhdf(const std::filesystem::path& file, Grains& grains);
void read_lammps_dump(std::string_view text, Grains& grains);
void read_lammps_data(std::string_view text, Grains& grains);

}  // namespace talus::grain_files
