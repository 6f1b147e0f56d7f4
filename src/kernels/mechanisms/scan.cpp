// A scan is a chain of Triton kernels: products of small matrices inside chunks of the sequence, and states
// that go from one kernel to the next through HBM.
//
//   time = max(flops / (rate * peak), (bytes + kernels * half) / (peak bandwidth * copy * chain))
//
// Bytes and flops of the chain come from ops; `rate`, `half` and `copy` are the GPU's own constants of fused
// attention's products and of streaming kernels. `chain` is measured: short products between the loads and
// stores leave most of the bandwidth idle. On an H100 the five forward kernels process 1.07 to 1.29e7 tokens
// per second from 4096 tokens on (128 heads of 64 channels, one group, states of 128, chunks of 256, no
// gate: 105 kB per token; vllm-project/vllm pull request 27299), 0.34 to 0.40 of the peak. Assumed: the same
// share on other GPUs and in backward, and that products run at attention's rate (it is not the limit for
// any published model). Source of the chain: Dao and Gu 2024 (arXiv:2405.21060, section 6);
// state-spaces/mamba ssd_{combined,chunk_state,chunk_scan,bmm}.py. Neglected: that some kernels of the chain
// are limited by arithmetic and others by memory.
#include "kernels/mechanisms/scan.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "ops/launches.hpp"

namespace echo::kernels {

namespace {

constexpr double chain = 0.4;              // of a streaming kernel's bandwidth
constexpr double tokens_per_block = 64.0;  // times one head: the smallest tile the kernels' tuning admits

double sixteen_bit_peak(const machine::GpuSpec& gpu, machine::Precision p) {
  using machine::Precision;
  if (p == Precision::fp32 || p == Precision::tf32) return gpu.peak_of(Precision::tf32).value;
  return gpu.peak_of(p == Precision::fp16 ? Precision::fp16 : Precision::bf16).value;
}

}  // namespace

ops::KernelPrice price_scan(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                            const KernelConstants& constants) {
  const double peak = sixteen_bit_peak(gpu, key.precision);
  ECHO_EXPECT(peak > 0.0);
  const double launches = ops::launches_of(key);
  const double bytes = static_cast<double>(ops::traffic_of(key).value);
  const double arithmetic =
      ops::flops_of(key).value / (std::min(constants.attention_forward_rate, 1.0) * peak);
  const double memory = (bytes + launches * constants.memory_half) /
                        (gpu.memory_bandwidth.value * constants.memory_copy * chain);
  const double time = std::max(arithmetic, memory);
  return {.alone = from_seconds(time),
          .sm_share = std::min(1.0, key.m / tokens_per_block * key.batch / gpu.sm_count),
          .memory_share = std::min(1.0, bytes / gpu.memory_bandwidth.value / time),
          .compute_bound = arithmetic * arithmetic / (arithmetic * arithmetic + memory * memory),
          .by_arithmetic = arithmetic >= memory ? 1.0 : 0.0,
          .by_memory = arithmetic >= memory ? 0.0 : 1.0,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::kernels
