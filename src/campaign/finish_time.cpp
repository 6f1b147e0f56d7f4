// The wall time is step x (work in steps) / goodput: a product of the step's own error, whose logarithm is
// symmetric, and of luck with failures. Logarithms add, so do their cumulants:
//
//   ln T of luck   of mean m, coefficient of variation c and skewness g: mean ln m - ln(1 + c^2) / 2,
//   variance
//                  ln(1 + c^2), third cumulant (g - 3 c - c^3) c^3. Exact where T is log-normal (its skewness
//                  is 3 c + c^3), and to first order in c for any law.
//   ln step        variance step_spread^2.
//
// The quantile is that of Pearson's type III (a shifted gamma distribution) of these three cumulants. Few
// failures leave a mass at the least time, which no smooth law has: the quantile is not below it where the
// step is taken as exact, and is it where its chance is p or more.
#include "campaign/finish_time.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "base/contract.hpp"

namespace echo::campaign {

namespace {

double normal_quantile(double p) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p); }

// The quantile of the law of zero mean and unit variance.
double pearson3_quantile(double skewness, double p) {
  constexpr double straight = 1e-4;  // the two laws differ by a sixth of it
  if (std::fabs(skewness) < straight) return normal_quantile(p);
  if (skewness < 0.0) return -pearson3_quantile(-skewness, 1.0 - p);
  const double shape = 4.0 / (skewness * skewness);
  return (boost::math::gamma_p_inv(shape, p) - shape) / std::sqrt(shape);
}

}  // namespace

double finish_quantile(const FinishTime& t, double p) {
  ECHO_EXPECT(p > 0.0 && p < 1.0);
  if (!std::isfinite(t.time.mean)) return t.time.mean;
  const bool exact_step = t.step_spread <= 0.0;
  if (exact_step && p <= t.chance_least) return t.least;
  const double c2 = std::max(0.0, t.time.variance) / (t.time.mean * t.time.mean);
  const double luck = std::log1p(c2);
  const double third = t.time.third / (t.time.mean * t.time.mean * t.time.mean) - (3.0 + c2) * c2 * c2;
  const double variance = luck + t.step_spread * t.step_spread;
  const double middle = std::log(t.time.mean) - 0.5 * luck;
  if (!(variance > 0.0)) return t.time.mean;
  const double spread = std::sqrt(variance);
  const double found = std::exp(middle + spread * pearson3_quantile(third / (variance * spread), p));
  return exact_step ? std::max(found, t.least) : found;
}

double spread_of_p90(double p90) { return p90 / normal_quantile(0.9); }

}  // namespace echo::campaign
