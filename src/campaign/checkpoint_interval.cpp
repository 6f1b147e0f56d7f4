// The mean of segment_time is proportional to e^(rate (t + stall)) - 1 in the work t, whatever the downtime,
// the waits and the time until a checkpoint is durable. The largest t / (e^(rate (t + stall)) - 1) is where
//   (1 - x) e^x = e^-a,   x = rate t, a = rate stall,   or   -log(1 - x) - x = a
// which Lambert's W solves as x = 1 + W0(-e^(-1-a)). The logarithm, whose left side is convex and rises from
// 0 without bound, is exact for small a too; Newton's method falls towards its root from any point above.
#include "campaign/checkpoint_interval.hpp"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>

namespace echo::campaign {

double best_interval(const FailureProcess& p) {
  if (p.rate <= 0.0) return std::numeric_limits<double>::infinity();
  const double a = p.rate * p.stall;
  if (a <= 0.0) return 0.0;
  // Both are above the root: -log(1 - x) - x >= x^2 / 2, and -log(1 - x) <= a + 1.
  double x = std::min(std::sqrt(2.0 * a), -std::expm1(-(a + 1.0)));
  constexpr int most_steps = 60;  // it squares the error once near; a is never so large that it needs more
  for (int step = 0; step < most_steps && x < 1.0; ++step) {
    const double slope = x / (1.0 - x);
    const double next = x - (-boost::math::log1pmx(-x) - a) / slope;
    if (!(next < x)) break;
    x = next;
  }
  return x / p.rate;
}

double young_interval(const FailureProcess& p) {
  return p.rate > 0.0 ? std::sqrt(2.0 * p.stall / p.rate) : std::numeric_limits<double>::infinity();
}

double daly_interval(const FailureProcess& p) {
  if (p.rate <= 0.0) return std::numeric_limits<double>::infinity();
  const double between = 1.0 / p.rate;
  if (p.stall >= 2.0 * between) return between;
  const double half = p.stall / (2.0 * between);
  return young_interval(p) * (1.0 + std::sqrt(half) / 3.0 + half / 9.0) - p.stall;
}

double possible_interval(const FailureProcess& p, double wanted, double whole_work) {
  return std::min(std::max(wanted, p.durable - p.stall), whole_work);
}

}  // namespace echo::campaign
