// Fused (flash) attention: one thread block per tile of query rows iterates over the keys that they may see.
//
// The forward kernel. A tile has R = `tile_rows` rows (128; 64 in TensorRT-LLM's kernels for A100) and takes
// N = `tile_keys` keys at a time. Kernels that pack (FlashAttention-3 with paged keys) fill the rows with
// all the query heads of a group, so a tile covers R / group tokens; the others work head by head.
//   tile time = prologue + keys * pair time * R
//   pair time = 2 products * 2 depth / rate of an SM          for one (query, key) pair
//   depth     = max(d, e) + exposed * min(d, e)               d = head dim, mean of keys' and values'
// The exponential units work in parallel to the tensor cores: the softmax of a score takes as long as the
// products of e = `softmax` channels: 16 exponentials per clock against 2048, 4096 and 8192 FLOP per clock
// of an SM correspond to 32, 64 and 128 channels on A100, Hopper and Blackwell. Most of the shorter of the
// two is hidden.
//   prologue  = start and end of a tile; on Blackwell `odd_group` longer where a group is no power of two of
//               heads (measured; not explained)
//   keys      = mean over rows: half the square and half a tile of wasted diagonal (and as much again at the
//               far edge of a window), at least one tile
//   work      = tiles * tile time / SMs
//   longest   = the tile that sees most keys; Blackwell interleaves two tiles in a block up to 128 channels
//               (two scores and two sums fill its tensor memory), so such a block's keys take twice as long
//   arithmetic = max(longest, work + tail * longest), slowed by the power limit: in a micro-benchmark by up
//               to `throttle` where it is much longer than `throttle_half`, less where softmax is the limit
//               and the tensor cores wait; in a training step by `sustained`
//   splits    FlashAttention-3 divides a tile's keys where there are fewer than 0.9 tiles per SM and more
//             than 4 key tiles: over as many blocks as leave each 1.1 of an even share; each writes fp32 sums
//             that another kernel reads.
//   row time  = max(arithmetic, memory) + leak * min(...) + ramp, memory the HBM time of its tensors
// The work of an inference library around the kernel takes `wrapper_start` and, in HBM passes and time per
// row, copying keys and values to its cache, splitting and rotating queries. All of TensorRT-LLM's tables
// step up between 1024 and 1536 tokens, by `long_rotation` of this part; the assumed reason is that its
// rotations are tabulated for 1024 positions by default. A training step has none of this.
//
// The backward kernel has 5 products (scores again, dV, dP, dQ, dK), an additive softmax and constants of
// its own; its tables show no prologue, and its rate is fitted as it is in long runs, so there is no
// `sustained` either. Passes before and after it: clearing the fp32 sum of dq (w 4), delta = rowsum(do o) (r
// e, r e), converting dq (r 4, w e).
//
// Head dims are padded to a multiple of 32, as the libraries' templates are. The remaining deviation is
// smooth in (queries, tiles per SM, head dim) and represented by knots.
//
// Sources: Dao et al. 2022, 2023 (FlashAttention, -2), Shah et al. 2024 (-3, softmax against products);
// Dao-AILab/flash-attention hopper/tile_size.h (tiles), heuristics.h (packing, splits) and
// flash_prepare_scheduler.cu (1.1 of an even share); NVIDIA/TensorRT-LLM fmhaKernels.h (heads are grouped in
// generation kernels only); NVIDIA/cutlass examples/77_blackwell_fmha (two tiles of 128 rows per block);
// ai-dynamo/aiconfigurator collector/*/collect_attn.py (contents of a row of the tables; a replayed graph).
//
// Neglected: L2 sharing of keys between the heads of a group (it lowers memory time, which is seldom the
// limit). A kernel's key does not tell which heads belong to one sample: FlashAttention-3 decides by one
// sample's tiles whether to split, and on A100 then writes fp32 sums of unsplit tiles too (up to 30 % at 512
// tokens).
#include "kernels/mechanisms/attention.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::kernels {

