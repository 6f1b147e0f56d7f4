// Fits how much memory's latency grows beside a collective, on overlaps recorded in public profiles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "slowdown/profile_rows.hpp"

namespace echo::calibrate {

// A constant as several groups of rows show it, pooled with random effects. `error`: of `value`, one standard
// deviation; `spread`: between groups, beyond what their rows explain.
struct PooledConstant {
  double value = 0.0, error = 0.0, spread = 0.0;
  int units = 0;
};

// One group's own estimate.
struct UnitEstimate {
  std::string name;
  int rows = 0;
  double value = 0.0, error = 0.0;
};

// DerSimonian and Laird's estimate of the mean of effects that differ between units. Order does not matter
// beyond rounding. Without units: all zeroes.
[[nodiscard]] PooledConstant pooled(std::span<const UnitEstimate>);

struct OverlapFit {
  PooledConstant latency_under_load, product_by_memory, resident_wave_loss;
  std::vector<UnitEstimate> streams, products, residents;
};

// `rows` that are recommended, beside communication for 95 % of their time and can be predicted; others are
// passed over. A unit is one collective, on as many CTAs, in one run.
[[nodiscard]] OverlapFit fit_overlaps(std::span<const slowdown::ProfileRow>);

// The factor of a row with the constants of a fit; `rows` as they were read with any constants.
[[nodiscard]] double factor_with(const OverlapFit&, const slowdown::ProfileRow&);

// `echo-calibrate overlaps [--table FILE] [--learned]`: prints the constants, each unit, and the errors of
// rows held out by run, by GPU kind and by collective beside "no slowdown" and SMs and bandwidth alone; with
// --learned also those of learned models (minutes). Returns the exit code.
[[nodiscard]] int run_overlaps(std::span<char*> args);

}  // namespace echo::calibrate
