// A matrix product on a GPU: C[m,n] += A[m,k] B[k,n], `batch` times, cut into tiles that thread blocks work
// on.
//
// The library picks among a few tile shapes (and among splits of k when there are too few tiles); so do we,
// by the model's own time. For a tile of r x c elements and depth d = k / split:
//   tile time  = 2 r c (d + prologue) (1 + tile_loss (1/r + 1/c)) / rate       rate: FLOP/s of one SM
//                a small tile re-reads its operands more often than the SM can fetch them; the prologue is
//                the pipeline fill and the epilogue, in units of depth
//   waves      = blocks / SMs, of which the fractional last wave costs more than its share (wave_loss)
//   arithmetic = waves * tile time
//   memory     = HBM bytes / bandwidth: one wave works on a nearly square patch of C of SMs * r * c elements;
//   each
//                patch row re-reads its part of A and each patch column its part of B, as far as L2 does not
//                hold them
//   time       = max(arithmetic, memory) + leak * min(arithmetic, memory) + ramp
// The power limit: in a micro-benchmark between pauses, kernels much longer than `throttle_half` meet it and
// take up to `throttle` longer. The limit averages over tens of ms, so inside a training step every product
// does, short or long: by `sustained`. sustained = 0 prices a micro-benchmark.
// A dimension that lies contiguous in memory and is no multiple of 16 (128) bytes costs vector width; the
// padding of partial tiles and partial k-steps comes out of the block counts. Sources: NVIDIA "Matrix
// Multiplication Background User's Guide" (tile and wave quantisation, alignment); CUTLASS "Efficient GEMM in
// CUDA" (tile hierarchy, split-k, rasterisation). Constants: sweeps/catalog/kernels/*.toml. Neglected:
// swizzle choice, cluster multicast, data-dependent power, NUMA halves of L2.
#include "profile/gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::profile {

namespace {

using ops::GemmLayout;
using ops::KernelKey;

struct Tile {
  std::int32_t rows_log2, columns_log2, least_capability;
  double side;  // square root of rows * columns
};

// Thread-block tiles of the libraries' training kernels; the widest is a pair of SMs' on Blackwell, per SM.
constexpr double sqrt_2 = 1.4142135623730951;
constexpr Tile tiles[] = {{8, 7, 80, 128 * sqrt_2}, {7, 8, 80, 128 * sqrt_2}, {7, 7, 80, 128},
                          {6, 8, 90, 128},          {7, 6, 80, 64 * sqrt_2},  {6, 6, 80, 64}};
constexpr std::int32_t most_splits_log2 = 3;
constexpr std::int32_t k_step_log2 = 6;  // bytes: depth is worked through in steps of 64 bytes of an operand

// Whole blocks of 2^log2 that cover `extent`.
std::int64_t blocks_of(std::int32_t extent, std::int32_t log2) {
  return (static_cast<std::int64_t>(extent) + (std::int64_t{1} << log2) - 1) >> log2;
}

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

// Extra time, as a fraction, that the power limit costs a kernel of this length.
double slowing_by_power(double seconds, bool narrow, const KernelConstants& constants, Clocks clocks) {
  const double throttle = narrow ? constants.gemm_throttle_8 : constants.gemm_throttle;
  const double sustained = narrow ? constants.gemm_sustained_8 : constants.gemm_sustained;
  if (clocks == Clocks::sustained && sustained > 0.0) return sustained;
  const double squared = seconds * seconds, half = constants.gemm_throttle_half;
  return throttle * squared / (squared + half * half);
}

// How much longer the throttled kernel gets for a second more of work.
double throttled_slope(double seconds, bool narrow, const KernelConstants& constants, Clocks clocks) {
  const double extra = slowing_by_power(seconds, narrow, constants, clocks);
  const double sustained = narrow ? constants.gemm_sustained_8 : constants.gemm_sustained;
  if (clocks == Clocks::sustained && sustained > 0.0) return 1.0 + extra;
  const double squared = seconds * seconds, half = constants.gemm_throttle_half;
  return 1.0 + extra * (1.0 + 2.0 * half * half / (squared + half * half));
}

// What one choice of tile and split costs.
struct Candidate {
  double arithmetic = 0.0, memory = 0.0, time = 0.0, waves = 0.0, sm_share = 1.0;
};

// What does not depend on the choice.
struct Product {
  const KernelKey& key;
  std::int32_t operand_log2;  // bytes
  double sms;
  double side;                 // square root of the number of SMs
  double flop_time;            // s per FLOP on one SM in the main loop, layout and alignment included
  double byte_time;            // s per HBM byte
  double prologue, tile_loss;  // elements of depth; elements
  double a_bytes, b_bytes;     // of one operand
  double a_missed, b_missed;   // share of re-reads that L2 does not catch
  double result_elements, result_bytes;
};

Candidate cost_of(const Product& p, const Tile& tile, std::int32_t split_log2,
                  const KernelConstants& constants) {
  const double r = 1 << tile.rows_log2, c = 1 << tile.columns_log2;
  const std::int32_t k_step = k_step_log2 - p.operand_log2;  // log2 of elements
  const auto depth = static_cast<double>(blocks_of(p.key.k, split_log2 + k_step) << k_step);
  const std::int64_t blocks =
      (blocks_of(p.key.m, tile.rows_log2) * blocks_of(p.key.n, tile.columns_log2) * p.key.batch)
      << split_log2;
  const double tile_time = 2 * (r * c + p.tile_loss * (r + c)) * (depth + p.prologue) * p.flop_time;
  const double waves = static_cast<double>(blocks) / p.sms;
  const auto full = static_cast<double>(static_cast<std::int64_t>(waves));
  const double whole = full < waves ? full + 1.0 : full;

  Candidate out;
  out.waves = waves;
  out.sm_share = waves / whole;
  out.arithmetic = std::max(1.0, waves + constants.gemm_wave_loss * (whole - waves)) * tile_time;

  // The patch of C that one wave works on: nearly square, unless C is narrower.
  const double m = p.key.m, n = p.key.n, area = p.sms * r * c;
  const double patch_rows = std::min(m, p.side * tile.side);
  const double reads_of_a = std::max(1.0, n * patch_rows / area), reads_of_b = m / patch_rows;
  const double partials = split_log2 > 0 ? 8.0 * (1 << split_log2) : 0.0;  // fp32 sums, written and read
  const double bytes = p.a_bytes * (1 + (reads_of_a - 1) * p.a_missed) +
                       p.b_bytes * (1 + (reads_of_b - 1) * p.b_missed) +
                       p.result_elements * (p.result_bytes + partials);
  out.memory = bytes * p.key.batch * p.byte_time;
  out.time = std::max(out.arithmetic, out.memory) +
             constants.gemm_overlap_leak * std::min(out.arithmetic, out.memory) + constants.gemm_ramp;
  return out;
}

Candidate best_choice(const Product& product, const machine::GpuSpec& gpu, const KernelConstants& constants) {
  Candidate best;
  for (const Tile& tile : tiles) {
    if (gpu.compute_capability < tile.least_capability) continue;
    for (std::int32_t split = 0; split <= most_splits_log2; ++split) {
      const Candidate candidate = cost_of(product, tile, split, constants);
      if (best.time == 0.0 || candidate.time < best.time) best = candidate;
      if (candidate.waves >= 2.0) break;  // enough blocks without (further) splitting
    }
  }
  return best;
}

}  // namespace

