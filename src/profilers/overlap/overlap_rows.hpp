// Converts the samples of all runs to rows of an overlap file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/overlap/cell_samples.hpp"
#include "profilers/overlap/communication_plan.hpp"
#include "profilers/overlap/overlap_schedule.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::profilers {

struct MeasuredKernel {
  ops::KernelKey key;
  std::string name;  // mangled
  slowdown::KernelMetrics metrics;
};

// All runs of one cell together.
struct CellResult {
  Cell cell;
  std::vector<Sample> kernel, communication;
  std::vector<double> clocks_mhz;
  std::int32_t channels = 0, threads = 0;  // of the communication's kernel as it ran
  double payload = 0.0;                    // bytes of one communication
};

// Adds one run. The first two launches of a run are not counted: they start into a machine at rest.
void add_run(CellResult&, const CellSamples&);

struct OverlapTables {
  std::string gpu;  // preset
  std::vector<MeasuredKernel> kernels;
  std::vector<CommunicationCase> cases;
  std::string nccl_algorithm, nccl_protocol;  // it was held to; empty = NCCL's choice
};

// A row for every cell with both, and one for each kernel's control cell (ratio 0, no channels). Launches
// count where communication ran beside at least nine tenths of them; a cell with fewer than three of those
// has no row, nor has one whose figures nothing could have measured. Rows in the order of kernels, then
// cases.
[[nodiscard]] std::vector<slowdown::OverlapRow> overlap_rows(const OverlapTables&,
                                                             const std::vector<CellResult>&);

}  // namespace echo::profilers
