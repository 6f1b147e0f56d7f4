// A learned slowdown model: what is there without learning (a base), and functions fitted to measured
// overlaps on top of it. What is learned is the *rate kept*, 1 / (1 + slowdown): the share of its speed alone
// that a kernel (or a collective) keeps while the other runs.
//   kept   = base * residual(features), held to what training saw (or the base says)
//   factor = 1 / min(1, kept)
// Slowdowns have a tail (30 in Echo's table, where short kernels wait for SMs) that drowns all others in a
// squared error; rates lie in 0..1, and an error of a rate is nearly the relative error of a time.
//
// A residual multiplies, because two models of one mechanism differ by a ratio that grows with the load,
// while their difference of rates grows and then vanishes, as both rates do: held to fall with demands, a
// residual that is added cannot follow. On drawn pairs whose true constants are 1.6 SMs a channel and 1.3 of
// the excess demand, trees so held on the default constants err by 5 % multiplied and by 13 % added (the
// white box alone: 17 %). A residual that only falls makes its base steeper, never flatter: a white box that
// says too much cannot be corrected, so its constants are to be fitted first, rather low than high.
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
  none,        // 1: the function says all
  contention,  // the white-box model; feature set `simulator`
  families     // what kernels of that name kept; feature set `metrics`
};

// Closed; low > high = nothing was seen.
struct Range {
  double low = 0.0, high = -1.0;
  friend bool operator==(const Range&, const Range&) = default;
};

struct RateModel {
  Regressor residual = Forest{.base = 1.0F};  // of the base's rate; 1 = the base is right
  Range seen{1.0, 1.0};  // rates kept in training: predictions stay inside it and the base
  friend bool operator==(const RateModel&, const RateModel&) = default;
};

// Errors of predicted overlapped durations on rows that were not trained on.
struct HeldOutError {
  std::string of;      // "this model", "no slowdown", "median by kernel name"
  std::string folds;   // "by row", "by kernel name"
  double mean = 0.0;   // of |predicted - measured| / measured
  double total = 0.0;  // of the sums: (predicted - measured) / measured
  double doubt = 0.0;  // one standard error of how far `mean` is from this model's
  friend bool operator==(const HeldOutError&, const HeldOutError&) = default;
};

// What a model rests on.
struct Evidence {
  std::int64_t rows = 0;  // it was trained on
  std::string dataset;    // digest of the file they are from
  std::uint64_t seed = 0;
  std::vector<std::string> gpus;  // presets' names
  std::vector<HeldOutError> errors;
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

struct LearnedModel {
  std::string name;  // "trees_on_contention"
  FeatureSet features = FeatureSet::simulator;
  Base base = Base::none;
  Contention contention{};    // the base; and the collective's factor where nothing is learned of it
  Families families;          // the base
  std::vector<Range> ranges;  // [features] seen in training; inputs are held to them, unseen = unknown
  RateModel kernel;
  std::optional<RateModel> collective;  // feature set `simulator` only
  Evidence evidence;
  friend bool operator==(const LearnedModel&, const LearnedModel&) = default;
};

// Whether it can be used at all: sizes agree, numbers are finite and in range, regressors are sound, base and
// feature set go together.
[[nodiscard]] bool is_sound(const LearnedModel&);

// Precondition: is_sound, feature set `metrics`. In (0, ...); a little above 1 where noise was learned.
[[nodiscard]] double kept_rate(const LearnedModel&, const OverlapRow&);

// Precondition: is_sound, feature set `simulator`; sm_count and memory_bandwidth are positive. Finite and
// >= 1. Beside a copy engine (no channels) the white box has the say: none was trained on.
[[nodiscard]] Factors predict(const LearnedModel&, const ops::KernelPrice&, const ops::CollectiveEstimate&,
                              const Machine&);

}  // namespace echo::slowdown
