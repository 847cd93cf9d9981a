#include "engine/scene/nearest.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace talus::reading {

namespace {

// Number of letters to insert, delete, replace or swap.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

// Keys that users of other programs look for.
struct Absent {
  std::string_view table, key, why;  // table: the first word of the path; empty: any
};
constexpr std::string_view its_restitution = "the coefficient of restitution is restitution";
constexpr std::string_view its_modulus = "Young's modulus is young_modulus [Pa], with solver.contact = \"hertz\"";
constexpr std::string_view no_rolling = "the coefficient is rolling_friction, of rolling and of twisting, with "
                                        "solver.rotation = true";
constexpr std::string_view no_cohesion = "what holds grains together is adhesion [Pa], over the area of a contact";
constexpr std::string_view no_mu = "the coefficient is friction, or friction_static and friction_kinetic";
constexpr std::array absent{
    Absent{"material", "coefficient_of_restitution", its_restitution},
    Absent{"material", "bounce", its_restitution},
    Absent{"material", "youngs_modulus", its_modulus},
    Absent{"material", "elastic_modulus", its_modulus},
    Absent{"material", "shear_modulus", "it follows from young_modulus and poisson_ratio: E / (2 (1 + nu))"},
    Absent{"material", "poissons_ratio", "it is poisson_ratio"},
    Absent{"material", "rolling_resistance", no_rolling},
    Absent{"material", "spinning_friction", no_rolling},
    Absent{"material", "cohesion", no_cohesion},
    Absent{"material", "surface_energy", no_cohesion},
    Absent{"material", "friction_angle", "the angle comes from friction: its tangent, and the shape of the heap"},
    Absent{"", "mu", no_mu},
    Absent{"", "friction_coefficient", no_mu},
    Absent{"grains", "density", "it is a key of the material"},
    Absent{"grains", "mass", "it comes from radius and the material's density"},
    Absent{"grains", "diameter", "give the radius, half of it"},
    Absent{"grains", "angular_velocity", "it is spin [rad/s]"},
    Absent{"emitter", "density", "it is a key of the material"},
    Absent{"emitter", "diameter", "give the radius, half of it"},
    Absent{"body", "angular_velocity", "it is spin [rad/s]"},
    Absent{"body", "fixed", "a body without density or mass stands still, or moves as the scene says"},
    Absent{"solver", "dt", "it is time.dt, and a substep is that over solver.substeps"},
    Absent{"solver", "gravity", "it is domain.gravity"},
    Absent{"time", "steps", "give time.end [s], or --steps N to the program"},
    Absent{"scene", "gravity", "it is domain.gravity"},
    Absent{"time", "substeps", "it is solver.substeps"},
};

}  // namespace

std::string why_absent(std::string_view path) {
  const std::string_view table = path.substr(0, path.find('.')), key = path.substr(path.rfind('.') + 1);
  for (const Absent& a : absent)
    if (a.key == key && (a.table.empty() || a.table == table))
      return fmt::format("; {}", a.why);
  return "";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  if (word.find_first_not_of("0123456789") == word.npos)
    return "";
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& w : words)
    if (const std::size_t d = distance(word, w); d < least) {
      least = d;
      best = &w;
    }
  return best ? fmt::format("; did you mean {}?", *best) : "";
}

}  // namespace talus::reading
