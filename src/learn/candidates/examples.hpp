// Measured overlaps as learning sees them.
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

// What a sweep would know of a row: it prices the row's shape, and is told of the communication.
struct Pair {
  ops::KernelPrice kernel;
  ops::CollectiveEstimate collective;
  slowdown::Machine machine;
};

struct Example {
  slowdown::OverlapRow row;
  Pair pair;  // feature set `simulator` only
};

// Whose slowdown is learned.
enum class Side : std::int8_t { kernel, collective };
inline constexpr std::array<std::string_view, 2> side_names{"kernel", "collective"};

struct Examples {
  slowdown::FeatureSet features = slowdown::FeatureSet::metrics;
  Side side = Side::kernel;
  std::vector<Example> rows;
};

// Which of the examples: training never sees the others.
using Rows = std::span<const std::int32_t>;

// What was measured of one side of an example, and a prediction of it.
[[nodiscard]] Outcome outcome_of(const slowdown::OverlapRow&, Side, double predicted_slowdown);
// Whether that side was measured alone and overlapped. Examples without it cannot be learned from.
[[nodiscard]] bool is_measured(const slowdown::OverlapRow&, Side);

}  // namespace echo::learn
