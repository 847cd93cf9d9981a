#include "bench/laws/law.h"
#include <algorithm>

namespace bench {

Measurement near(std::string what, std::string by, double measured, double reference, double share) {
  const double reach = share * std::abs(reference);
  return {std::move(what), std::move(by), measured, reference - reach, reference + reach, reference};
}

Measurement at_most(std::string what, std::string by, double measured, double bound) {
  return {std::move(what), std::move(by), measured, -INFINITY, bound, NAN};
}

Measurement between(std::string what, std::string by, double measured, double low, double high) {
  return {std::move(what), std::move(by), measured, low, high, NAN};
}

std::vector<MethodCase> methods_of_laws(const LawContext& context) {
  using talus::Method;
  std::vector<MethodCase> methods{{"dem", talus::default_solver(Method::dem)},
                                  {"vts", talus::default_solver(Method::vts)},
                                  {"sp", talus::default_solver(Method::sp)}};
  std::erase_if(methods,
                [&](const MethodCase& method) { return std::ranges::count(context.methods, method.name) == 0; });
  return methods;
}

}  // namespace bench
