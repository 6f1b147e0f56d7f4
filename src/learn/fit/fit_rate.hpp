// Fits the learned part of a slowdown model on top of a base.
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
  std::vector<double> gain;             // [features] loss reduction by each; empty: not trees
};

// [trusts] One fit; each trust is its weight, 0..1, against the base. `base`: [rows of the examples given]
// rates kept without learning; empty: all 1. Rows that do not overlap, or were not measured, are ignored.
// Precondition: at least one row is usable. UserError as fit().
[[nodiscard]] std::vector<FittedRate> fit_rates(const Examples&, Rows, const std::vector<double>& base,
                                                const Settings&, const std::vector<double>& trusts,
                                                std::uint64_t seed);

// The same function shrunk towards 1, which is the unchanged base: 1 + trust * (function - 1).
[[nodiscard]] slowdown::Regressor drawn_to_base(slowdown::Regressor, double trust);

[[nodiscard]] std::vector<double> features_of(const Example&, slowdown::FeatureSet);
[[nodiscard]] double kept_of(
    const Outcome&);  // the measured rate, clamped to the possible range; 1: no overlap

}  // namespace echo::learn
