// Kernels of a program's run with their times, recorded by Nsight Systems: the SQLite export of a report
// traced with --trace=cuda (`nsys export --type sqlite`), table CUPTI_ACTIVITY_KIND_KERNEL with its names in
// StringIds. Columns that differ between versions (2020 to 2025) are read if present.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace echo::nsight {

struct TracedKernel {
  std::int32_t name = 0;                    // of Trace::names
  std::int32_t device = 0, stream = 0;      // the GPU, where the report tells it; else as the process counts
  std::int64_t start = 0, end = 0;          // ns since the session began, end > start
  std::int64_t blocks = 0;                  // of the grid; 0 = not known, as below
  std::int32_t threads = 0, registers = 0;  // of a block; of a thread
  std::int64_t shared_memory = 0;           // bytes of a block, static and dynamic
  [[nodiscard]] std::int64_t duration() const { return end - start; }
};

struct KernelNames {
  std::string name, full_name;  // the function's; demangled, empty where the report has none
  bool communicates = false;
};

struct Trace {
  std::vector<KernelNames> names;     // each once, in the order of the kernels below
  std::vector<TracedKernel> kernels;  // by device, start, end and stream
  std::string gpu;                    // the driver's name, where all GPUs have the same one
  std::int32_t sm_count = 0;          // the same; 0 = not known
  std::int64_t without_time = 0;      // kernels whose time could not be collected, left out
};

// Throws UserError, 2, with every problem of every row.
[[nodiscard]] Trace read_trace(const std::string& path);

}  // namespace echo::nsight
