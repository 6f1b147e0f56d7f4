#include "profilers/device/gpu.hpp"

#include <cuda_runtime_api.h>

#include <array>

#include "profilers/device/cuda_check.hpp"
#include "profilers/gpu_name.hpp"

namespace echo::profilers {

static SmLimits limits_of(const cudaDeviceProp& p) {
  return {.major = p.major,
          .minor = p.minor,
          .warp = p.warpSize,
          .threads_per_block = p.maxThreadsPerBlock,
          .threads = p.maxThreadsPerMultiProcessor,
          .registers_per_block = p.regsPerBlock,
          .registers = p.regsPerMultiprocessor,
          .shared_per_block = static_cast<std::int64_t>(p.sharedMemPerBlock),
          .shared_per_block_optin = static_cast<std::int64_t>(p.sharedMemPerBlockOptin),
          .shared = static_cast<std::int64_t>(p.sharedMemPerMultiprocessor),
          .shared_reserved = static_cast<std::int64_t>(p.reservedSharedMemPerBlock)};
}

Gpu find_gpu(std::int32_t index) {
  int count = 0;
  const cudaError_t outcome = cudaGetDeviceCount(&count);
  if (outcome != cudaSuccess || count == 0)
    throw UserError(std::string("no GPU here: ") +
                        (outcome != cudaSuccess ? cudaGetErrorString(outcome) : "the driver lists none"),
                    "run this on a machine with an NVIDIA GPU and driver; --dry-run shows the plan without",
                    no_gpu_exit_code);
  if (index < 0 || index >= count)
    throw UserError("no GPU " + std::to_string(index) + " here: there are " + std::to_string(count),
                    "choose --device 0 to " + std::to_string(count - 1), no_gpu_exit_code);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::array<char, 32> bus{};
  check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index), "cudaDeviceGetPCIBusId");
  return {.index = index,
          .count = count,
          .name = properties.name,
          .preset = gpu_preset(properties.name),
          .bus = bus.data(),
          .compute_capability = properties.major * 10 + properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .memory = static_cast<std::int64_t>(properties.totalGlobalMem),
          .l2 = properties.l2CacheSize,
          .sm = limits_of(properties)};
}

}  // namespace echo::profilers
