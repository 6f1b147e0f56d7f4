// Overlaps as profiles of training steps recorded them: one row per kernel that ran alone and beside
// communication in one profile. Rows are observations, not experiments: a kernel alone and beside sits in
// different phases of a step, and a collective may be waiting for its peers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "slowdown/contention.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::slowdown {

// What a simulated overlap would know of a row, and what was measured.
struct ProfileRow {
  std::size_t number = 0;  // of the row in its table, from 1
  std::string why_not;     // empty: the row can be predicted
  bool recommended = false;
  std::string group;  // rows of one run, its ranks and its repetitions
  std::string gpu, kernel_class, collective_name;
  bool multiplies = false;  // a product or attention; else a kernel that streams
  double alone = 0.0;       // seconds, median
  double slowdown = 0.0;    // time beside communication over time alone; 0: not stated
  double beside = 0.0;      // share of the time that communication ran, 0..1
  ops::KernelPrice kernel;
  ops::CollectiveEstimate collective;
  Machine machine;
  KernelMetrics metrics;  // what a launch tells: resources of a block, the grid, how many warps fit
};

// Constants of reading, fitted by `echo-calibrate overlaps` unless said otherwise.
struct ProfileReading {
  // Elasticity of a product's time to memory's speed; profiles do not tell. The products of these are small.
  double product_by_memory = 0.34;
  // Cost of an unfilled last round of a product: the median of the catalog's `gemm_wave_loss` of training
  // libraries. Assumed, not fitted.
  double product_wave_loss = 0.3;
  // The same of norms whose blocks are assigned to CTAs that stay resident.
  double resident_wave_loss = 0.43;
  // HBM bytes per second that DeepEP draws between nodes where a profile has no sizes: three for each byte
  // of a 400 Gbit/s adapter (deepseek-ai/DeepEP, README: 43 to 58 GB/s per GPU). Assumed.
  double deepep_memory_rate = 150e9;
};

// Whether the header is that of a table of overlaps by profile: row_kind, class, ov_frac, comm_kind,
// comm_ctas, slowdown.
[[nodiscard]] bool is_profile_table(const CsvTable&);

// Every row, in the order of the table. Rows of communication are read but not predicted: their time includes
// waiting for peers. Throws UserError, 2, with every problem of every row.
[[nodiscard]] std::vector<ProfileRow> read_profile_rows(const CsvTable&, const ProfileReading& = {});

// The time beside communication over the time alone that the row would have if the kernel ran `factor` times
// as long while communication was there. > 0.
[[nodiscard]] double slowdown_beside(const ProfileRow&, double factor);

}  // namespace echo::slowdown
