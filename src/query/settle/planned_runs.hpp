// `echo-sweep next`: the rows of a file whose real runs would most settle its ranking.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "query/rank/ranking.hpp"
#include "settle/next_runs.hpp"
#include "text/json.hpp"

namespace echo::query {

struct RunsQuery {
  sweep::Objective by;
  std::string where;      // rows to choose among, as RowFilter takes it
  std::int64_t runs = 5;  // at most
  std::int64_t max_gpus = std::numeric_limits<std::int64_t>::max();  // of a run
  double precision = 0.005;  // of the mean of its steps, one standard deviation
};

struct PlannedRun {
  std::int64_t row = 0, gpus = 0;
  double step_time = 0.0, gpu_hours = 0.0;  // s; of all its steps
  settle::Outlook after;                    // it and those before it
};
struct RunPlan {
  std::int64_t ranked = 0;    // rows to choose among
  std::int64_t rivals = 0;    // of them, those that may be the best
  std::int64_t runnable = 0;  // ranked rows of the file that may be run
  std::int64_t chosen = 0;    // the row that is chosen without runs
  std::int64_t steps = 0;     // of each run, after settle::warm_up_steps
  settle::Outlook before;
  std::vector<PlannedRun> runs;
};

// Rows that may be the best, however many there are: those likeliest to beat the first; and rows that may be
// run: those that tell most of the differences of these, in all and for their price.
inline constexpr std::size_t most_rivals = 200, most_runnable = 200;

// Chooses among the ranked rows that satisfy `where`; runs may be of any ranked row of the file. UserError,
// 2, where the file does not know the errors of the metric; 3 where no row is ranked. Deterministic.
[[nodiscard]] RunPlan planned_runs(const results::ResultRows&, const RunsQuery&);

[[nodiscard]] std::string text_of(const RunPlan&, const RunsQuery&, const results::ResultRows&);
void add_plan(text::Json&, const RunPlan&, const RunsQuery&, const results::ResultRows&);  // members

}  // namespace echo::query
