// Fits the scales of the errors of memory estimates to published figures of peak memory.
#pragma once

#include <vector>

#include "calibrate/memory/memory_errors.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::calibrate {

// The fields memory_* of `prior`, by maximum likelihood under it; all others as they are. Deterministic.
// Precondition: errors.
[[nodiscard]] simulate::ErrorModel fit_memory_errors(const std::vector<MemoryError>& errors,
                                                     const simulate::ErrorModel& prior);

// Minus the log likelihood that the fit maximises, without its prior.
[[nodiscard]] double memory_misfit(const std::vector<MemoryError>& errors, const simulate::ErrorModel&);

}  // namespace echo::calibrate
