// Row a beats row b where, with x = error of ln step a - error of ln step b, every cost of a, moved by x
// times its slope, stays below that of b. Each aspect bounds x from above (slope 1) or below (slope -1): the
// remaining set is an interval of a normal variable of known variance. Errors of memory are a second,
// independent variable.
//
// For a box of contenders each side of the interval is as far out as the least cost allows. A half-line that
// contains 0 is likeliest with the least variance, one that does not with the greatest.
#include "results/rank/contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace echo::results {
namespace {

using sweep::ErrorLaw;
constexpr double infinite = std::numeric_limits<double>::infinity();

// The interval in which the difference of two errors must lie.
struct Interval {
  double low = -infinite, high = infinite;
};

bool is_memory(const Aspect& aspect) { return aspect.law == ErrorLaw::memory; }

// False where an aspect without error decides against a. [0] step, [1] memory.
bool intervals_of(std::span<const Aspect> aspects, const std::array<double, 2>& a,
                  const std::array<double, 2>& b, std::array<Interval, 2>& intervals) {
  for (std::size_t i = 0; i < aspects.size(); ++i) {
    const double gap = b[i] - a[i];
    if (aspects[i].slope == 0.0) {
      if (gap < 0.0) return false;
      continue;
    }
    Interval& interval = intervals[is_memory(aspects[i]) ? 1 : 0];
    if (aspects[i].slope > 0.0)
      interval.high = std::min(interval.high, gap);
    else
      interval.low = std::max(interval.low, -gap);
  }
  return true;
}

bool is_open(const Interval& interval) { return interval.low == -infinite && interval.high == infinite; }

double probability(const Interval& interval, double sigma) {
  if (interval.low > interval.high) return 0.0;
  if (sigma == 0.0) return interval.low <= 0.0 && interval.high >= 0.0 ? 1.0 : 0.0;
  const double below = interval.high == infinite ? 1.0 : normal_cdf(interval.high / sigma);
  return interval.low == -infinite ? below : below - normal_cdf(interval.low / sigma);
}

// Probability of x <= reach.
double side_bound(double reach, double least_sigma, double most_sigma) {
  if (reach == infinite) return 1.0;
  const double sigma = reach >= 0.0 ? least_sigma : most_sigma;
  if (sigma == 0.0) return reach >= 0.0 ? 1.0 : 0.0;
  return normal_cdf(reach / sigma);
}

double bound_of(const Interval& interval, double least_variance, double most_variance) {
  const double least = std::sqrt(least_variance), most = std::sqrt(most_variance);
  return std::min(side_bound(interval.high, least, most), side_bound(-interval.low, least, most));
}

struct VarianceRange {
  double least = 0.0, most = 0.0;
};

VarianceRange step_range(const ContestBox& box, const RowError& b) {
  VarianceRange range;
  for (std::size_t k = 0; k < b.step.size(); ++k) {
    const double low = box.least.step[k], high = box.most.step[k], own = b.step[k];
    if (is_shared(static_cast<ErrorSource>(k), box.least, b)) {
      const double near = std::max({0.0, low - own, own - high}), far = std::max(own - low, high - own);
      range.least += near * near, range.most += far * far;
    } else {
      range.least += low * low + own * own, range.most += high * high + own * own;
    }
  }
  // What runs explain of a difference is taken off.
  for (std::size_t run = 0; run < b.explained.size(); ++run) {
    const double low = box.least.explained[run], high = box.most.explained[run], own = b.explained[run];
    const double near = std::max({0.0, low - own, own - high}),
                 far = std::max(std::abs(own - low), std::abs(high - own));
    range.least -= far * far, range.most -= near * near;
  }
  range.least = std::max(0.0, range.least), range.most = std::max(0.0, range.most);
  return range;
}

}  // namespace

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double Aspect::cost_of(double value) const {
  if (slope == 0.0) return sign * value;
  return value > 0.0 ? sign * std::log(value) : std::numeric_limits<double>::quiet_NaN();
}

static ErrorLaw law_of(const sweep::Objective& objective) {
  const sweep::Metric* metric = sweep::find_metric(objective.metric);
  return metric == nullptr ? ErrorLaw::unknown : metric->error;
}

bool is_judged(const ResultRows& rows, const sweep::Objective& objective) {
  switch (law_of(objective)) {
    case ErrorLaw::none:
      return true;
    case ErrorLaw::step:
    case ErrorLaw::inverse_step:
      return has_step_errors(rows);
    case ErrorLaw::memory:
      return has_memory_errors(rows);
    case ErrorLaw::unknown:
      return false;
  }
  return false;
}

Aspect aspect_of(const ResultRows& rows, const sweep::Objective& objective) {
  if (is_judged(rows, objective)) return aspect_of(objective);
  return {.sign = objective.goal == sweep::Goal::min ? 1.0 : -1.0};
}

Aspect aspect_of(const sweep::Objective& objective) {
  Aspect aspect{.sign = objective.goal == sweep::Goal::min ? 1.0 : -1.0};
  const ErrorLaw law = law_of(objective);
  if (law == ErrorLaw::none || law == ErrorLaw::unknown) return aspect;
  aspect.law = law;
  aspect.slope = law == ErrorLaw::inverse_step ? -aspect.sign : aspect.sign;
  return aspect;
}

double chance_to_beat(std::span<const Aspect> aspects, const Contender& a, const Contender& b) {
  std::array<Interval, 2> intervals;
  if (!intervals_of(aspects, a.cost, b.cost, intervals)) return 0.0;
  const bool by_step = !is_open(intervals[0]), by_memory = !is_open(intervals[1]);
  const double step = by_step ? step_variance(a.error, b.error) : 0.0;
  const double memory = by_memory ? memory_variance(a.error, b.error) : 0.0;
  if (step == 0.0 && memory == 0.0 && a.cost == b.cost) return a.row < b.row ? 1.0 : 0.0;
  double chance = 1.0;
  if (by_step) chance *= probability(intervals[0], std::sqrt(step));
  if (by_memory) chance *= probability(intervals[1], std::sqrt(memory));
  return chance;
}

double chance_bound(std::span<const Aspect> aspects, const ContestBox& box, const Contender& b) {
  std::array<Interval, 2> intervals;
  if (!intervals_of(aspects, box.least_cost, b.cost, intervals)) return 0.0;
  double bound = 1.0;
  if (!is_open(intervals[0])) {
    const VarianceRange range = step_range(box, b.error);
    bound *= bound_of(intervals[0], range.least, range.most);
  }
  if (!is_open(intervals[1]))
    bound *= bound_of(intervals[1], memory_variance(box.least, b.error), memory_variance(box.most, b.error));
  return bound;
}

}  // namespace echo::results
