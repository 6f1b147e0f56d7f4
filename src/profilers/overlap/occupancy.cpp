#include "profilers/overlap/occupancy.hpp"

#include <cuda_occupancy.h>

#include <limits>

namespace echo::profilers {

double maximum_occupancy(const LaunchShape& shape, const SmLimits& limits) {
  cudaOccDeviceProp properties;
  properties.computeMajor = limits.major;
  properties.computeMinor = limits.minor;
  properties.maxThreadsPerBlock = limits.threads_per_block;
  properties.maxThreadsPerMultiprocessor = limits.threads;
  properties.regsPerBlock = limits.registers_per_block;
  properties.regsPerMultiprocessor = limits.registers;
  properties.numSms = 1;  // one is asked about
  properties.warpSize = limits.warp;
  properties.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared);
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.shared_reserved);

  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = limits.threads_per_block;
  kernel.numRegs = shape.registers;
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(shape.shared_memory);

  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const auto outcome = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &kernel, &state, shape.threads, static_cast<std::size_t>(shape.shared_memory));
  if (outcome != CUDA_OCC_SUCCESS || limits.threads <= 0) return std::numeric_limits<double>::quiet_NaN();
  const std::int32_t warps = (shape.threads + limits.warp - 1) / limits.warp;
  return static_cast<double>(result.activeBlocksPerMultiprocessor) * warps * limits.warp / limits.threads;
}

}  // namespace echo::profilers
