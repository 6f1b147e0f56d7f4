// Ranks the rows of a result, and counts the reasons of infeasible rows. Columns are scanned; only the rows
// to show are kept in memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "query/rank/where.hpp"
#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::query {

// Indexed by training::Status.
[[nodiscard]] std::array<std::int64_t, 5> counts_of(const results::ResultRows&);

// The default ranking metric: the sweep's first objective; without one, step_time if all feasible rows train
// the same batch on the same number of GPUs, otherwise tokens_per_s_per_gpu.
[[nodiscard]] sweep::Objective ranking_objective(const results::ResultRows&);

// sure: rows with at least the file's chance to fit; doubtful: feasible rows with less.
enum class Ranked { sure, doubtful };

struct RankQuery {
  sweep::Objective by;
  std::int64_t count = 10;  // rows per group
  std::string per;          // columns that define groups, as GroupColumns takes them; empty = one group
  std::string where;        // RowFilter's expression
  Ranked which = Ranked::sure;
};
struct RankedGroup {
  std::string name;                // the values of `per`
  std::int64_t feasible = 0;       // number of ranked rows
  std::vector<std::int64_t> rows;  // best first; equal values in file order, missing ones last
  std::vector<double> values;      // of the metric, by row; NaN = missing
  std::int32_t most_untried = 32;  // rows with more untried choices do not compete for the first place
};
// Groups of ranked rows, sorted by text or number. One empty group if there are none.
[[nodiscard]] std::vector<RankedGroup> ranked(const results::ResultRows&, const RankQuery&);

// At most `count` infeasible rows that are closest to feasible, closest first: by the missing memory as a
// share of the usable memory, or by the excess over a limit as a share of its bound.
[[nodiscard]] std::vector<std::int64_t> least_infeasible(const results::ResultRows&, std::int64_t count,
                                                         const std::string& where = "");

// Number of rows per reason, largest first; rows beyond a limit count for that limit, unsupported ones for
// the rule that they break. Files before schema 1.11 do not say the rule.
struct ReasonCount {
  std::string reason, limit, rule;  // limit: its name if the reason is "limit"; rule: as rule_said() takes it
  std::int64_t rows = 0, first = 0;  // first: the first of the rows
  double median_margin = 0.0;        // of reason_margin, to 16 MiB; NaN if unknown
  double median_excess = 0.0;        // of limit_excess, to 0.1 %; NaN if unknown
};
[[nodiscard]] std::vector<ReasonCount> reasons_of(const results::ResultRows&, const std::string& where = "");

}  // namespace echo::query
