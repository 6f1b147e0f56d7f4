// The simulator as a pure function from a config to a report, without files, MPI or clocks.
#pragma once

#include <cstdint>

#include "base/refusal.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/skew.hpp"
#include "simulate/step/workspace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Pipeline tasks (a chunk's pass over a microbatch) of one step that are still composed. Ten times what 64
// stages of 4 chunks and 4096 microbatches take; composed one by one, a second and some hundred MiB.
inline constexpr std::int64_t default_work_budget = 20'000'000;

// A config with more tasks than `work_budget` is over_budget: counted before it is composed, so by no clock,
// and the same on every machine. 0 = the default. Skewed steps are drawn where asked for.
[[nodiscard]] StepReport simulate(const training::TrainingConfig&, const Catalog&, const Calibration&,
                                  Workspace&, std::int64_t work_budget = 0, const Skew& = {});

// Chunks x microbatches x passes: forward and backward, which some schedules split.
[[nodiscard]] std::int64_t pipeline_tasks(const training::TrainingConfig&, const Catalog&);

// The rule an `unsupported` config breaks; none where it breaks none.
[[nodiscard]] Refusal why_unsupported(const training::TrainingConfig&, const Catalog&);

}  // namespace echo::simulate
