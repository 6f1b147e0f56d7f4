// Lengths of the kernel chains behind eager ops, counted from the PyTorch reference modules that the
// frameworks call: an eager RMSNorm is cast, square, mean, add-rsqrt, multiply, cast, weight (Hugging Face
// LlamaRMSNorm); eager rope is slice/negate/concatenate, two multiplies and an add for queries and keys
// each; eager SwiGLU is silu and a product; GELU by tanh is eight primitives; softmax of 16-bit scores is
// two casts, scale, mask and itself, in both directions (Megatron-LM fused_softmax.py,
// forward_torch_softmax); unfused vocabulary cross-entropy in Megatron
// (core/tensor_parallel/cross_entropy.py) is a cast, maximum, subtraction, the test of which targets belong
// to the rank (five), two writes through that mask (four each: its elements are counted and listed first),
// the gather and its indices (three), exponential, sum, division, logarithm and difference, and four for the
// mean over the tokens that count; backward, six of those again, the cast and the mean; a router
// (core/transformer/moe/moe_utils.py) is softmax, top-k, two times zeros and scatter, and the sums of the
// balancing loss; a dynamic 8-bit scale (torchao float8_utils.py) is magnitude, maximum, two conversions,
// clamp, division and rounding. Transformer Engine's grouped product is a cuBLAS call for each expert,
// distributed over four streams, and so are the casts of its operand, unless scales are known beforehand
// (pytorch/csrc/extensions/cast.cpp, multi_tensor_quantize_impl). Backward chains are about twice as long.
#include "ops/launches.hpp"

namespace echo::ops {

namespace {

// Cumulative decays, chunk states, their propagation, C B', outputs; and the fifteen kernels of backward.
// Source: state-spaces/mamba ssd_combined.py.
constexpr std::int32_t scan_forward_launches = 5, scan_backward_launches = 15;

// Routing, sorting by expert, first product, activation, second product, sum. Source: sglang fused_moe.py.
constexpr std::int32_t expert_ffn_launches = 6;

std::int32_t eager_launches(const KernelKey& key) {
  switch (key.kind) {
    case KernelKind::norm_forward:
      return 7;
    case KernelKind::norm_backward:
      return 12;
    case KernelKind::activation_forward:
      return 2;
    case KernelKind::activation_backward:
      return key.gated ? 4 : 3;
    case KernelKind::residual_forward:
      return 3;
    case KernelKind::residual_backward:
      return 2;
    case KernelKind::rope:
      return 8;
    case KernelKind::softmax_forward:
    case KernelKind::softmax_backward:
      return 5;
    case KernelKind::cross_entropy_forward:
      return 28;
    case KernelKind::cross_entropy_backward:
      return 10;
    case KernelKind::optimizer:
      return 12;
    case KernelKind::embedding_forward:
    case KernelKind::embedding_backward:
      return 3;
    case KernelKind::router_forward:
      return 12;
    case KernelKind::router_backward:
      return 8;
    case KernelKind::amax:
      return 8;
    case KernelKind::quantize:
      return 4;
    case KernelKind::gemm:
    case KernelKind::permute:
    case KernelKind::unpermute:
    case KernelKind::attention_forward:
    case KernelKind::attention_backward:
    case KernelKind::dropout_forward:
    case KernelKind::dropout_backward:
    case KernelKind::elementwise:
    case KernelKind::grad_accumulate:
    case KernelKind::grad_norm:
    case KernelKind::memset_zero:
    case KernelKind::merge:
    case KernelKind::convolution_forward:
    case KernelKind::convolution_backward:
      return 1;
    case KernelKind::expert_ffn:
      return expert_ffn_launches;
    case KernelKind::scan_forward:
      return scan_forward_launches;
    case KernelKind::scan_backward:
      return scan_backward_launches;
  }
  return 1;
}

bool is_cast(const KernelKey& key) {
  return key.kind == KernelKind::amax || key.kind == KernelKind::quantize;
}

}  // namespace

std::int32_t launches_of(const KernelKey& key) {
  if (key.grouped) return key.batch;
  if (key.kind == KernelKind::scan_forward) return scan_forward_launches;
  if (key.kind == KernelKind::scan_backward) return scan_backward_launches;
  if (key.kind == KernelKind::expert_ffn) return expert_ffn_launches;
  switch (key.style) {
    case KernelStyle::fused:
      // maximum and scale; of each expert's rows by themselves (split_quantize)
      if (is_cast(key)) return key.batch * (key.kind == KernelKind::amax ? 2 : 1);
      return key.kind == KernelKind::attention_backward ? 3 : 1;  // dot, main, convert
    case KernelStyle::compiled:
      return (eager_launches(key) + 3) / 4;
    case KernelStyle::eager:
      return eager_launches(key);
  }
  return 1;
}

std::int32_t looped_launches_of(const KernelKey& key) {
  if (key.style == KernelStyle::eager) return 0;
  return key.grouped || (is_cast(key) && key.batch > 1) ? launches_of(key) - 1 : 0;
}

}  // namespace echo::ops
