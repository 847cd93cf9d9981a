#include "engine/scene/formula.h"
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <memory>
#include <muParser.h>
#include <stdexcept>

namespace talus {
namespace {

struct Parsed {
  mu::Parser parser;
  double t = 0.0;  // the parser holds its address
};

double at(Parsed& parsed, double time) {
  parsed.t = time;
  return parsed.parser.Eval();
}

}  // namespace

std::function<double(double)> parse_formula(const std::string& text) {
  const auto parsed = std::make_shared<Parsed>();
  mu::Parser& parser = parsed->parser;
  try {
    parser.DefineVar("t", &parsed->t);
    parser.DefineConst("pi", glm::pi<double>());
    parser.DefineConst("e", glm::e<double>());
    parser.DefineFun(
        "floor", +[](double x) { return std::floor(x); });
    parser.DefineFun(
        "mod", +[](double a, double b) { return a - b * std::floor(a / b); });
    parser.SetExpr(text);
    at(*parsed, 0.5);
    if (parser.GetNumResults() > 1)
      throw std::invalid_argument("it has several values");
  } catch (const mu::Parser::exception_type& e) {
    throw std::invalid_argument(e.GetMsg());
  }
  if (parsed->t != 0.5)
    throw std::invalid_argument("it sets t, which is the time");
  return [parsed](double time) { return at(*parsed, time); };
}

}  // namespace talus
