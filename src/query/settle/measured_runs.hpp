// Tables of measured runs of rows of a file: what `echo-sweep update` reads.
#pragma once

#include <vector>

#include "base/csv.hpp"
#include "results/updated_file.hpp"

namespace echo::query {

// Steps of a run whose table does not say.
inline constexpr std::int64_t assumed_steps = 20;

// One run a line. Its row: `id`, the first digits of config_id; or the columns of inputs under their names in
// the file (tp, pp, gpus; also num_gpus), which together fit one ranked or doubtful row; blank cells leave a
// choice open. Its mean step: step_time_s or step_time_ms, or step_time with a unit in each cell ("1.52 s").
// `steps`: how many it is the mean of, after those that warm up. row_id, source, reference and note are not
// read. UserError, 2, with every problem at its place: columns and rows that the file does not have, rows
// that fit several, values that are none, rows that come twice or are in `known`, times far off the
// prediction. Contract: results::has_step_errors(file). In the order of the table.
[[nodiscard]] std::vector<results::RunOfRow> read_measured_runs(const CsvTable&,
                                                                const results::ResultFile& file,
                                                                const std::vector<results::RunOfRow>& known);

}  // namespace echo::query
