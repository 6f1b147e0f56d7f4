// GPU activity from CUPTI's records: one kernel or copy per record.
#pragma once

#include <cstdint>
#include <string>

#include "nsight/busy_time.hpp"

namespace echo::profilers {

struct LaunchShape {
  std::int64_t blocks = 0;                  // of the grid
  std::int32_t threads = 0, registers = 0;  // of a block; of a thread
  std::int32_t shared_memory = 0;           // bytes of a block, static and dynamic
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

enum class RecordKind : std::int8_t { kernel, copy };

struct GpuRecord {
  RecordKind kind = RecordKind::kernel;
  std::string name;  // of the kernel's function, mangled; empty for a copy
  std::int32_t device = 0;
  nsight::Interval when;
  LaunchShape shape;       // kernel
  std::int64_t bytes = 0;  // copy
};

}  // namespace echo::profilers
