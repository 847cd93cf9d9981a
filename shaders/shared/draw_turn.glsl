// Each grain starts turned another way: a quaternion xyzw by its number.
vec4 orientation_at_start(uint number) {
  uint word = mixed(number + 1u);
  return normalize(vec4(word & 0xFFu, (word >> 8) & 0xFFu, (word >> 16) & 0xFFu, word >> 24) - 127.3);
}
