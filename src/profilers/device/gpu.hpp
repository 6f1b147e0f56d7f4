// The measured GPU.
#pragma once

#include <cstdint>
#include <string>

#include "profilers/overlap/occupancy.hpp"

namespace echo::profilers {

struct Gpu {
  std::int32_t index = 0, count = 0;    // of all devices the process sees
  std::string name, preset;             // the driver's; the catalog's
  std::string bus;                      // "0000:1b:00.0", as NVML knows it
  std::int32_t compute_capability = 0;  // 90
  std::int32_t multiprocessors = 0;
  std::int64_t memory = 0, l2 = 0;  // bytes
  SmLimits sm;
};

// Creates no context: CUPTI is to be there before one is. UserError, 69: no driver, no GPU, or none of this
// number.
[[nodiscard]] Gpu find_gpu(std::int32_t index);

}  // namespace echo::profilers
