// Ops whose time is their traffic: time = (bytes + kernels * half) / (peak bandwidth * fraction).
//
// Little's law: a kernel needs some bytes in flight before HBM is busy, which is equivalent to a fixed
// number of bytes (`half`) added to each kernel of the chain: its bandwidth is peak * fraction * bytes /
// (bytes + half). The fraction differs by class of op: a read-only reduction, a copy, and a scatter with
// atomics do not reach the same share. Bytes and chain length come from ops::traffic_of and
// ops::launches_of. Data that a benchmark finds in L2 from its last repetition, up to a share `reuse` of L2,
// is read `l2` times as fast; in a step reuse is 0, so a tensor that fits in L2 is priced somewhat too high;
// its time is also short.
#include "kernels/mechanisms/memory_bound.hpp"

#include <algorithm>

#include "ops/launches.hpp"

namespace echo::kernels {

namespace {

double fraction_of(ops::KernelKind kind, const KernelConstants& c) {
  using ops::KernelKind;
  switch (kind) {
    case KernelKind::norm_forward:
      return c.memory_norm;
    case KernelKind::norm_backward:
      return c.memory_norm_backward;
    case KernelKind::activation_forward:
    case KernelKind::activation_backward:
      return c.memory_activation;
    case KernelKind::residual_forward:
    case KernelKind::residual_backward:
      return c.memory_residual;
    case KernelKind::rope:
      return c.memory_rope;
    case KernelKind::softmax_forward:
    case KernelKind::softmax_backward:
    case KernelKind::router_forward:
    case KernelKind::router_backward:
      return c.memory_softmax;
    case KernelKind::embedding_forward:
      return c.memory_embedding;
    case KernelKind::embedding_backward:
      return c.memory_scatter;
    case KernelKind::cross_entropy_forward:
    case KernelKind::cross_entropy_backward:
      return c.memory_loss;
    case KernelKind::permute:
    case KernelKind::unpermute:
      return c.memory_permute < 0.0 ? c.memory_copy : c.memory_permute;
    case KernelKind::optimizer:
      return c.memory_optimizer;
    case KernelKind::grad_norm:
    case KernelKind::amax:
      return c.memory_read;
    case KernelKind::memset_zero:
      return c.memory_write;
    case KernelKind::gemm:
    case KernelKind::attention_forward:
    case KernelKind::attention_backward:
    case KernelKind::dropout_forward:
    case KernelKind::dropout_backward:
    case KernelKind::elementwise:
    case KernelKind::grad_accumulate:
    case KernelKind::merge:
    case KernelKind::convolution_forward:
    case KernelKind::convolution_backward:
    case KernelKind::scan_forward:
    case KernelKind::scan_backward:
    case KernelKind::quantize:
    case KernelKind::expert_ffn:
      break;
  }
  return c.memory_copy;
}

constexpr double bytes_per_block = 32768.0;  // what one thread block of a streaming kernel typically moves

}  // namespace

ops::KernelPrice price_memory_bound(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                    const KernelConstants& constants) {
  const double bytes = static_cast<double>(ops::traffic_of(key).value);
  const double launches = ops::launches_of(key);
  const double style = key.style == ops::KernelStyle::fused ? 1.0 : constants.memory_compiled;
  const double peak = gpu.memory_bandwidth.value;
  const double bandwidth = peak * std::min(1.0, fraction_of(key.kind, constants) * style);
  // In a benchmark that repeats an op, L2 still holds some of its tensors.
  const double held = std::min(bytes, constants.memory_reuse * static_cast<double>(gpu.l2.value));
  const double missed = bytes - held + held / constants.memory_l2;
  const double time = (missed + launches * constants.memory_half) / bandwidth;
  return {.alone = from_seconds(time),
          .sm_share = std::min(1.0, bytes / launches / (bytes_per_block * gpu.sm_count)),
          .memory_share = std::min(1.0, bytes / peak / time),
          .compute_bound = 0.0,
          .by_memory = 1.0,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::kernels
