#include "slowdown/profiled_gpu.hpp"

#include <array>

namespace echo::slowdown {

namespace {

constexpr double kib = 1024.0;
constexpr std::array gpus{
    ProfiledGpu{"A100-SXM4-80GB", 2.039e12, 164 * kib},
    ProfiledGpu{"A100-PCIE-80GB", 1.935e12, 164 * kib},
    ProfiledGpu{"A100 80GB", 1.935e12, 164 * kib},
    ProfiledGpu{"A100", 1.555e12, 164 * kib},  // PG509-200 and SXM4-40GB
    ProfiledGpu{"A800", 2.039e12, 164 * kib},
    ProfiledGpu{"A30", 0.933e12, 164 * kib},
    ProfiledGpu{"V100-SXM3", 0.981e12, 96 * kib},
    ProfiledGpu{"V100", 0.900e12, 96 * kib},
    ProfiledGpu{"H100 PCIe", 2.039e12, 228 * kib},
    ProfiledGpu{"H100 NVL", 3.938e12, 228 * kib},
    ProfiledGpu{"H100", 3.350e12, 228 * kib},
    ProfiledGpu{"H800", 3.350e12, 228 * kib},
    ProfiledGpu{"H200", 4.800e12, 228 * kib},
    ProfiledGpu{"H20", 4.000e12, 228 * kib},
    ProfiledGpu{"GH200", 4.000e12, 228 * kib},
    ProfiledGpu{"B200", 8.000e12, 228 * kib},
    ProfiledGpu{"GB200", 8.000e12, 228 * kib},
    ProfiledGpu{"B300", 8.000e12, 228 * kib},
    ProfiledGpu{"GB300", 8.000e12, 228 * kib},
    ProfiledGpu{"A10G", 0.600e12, 100 * kib, 1536},
    ProfiledGpu{"A10", 0.600e12, 100 * kib, 1536},
    ProfiledGpu{"A40", 0.696e12, 100 * kib, 1536},
    ProfiledGpu{"A6000", 0.768e12, 100 * kib, 1536},
    ProfiledGpu{"RTX A6000", 0.768e12, 100 * kib, 1536},
    ProfiledGpu{"RTX A5000", 0.768e12, 100 * kib, 1536},
    ProfiledGpu{"RTX A4000", 0.448e12, 100 * kib, 1536},
    ProfiledGpu{"RTX 6000 Ada", 0.960e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 5090", 1.792e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 4090", 1.008e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 3090 Ti", 1.008e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 3090", 0.936e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 3080", 0.760e12, 100 * kib, 1536},
    ProfiledGpu{"GeForce RTX 2080 Ti", 0.616e12, 64 * kib, 1024},
    ProfiledGpu{"TITAN V", 0.653e12, 96 * kib},
    ProfiledGpu{"Quadro RTX 8000", 0.672e12, 64 * kib, 1024},
    ProfiledGpu{"Quadro RTX 6000", 0.672e12, 64 * kib, 1024},
    ProfiledGpu{"L20", 0.864e12, 100 * kib, 1536},
    ProfiledGpu{"L40S", 0.864e12, 100 * kib, 1536},
    ProfiledGpu{"L40", 0.864e12, 100 * kib, 1536},
    ProfiledGpu{"L4", 0.300e12, 100 * kib, 1536},
    ProfiledGpu{"T4", 0.320e12, 64 * kib, 1024},
    ProfiledGpu{"P100", 0.732e12, 64 * kib},
    ProfiledGpu{"MI100", 1.229e12, 64 * kib},
    ProfiledGpu{"MI210", 1.638e12, 64 * kib},
    ProfiledGpu{"MI250", 1.638e12, 64 * kib},  // one of the two dies of a module
    ProfiledGpu{"MI300X", 5.300e12, 64 * kib},
    ProfiledGpu{"MI325X", 6.000e12, 64 * kib},
    ProfiledGpu{"MI308X", 5.300e12, 64 * kib},
    ProfiledGpu{"MI350X", 8.000e12, 160 * kib},
    ProfiledGpu{"MI355X", 8.000e12, 160 * kib},
};

}  // namespace

std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD Instinct ", "AMD ", "Instinct "})
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  return name;
}

const ProfiledGpu* profiled_gpu(std::string_view name) {
  name = without_maker(name);
  for (const ProfiledGpu& gpu : gpus)
    if (name.starts_with(gpu.name)) return &gpu;
  return nullptr;
}

}  // namespace echo::slowdown
