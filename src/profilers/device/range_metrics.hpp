// Hardware counters of kernels from CUPTI's range profiler. It repeats each kernel alone and may need
// privileges (README.md), so it runs in a separate process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "profilers/device/gpu.hpp"
#include "profilers/overlap/metric_text.hpp"

namespace echo::profilers {

class RangeProfiler {
 public:
  // On the current context. UserError, 1: no rights (ERR_NVGPUCTRPERM), chip not supported.
  explicit RangeProfiler(const Gpu&);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  // Metrics of the longest kernel that `launch` launches, at most 16 of them. CUPTI saves and restores
  // memory around its replays.
  [[nodiscard]] MetricValues measure(const std::function<void()>& launch);

 private:
  struct Chip;
  std::unique_ptr<Chip> chip_;
};

}  // namespace echo::profilers
