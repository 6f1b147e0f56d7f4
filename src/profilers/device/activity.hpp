// CUPTI's activity records of this process: when each kernel and copy ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "profilers/gpu_record.hpp"

namespace echo::profilers {

// Records kernels without making them wait for each other, and copies, from now until it goes out of scope.
// One at a time. UserError, 1: another profiler is at work, or this CUPTI does not know the driver.
class ActivityTrace {
 public:
  ActivityTrace();
  ~ActivityTrace();
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;

  // Records since the last call. Everything must have been waited for; CUPTI may still be at work
  // on the records, so it is asked again until there are `expected`, `most_tries` milliseconds at most.
  [[nodiscard]] std::vector<GpuRecord> take(std::size_t expected, std::int32_t most_tries = 200);
  // Forgets them.
  void drop() { static_cast<void>(take(std::numeric_limits<std::size_t>::max(), 20)); }
};

}  // namespace echo::profilers
