// Measured overlaps as training examples.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learn/evaluate/error_measures.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "slowdown/contention.hpp"
#include "slowdown/features.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::learn {

// The inputs that a sweep would have for a row: the price of its shape, and its communication.
struct Pair {
  ops::KernelPrice kernel;
  ops::CollectiveEstimate collective;
  slowdown::Machine machine;
};

struct Example {
  slowdown::OverlapRow row;
  Pair pair;  // feature set `simulator` only
};

// The side whose slowdown is learned.
enum class Side : std::int8_t { kernel, collective };
inline constexpr std::array<std::string_view, 2> side_names{"kernel", "collective"};

struct Examples {
  slowdown::FeatureSet features = slowdown::FeatureSet::metrics;
  Side side = Side::kernel;
  std::vector<Example> rows;
};

// Indices into the examples: training never uses the others.
using Rows = std::span<const std::int32_t>;

// Measurement and prediction of one side of an example.
[[nodiscard]] Outcome outcome_of(const slowdown::OverlapRow&, Side, double predicted_slowdown);
// Whether that side was measured alone and overlapped. Other examples cannot be used for training.
[[nodiscard]] bool is_measured(const slowdown::OverlapRow&, Side);

}  // namespace echo::learn
