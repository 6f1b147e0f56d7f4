// From one simulated step to the whole training: how long it takes, the GPU-hours and the energy it uses, and
// what they cost. Each is NaN where a term, a power or the step is unknown, never 0.
#pragma once

#include "campaign/terms.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "training/config.hpp"

namespace echo::campaign {

// One config, its simulated step, and the terms of the training that is made of such steps.
struct PlannedTraining {
  const training::TrainingConfig& config;
  const simulate::StepReport& report;
  const simulate::Catalog& catalog;
  const Terms& terms;
};

// Seconds. With [reliability]: the mean over failures, their restarts and checkpoints; else of the steps
// alone.
[[nodiscard]] double train_time(const PlannedTraining&);
// GPU-hours of the job and of the spare nodes that it holds.
[[nodiscard]] double gpu_hours(const PlannedTraining&);
// Joules at the plugs of the nodes (campaign/power.hpp); the site's PUE is not in them.
[[nodiscard]] double energy_of_step(const PlannedTraining&);
[[nodiscard]] double energy(const PlannedTraining&);
// Kilograms of CO2: energy * PUE * carbon per kWh.
[[nodiscard]] double carbon(const PlannedTraining&);
// In the currency of the terms: GPU-hours at their price, and where the terms price electricity, energy * PUE
// at that price. Without a price of electricity, that of a GPU-hour is taken to include it.
[[nodiscard]] double cost(const PlannedTraining&);
[[nodiscard]] double tokens_per_cost(const PlannedTraining&);

// With [reliability]; NaN without it.
[[nodiscard]] double goodput(const PlannedTraining&);
[[nodiscard]] double checkpoint_interval(const PlannedTraining&);  // seconds of work
// Seconds: done by then with a chance of 50 and 90 %, over failures and the step's own error.
[[nodiscard]] double train_time_p50(const PlannedTraining&);
[[nodiscard]] double train_time_p90(const PlannedTraining&);

}  // namespace echo::campaign
