// Plain C++ and GLSL alone.

// x, back between the ends of a periodic axis. laps: how often it went around, up or down (-).
LAW float around(float x, float low, float high, INOUT(int, laps)) {
  PRECISE float edge = high - low;
  PRECISE float there = x;
  laps = 0;
  PRECISE float above = there + edge, below = there - edge;
  if (above < low || below >= high) {  // several times around
    PRECISE float times = floor((there - low) / edge);
    there -= edge * times;
    laps = int(clamp(times, -laps_most, laps_most));
  }
  if (there < low) {
    there += edge;
    --laps;
  }
  if (there >= high) {
    there -= edge;
    ++laps;
  }
  return there;
}

// The same without counting, for places where the count is of no use.
LAW float into_period(float x, float low, float high) {
  PRECISE float edge = high - low;
  PRECISE float laps = floor((x - low) / edge);
  PRECISE float there = x - edge * laps;
  return there >= high ? low : there;
}
