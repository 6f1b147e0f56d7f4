// Measured overlaps out of whatever files hold them, recognised by what is in them: Echo-slowdown's merged
// table, what Nsight Systems and Nsight Compute export, and datasets made before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::cli {

// `files` in any order: tables and datasets each give rows of their own. Of exports of Nsight Systems there
// are two or none: one of a run without communication, one of the same run with it; a table of Nsight Compute
// gives these metrics. The three names below say which is which where that is not plain; empty = by content.
struct OverlapSources {
  std::vector<std::string> files;
  std::string alone, overlapped, metrics;
};

struct OverlapChoices {
  std::string gpu;  // preset or alias; empty = as the files say. Datasets keep theirs.
  // In words, for the rows' origin; an empty source = the files' names. Datasets keep theirs.
  std::string source, license, measured_by;
  double clock_mhz = slowdown::not_measured;  // of the SMs while it was measured; likewise
};

// What one file, or one pair of runs, gave.
struct OverlapPart {
  std::string what;  // "echo.csv: Echo-slowdown's table"
  std::int64_t rows = 0;
  std::vector<std::string> notes;  // what was left out or taken otherwise, and why
};

struct OverlapImport {
  slowdown::OverlapData data;  // rows sound, in the order of the files
  std::vector<OverlapPart> parts;
};

// UserError, 2, with every problem of every file.
[[nodiscard]] OverlapImport import_overlaps(const OverlapSources&, const OverlapChoices&,
                                            const config::CatalogInputs&);

// The parts with their notes, then what all of it holds: rows, rows with overlap, kernels, GPUs, and how much
// longer the overlapped ones took.
[[nodiscard]] std::string import_text(const OverlapImport&);

}  // namespace echo::cli
