// The dialect of the laws beside this file: one text that compiles as GLSL, as plain C++ (engine/reference/laws.h) and with vectors of
// lanes (engine/cpu/laws.h).
// - A law computes on `real`, `real3` and `mask`, and on structs of these, which are filled member by member. Values that are the same
//   for all lanes may be float, vec3, uint and bool; numbers have an f. Law is a PairLaw.
// - An `if` or ?: depends on a bool. A mask chooses by select(mask, then, otherwise); masks combine by both(a, b) and either(a, b).
//   anywhere(mask) is a bool: it allows to leave work out, but never changes the result of a lane.
// - There are + - * /, dot, cross, sqrt, abs, min, max, clamp, squared, length, and zero(), zero3(), real3_of(x, y, z). A vector stands
//   behind its factor: s * v.
// - INOUT(real, x) is a parameter that the law changes. LAW stands in front of each function.
// - PRECISE stands in front of what must not be contracted: what decides which contacts there are, and what both sides of a contact must
//   find the same. glslang follows it back through all that a value is made of, but not out of a function.
// - Plain C++ and lanes give the same bits, since both do each operation as it is written.
// - A law includes nothing and has no include guard. It reads no buffers: that is the work of the passes.
#ifdef __cplusplus
#define LAW inline
#define PRECISE
#define INOUT(type, name) type& name
#elif !defined(TALUS_DIALECT)
#define TALUS_DIALECT
#define LAW
#define PRECISE precise
#define INOUT(type, name) inout type name
#define real float
#define real3 vec3
#define mask bool
#define Law PairLaw
float zero() { return 0.0; }
vec3 zero3() { return vec3(0.0); }
float infinity() { return uintBitsToFloat(0x7F800000u); }
vec3 real3_of(float x, float y, float z) { return vec3(x, y, z); }
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }
bool anywhere(bool m) { return m; }
float select(bool m, float a, float b) { return m ? a : b; }
vec3 select(bool m, vec3 a, vec3 b) { return m ? a : b; }
float squared(vec3 d) {
  precise float s = d.x * d.x + d.y * d.y + d.z * d.z;
  return s;
}
#endif
