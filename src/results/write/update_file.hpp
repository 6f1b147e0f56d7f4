// Writes a result file with what measured runs say of its rows: the group /measured.
#pragma once

#include <filesystem>
#include <span>

#include "results/updated_file.hpp"

namespace echo::results {

// `out` becomes a copy of `file` (it may be the file itself) whose /measured has these runs in place of any
// that it had, and whose /pareto is the front after them. Rows, rows_digest and everything else stay.
// Contract: has_step_errors; different rows, each feasible with a step time; measured times and steps > 0.
// UserError 5: a file that cannot be read or written. Memory: one stretch of rows, and the front's.
void update_file(const std::filesystem::path& file, std::span<const RunOfRow> runs,
                 const std::filesystem::path& out);

}  // namespace echo::results
