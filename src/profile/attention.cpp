// Fused (flash) attention: one thread block per 128 query rows of a head walks over the keys it may see.
//
//   pair time = 2 products * 2 (d + softmax) / rate           for one (query, key) pair, d = head dim (the
//               mean over the products where keys and values differ); the exponential units are slower than
//               the tensor cores, so one score's softmax is worth `softmax` elements of depth. Backward has 5
//               products (scores again, dV, dP, dQ, dK) and constants of its own.
//   Starting and ending a block is worth `prologue` keys (forward; the backward tables show none).
//   work      = pairs * pair time / SMs; causal: half the square and half a tile of wasted diagonal per
//   query,
//               and as much again at the far edge of a window
//   row time      = max(longest block, work + tail * longest block) + ramp, and never below the HBM time of
//   its tensors
// Sources: Dao et al. 2022, 2023 (FlashAttention, -2), Shah et al. 2024 (-3: softmax is what head dim 64
// loses to). Head dims are padded to a multiple of 32, as the libraries' templates are. Neglected: L2 sharing
// of keys between the heads of a group (it lowers memory time, which seldom binds).
#include "profile/attention.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::profile {

namespace {

constexpr double query_tile = 128.0;

// Time factors where keys are wider than values (192 and 128 channels of latent attention): fewer rows fit
// beside the wider tiles. Source: MooreThreads/SimuMax, measured kernels over this model at the rates of
// heads of 128 channels: forward 1.15 on A100 and 1.0 to 1.27 on B200, backward 1.3 and 1.4.
constexpr double unequal_heads_forward = 1.1, unequal_heads_backward = 1.34;

// The constants of each GPU are those of kernels written for it. On Hopper and later FlashAttention-3 is 1.5 to
// 2 times as fast forward and 1.5 to 1.75 times backward as FlashAttention-2 (Shah et al. 2024,
// arXiv:2407.08608, section 1; middles of those ranges), which is about twice as fast as its predecessor (Dao
// 2023, arXiv:2307.08691, abstract).
double slower_by_age(ops::AttentionKernel kernel, const machine::GpuSpec& gpu, bool forward) {
  if (kernel == ops::AttentionKernel::native) return 1.0;
  const double portable = gpu.compute_capability < 90 ? 1.0 : forward ? 1.75 : 1.625;
  return kernel == ops::AttentionKernel::flash_1 ? 2.0 * portable : portable;
}

// Flash kernels run 16-bit arithmetic whatever the GEMM recipe; fp32 models run them through tf32.
machine::Precision arithmetic_of(machine::Precision p) {
  using machine::Precision;
  if (p == Precision::fp32 || p == Precision::tf32) return Precision::tf32;
  return p == Precision::fp16 ? Precision::fp16 : Precision::bf16;
}

// Of the products: one of two forward and three of five backward run over the channels of keys.
double mean_head_dim(const ops::KernelKey& key) {
  const double keys = std::ceil(key.k / 32.0) * 32.0,
               values = std::ceil(ops::value_dim_of(key) / 32.0) * 32.0;
  if (keys == values) return keys;
  return key.kind == ops::KernelKind::attention_forward ? (keys + values) / 2 : (3 * keys + 2 * values) / 5;
}

}  // namespace

ops::KernelPrice price_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                 const KernelConstants& constants) {
  const double peak = gpu.peak_of(arithmetic_of(key.precision)).value;
  ECHO_EXPECT(peak > 0.0);
  const bool forward = key.kind == ops::KernelKind::attention_forward;
  const double products = forward ? 2.0 : 5.0;
  const double rate = forward ? constants.attention_forward_rate : constants.attention_backward_rate;
  const double softmax = forward ? constants.attention_forward_softmax : constants.attention_backward_softmax;

  const double tail = forward ? constants.attention_tail : constants.attention_backward_tail;
  const double prologue = forward ? constants.attention_prologue : 0.0;
  const double m = key.m, n = key.n, d = mean_head_dim(key);
  const double sms = gpu.sm_count;
  const double unequal = ops::value_dim_of(key) == key.k ? 1.0
                         : forward                       ? unequal_heads_forward
                                                         : unequal_heads_backward;
  const double pair = slower_by_age(key.attention, gpu, forward) * unequal * products * 2.0 * (d + softmax) /
                      (std::min(rate, 1.0) * peak / sms);  // s on one SM
  const double blocks = std::ceil(m / query_tile) * key.batch;
  const double rows = blocks * query_tile;
  const double seen =
      key.causal && key.span > 0 ? std::min(n, key.span + (key.chunked ? 0.0 : query_tile)) : n;
  const double edges = !key.causal ? 0.0 : key.span > 0 && !key.chunked ? 2.0 : 1.0;
  const double wasted = edges * std::min(seen, query_tile) / 2;
  const double keys_per_row = std::min(ops::pairs_of(key) / m + wasted, seen) + prologue;
  const double longest = query_tile * (seen + prologue) * pair;
  const double work = rows * keys_per_row * pair / sms;
  const double arithmetic = std::max(longest, work + tail * longest);

  // Backward: clearing the fp32 sum of dq (w 4), delta = rowsum(do o) (r e, r e), and converting dq (r 4, w
  // e) are kernels before and after the main one.
  const double element = machine::element_bytes(key.precision);
  const double pass_bytes = static_cast<double>(key.m) * key.batch *
                            (key.k * (element + 8) + ops::value_dim_of(key) * (2 * element));
  const double passes = pass_bytes / (gpu.memory_bandwidth.value * constants.memory_copy);
  const double traffic = static_cast<double>(ops::traffic_of(key).value) / gpu.memory_bandwidth.value;
  const double memory = traffic / constants.memory_copy;
  const double time = std::max(arithmetic, memory) + constants.attention_ramp + (forward ? 0.0 : passes);
  return {.alone = from_seconds(time),
          .sm_share = std::min(1.0, blocks / sms),
          .memory_share = std::min(1.0, traffic / time),
          .compute_bound = arithmetic * arithmetic / (arithmetic * arithmetic + memory * memory),
          .by_arithmetic = arithmetic >= memory ? arithmetic / time : 0.0,
          .by_memory = ((arithmetic >= memory ? 0.0 : memory) + (forward ? 0.0 : passes)) / time,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::profile
