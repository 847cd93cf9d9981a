#pragma once
// How objects print: Name(member=value, ..).
#include <concepts>
#include <cstdio>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <string>

namespace talus_python {

inline std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}
inline std::string text_of(std::integral auto x) {
  if constexpr (std::same_as<decltype(x), bool>)
    return x ? "True" : "False";
  else
    return std::to_string(x);
}
inline std::string text_of(const std::string& s) {
  return "'" + s + "'";
}
inline std::string text_of(const glm::dvec3& v) {
  return "[" + text_of(v.x) + ", " + text_of(v.y) + ", " + text_of(v.z) + "]";
}
inline std::string text_of(const glm::dquat& q) {
  return "[" + text_of(q.x) + ", " + text_of(q.y) + ", " + text_of(q.z) + ", " + text_of(q.w) + "]";
}

class Repr {
public:
  explicit Repr(const char* name) : text_(std::string(name) + "(") {}
  Repr& operator()(const char* member, const auto& value) { return add(std::string(member) + "=" + text_of(value)); }
  Repr& add(const std::string& what) {
    text_ += (empty_ ? "" : ", ") + what;
    empty_ = false;
    return *this;
  }
  operator std::string() const { return text_ + ")"; }

private:
  std::string text_;
  bool empty_ = true;
};

}  // namespace talus_python
