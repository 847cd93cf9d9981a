#pragma once
// A number over time, through given points.
#include "engine/scene/motion.h"

namespace talus {

class Curve {
public:
  // times rise and are as many as the values, one at least. repeat: goes on from the last as from the first, by what
  // lies between their values further; at least two.
  Curve(std::vector<double> times, std::vector<double> values, Interpolation interpolation, bool repeat);

  double at(double time) const;  // s

private:
  std::vector<double> times_, values_, slopes_;  // slopes_: none where linear
  bool repeat_;
};

}  // namespace talus
