#include "kernels/price_kernels.hpp"

#include <cmath>

#include "base/contract.hpp"
#include "kernels/mechanisms/attention.hpp"
#include "kernels/mechanisms/expert_ffn.hpp"
#include "kernels/mechanisms/gemm.hpp"
#include "kernels/mechanisms/memory_bound.hpp"
#include "kernels/mechanisms/scan.hpp"
#include "ops/canonical_kernel.hpp"

namespace echo::kernels {

namespace {

ops::KernelPrice price_by_kind(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                               const KernelConstants& constants, Clocks clocks) {
  if (key.kind == ops::KernelKind::gemm) return price_gemm(key, gpu, constants, clocks);
  if (key.kind == ops::KernelKind::attention_forward || key.kind == ops::KernelKind::attention_backward)
    return price_attention(key, gpu, constants, clocks);
  if (key.kind == ops::KernelKind::scan_forward || key.kind == ops::KernelKind::scan_backward)
    return price_scan(key, gpu, constants);
  if (key.kind == ops::KernelKind::expert_ffn) return price_expert_ffn(key, gpu, constants);
  return price_memory_bound(key, gpu, constants);
}

double error_of(const ops::KernelKey& key, const KernelConstants& constants) {
  using ops::KernelKind;
  if (key.kind == KernelKind::attention_forward) return constants.error_attention_forward;
  if (key.kind == KernelKind::attention_backward) return constants.error_attention_backward;
  if (key.kind == KernelKind::expert_ffn) return constants.error_experts;
  if (key.kind != KernelKind::gemm) return constants.error_memory;
  if (machine::is_narrow(key.precision)) return constants.error_gemm_8;
  return machine::operand_bytes(key.precision) == 4.0 ? constants.error_gemm_32 : constants.error_gemm_16;
}

}  // namespace

ops::KernelPrice price_kernel(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                              const KernelConstants& all, Clocks clocks) {
  ECHO_EXPECT(key.m >= 1 && key.n >= 1 && key.k >= 1 && key.batch >= 1 && key.groups >= 1);
  const KernelConstants& constants = constants_of(all, key.library);
  ops::KernelPrice price = price_by_kind(key, gpu, constants, clocks);
  const double own = error_of(key, constants), relative = gpu.kernels_error;
  price.error = std::sqrt(own * own + relative * relative);
  return price;
}

bool is_priceable(const ops::KernelKey& key, const machine::GpuSpec& gpu) {
  using machine::Precision;
  using ops::KernelKind;
  if (ops::why_unsound(key) != nullptr) return false;
  switch (key.kind) {
    case KernelKind::gemm:
    case KernelKind::expert_ffn:
      return gpu.peak_of(key.precision).value > 0.0;
    case KernelKind::attention_forward:
    case KernelKind::attention_backward:
    case KernelKind::scan_forward:
    case KernelKind::scan_backward: {
      const bool wide = machine::operand_bytes(key.precision) == 4.0;
      const Precision runs = wide                               ? Precision::tf32
                             : key.precision == Precision::fp16 ? Precision::fp16
                                                                : Precision::bf16;
      return gpu.peak_of(runs).value > 0.0;
    }
    default:
      return true;
  }
}

void price_kernels(std::span<const ops::KernelKey> keys, const machine::GpuSpec& gpu,
                   const KernelConstants& constants, std::span<ops::KernelPrice> out) {
  ECHO_EXPECT(out.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = price_kernel(keys[i], gpu, constants);
}

}  // namespace echo::kernels
