// Fits the scales of the errors of memory estimates to published figures of peak memory.
#pragma once

#include <vector>

#include "accuracy/coverage.hpp"
#include "calibrate/memory/memory_errors.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::calibrate {

// The fields memory_* of `prior`, by maximum likelihood under it; all others as they are. Deterministic.
// Precondition: errors.
[[nodiscard]] simulate::ErrorModel fit_memory_errors(const std::vector<MemoryError>& errors,
                                                     const simulate::ErrorModel& prior);

// Every run with the scale that a fit to all other publications gives it; by publication.
[[nodiscard]] std::vector<accuracy::BandedError> unseen_memory_errors(const std::vector<MemoryError>& errors,
                                                                      const simulate::ErrorModel& prior);

// The factor, at least 1, by which scales must be wider for the bands of 80 % to hold 80 % of the runs of a
// publication that the fit has not seen, in the mean of publications.
[[nodiscard]] double memory_widening(const std::vector<accuracy::BandedError>& unseen);

// The fitted scales, widened so.
[[nodiscard]] simulate::ErrorModel widened_memory_errors(const std::vector<MemoryError>& errors,
                                                         const simulate::ErrorModel& prior);

// Minus the log likelihood that the fit maximises, without its prior.
[[nodiscard]] double memory_misfit(const std::vector<MemoryError>& errors, const simulate::ErrorModel&);

}  // namespace echo::calibrate
