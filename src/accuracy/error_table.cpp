#include "accuracy/error_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/contract.hpp"
#include "base/quantile.hpp"

namespace echo::accuracy {

ErrorSummary summarise(const std::vector<Comparison>& comparisons) {
  ErrorSummary out;
  std::vector<double> errors;
  for (const Comparison& c : comparisons) {
    ECHO_EXPECT(c.measured > 0.0);
    const double relative = c.predicted / c.measured - 1.0;
    errors.push_back(std::abs(relative));
    out.bias += relative;
    out.mean_ape += std::abs(relative);
  }
  if (errors.empty()) return out;
  std::sort(errors.begin(), errors.end());
  out.scored = static_cast<int>(errors.size());
  out.bias /= out.scored;
  out.mean_ape /= out.scored;
  out.median_ape = quantile(errors, 0.5);
  out.p90_ape = quantile(errors, 0.9);
  out.max_ape = errors.back();
  return out;
}

bool ByNumberThenName::operator()(const std::string& a, const std::string& b) const {
  const auto key = [](const std::string& name) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return std::tuple(error == std::errc() ? 0 : 1, number, std::string_view(name));
  };
  return key(a) < key(b);
}

GroupErrors summarise_by_group(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::vector<Comparison>> groups;
  for (const Comparison& c : comparisons) groups[c.group].push_back(c);
  GroupErrors out;
  for (const auto& [group, members] : groups) out[group] = summarise(members);
  return out;
}

}  // namespace echo::accuracy
