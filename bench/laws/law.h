#pragma once
// A case of the book of evidence: a law or an experiment, its source and its band, and the function that measures it.
// One file per group lists its cases.
#include "bench/constants.h"
#include "bench/scenes.h"
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace bench {

using Points = std::vector<std::pair<double, double>>;
inline constexpr double degree = pi / 180.0;

struct LawContext : Context {
  std::vector<std::string> methods{"dem", "vts", "sp"};  // those that bear forces through contacts
};

// A number that a run gave, beside its reference. It holds where it lies within [low, high].
struct Measurement {
  std::string what;  // the quantity, and its unit
  std::string by;    // method, and what else tells it from its neighbours
  double measured = NAN;
  double low = NAN, high = NAN;  // the band
  double reference = NAN;        // none where the source gives a band alone

  bool holds() const { return measured >= low && measured <= high; }  // not where it is no number
};
// Within this share of the reference; below a bound; between two.
Measurement near(std::string what, std::string by, double measured, double reference, double share);
Measurement at_most(std::string what, std::string by, double measured, double bound);
Measurement between(std::string what, std::string by, double measured, double low, double high);

// The scene that the page offers as a file, and the grains of a picture in it; none: there is no picture. A picture
// shows bodies where they are at the start of `drawn`, or of `scene` where that is left out.
struct Shot {
  talus::Scene scene;
  std::vector<talus::GrainState> grains;
  std::optional<talus::Scene> drawn = std::nullopt;
};

struct Evidence {
  std::vector<Measurement> measurements;
  std::vector<Plot> plots;
  std::optional<Shot> shot;
};

struct Law {
  std::string name, group, title;
  std::string what;    // what is run and measured
  std::string source;  // of the reference
  std::string band;    // how wide it is, and why
  std::string remark;  // why a measurement fails, where that is known
  double minutes;      // of one core, about, by dem on the CPU path
  std::function<Evidence(const LawContext&)> run;
};

std::vector<MethodCase> methods_of_laws(const LawContext& context);

// The cases once for each of so many methods: those of the first method, then those of the second, and so on.
template <class Case> std::vector<Case> for_each_method(const std::vector<Case>& cases, std::size_t methods) {
  std::vector<Case> all;
  all.reserve(methods * cases.size());
  for (std::size_t m = 0; m < methods; ++m)
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

std::vector<Law> single_contact_laws();
std::vector<Law> static_laws();
std::vector<Law> silo_laws();
std::vector<Law> flow_laws();
std::vector<Law> impact_laws();
std::vector<Law> shaking_laws();
std::vector<Law> shear_laws();
std::vector<Law> penetration_laws();
std::vector<Law> tool_laws();
std::vector<Law> wheel_laws();
std::vector<Law> triaxial_laws();

}  // namespace bench
