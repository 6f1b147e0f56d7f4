// A learned slowdown model: an unlearned base, and functions fitted to measured overlaps on top of it. The
// learned quantity is the *rate kept*, 1 / (1 + slowdown): the share of its speed alone that a kernel (or a
// collective) keeps while the other runs.
//   kept   = base * residual(features), clamped to the range of training (or of the base)
//   factor = 1 / min(1, kept)
// Slowdowns have a tail (30 in Echo's table, where short kernels wait for SMs) that dominates all others in a
// squared error; rates lie in 0..1, and an error of a rate is nearly the relative error of a time.
//
// The residual is a factor, because two models of one mechanism differ by a ratio that grows with the load,
// while their difference of rates grows and then vanishes, as both rates do: an additive residual that is
// constrained to fall with demand cannot follow. On drawn pairs with true constants of 1.6 SMs per channel
// and 1.3 of the excess demand, trees constrained in this way on the default constants err by 5 % as a factor
// and by 13 % as a sum (the white box alone: 17 %). A residual that only falls makes its base steeper, never
// flatter: a white box that overestimates slowdown cannot be corrected, so its constants are fitted first,
// and rather too low than too high.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slowdown/contention.hpp"
#include "slowdown/families.hpp"
#include "slowdown/features.hpp"
#include "slowdown/overlap_row.hpp"
#include "slowdown/regressor.hpp"

namespace echo::slowdown {

enum class Base : std::int8_t {
  none,        // 1: only the function
  contention,  // the white-box model; feature set `simulator`
  families,    // rates kept by kernels of that name; feature set `metrics`
  direct       // the function is the slowdown itself, negative ones count as 0; feature set `metrics`
};

// Closed; low > high = empty.
struct Range {
  double low = 0.0, high = -1.0;
  friend bool operator==(const Range&, const Range&) = default;
};

struct RateModel {
  Regressor residual = Forest{.base = 1.0F};  // factor on the base's rate; 1 = the base is right
  Range seen{1.0, 1.0};  // rates kept in training: predictions are clamped to it and the base
  friend bool operator==(const RateModel&, const RateModel&) = default;
};

// Errors of predicted overlapped durations on held-out rows.
struct HeldOutError {
  std::string of;      // "this model", "no slowdown", "median by kernel name"
  std::string folds;   // "by row", "by kernel name"
  double mean = 0.0;   // of |predicted - measured| / measured
  double total = 0.0;  // of the sums: (predicted - measured) / measured
  double doubt = 0.0;  // one standard error of the difference of `mean` from this model's
  friend bool operator==(const HeldOutError&, const HeldOutError&) = default;
};

// The training data and errors of a model.
struct Evidence {
  std::int64_t rows = 0;  // in training
  std::string dataset;    // digest of their file
  std::uint64_t seed = 0;
  std::vector<std::string> gpus;     // presets' names
  std::vector<std::string> assumed;  // what its rows did not say, in words with counts of rows
  std::vector<HeldOutError> errors;
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

struct LearnedModel {
  std::string name;  // "trees_on_contention"
  FeatureSet features = FeatureSet::simulator;
  Base base = Base::none;
  Contention contention{};    // the base; also the collective's factor if it is not learned
  Families families;          // the base
  std::vector<Range> ranges;  // [features] in training; inputs are clamped to them, empty = unknown
  RateModel kernel;
  std::optional<RateModel> collective;  // feature set `simulator` only
  Evidence evidence;
  friend bool operator==(const LearnedModel&, const LearnedModel&) = default;
};

// Whether the model is valid: sizes agree, numbers are finite and in range, regressors are sound, base and
// feature set are compatible.
[[nodiscard]] bool is_sound(const LearnedModel&);

// Precondition: is_sound, feature set `metrics`. Positive; slightly above 1 if noise was learned.
[[nodiscard]] double kept_rate(const LearnedModel&, const OverlapRow&);

// Precondition: is_sound, feature set `simulator`; sm_count and memory_bandwidth are positive. Finite and
// >= 1. Beside a copy engine (no channels) the white box is used: training has no such rows.
[[nodiscard]] Factors predict(const LearnedModel&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                              const Machine&);

}  // namespace echo::slowdown
