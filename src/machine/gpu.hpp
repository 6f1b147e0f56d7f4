// What a GPU's data sheet says. Loaded from sweeps/catalog/gpus/*.toml.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/id.hpp"
#include "base/units.hpp"
#include "machine/precision.hpp"

namespace echo::machine {

struct GpuSpec {
  std::string name;
  std::array<FlopsPerSecond, precision_count> peak;  // dense, [Precision]; 0 = not supported
  Bytes memory, l2;
  BytesPerSecond memory_bandwidth, nvlink;  // nvlink: per GPU, one direction, all links together
  BytesPerSecond
      host_link;  // per GPU, one direction, to the memory of its host (PCIe, NVLink-C2C); 0 = not known
  std::int32_t sm_count = 0;
  std::int32_t compute_capability = 0;  // 80, 90, 100
  Bytes context;                        // what a CUDA context and the kernels PyTorch loads take
  std::string kernels;                  // name of the kernel constants it is priced with (own or a sibling's)
  double kernels_error = 0.0;           // what those of a relative add to the error of a price; 0 = its own
  std::string source;
  [[nodiscard]] FlopsPerSecond peak_of(Precision p) const { return peak[static_cast<std::size_t>(p)]; }
  friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

using GpuId = Id<struct GpuTag>;

}  // namespace echo::machine
