// One measured overlap: a kernel, the communication beside it, and the times of both alone and together.
// hdf5_schemas/overlap_v1.toml defines such rows on disk.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::slowdown {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

// Metrics of the kernel alone, from Nsight Compute or CUPTI's range profiler. Shares are 0..1 of the GPU's
// peak.
struct KernelMetrics {
  double compute_throughput = not_measured;  // of the SMs' peak ("Compute (SM) Throughput")
  double memory_throughput = not_measured;   // of the busiest level of the memory system
  double dram_throughput = not_measured;
  double achieved_occupancy = not_measured, maximum_occupancy = not_measured;  // warps resident
  double l1_hit_rate = not_measured, l2_hit_rate = not_measured;
  double tensor_share = not_measured, fma_share = not_measured,
         memory_share = not_measured;                    // of instructions
  double registers = not_measured;                       // per thread
  double shared_memory = not_measured;                   // bytes per block
  double blocks = not_measured, threads = not_measured;  // of the grid; per block
};

// How the communication beside the kernel was produced.
enum class CommunicationKind : std::int8_t {
  unknown,     // not in the table (training, some bucket of it)
  collective,  // NCCL, between two or more GPUs
  proxy,       // a kernel of one GPU with the CTAs, threads and HBM traffic of a collective
  copy_engine  // memory copies that occupy no SM
};

struct Communication {
  CommunicationKind made_by = CommunicationKind::unknown;
  ops::CollectiveKind collective = ops::CollectiveKind::all_reduce;
  std::string algorithm;                // "ring", without blanks; empty where unknown
  std::string protocol;                 // "Simple", without blanks; empty where unknown
  std::int32_t channels = 0;            // CTAs resident; 0 = unknown, or none (copy_engine)
  std::int32_t threads = 0;             // per CTA; 0 = unknown
  double payload = not_measured;        // bytes, as nccl-tests counts them
  double link_rate = not_measured;      // bytes per second, the imposed limit
  double memory_rate = not_measured;    // HBM bytes per second it draws alone
  double alone = not_measured;          // seconds
  double overlapped = not_measured;     // seconds, beside the kernel
  double overlap_ratio = not_measured;  // share of its time alone during which the kernel ran
};

struct OverlapRow {
  std::string kernel;                   // short name, "ampere_sgemm_128x32_tn"
  std::string full_name;                // demangled, with template arguments; empty if unknown
  std::string gpu;                      // preset, "a100-sxm"
  std::optional<ops::KernelKey> shape;  // if the workload generator could use it
  KernelMetrics metrics;
  Communication beside;
  double alone = 0.0, overlapped = 0.0;  // seconds, medians; > 0
  double overlap_ratio = 0.0;            // share of the kernel's time with communication beside it, 0..1
  double spread =
      not_measured;  // of `overlapped` between repeats, relative (half the range of the middle two thirds)
  std::int32_t repeats = 1;
  double clock_mhz = not_measured;  // of the SMs, during the measurement
  std::int32_t origin = 0;          // index into OverlapData::origins
};

// Origin of rows: publication or command, as text.
struct OverlapOrigin {
  std::string source, license, measured_by;  // "NetX-lab/Echo-slowdown ...", "MIT", driver, date and command
};

struct OverlapData {
  std::vector<OverlapOrigin> origins;
  std::vector<OverlapRow> rows;
};

// Why the row is impossible; null if it is possible. Does not check `origin`.
[[nodiscard]] const char* why_unsound(const OverlapRow&);

// Echo's definition (arXiv 2412.12487, section 5): (overlapped - alone) / (overlap_ratio * alone); 0 where
// the two did not overlap.
[[nodiscard]] double slowdown_of(const OverlapRow&);
// Its inverse: the time of a kernel with that slowdown.
[[nodiscard]] double overlapped_time(double alone, double overlap_ratio, double slowdown);

}  // namespace echo::slowdown
