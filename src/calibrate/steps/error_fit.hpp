// Fits the standard deviations of the sources of error to the errors of published steps.
#pragma once

#include <vector>

#include "accuracy/coverage.hpp"
#include "calibrate/steps/step_errors.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::calibrate {

// Constants that a fit moves: the first of config::error_fields().
inline constexpr std::size_t fitted_count = fitted_error_source_count + 11;

// The errors are of runs whose settings are stated. By maximum likelihood under `prior`, then scaled so that
// one standard deviation holds 68 % of the runs of a publication and p90 of them 80 %, as
// validate::factor_that_covers weighs them. Deterministic. Precondition: errors.
[[nodiscard]] simulate::ErrorModel fit_errors(const std::vector<StepError>& errors,
                                              const simulate::ErrorModel& prior);

// `stated` with what is added where settings are not the run's own, fitted to such runs; where nothing better
// than defaults is known, bands of p90 hold 80 %.
[[nodiscard]] simulate::ErrorModel fit_unstated(const std::vector<StepError>& errors,
                                                const simulate::ErrorModel& stated);

// Minus the log likelihood that the fit maximises, without its prior.
[[nodiscard]] double misfit(const std::vector<StepError>& errors, const simulate::ErrorModel&);

// Each with a band of one standard deviation.
[[nodiscard]] std::vector<accuracy::BandedError> banded(const std::vector<StepError>& errors,
                                                        const simulate::ErrorModel&);

}  // namespace echo::calibrate
