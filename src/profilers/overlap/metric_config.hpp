// Assignment of counters to passes for a chip, computed by CUPTI's host API. Needs no GPU and no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profilers/overlap/metric_names.hpp"
#include "profilers/overlap/metric_text.hpp"

struct CUpti_Profiler_Host_Object;

namespace echo::profilers {

// The configuration of metrics for one chip ("GH100"). UserError, 1: CUPTI does not know the chip, or a
// metric on it.
class MetricConfig {
 public:
  // `availability`: counters that the GPU at hand has, as CUPTI's target API tells; empty = all of the
  // chip's.
  explicit MetricConfig(const std::string& chip, std::span<const std::uint8_t> availability = {});

  [[nodiscard]] const std::vector<std::uint8_t>& image() const { return image_; }
  // Times a kernel is run again to collect everything.
  [[nodiscard]] std::size_t passes() const { return passes_; }
  // metric_names of one range of decoded counter data.
  [[nodiscard]] MetricValues values(std::span<const std::uint8_t> counter_data, std::size_t range) const;

 private:
  struct Release {
    void operator()(CUpti_Profiler_Host_Object*) const;
  };
  std::unique_ptr<CUpti_Profiler_Host_Object, Release> host_;
  std::vector<std::uint8_t> image_;
  std::size_t passes_ = 0;
};

// The names as CUPTI's C API takes them.
[[nodiscard]] std::vector<const char*> metric_name_pointers();

}  // namespace echo::profilers
