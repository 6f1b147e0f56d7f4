#include "accuracy/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/contract.hpp"
#include "base/quantile.hpp"

namespace echo::accuracy {

Coverage coverage(const std::vector<BandedError>& rows, double factor) {
  Coverage out{.rows = static_cast<int>(rows.size())};
  if (rows.empty()) return out;
  std::vector<double> bands, errors;
  for (const BandedError& row : rows) {
    bands.push_back(factor * row.band);
    errors.push_back(row.error);
    if (std::abs(row.error) <= bands.back()) out.covered += 1.0;
  }
  out.covered /= static_cast<double>(rows.size());
  out.median_band = median_of(bands);
  out.shift = median_of(errors);
  for (double& error : errors) error = std::abs(error - out.shift);
  out.spread = median_of(errors);
  return out;
}

std::map<std::string, Coverage> coverage_by_group(const std::vector<BandedError>& rows, double factor) {
  std::map<std::string, std::vector<BandedError>> groups;
  for (const BandedError& row : rows) groups[row.group].push_back(row);
  std::map<std::string, Coverage> out;
  for (const auto& [group, own] : groups) out[group] = coverage(own, factor);
  return out;
}

double factor_that_covers(const std::vector<BandedError>& rows, double share) {
  ECHO_EXPECT(!rows.empty());
  std::map<std::string, double> count;
  for (const BandedError& row : rows) count[row.group] += 1.0;
  double all = 0.0;
  for (const auto& [group, own] : count) all += std::sqrt(own);
  std::vector<std::pair<double, double>> weighed;  // |error| / band, weight
  for (const BandedError& row : rows)
    weighed.emplace_back(std::abs(row.error) / row.band, 1.0 / (std::sqrt(count[row.group]) * all));
  std::sort(weighed.begin(), weighed.end());
  double sum = 0.0;
  for (const auto& [factor, weight] : weighed) {
    sum += weight;
    if (sum >= share - 1e-9) return std::nextafter(factor, 2.0 * factor);  // the quotient may be rounded down
  }
  return weighed.back().first;
}

}  // namespace echo::accuracy
