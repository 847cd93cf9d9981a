#include "viewer/live/sharpness.h"

namespace viewer {

int Sharpness::edge(double seconds, bool moving) {
  if (choice != Choice::automatic)
    return choice == Choice::full ? 1 : 2;
  still_ = moving ? 0.0 : still_ + seconds;
  if (still_ > rest)
    return 1;
  if (moving && seconds > slow && edge_ < largest)
    edge_ *= 2;
  else if (moving && edge_ > 1 && 4.0 * seconds < fast)  // with four times the pixels it would still be fast
    edge_ /= 2;
  return edge_;
}

}  // namespace viewer
