// What an updated file knows of measured runs, in words.
#pragma once

#include <string>

#include "results/updated_file.hpp"
#include "text/json.hpp"

namespace echo::query {

// "conditioned on 3 measured runs: ..." and a line feed; empty of a file of predictions alone.
[[nodiscard]] std::string measured_line(const results::FileState&);

// The line, and a table of the runs: measured beside predicted, and what is expected of their rows.
// `predictions`: the same rows without the runs.
[[nodiscard]] std::string measured_text(const results::UpdatedFile&, const results::ResultFile& predictions);
// The step and the band to expect of one row after the runs, below a page of its prediction; empty of a file
// of predictions alone.
[[nodiscard]] std::string measured_row_text(const results::UpdatedFile&, std::int64_t row);
// Members of an open object: "spread", "runs".
void add_measured(text::Json&, const results::UpdatedFile&, const results::ResultFile& predictions);

}  // namespace echo::query
