// The best value of a metric over a set of configs, from bounds of their steps and their memory.
#pragma once

#include <optional>

#include "bounds/memory_bound.hpp"
#include "campaign/terms.hpp"
#include "simulate/catalog.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/spec.hpp"

namespace echo::bounds {

// What a metric's best value follows from: `none`: no bound is known; `config`: from axes that are fixed in
// every set that has a bound.
enum class Basis : std::int8_t { none, config, step, memory };

// Metrics that are monotone in the step time and read no other part of a report: step_time, tokens_per_s,
// tokens_per_s_per_gpu, mfu; train_time and gpu_hours without [reliability]; cost and tokens_per_cost if the
// price of electricity is part of the GPU-hour's. mem_peak follows from the memory, gpus from the config.
// Only in the direction in which a bound says something: a short step, few bytes.
[[nodiscard]] Basis basis_of(const sweep::Objective&, const campaign::Terms&);

// No member has a better value. NaN where the metric has none for all members. Contract: the basis is step or
// config, and `member` agrees with the set on every axis that reaches all of a step.
[[nodiscard]] double best_value(const sweep::Metric&, const training::TrainingConfig& member,
                                SimTime least_step, const simulate::Catalog&, const campaign::Terms&);

}  // namespace echo::bounds
