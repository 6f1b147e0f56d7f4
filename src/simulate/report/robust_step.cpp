// Problem: a layout that is robust is one whose step is short even if things go worse than predicted. GPUs of
// unequal speed are one such thing; the error of the prediction is another, mostly the larger one (8 to 20 %
// beside 1 to 3 %), and it differs between layouts: one that rests on a network nobody measured errs more.
// Idea: the step is d * e, d one of the drawn steps and e the error, independent of each other. ln e follows
// Student's t with four degrees of freedom, the law by which the error model is fitted (errors of
// publications have heavier tails than a normal distribution), scaled so that its 90th percentile is
// rel_error_p90, where the calibration found it. So
//   P(step <= x) = mean over draws d of T4((ln x - ln d) / s),   s = rel_error_p90 / T4^-1(0.9),
// which grows with x; the x of 0.9 is found by bisection. Without draws x = step * exp(rel_error_p90).
//
// Neglected: that errors of two layouts are partly the same. A percentile is a property of one row; whether
// one row beats another is asked of step_time, whose shared errors cancel (results/rank).
#include "simulate/report/robust_step.hpp"

#include <cmath>
#include <vector>

#include "base/contract.hpp"
#include "base/student_t.hpp"

namespace echo::simulate {

namespace {

constexpr double robust = 0.9;

// The ceil(p n)-th of n ascending times.
SimTime nearest_rank(std::span<const SimTime> times, std::size_t tenths) {
  return times[(tenths * times.size() + 9) / 10 - 1];
}

SimTime times_exp(SimTime step, double exponent) {
  return SimTime(std::llround(static_cast<double>(step.count()) * std::exp(exponent)));
}

}  // namespace

SimTime robust_step(SimTime step, std::span<const SimTime> drawn, double rel_error_p90) {
  ECHO_EXPECT(step > SimTime::zero() && rel_error_p90 >= 0.0);
  if (drawn.empty()) return times_exp(step, rel_error_p90);
  const SimTime of_gpus = nearest_rank(drawn, 9);
  if (rel_error_p90 == 0.0 || drawn.front() == drawn.back()) return times_exp(of_gpus, rel_error_p90);
  static const double quantile = student_t4_quantile(robust);
  const double scale = rel_error_p90 / quantile, origin = std::log(static_cast<double>(step.count()));
  std::vector<double> place;  // ln d
  for (const SimTime one : drawn) place.push_back(std::log(static_cast<double>(one.count())) - origin);
  // As if all drawn steps were the shortest one, and the longest.
  double low = place.front() + rel_error_p90, high = place.back() + rel_error_p90;
  constexpr double fine = 1e-13;
  while (high - low > fine) {
    const double middle = 0.5 * (low + high);
    double below = 0.0;
    for (const double one : place) below += student_t4_cdf((middle - one) / scale);
    (below < robust * static_cast<double>(place.size()) ? low : high) = middle;
  }
  return times_exp(step, high);
}

void report_percentiles(std::span<const SimTime> drawn, StepReport& report) {
  report.step_median = drawn.empty() ? SimTime::zero() : nearest_rank(drawn, 5);
  report.step_p90 = robust_step(report.step, drawn, static_cast<double>(report.rel_error_p90));
}

}  // namespace echo::simulate
