// A learned part of a slowdown model, on top of what is there already.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/candidates/examples.hpp"
#include "learn/fit/fit.hpp"
#include "slowdown/learned.hpp"

namespace echo::learn {

struct FittedRate {
  slowdown::RateModel rate;
  std::vector<slowdown::Range> ranges;  // [features]
  std::vector<double> gain;             // [features] what each took off the loss; empty: not trees
};

// [trusts] One fit; each trust is how much of it counts, 0..1, the rest being the base. `base`: [rows of the
// examples given] rates kept without learning; empty: all 1. Rows that do not overlap, or were not measured,
// teach nothing. Precondition: at least one row teaches something. UserError as fit().
[[nodiscard]] std::vector<FittedRate> fit_rates(const Examples&, Rows, const std::vector<double>& base,
                                                const Settings&, const std::vector<double>& trusts,
                                                std::uint64_t seed);

// The same function, drawn towards 1, which leaves the base as it is: 1 + trust * (function - 1).
[[nodiscard]] slowdown::Regressor drawn_to_base(slowdown::Regressor, double trust);

[[nodiscard]] std::vector<double> features_of(const Example&, slowdown::FeatureSet);
[[nodiscard]] double kept_of(
    const Outcome&);  // the rate that was measured, held to what can be; 1: no overlap

}  // namespace echo::learn
