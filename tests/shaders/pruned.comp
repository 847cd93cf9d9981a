// Code that specialization constants switch off, in every way that Talus' shaders have. What is off takes the hyperbolic
// sine or the square root of something, which no other code here does.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint kinds = 0;
layout(constant_id = 1) const bool deep = false;
layout(scalar, binding = 0) buffer Values { float values[]; };

bool has(uint kind) { return (kinds & 1u << kind) != 0u; }
bool of_kind(uint kind, float value) { return has(kind) && value > 0.0; }

float by_argument(float value, bool more) {
  if (more)
    return sinh(value);
  return value + 1.0;
}

float early(float value) {
  if (!deep)
    return value;
  for (int k = 0; k < 3; ++k) {
    if (value > 2.0)
      break;
    value += sqrt(value);
  }
  return value;
}

void out_of(float value, out float result) {
  result = value;
  if (deep)
    result = sinh(result);
}

void main() {
  uint words = deep ? uint(values[0]) : 0u;
  float sum = 0.0;
  for (uint word = 0u; word < words; ++word) {  // never entered
    if (values[word] < 0.0)
      continue;
    sum += sqrt(values[word]);
  }
  values[0] = sum;
  values[1] = of_kind(1u, values[1]) ? sinh(values[1]) : 2.0;
  values[2] = by_argument(values[2], has(2u));
  values[3] = early(values[3]);
  float result;
  out_of(values[4], result);
  values[4] = result;
  for (int k = 0; k < 10; ++k) {  // a loop that a constant ends in its first turn
    values[5] += 1.0;
    if (!deep)
      break;
    values[5] += sqrt(values[5]);
  }
  bool found = false;  // not known: it is stored more than once
  for (int k = 0; k < 6; ++k)
    if (values[k] == 3.0)
      found = true;
  values[6] = found ? 1.0 : 0.0;
  switch (int(values[7])) {  // a selection that is left from within
  case 7:
    if (!deep)
      break;
    values[7] = sinh(values[7]);
    break;
  default:
    values[7] = -1.0;
  }
  do {  // runs once, whatever follows
    values[8] += 1.0;
  } while (deep && values[8] < 10.0);
}
