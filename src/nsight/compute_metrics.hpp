// The metrics of one kernel, assembled from the values that Nsight Compute prints.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nsight/compute_csv.hpp"

namespace echo::nsight {

class ComputeMetrics {
 public:
  // Whether any kernel needs a metric of this name: as --metrics names it ("gpu__time_duration.sum") or as
  // the details page does ("Duration").
  [[nodiscard]] static bool is_wanted(std::string_view metric);
  // One value as printed. Returns what is wrong with it; empty where nothing is, or where nobody wants it.
  [[nodiscard]] std::string take(std::string_view metric, std::string_view unit, std::string_view value);
  // Fills in everything but the names. Returns what is wrong; empty where nothing is.
  [[nodiscard]] std::string finish(ProfiledKernel&) const;

 private:
  friend struct ComputeMetric;
  slowdown::KernelMetrics metrics_;
  double seconds_ = slowdown::not_measured, sm_count_ = slowdown::not_measured;
  double static_memory_ = slowdown::not_measured, dynamic_memory_ = slowdown::not_measured;  // bytes a block
  // Warp instructions.
  double executed_ = slowdown::not_measured, tensor_ = slowdown::not_measured, fma_ = slowdown::not_measured,
         memory_ = slowdown::not_measured;
};

}  // namespace echo::nsight
