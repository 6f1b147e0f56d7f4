// How much longer hosts with Arm processors take for a framework's call than those of a DGX H100
// (host_time_factor of clusters), from published steps that such hosts bind, pooled over publications.
#pragma once

#include <span>
#include <vector>

#include "calibrate/steps/rate_pool.hpp"
#include "calibrate/steps/step_study.hpp"

namespace echo::calibrate {

// Those of `rows` whose hosts have such processors and whose prediction depends on how fast these are.
[[nodiscard]] StepRows bound_by_processors(StepStudy&, const StepRows& rows);
// The factor that each publication among `rows` shows by itself. Leaves the study as it was.
[[nodiscard]] std::vector<RateObservation> observe_processors(StepStudy&, const StepRows& rows);
// The estimate pooled from `seen`; without any, what is known of single calls.
[[nodiscard]] PooledRate pooled_processors(std::span<const RateObservation> seen);
// Sets the factor of all clusters with such processors.
void set_processors(StepStudy&, double factor);

// `echo-calibrate processors [--table FILE]`: prints the pooled factor, its standard deviation, and the
// factor that each publication shows by itself. The value is then written into sweeps/catalog/clusters.
int run_processors(std::span<char*> args);

}  // namespace echo::calibrate
