// The chance that a step fits the memory of the device.
#pragma once

#include "simulate/report/error_model.hpp"
#include "training/memory/memory_use.hpp"

namespace echo::simulate {

struct MemoryFit {
  double rel_error = 0.0;  // of the peak, one standard deviation
  double chance = 0.0;     // that the memory in use stays below the limit
};

// Contract: the peak and the limit are positive.
[[nodiscard]] MemoryFit memory_fit(const ErrorModel&, const training::MemoryParts&, Bytes limit);

// The part of an estimate that a run needs, and the most of it that fits with probability `chance`; bytes.
[[nodiscard]] double needed_memory(double peak, double fragmentation);
[[nodiscard]] double memory_that_fits(double limit, double rel_error, double chance);

// Configs below this chance are infeasible for lack of memory; the others are simulated.
inline constexpr double least_fit_chance = 0.1;
// Rankings hold configs from this chance on, where a sweep says nothing ([rank] min_fit_chance).
inline constexpr double ranked_fit_chance = 0.9;

}  // namespace echo::simulate
