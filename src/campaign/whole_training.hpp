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

[[nodiscard]] double train_time(const PlannedTraining&);  // seconds, without failures
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

}  // namespace echo::campaign
