// The terms of a whole training, as a sweep gives them: how long it is, and what its machines cost. All of
// them are the user's; what is not given is unknown, and no default stands in for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "campaign/reliability.hpp"

namespace echo::campaign {

// The price of one hour of one GPU of this kind, or of any GPU in this cluster; empty: of every GPU.
struct GpuHourPrice {
  std::string name;
  double price = 0.0;
  friend bool operator==(const GpuHourPrice&, const GpuHourPrice&) = default;
};

// [economics]
struct Economics {
  std::string currency;                // the word behind the prices; empty: there is none
  std::vector<GpuHourPrice> gpu_hour;  // each name once
  double electricity_per_kwh = -1.0;   // in the currency; -1 = not given: the price of a GPU-hour includes it
  double pue = 0.0;                    // energy of the site over that of its computers; 0 = not given
  double carbon_kg_per_kwh = -1.0;     // -1 = not given
  friend bool operator==(const Economics&, const Economics&) = default;
};

// The price of a GPU-hour on this cluster: that of the cluster, else of its kind of GPU, else that of every
// GPU. Null where none is given.
[[nodiscard]] const GpuHourPrice* find_price(const Economics&, std::string_view cluster,
                                             std::string_view gpu);

struct Terms {
  double target_tokens = 0.0;  // [target] tokens: of the whole training; 0 = not given
  Economics economics;
  Reliability reliability;  // [reliability], filled up from its preset
  friend bool operator==(const Terms&, const Terms&) = default;
};

}  // namespace echo::campaign
