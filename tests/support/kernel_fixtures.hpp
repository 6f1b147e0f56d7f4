// GPUs and kernel constants built in code, for tests that must not depend on the catalog's files.
#pragma once

#include "kernels/constants.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::testing {

inline machine::GpuSpec gpu_with(const char* name, double bf16, double fp8, double bandwidth, int sms,
                                 int l2_mib, int capability) {
  machine::GpuSpec gpu;
  gpu.name = gpu.kernels = name;
  const auto set = [&](machine::Precision p, double teraflops) {
    gpu.peak[static_cast<std::size_t>(p)] = FlopsPerSecond(teraflops * 1e12);
  };
  set(machine::Precision::bf16, bf16), set(machine::Precision::fp16, bf16), set(machine::Precision::fp8, fp8);
  set(machine::Precision::tf32, bf16 / 2), set(machine::Precision::fp32, bf16 / 16);
  gpu.memory_bandwidth = BytesPerSecond(bandwidth * 1e9);
  gpu.sm_count = sms;
  gpu.l2 = Bytes(static_cast<std::int64_t>(l2_mib) << 20);
  gpu.compute_capability = capability;
  return gpu;
}

inline machine::GpuSpec a100() { return gpu_with("a100-sxm", 312, 0, 2039, 108, 40, 80); }
inline machine::GpuSpec h100() { return gpu_with("h100-sxm", 989.4, 1978.9, 3352, 132, 50, 90); }

// Every idealisation on: peak rates, no ramps, no losses. Laws become equalities.
inline kernels::KernelConstants ideal_constants() {
  kernels::KernelConstants c;
  for (const kernels::KernelConstantField& field : kernels::kernel_constant_fields())
    if (!field.is_optional) c.*field.member = 0.0;
  for (const auto member : {&kernels::KernelConstants::gemm_rate_16,
                            &kernels::KernelConstants::gemm_rate_8,
                            &kernels::KernelConstants::gemm_rate_32,
                            &kernels::KernelConstants::gemm_bandwidth,
                            &kernels::KernelConstants::gemm_nn,
                            &kernels::KernelConstants::gemm_nt,
                            &kernels::KernelConstants::gemm_misaligned_16,
                            &kernels::KernelConstants::gemm_misaligned_128,
                            &kernels::KernelConstants::gemm_throttle_half,
                            &kernels::KernelConstants::attention_forward_rate,
                            &kernels::KernelConstants::attention_forward_unequal,
                            &kernels::KernelConstants::attention_bandwidth,
                            &kernels::KernelConstants::attention_throttle_half,
                            &kernels::KernelConstants::attention_backward_rate,
                            &kernels::KernelConstants::attention_backward_unequal,
                            &kernels::KernelConstants::expert_rate,
                            &kernels::KernelConstants::expert_tuned_rate,
                            &kernels::KernelConstants::expert_misaligned,
                            &kernels::KernelConstants::expert_bandwidth,
                            &kernels::KernelConstants::expert_activation,
                            &kernels::KernelConstants::expert_combine,
                            &kernels::KernelConstants::memory_copy,
                            &kernels::KernelConstants::memory_norm,
                            &kernels::KernelConstants::memory_norm_backward,
                            &kernels::KernelConstants::memory_activation,
                            &kernels::KernelConstants::memory_residual,
                            &kernels::KernelConstants::memory_rope,
                            &kernels::KernelConstants::memory_softmax,
                            &kernels::KernelConstants::memory_embedding,
                            &kernels::KernelConstants::memory_scatter,
                            &kernels::KernelConstants::memory_loss,
                            &kernels::KernelConstants::memory_optimizer,
                            &kernels::KernelConstants::memory_read,
                            &kernels::KernelConstants::memory_write,
                            &kernels::KernelConstants::memory_compiled})
    c.*member = 1.0;
  c.attention_tile_rows = c.attention_tile_keys = 128;
  return c;
}

// Round numbers near what is fitted on Hopper.
inline kernels::KernelConstants plausible_constants() {
  kernels::KernelConstants c = ideal_constants();
  c.name = "plausible";
  c.gemm_rate_16 = 0.87, c.gemm_rate_8 = 0.84, c.gemm_rate_32 = 0.8, c.gemm_tile_loss = 4,
  c.gemm_tile_loss_8 = 4;
  c.gemm_prologue = 300, c.gemm_prologue_8 = 300, c.gemm_wave_loss = 0.3, c.gemm_bandwidth = 0.75;
  c.gemm_overlap_leak = 0.07, c.gemm_ramp = 3.4e-6, c.gemm_nn = 1.01, c.gemm_nt = 1.04;
  c.gemm_misaligned_16 = 1.6, c.gemm_misaligned_128 = 1.03;
  c.gemm_throttle = 0.15, c.gemm_throttle_8 = 0.05, c.gemm_throttle_half = 1e-3, c.gemm_sustained = 0.14;
  c.gemm_sustained_8 = 0.2;
  c.attention_forward_rate = 0.94, c.attention_softmax = 64, c.attention_exposed = 0.6;
  c.attention_forward_unequal = 1.1, c.attention_prologue = 1e-6, c.attention_tail = 0.2;
  c.attention_bandwidth = 0.7, c.attention_overlap_leak = 0.6, c.attention_ramp = 4e-6;
  c.attention_throttle = 0.2, c.attention_throttle_half = 3e-3, c.attention_sustained = 0.1;
  c.attention_backward_rate = 0.8, c.attention_backward_softmax = 55, c.attention_backward_tail = 0.1;
  c.attention_backward_unequal = 1.34, c.attention_backward_throttle = 0.2;
  c.expert_rate = 0.9, c.expert_tuned_rate = 0.9, c.expert_tile_loss = 15, c.expert_prologue = 40;
  c.expert_wave_loss = 0.3, c.expert_misaligned = 3, c.expert_bandwidth = 0.85;
  c.expert_overlap_leak = 0.1, c.expert_apart = 0.9, c.expert_activation = 0.8, c.expert_combine = 0.6;
  c.expert_ramp = 3e-5, c.expert_router_ramp = 2e-5, c.expert_router = 7e-9, c.expert_router_fused = 5e-10;
  c.memory_copy = 0.9, c.memory_norm = 0.8, c.memory_norm_backward = 0.6, c.memory_rope = 0.5;
  c.memory_activation = 0.8, c.memory_residual = 0.85, c.memory_softmax = 0.8, c.memory_embedding = 0.2;
  c.memory_scatter = 0.2, c.memory_loss = 0.8, c.memory_optimizer = 0.85, c.memory_read = 0.9,
  c.memory_write = 0.9;
  c.memory_compiled = 0.95, c.memory_half = 6e6;
  return c;
}

inline ops::KernelKey gemm(std::int32_t m, std::int32_t n, std::int32_t k) {
  return {.kind = ops::KernelKind::gemm, .m = m, .n = n, .k = k};
}

}  // namespace echo::testing
