// Which rows of a result come first, and why the others are out. Columns are scanned; memory holds the rows
// that are shown.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "query/where.hpp"
#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::query {

// By training::Status.
[[nodiscard]] std::array<std::int64_t, 5> counts_of(const results::ResultRows&);

// What ranks: the sweep's first objective; without one, step_time where every feasible row trains the same
// batch on the same number of GPUs, else tokens_per_s_per_gpu.
[[nodiscard]] sweep::Objective ranking_objective(const results::ResultRows&);

struct RankQuery {
  sweep::Objective by;
  std::int64_t count = 10;  // rows of each group
  std::string per;          // a column, each value of which makes a group; empty = one group of all
  std::string where;        // RowFilter's expression
};
struct RankedGroup {
  std::string name;                // the value of `per`
  std::int64_t feasible = 0;       // rows it ranks
  std::vector<std::int64_t> rows;  // best first; equal values in file order, missing ones last
};
// Groups of feasible rows: words sorted, numbers ascending. One empty group where there is none at all.
[[nodiscard]] std::vector<RankedGroup> ranked(const results::ResultRows&, const RankQuery&);

// The infeasible rows that lack least, at most `count`, the nearest first: memory they are short of as a
// share of what a GPU may use, or how far past a limit they are as a share of its bound.
[[nodiscard]] std::vector<std::int64_t> least_infeasible(const results::ResultRows&, std::int64_t count);

// How many rows each reason cost, most first; rows past a limit count for that limit.
struct ReasonCount {
  std::string reason, limit;  // limit: its name where the reason is "limit"
  std::int64_t rows = 0;
  double median_margin = 0.0;  // of reason_margin, to the MiB; NaN where none is known
  double median_excess = 0.0;  // of limit_excess, to 0.1 %; NaN where none is known
};
[[nodiscard]] std::vector<ReasonCount> reasons_of(const results::ResultRows&);

}  // namespace echo::query
