#include "profile/price_kernels.hpp"

#include "base/contract.hpp"
#include "profile/attention.hpp"
#include "profile/gemm.hpp"
#include "profile/memory_bound.hpp"
#include "profile/scan.hpp"

namespace echo::profile {

ops::KernelPrice price_kernel(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                              const KernelConstants& all, Clocks clocks) {
  const KernelConstants& constants = constants_of(all, key.library);
  ECHO_EXPECT(key.m >= 1 && key.n >= 1 && key.k >= 1 && key.batch >= 1 && key.groups >= 1);
  if (key.kind == ops::KernelKind::gemm) return price_gemm(key, gpu, constants, clocks);
  if (key.kind == ops::KernelKind::attention_forward || key.kind == ops::KernelKind::attention_backward)
    return price_attention(key, gpu, constants);
  if (key.kind == ops::KernelKind::scan_forward || key.kind == ops::KernelKind::scan_backward)
    return price_scan(key, gpu, constants);
  return price_memory_bound(key, gpu, constants);
}

void price_kernels(std::span<const ops::KernelKey> keys, const machine::GpuSpec& gpu,
                   const KernelConstants& constants, std::span<ops::KernelPrice> out) {
  ECHO_EXPECT(out.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = price_kernel(keys[i], gpu, constants);
}

}  // namespace echo::profile
