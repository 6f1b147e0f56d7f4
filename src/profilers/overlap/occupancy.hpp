// Warps of a kernel that fit on an SM, from the toolkit's own calculator.
#pragma once

#include <cstdint>

#include "profilers/gpu_record.hpp"

namespace echo::profilers {

// The resources of an SM, from cudaDeviceProp.
struct SmLimits {
  std::int32_t major = 0, minor = 0;  // compute capability
  std::int32_t warp = 32;
  std::int32_t threads_per_block = 0, threads = 0;
  std::int32_t registers_per_block = 0, registers = 0;
  std::int64_t shared_per_block = 0, shared_per_block_optin = 0, shared = 0, shared_reserved = 0;  // bytes
};

// Share of the SM's warps that can be resident, 0..1; NaN where the calculator does not know the GPU. Shared
// memory is taken as given to the kernel as far as it asks for it.
[[nodiscard]] double maximum_occupancy(const LaunchShape&, const SmLimits&);

}  // namespace echo::profilers
