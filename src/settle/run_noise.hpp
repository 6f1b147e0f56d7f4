// How far the measured step time of a real run is off from the layout's own: by the run, and by too few
// steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace echo::settle {

// One standard deviation of ln step_time between runs of one config on one kind of machine. Source: published
// runs that repeat a config (MLPerf Training v3.1, v5.0, v5.1; Zero Bubble; InternEvo; 21 degrees of
// freedom): 0.7 % within one project's runs, 1.2 to 1.8 % between submissions; pooled 1.4 %. Releases of a
// framework apart (DGX Cloud Benchmarking, NeMo) it is 2.4 %, which a site that measures at once does not
// have.
inline constexpr double run_to_run = 0.014;
// The same between the steps of one run. Assumed, an order of magnitude: collectives and late hosts vary.
inline constexpr double step_to_step = 0.02;
// Steps at the start that do not count: compilation, allocation, clocks. Assumed.
inline constexpr std::int64_t warm_up_steps = 10;

// Steps whose mean is known to `precision`, one relative standard deviation. Contract: precision > 0.
[[nodiscard]] inline std::int64_t steps_for(double precision) {
  const double ratio = step_to_step / precision;
  return std::max<std::int64_t>(1, std::llround(std::ceil(ratio * ratio - 1e-9)));
}

// The variance of ln(measured mean step) around the layout's own. Contract: steps > 0.
[[nodiscard]] inline double noise_variance(std::int64_t steps) {
  return run_to_run * run_to_run + step_to_step * step_to_step / static_cast<double>(steps);
}

}  // namespace echo::settle