namespace {

// The constants of each GPU are those of kernels written for it. On Hopper and later FlashAttention-3 is 1.5
// to 2 times as fast forward and 1.5 to 1.75 times backward as FlashAttention-2 (Shah et al. 2024,
// arXiv:2407.08608, section 1). Forward uses the middle of that range; backward uses 1.68, with which both
// together reach the 335 TFLOP/s of FlashAttention-2 on H100 (Dao 2023, arXiv:2307.08691, section 4.1).
// FlashAttention-2 is about twice as fast as its predecessor (abstract). On a B200 it takes 2.98 and 3.15
// times as long as cuDNN forward, 2.81 and 3.03 times backward, at 8192 and 16 384 tokens
// (NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training/artifacts: FlashAttention 2.7.4, cuDNN 9.10.2).
double slower_by_age(ops::AttentionKernel kernel, const machine::GpuSpec& gpu, const KernelConstants& c,
                     bool forward) {
  if (kernel == ops::AttentionKernel::native) return 1.0;
  const double stated = forward ? c.attention_portable : c.attention_backward_portable;
  const double hopper = forward ? 1.75 : 1.68, blackwell = forward ? 3.06 : 2.92;
  const double portable = stated > 0.0                   ? stated
                          : gpu.compute_capability < 90  ? 1.0
                          : gpu.compute_capability < 100 ? hopper
                                                         : blackwell;
  return kernel == ops::AttentionKernel::flash_1 ? 2.0 * portable : portable;
}

// Fused attention of 8-bit operands halves its products and leaves the softmax as it is; backward it also
// converts between formats. cuDNN's times of 16 over 8 bit on causal heads of 128 channels, 8192 tokens,
// forward and backward: H200 1.50 and 0.80 (cuDNN 9.19), B200 1.10 and 1.23 (9.10), GB200 1.30 and 1.09,
// GB300 1.56 and 1.24 (9.22); NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training, results and artifacts.
// B200 and GB200 are one die: the mean. Shorter sequences gain less backward (1.0 at 4096 tokens), longer
// ones more (1.3 at 32 768): neglected.
double slower_by_width(const ops::KernelKey& key, const machine::GpuSpec& gpu, bool forward) {
  if (key.precision != machine::Precision::fp8 || gpu.compute_capability < 90) return 1.0;
  if (gpu.compute_capability < 100) return forward ? 1.0 / 1.50 : 1.0 / 0.80;
  if (gpu.compute_capability < 103) return forward ? 1.0 / 1.20 : 1.0 / 1.16;
  return forward ? 1.0 / 1.56 : 1.0 / 1.24;
}

// The 16-bit arithmetic that rates are stated for, those of 8-bit operands too; fp32 models run through tf32.
machine::Precision arithmetic_of(machine::Precision p) {
  using machine::Precision;
  if (p == Precision::fp32 || p == Precision::tf32) return Precision::tf32;
  return p == Precision::fp16 ? Precision::fp16 : Precision::bf16;
}

// The 8-bit backward kernel masks what lies outside a window but works through it: on GB200 256 heads of 64
// channels with a window of 128 take 0.54, 1.73, 6.2 and 23 ms at 2048 to 16 384 tokens, growing with the
// square, where those of 16 bit take 0.24, 0.47, 0.91 and 1.8 (NVIDIA/cudnn-frontend
// benchmark/sdpa_benchmark_training/results/gpt_oss/gb200, cuDNN 9.22). Forward both skip it.
ops::KernelKey without_unheeded_window(ops::KernelKey key) {
  if (key.precision == machine::Precision::fp8 && !key.chunked) key.span = 0;
  return key;
}

double padded(double dim) { return std::ceil(dim / 32.0) * 32.0; }

// Share of the products that run over the channels of keys: one of two forward and three of five backward.
double mean_head_dim(const ops::KernelKey& key) {
  const double keys = padded(key.k), values = padded(ops::value_dim_of(key));
  return key.kind == ops::KernelKind::attention_forward ? (keys + values) / 2 : (3 * keys + 2 * values) / 5;
}

// How query rows and keys are distributed over thread blocks.
struct Tiles {
  double count = 0.0;   // of query rows, over all heads and samples
  double keys = 0.0;    // mean number that one works through
  double most = 0.0;    // keys of the one that sees most
  double splits = 1.0;  // blocks that share out the keys of one
};

Tiles tiles_of(const ops::KernelKey& key, const machine::GpuSpec& gpu, double rows, double step, bool packs,
               bool splits) {
  const double m = key.m, n = key.n, span = key.span;
  const double group = packs ? static_cast<double>(key.batch) / key.groups : 1.0;
  const double tokens = rows / group;  // that a tile covers
  const bool windowed = key.causal && key.span > 0;
  const double seen = windowed ? std::min(n, span + (key.chunked ? 0.0 : tokens)) : n;
  const double edges = !key.causal ? 0.0 : windowed && !key.chunked ? 2.0 : 1.0;
  Tiles out;
  out.count = std::ceil(m * group / rows) * key.batch / group;
  out.most = std::ceil(seen / step) * step;
  const double wasted = edges * std::min(seen, std::max(tokens, step)) / 2;
  out.keys = key.causal ? std::min(std::max(ops::pairs_of(key) / m + wasted, step), out.most) : out.most;
  if (splits && out.count < 0.9 * gpu.sm_count && out.most > 4 * step) {
    const double each = std::ceil(1.1 * out.count * (out.most / step) / gpu.sm_count);
    out.splits = std::ceil(out.most / step / each);
  }
  return out;
}

Tiles forward_tiles(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return tiles_of(key, gpu, c.attention_tile_rows, c.attention_tile_keys, c.attention_packs > 0.0,
                  c.attention_splits > 0.0);
}

// The number of channels whose time equals that of a pair's products and softmax.
double depth_of(double d, const KernelConstants& c) {
  return std::max(d, c.attention_softmax) + c.attention_exposed * std::min(d, c.attention_softmax);
}

// The number of tiles that one thread block processes in parallel: two on Blackwell where they fit, 128
// channels.
double block_depth(double d, const machine::GpuSpec& gpu, const KernelConstants& c) {
  const double one = depth_of(d, c);
  return gpu.compute_capability < 100 ? one : std::max(one, 2.0 * depth_of(std::min(d, 128.0), c));
}

bool is_power_of_two(std::int32_t n) { return (n & (n - 1)) == 0; }

// Time of the arithmetic in s, and the part of it that is inverse to FLOP/s.
struct Arithmetic {
  double time = 0.0, by_rate = 0.0;
};

// Tiles distributed over the SMs; the last blocks run longer by `tail` of the longest.
Arithmetic dealt(const Arithmetic& work, const Arithmetic& longest, double tail) {
  const Arithmetic shared{work.time + tail * longest.time, work.by_rate + tail * longest.by_rate};
  return shared.time >= longest.time ? shared : longest;
}

Arithmetic in_step(const Arithmetic& alone, double sustained) {
  return {alone.time * (1.0 + sustained), alone.by_rate * (1.0 + sustained)};
}

Arithmetic in_benchmark(const Arithmetic& alone, double throttle, double half) {
  const double all = alone.time + half;
  return {alone.time * (1.0 + throttle * alone.time / all),
          alone.by_rate * (1.0 + throttle * alone.time * (alone.time + 2.0 * half) / (all * all))};
}

struct Parts {
  Arithmetic arithmetic;
  double memory = 0.0;   // s, beside arithmetic
  double traffic = 0.0;  // s of peak HBM bandwidth
  double leak = 0.0;
  double serial = 0.0;  // s of HBM traffic before and after
  double fixed = 0.0;   // s
  double sm_share = 1.0;
  double correction = 1.0;
};

// The work of an inference library around its kernel.
double wrapper_time(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  const double element = machine::element_bytes(key.precision);
  const double queries = static_cast<double>(key.m) * key.batch,
               keys = static_cast<double>(key.m) * key.groups;
  const double bytes = element * (keys * (1.0 * key.k + ops::value_dim_of(key)) * c.attention_cache_passes +
                                  2.0 * queries * key.k * c.attention_query_passes);
  const double rate = gpu.memory_bandwidth.value * c.attention_bandwidth;
  const double positions = key.n > 1024 ? 1.0 + c.attention_long_rotation : 1.0;
  return positions * (bytes / rate + (queries + keys) * c.attention_row_time);
}

Parts forward_parts(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c,
                    Clocks clocks) {
  const Tiles tiles = forward_tiles(key, gpu, c);
  const double sms = gpu.sm_count, d = mean_head_dim(key), e = c.attention_softmax;
  const double depth = depth_of(d, c);
  const double unequal = ops::value_dim_of(key) == key.k ? 1.0 : c.attention_forward_unequal;
  const double peak = gpu.peak_of(arithmetic_of(key.precision)).value;
  const double slower = slower_by_age(key.attention, gpu, c, true) * slower_by_width(key, gpu, true);
  const double key_time =
      slower * unequal * 2.0 * 2.0 * depth * c.attention_tile_rows / (c.attention_forward_rate * peak / sms);
  const bool odd = !is_power_of_two(key.batch / key.groups);
  const double prologue = c.attention_prologue + (odd ? c.attention_odd_group : 0.0);
  const double step = c.attention_tile_keys;
  const double work = tiles.count * tiles.keys * key_time / sms;
  const double most =
      std::ceil(tiles.most / step / tiles.splits) * step * key_time * (block_depth(d, gpu, c) / depth);
  const Arithmetic alone = dealt({work + tiles.count * tiles.splits * prologue / sms, work},
                                 {prologue + most, most}, c.attention_tail);
  const double busy = d < e ? d * d / (e * e) : 1.0;  // of the tensor cores' power

  const double rate = gpu.memory_bandwidth.value;
  const double sums = tiles.splits > 1.0
                          ? 8.0 * key.m * key.batch * ops::value_dim_of(key) * tiles.splits  // fp32, w and r
                          : 0.0;
  const bool wrapped = clocks == Clocks::benchmark;
  Parts out;
  out.arithmetic = wrapped ? in_benchmark(alone, c.attention_throttle * busy, c.attention_throttle_half)
                           : in_step(alone, c.attention_sustained * busy);
  out.traffic = static_cast<double>(ops::traffic_of(key).value) / rate;
  out.memory = out.traffic / c.attention_bandwidth;
  out.leak = c.attention_overlap_leak;
  out.serial = sums / (rate * c.attention_bandwidth) + (wrapped ? wrapper_time(key, gpu, c) : 0.0);
  out.fixed = c.attention_ramp + (wrapped ? c.attention_wrapper_start : 0.0);
  out.sm_share = std::min(1.0, tiles.count * tiles.splits / sms);
  out.correction = correction(c.attention_knots, place_of_attention(key, gpu, c));
  return out;
}

Parts backward_parts(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c,
                     Clocks clocks) {
  constexpr double rows = 128.0;
  const Tiles tiles = tiles_of(without_unheeded_window(key), gpu, rows, rows, false, false);
  const double sms = gpu.sm_count, depth = mean_head_dim(key) + c.attention_backward_softmax;
  const double unequal = ops::value_dim_of(key) == key.k ? 1.0 : c.attention_backward_unequal;
  const double peak = gpu.peak_of(arithmetic_of(key.precision)).value;
  const double slower = slower_by_age(key.attention, gpu, c, false) * slower_by_width(key, gpu, false);
  const double key_time =
      slower * unequal * 5.0 * 2.0 * depth * rows / (c.attention_backward_rate * peak / sms);
  const double work = tiles.count * tiles.keys * key_time / sms, longest = tiles.most * key_time;

  const double element = machine::element_bytes(key.precision);
  const double pass_bytes = static_cast<double>(key.m) * key.batch *
                            (key.k * (element + 8) + ops::value_dim_of(key) * (2 * element));
  const double rate = gpu.memory_bandwidth.value * c.memory_copy;
  Parts out;
  const Arithmetic alone = dealt({work, work}, {longest, longest}, c.attention_backward_tail);
  out.arithmetic = clocks == Clocks::benchmark
                       ? in_benchmark(alone, c.attention_backward_throttle, c.attention_throttle_half)
                       : in_step(alone, 0.0);
  out.traffic = static_cast<double>(ops::traffic_of(key).value) / gpu.memory_bandwidth.value;
  out.memory = out.traffic / c.memory_copy;
  out.serial = pass_bytes / rate;
  out.fixed = c.attention_ramp;
  out.sm_share = std::min(1.0, tiles.count / sms);
  return out;
}

}  // namespace

