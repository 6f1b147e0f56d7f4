// A matrix product on a GPU: C[m,n] += A[m,k] B[k,n], `batch` times, cut into tiles that thread blocks
// process (gemm_tiles.cpp).
//
// The power limit: in a micro-benchmark with pauses, kernels much longer than `throttle_half` reach it and
// take up to `throttle` longer. The limit averages over tens of ms, so inside a training step every product
// reaches it, short or long: by `sustained`. sustained = 0 prices a micro-benchmark. A dimension that is
// contiguous in memory and not a multiple of 16 (128) bytes costs vector width; the padding of partial tiles
// and partial k-steps follows from the block counts. The work that a library's table includes around the
// product is priced with it, in micro-benchmarks only (in a training step, casts are kernels of their own
// and the framework issues the groups):
//   8-bit rows include quantising A: start + m k (near + far x), x = 2 m k / (2 m k + L2), in bytes of HBM
//     time per element; sglang's kernel finds each row's largest magnitude and reads the row again to cast
//     it, TensorRT-LLM's finds the tensor's first, in a kernel of its own
//   groups run on a few streams (Transformer Engine: 4): each round of products that run side by side is one
//     batch; and the host issues one product every `issue` seconds
// The deviation that remains is smooth and represented by knots (octaves of m, n, k). Sources:
// gemm_tiles.cpp; ai-dynamo/aiconfigurator, collector (contents of its rows; CUDA graphs of 6 products with
// operands of their own, replayed 6 times, hence the throttling by length). Constants:
// sweeps/catalog/kernels/*.toml. Neglected: data-dependent power; SimuMax's B200 was cool in some runs of
// less than 1 ms and hot in others (0.64 and 0.49 of the peak for similar shapes), which cannot be derived
// from the shape.
#include "kernels/mechanisms/gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "kernels/mechanisms/gemm_tiles.hpp"

