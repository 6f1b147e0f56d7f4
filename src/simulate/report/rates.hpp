// What follows from a step time and the config alone.
#pragma once

#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Fills tokens_per_second and mfu from report.step: both fall where it grows. Contract: the step takes time,
// and the model is not a trace.
void report_rates(const training::TrainingConfig&, const Catalog&, StepReport&);

}  // namespace echo::simulate
