#include "engine/scene/formula.h"
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <glm/gtc/constants.hpp>
#include <memory>
#include <muParser.h>
#include <stdexcept>

namespace talus {
namespace {

// A formula of so many variables.
template <std::size_t count> class Parsed {
public:
  // kind: what the variables are, for messages.
  Parsed(const std::string& text, const std::array<const char*, count>& names, const char* kind) {
    constexpr double tried = 0.5;
    try {
      for (std::size_t k = 0; k < count; ++k)
        parser_.DefineVar(names[k], &values_[k]);
      parser_.DefineConst("pi", glm::pi<double>());
      parser_.DefineConst("e", glm::e<double>());
      parser_.DefineFun(
          "floor", +[](double x) { return std::floor(x); });
      parser_.DefineFun(
          "mod", +[](double a, double b) { return a - b * std::floor(a / b); });
      parser_.SetExpr(text);
      values_.fill(tried);
      parser_.Eval();
      if (parser_.GetNumResults() > 1)
        throw std::invalid_argument("it has several values");
    } catch (const mu::Parser::exception_type& e) {
      throw std::invalid_argument(e.GetMsg());
    }
    for (std::size_t k = 0; k < count; ++k)
      if (values_[k] != tried)
        throw std::invalid_argument(fmt::format("it sets {}, which is {}", names[k], kind));
  }
  Parsed(const Parsed&) = delete;  // the parser holds the addresses of the values
  Parsed& operator=(const Parsed&) = delete;

  double at(const std::array<double, count>& values) {
    values_ = values;
    return parser_.Eval();
  }

private:
  mu::Parser parser_;
  std::array<double, count> values_{};
};

}  // namespace

std::function<double(double)> parse_formula(const std::string& text) {
  const auto parsed = std::make_shared<Parsed<1>>(text, std::array{"t"}, "the time");
  return [parsed](double time) { return parsed->at({time}); };
}

std::function<double(double, double)> parse_formula_of_place(const std::string& text) {
  const auto parsed = std::make_shared<Parsed<2>>(text, std::array{"x", "y"}, "a coordinate");
  return [parsed](double x, double y) { return parsed->at({x, y}); };
}

}  // namespace talus