namespace echo::kernels {

namespace {

using ops::GemmLayout;
using ops::KernelKey;

// Arithmetic time factor of the worst-aligned contiguous dimension.
double misalignment(const KernelKey& key, const KernelConstants& constants) {
  const auto operand_bits = static_cast<std::int64_t>(8 * machine::operand_bytes(key.precision));
  // TN: rows of both operands run along k. NN: B's along n. NT: A's along m and B's along n.
  const std::int32_t first = key.layout == GemmLayout::nt ? key.m : key.k;
  const std::int32_t second = key.layout == GemmLayout::tn ? key.k : key.n;
  double worst = 1.0;
  for (const std::int32_t extent : {first, second, key.n}) {
    const std::int64_t row = extent * operand_bits / 8;
    if (row % 16 != 0)
      worst = std::max(worst, constants.gemm_misaligned_16);
    else if (row % 128 != 0)
      worst = std::max(worst, constants.gemm_misaligned_128);
  }
  return worst;
}

// The constants of one operand width.
struct Width {
  double rate, throttle, throttle_half, sustained, bandwidth, leak;
};

// An 8-bit constant that is left out equals the 16-bit one.
double or_else(double eight, double sixteen) { return eight < 0.0 ? sixteen : eight; }

Width width_of(const KernelKey& key, const KernelConstants& c) {
  const bool wide = machine::operand_bytes(key.precision) == 4;
  if (machine::is_narrow(key.precision))
    return {.rate = c.gemm_rate_8,
            .throttle = c.gemm_throttle_8,
            .throttle_half = or_else(c.gemm_throttle_half_8, c.gemm_throttle_half),
            .sustained = key.precision == machine::Precision::nvfp4
                             ? or_else(c.gemm_sustained_4, c.gemm_sustained_8)
                             : c.gemm_sustained_8,
            .bandwidth = or_else(c.gemm_bandwidth_8, c.gemm_bandwidth),
            .leak = or_else(c.gemm_overlap_leak_8, c.gemm_overlap_leak)};
  return {.rate = wide ? c.gemm_rate_32 : c.gemm_rate_16,
          .throttle = c.gemm_throttle,
          .throttle_half = c.gemm_throttle_half,
          .sustained = c.gemm_sustained,
          .bandwidth = c.gemm_bandwidth,
          .leak = c.gemm_overlap_leak};
}

// The effect of the power limit on a kernel of this many seconds.
struct Power {
  double factor;  // on its time
  double slope;   // how much longer the throttled kernel gets for a second more of work
};

Power power_of(double seconds, const Width& width, Clocks clocks) {
  if (clocks == Clocks::sustained && width.sustained != 0.0)
    return {1.0 + width.sustained, 1.0 + width.sustained};
  const double squared = seconds * seconds, half = width.throttle_half * width.throttle_half;
  const double extra = width.throttle * squared / (squared + half);
  return {1.0 + extra, 1.0 + extra * (1.0 + 2.0 * half / (squared + half))};
}

TiledProduct tiled(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c,
                   const Width& width) {
  const double operand = machine::operand_bytes(key.precision), sms = gpu.sm_count;
  const bool narrow = machine::is_narrow(key.precision);
  // Operands of 8 and 4 bits have transposed copies (workload/layer/casts.cpp): all of their products run as
  // TN.
  const double layout = narrow                         ? 1.0
                        : key.layout == GemmLayout::nn ? c.gemm_nn
                        : key.layout == GemmLayout::nt ? c.gemm_nt
                                                       : 1.0;
  const double rate = std::min(width.rate / (layout * misalignment(key, c)), std::max(1.0, width.rate));
  const double near = narrow ? c.gemm_l2_8 : c.gemm_l2;
  return {
      .m = key.m,
      .n = key.n,
      .k = key.k,
      .batch = key.batch,
      .operand_log2 = key.precision == machine::Precision::nvfp4 ? -1
                      : narrow                                   ? 0
                      : operand == 4                             ? 2
                                                                 : 1,
      .capability = gpu.compute_capability,
      .sms = sms,
      .flop_time = sms / (rate * gpu.peak_of(key.precision).value),
      .byte_time = 1.0 / (gpu.memory_bandwidth.value * width.bandwidth),
      .near_byte_time = near > 0.0 ? 1.0 / (near * gpu.peak_of(machine::Precision::bf16).value) : 0.0,
      .l2_bytes = static_cast<double>(gpu.l2.value),
      .result_bytes = key.fp32_accumulate ? 8.0 : static_cast<double>(machine::element_bytes(key.precision)),
      .prologue = (narrow ? c.gemm_prologue_8 : c.gemm_prologue) / operand,
      .tile_loss = (narrow ? c.gemm_tile_loss_8 : c.gemm_tile_loss) / operand,
      .wave_loss = narrow ? or_else(c.gemm_wave_loss_8, c.gemm_wave_loss) : c.gemm_wave_loss,
      .overlap_leak = width.leak,
      .ramp = narrow ? or_else(c.gemm_ramp_8, c.gemm_ramp) : c.gemm_ramp,
      .partial_bytes = c.gemm_partials,
      .width_step = static_cast<std::int32_t>(narrow ? c.gemm_tile_step_8 : c.gemm_tile_step),
      .cluster_rows = narrow ? static_cast<std::int32_t>(c.gemm_cluster_rows_8) : 0,
      .cluster_columns = narrow ? static_cast<std::int32_t>(c.gemm_cluster_columns_8) : 0,
      .ragged = narrow ? c.gemm_ragged_8 : 0.0};
}

double seconds_of_cast(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  const double elements = static_cast<double>(key.m) * key.k * key.batch, source = 2.0 * elements;
  const double beyond = source / (source + static_cast<double>(gpu.l2.value));
  return c.gemm_cast_start +
         elements * (c.gemm_cast_near + c.gemm_cast_far * beyond) / gpu.memory_bandwidth.value;
}

}  // namespace

ops::KernelPrice price_gemm(const KernelKey& key, const machine::GpuSpec& gpu,
                            const KernelConstants& constants, Clocks clocks) {
  ECHO_EXPECT(gpu.peak_of(key.precision).value > 0.0);
  const bool narrow = machine::is_narrow(key.precision);
  const Width width = width_of(key, constants);
  TiledProduct product = tiled(key, gpu, constants, width);
  double rounds = 1.0;  // of products of a group that run side by side
  if (key.grouped && constants.gemm_streams >= 1.0 && key.batch > constants.gemm_streams) {
    product.batch = static_cast<std::int32_t>(constants.gemm_streams);
    rounds = static_cast<double>(key.batch) / product.batch;
  }
  const TiledTime best = time_in_tiles(product);
  const Power power = power_of(rounds * best.time, width, clocks);
  const Knots& knots = narrow ? constants.gemm_knots_8 : constants.gemm_knots_16;
  const double left_over =
      knots.factor.empty() ? 1.0 : correction(knots, {octaves(key.m), octaves(key.n), octaves(key.k)});
  double seconds = rounds * best.time * power.factor;
  const double around = clocks == Clocks::benchmark && narrow ? seconds_of_cast(key, gpu, constants) : 0.0;
  seconds = (seconds + around) * left_over;
  if (clocks == Clocks::benchmark && key.grouped)
    seconds = std::max(seconds, key.batch * constants.gemm_issue);

  const double slope = rounds * power.slope * left_over / seconds;
  const bool computes = best.arithmetic >= best.memory;
  const double arithmetic = best.arithmetic * best.arithmetic, memory = best.memory * best.memory;
  return {.alone = from_seconds(seconds),
          .sm_share = best.sm_share,
          .memory_share = std::min(1.0, rounds * best.memory * width.bandwidth / seconds),
          .compute_bound = arithmetic / (arithmetic + memory),
          .blocks = best.blocks,
          .wave_loss = product.wave_loss,
          .by_arithmetic = best.arithmetic * (computes ? 1.0 : width.leak) * slope,
          .by_memory = best.memory * (computes ? width.leak : 1.0) * slope,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::kernels