std::array<double, 3> place_of_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                         const KernelConstants& constants) {
  const Tiles tiles = forward_tiles(key, gpu, constants);
  return {octaves(key.m), octaves(tiles.count / gpu.sm_count), octaves(key.k)};
}

ops::KernelPrice price_attention(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                                 const KernelConstants& constants, Clocks clocks) {
  ECHO_EXPECT(gpu.peak_of(arithmetic_of(key.precision)).value > 0.0);
  const Parts parts = key.kind == ops::KernelKind::attention_forward
                          ? forward_parts(key, gpu, constants, clocks)
                          : backward_parts(key, gpu, constants, clocks);
  const double arithmetic = parts.arithmetic.time, memory = parts.memory;
  const bool bound = arithmetic >= memory;  // by arithmetic
  const double time =
      std::max(arithmetic, memory) + parts.leak * std::min(arithmetic, memory) + parts.serial + parts.fixed;
  return {.alone = from_seconds(time * parts.correction),
          .sm_share = parts.sm_share,
          .memory_share = std::min(1.0, parts.traffic / time),
          .compute_bound = arithmetic * arithmetic / (arithmetic * arithmetic + memory * memory),
          .by_arithmetic = (bound ? 1.0 : parts.leak) * parts.arithmetic.by_rate / time,
          .by_memory = ((bound ? parts.leak : 1.0) * memory + parts.serial) / time,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::kernels
