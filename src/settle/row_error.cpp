#include "settle/row_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"

namespace echo::settle {

namespace {

double square(double x) { return x * x; }

}  // namespace

bool is_shared(ErrorSource source, const RowError& a, const RowError& b) {
  const ErrorOwner owner = owner_of(source);
  if (owner == ErrorOwner::config) return false;
  const std::size_t whose = at(owner);
  return a.owner[whose] == b.owner[whose];
}

double step_covariance(const RowError& a, const RowError& b, Rows rows) {
  double covariance = 0.0;
  for (std::size_t k = 0; k < a.step.size(); ++k)
    if (rows == Rows::same || is_shared(static_cast<ErrorSource>(k), a, b))
      covariance += a.step[k] * b.step[k];
  return covariance - std::inner_product(a.explained.begin(), a.explained.end(), b.explained.begin(), 0.0);
}

double step_variance(const RowError& error) {
  return std::max(0.0, step_covariance(error, error, Rows::same));
}

bool is_known_as_well(const RowError& a, const RowError& b) {
  return step_variance(a) <= square(1.1) * step_variance(b);
}

RowError no_greater_than(const RowError& other, RowError error) {
  const double most = step_variance(other), own = step_variance(error);
  if (own <= most) return error;
  const double scale = std::sqrt(most / own);
  for (double& part : error.step) part *= scale;
  for (double& part : error.explained) part *= scale;
  return error;
}

double step_variance(ErrorSource source, const RowError& a, const RowError& b) {
  const double x = a.step[index_of(source)], y = b.step[index_of(source)];
  return is_shared(source, a, b) ? square(x - y) : x * x + y * y;
}

double step_variance(const RowError& a, const RowError& b) {
  double variance = 0.0;
  for (std::size_t k = 0; k < a.step.size(); ++k)
    variance += step_variance(static_cast<ErrorSource>(k), a, b);
  for (std::size_t run = 0; run < a.explained.size(); ++run)
    variance -= square(a.explained[run] - b.explained[run]);
  return std::max(0.0, variance);
}

double memory_variance(const RowError& a, const RowError& b) { return square(a.memory) + square(b.memory); }

}  // namespace echo::settle
