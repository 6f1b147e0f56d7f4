#include "profilers/device/machine_text.hpp"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <fmt/core.h>
#ifdef ECHO_HAS_CUDNN
#include <cudnn.h>
#endif

#include "profilers/device/cuda_check.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {

std::string machine_text(const Gpu& gpu, const Clocks& clocks) {
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const std::string driver = clocks.driver_version();
  return fmt::format("{} ({} of them here), driver {}, CUDA {}.{}, cuBLASLt {}", gpu.name, gpu.count,
                     driver.empty() ? "unknown" : driver, runtime / 1000, runtime % 1000 / 10,
                     cublasLtGetVersion());
}

std::string library_text(const ops::KernelKey& key) {
  switch (mechanism_of(key)) {
    case Mechanism::gemm:
      return fmt::format("cuBLASLt {}", cublasLtGetVersion());
    case Mechanism::attention:
#ifdef ECHO_HAS_CUDNN
      return fmt::format("cuDNN {}", cudnnGetVersion());
#else
      return "cuDNN";
#endif
    case Mechanism::row:
    case Mechanism::stream:
    case Mechanism::none:
      break;
  }
  return "stand-in with a fused kernel's bytes and little of its arithmetic";
}

}  // namespace echo::profilers
