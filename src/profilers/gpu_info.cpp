// echo-gpu-info: which GPUs, and which CUDA, CUPTI and NCCL, the profilers would find here.
// No GPU and no driver are answers, not errors: the exit status is 0. Links the static CUDA runtime and never
// libcuda, which a machine without a driver lacks.
#include <cuda_runtime_api.h>
#ifdef ECHO_HAS_CUPTI
#include <cupti.h>
#endif
#ifdef ECHO_HAS_NCCL
#include <nccl.h>
#endif

#include <iostream>
#include <string>

namespace {

// CUDA packs 13.0 as 13000 (cudaRuntimeGetVersion).
std::string cuda_version(int packed) {
  return std::to_string(packed / 1000) + "." + std::to_string(packed % 1000 / 10);
}

// NCCL packs 2.22.3 as 22203 since 2.9, and 2.8.4 as 2804 before (NCCL_VERSION in nccl.h).
[[maybe_unused]] std::string nccl_version(int packed) {
  const int major_unit = packed >= 10000 ? 10000 : 1000;
  return std::to_string(packed / major_unit) + "." + std::to_string(packed % major_unit / 100) + "." +
         std::to_string(packed % 100);
}

std::string cuda_runtime() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess ? cuda_version(version) : "unknown";
}

std::string cuda_driver() {
  int version = 0;
  const bool known = cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
  return known ? "supports CUDA " + cuda_version(version) : "none";
}

std::string cupti() {
#ifdef ECHO_HAS_CUPTI
  std::uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? "API " + std::to_string(version) : "unknown";
#else
  return "not built in";
#endif
}

std::string nccl() {
#ifdef ECHO_HAS_NCCL
  int version = 0;
  return ncclGetVersion(&version) == ncclSuccess ? nccl_version(version) : "unknown";
#else
  return "not built in";
#endif
}

void print_device(int device) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    std::cout << "  " << device << "  (cannot be queried)\n";
    return;
  }
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  std::cout << "  " << device << "  " << properties.name << ", compute capability " << properties.major << "."
            << properties.minor << ", " << properties.multiProcessorCount << " SMs, "
            << static_cast<double>(properties.totalGlobalMem) / gib << " GiB, L2 "
            << properties.l2CacheSize / (1024 * 1024) << " MiB\n";
}

}  // namespace

int main() {
  std::cout << "CUDA runtime  " << cuda_runtime() << "\nCUDA driver   " << cuda_driver() << "\nCUPTI         "
            << cupti() << "\nNCCL          " << nccl() << "\n";
  int devices = 0;
  const cudaError_t outcome = cudaGetDeviceCount(&devices);
  if (outcome != cudaSuccess || devices == 0) {
    std::cout << "GPUs          none usable here (" << cudaGetErrorString(outcome)
              << "); simulating needs none, profiling does\n";
    return 0;
  }
  std::cout << "GPUs          " << devices << "\n";
  for (int device = 0; device < devices; ++device) print_device(device);
  return 0;
}
