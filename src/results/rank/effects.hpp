// The effect of each axis of a sweep on the objective.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::results {

struct MainEffect {
  std::string axis;
  double share = 0.0;  // of the variance, 0 to 1
};

// Sums over feasible rows, from which effects follow. Logarithms count as whole multiples of 2^-40, so that
// sums are exact: those of parts of a file add up to those of the whole, in any order.
struct EffectSums {
  __extension__ using Sum = __int128;
  struct Group {
    std::int64_t rows = 0;
    Sum sum = 0;  // of the logarithms
    friend bool operator==(const Group&, const Group&) = default;
  };
  Group all;
  Sum squares = 0;                                      // of the logarithms
  std::map<std::string, std::map<double, Group>> axes;  // by input, by its value

  void add(const EffectSums&);
  friend bool operator==(const EffectSums&, const EffectSums&) = default;
};
// The sums of these inputs, or of all where none is named.
[[nodiscard]] EffectSums effect_sums(const ResultRows&, const std::string& metric,
                                     std::span<const std::string> inputs = {});

// For each input that takes several values over the feasible rows: the share of the variance of log(metric)
// that lies between the groups of rows of equal value (correlation ratio, eta squared), largest first; equal
// shares in column order. Rows weigh alike. Shares of inputs that go together, and of interactions, overlap:
// they do not sum to 1. Derived inputs (microbatches, global_batch_tokens) take no part. Memory: one number
// per value of an input.
[[nodiscard]] std::vector<MainEffect> main_effects(const ResultRows&, const std::string& metric,
                                                   std::span<const std::string> inputs = {});
// The same; `rows` tells the order of columns.
[[nodiscard]] std::vector<MainEffect> main_effects(const ResultRows& rows, const EffectSums&);

// /effects: axis and main_effect.
void write_effects(storage::Hdf5File&, const std::vector<MainEffect>&, const std::string& metric);

}  // namespace echo::results
