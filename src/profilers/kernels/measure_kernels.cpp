#include "profilers/kernels/measure_kernels.hpp"

#include "base/error.hpp"
#include "profilers/kernels/profile_rows.hpp"

namespace echo::profilers {

// A GPU that is no longer on its bus fails every kernel; a library that lacks some shapes does not lack this
// many in a row without another that works between them.
static constexpr std::int32_t most_failures_in_a_row = 40;

MeasuringOutcome measure_kernels(std::span<const ops::KernelKey> keys, const MeasuringSteps& steps) {
  MeasuringOutcome out;
  std::vector<KernelRuns> unsaved;
  double saved_at = steps.seconds_left();
  const auto save = [&] {
    if (!unsaved.empty()) steps.save(unsaved);
    unsaved.clear();
    saved_at = steps.seconds_left();
  };
  std::int32_t failures = 0;
  std::size_t next = 0;
  for (; next < keys.size() && steps.seconds_left() > 0.0 && !out.gave_up; ++next) {
    try {
      const std::vector<KernelRuns> runs = steps.measure(keys[next]);
      if (profile_of(runs).rows.empty())
        throw UserError("too few launches, or impossible times", "it gets no row", 1);
      unsaved.insert(unsaved.end(), runs.begin(), runs.end());
      ++out.measured;
      failures = 0;
    } catch (const UserError& error) {
      ++out.failed[error.problems().front().what];
      out.gave_up = ++failures >= most_failures_in_a_row;
    }
    if (saved_at - steps.seconds_left() > steps.seconds_between_saves) save();
  }
  save();
  out.not_reached = static_cast<std::int64_t>(keys.size() - next);
  return out;
}

}  // namespace echo::profilers
