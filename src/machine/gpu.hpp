// Data-sheet figures of a GPU. Loaded from sweeps/catalog/gpus/*.toml.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/at.hpp"
#include "base/id.hpp"
#include "base/units.hpp"
#include "machine/precision.hpp"

namespace echo::machine {

// Whether a GPU or cluster is as its source has it, or as [what_if] of a sweep changes it: in nothing that a
// kernel or a collective is timed by, or in something.
enum class WhatIf : std::int8_t { none, same_speed, other_speed };

// Electric power of one GPU, in watts; all 0 = unknown.
struct GpuPower {
  double cap = 0.0;     // its limit, which large matrix products run at
  double idle = 0.0;    // clocks up, a process and its data resident, no kernel at work
  double memory = 0.0;  // while a kernel is bound by HBM
  double link = 0.0;    // while a collective runs and nothing else
  friend bool operator==(const GpuPower&, const GpuPower&) = default;
};

struct GpuSpec {
  std::string name;
  std::array<FlopsPerSecond, precision_count> peak;  // dense, [Precision]; 0 = not supported
  Bytes memory, l2;
  BytesPerSecond memory_bandwidth, nvlink;  // nvlink: per GPU, one direction, all links together
  BytesPerSecond
      host_link;  // per GPU, one direction, to the memory of its host (PCIe, NVLink-C2C); 0 = unknown
  std::int32_t sm_count = 0;
  std::int32_t compute_capability = 0;  // 80, 90, 100
  Bytes context;                        // memory of a CUDA context and of the kernels PyTorch loads
  std::string kernels;                  // name of the kernel constants (its own or a related GPU's)
  double kernels_error = 0.0;           // error added by a related GPU's constants; 0 = its own
  GpuPower power;
  std::string source;
  WhatIf what_if = WhatIf::none;
  [[nodiscard]] FlopsPerSecond peak_of(Precision p) const { return peak[at(p)]; }
  friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

using GpuId = Id<struct GpuTag>;

}  // namespace echo::machine