ops::KernelPrice price_gemm(const KernelKey& key, const machine::GpuSpec& gpu,
                            const KernelConstants& constants, Clocks clocks) {
  const double peak = gpu.peak_of(key.precision).value;
  ECHO_EXPECT(peak > 0.0);
  const bool narrow = machine::is_narrow(key.precision);
  const bool wide = machine::operand_bytes(key.precision) == 4;
  const double rate = narrow ? constants.gemm_rate_8 : wide ? constants.gemm_rate_32 : constants.gemm_rate_16;
  // Operands of 8 and 4 bits have transposed copies (workload/casts.cpp): all of their products run as TN.
  const double layout = narrow                         ? 1.0
                        : key.layout == GemmLayout::nn ? constants.gemm_nn
                        : key.layout == GemmLayout::nt ? constants.gemm_nt
                                                       : 1.0;
  const double sms = gpu.sm_count, operand = machine::operand_bytes(key.precision);
  const double slowing = layout * misalignment(key, constants);
  const double a = static_cast<double>(key.m) * key.k * operand,
               b = static_cast<double>(key.k) * key.n * operand;
  const double l2 = static_cast<double>(gpu.l2.value);
  const Product product{
      .key = key,
      .operand_log2 = key.precision == machine::Precision::nvfp4 ? -1
                      : narrow                                   ? 0
                      : wide                                     ? 2
                                                                 : 1,
      .sms = sms,
      .side = std::sqrt(sms),
      .flop_time = sms / (std::min(rate / slowing, 1.0) * peak),
      .byte_time = 1.0 / (gpu.memory_bandwidth.value * constants.gemm_bandwidth),
      .prologue = (narrow ? constants.gemm_prologue_8 : constants.gemm_prologue) / operand,
      .tile_loss = (narrow ? constants.gemm_tile_loss_8 : constants.gemm_tile_loss) / operand,
      .a_bytes = a,
      .b_bytes = b,
      .a_missed = a / (a + l2),
      .b_missed = b / (b + l2),
      .result_elements = static_cast<double>(key.m) * key.n,
      .result_bytes = key.fp32_accumulate ? 8.0 : static_cast<double>(machine::element_bytes(key.precision))};
  const Candidate best = best_choice(product, gpu, constants);
  const double throttled = best.time * (1.0 + slowing_by_power(best.time, narrow, constants, clocks));
  const double traffic_time = best.memory * constants.gemm_bandwidth;
  const double leak = constants.gemm_overlap_leak,
               slope = throttled_slope(best.time, narrow, constants, clocks) / throttled;
  const bool computes = best.arithmetic >= best.memory;
  const double arithmetic = best.arithmetic * best.arithmetic, memory = best.memory * best.memory;
  return {.alone = from_seconds(throttled),
          .sm_share = best.sm_share,
          .memory_share = std::min(1.0, traffic_time / throttled),
          .compute_bound = arithmetic / (arithmetic + memory),
          .by_arithmetic = best.arithmetic * (computes ? 1.0 : leak) * slope,
          .by_memory = best.memory * (computes ? leak : 1.0) * slope,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::profile
