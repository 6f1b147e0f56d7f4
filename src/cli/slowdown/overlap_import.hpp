// Reads measured overlaps from files recognised by their content: Echo-slowdown's merged table, profiles of
// steps, exports of Nsight Systems and Nsight Compute, and existing datasets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::cli {

// `files` in any order: each table, dataset and profile of torch.profiler contributes rows. One Nsight
// Systems export is such a profile; two are a run without communication and the same run with it; a Nsight
// Compute table adds metrics to their kernels. The three names below identify them where their content does
// not; empty = by content.
struct OverlapSources {
  std::vector<std::string> files;
  std::string alone, overlapped, metrics;
};

struct OverlapChoices {
  std::string gpu;  // preset or alias; empty = as recorded in the files. Datasets keep theirs.
  // Free text for the origin of the rows; empty source = the names of the files. Datasets keep theirs.
  std::string source, license, measured_by;
  double clock_mhz = slowdown::not_measured;  // SM clock during the measurement; datasets keep theirs
};

// The contribution of one file or one pair of runs.
struct OverlapPart {
  std::string what;  // "echo.csv: Echo-slowdown's table"
  std::int64_t rows = 0;
  std::vector<std::string> notes;  // omitted or altered rows, and why
};

struct OverlapImport {
  slowdown::OverlapData data;  // valid rows, in the order of the files
  std::vector<OverlapPart> parts;
};

// UserError 2 with all problems of all files.
[[nodiscard]] OverlapImport import_overlaps(const OverlapSources&, const OverlapChoices&,
                                            const config::CatalogInputs&);

// The parts with their notes, then totals: rows, rows with overlap, kernels, GPUs, and the mean slowdown of
// the overlapped kernels.
[[nodiscard]] std::string import_text(const OverlapImport&);

}  // namespace echo::cli
