#pragma once
// How many pixels of the window a pixel of the picture covers: more than one while something moves on a device that
// draws slowly, and one again when it stands still.

namespace viewer {

class Sharpness {
public:
  enum class Choice { automatic, full, half } choice = Choice::automatic;

  // seconds: that the last frame took; moving: the picture is drawn anew. Returns the edge, in pixels of the window.
  int edge(double seconds, bool moving);

private:
  static constexpr double slow = 1.0 / 12.0, fast = 1.0 / 30.0;  // s
  static constexpr double rest = 0.4;                            // s without motion until it is sharp
  static constexpr int largest = 4;
  int edge_ = 1;
  double still_ = 0.0;  // s
};

}  // namespace viewer
