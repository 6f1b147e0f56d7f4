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
// Long kernels run into the power limit: the rate falls by up to `throttle` with the time constant
// `throttle_half`, and by `sustained` for what a micro-benchmark between pauses does not show. A dimension
// that lies contiguous in memory and is no multiple of 16 (128) bytes costs vector width; the padding of
// partial tiles and partial k-steps comes out of the ceilings.
// Sources: NVIDIA "Matrix Multiplication Background User's Guide" (tile and wave quantisation, alignment);
// CUTLASS "Efficient GEMM in CUDA" (tile hierarchy, split-k, rasterisation). Constants:
// sweeps/catalog/kernels/*.toml. Neglected: swizzle choice, cluster multicast, data-dependent power, NUMA
// halves of L2.
#include "profile/gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::profile {

namespace {

using ops::GemmLayout;
using ops::KernelKey;

struct Tile {
  std::int32_t rows, columns, least_capability;
};

// Thread-block tiles of the libraries' training kernels; the widest is a pair of SMs' on Blackwell, per SM.
constexpr Tile tiles[] = {{256, 128, 80}, {128, 256, 80}, {128, 128, 80},
                          {64, 256, 90},  {128, 64, 80},  {64, 64, 80}};
constexpr std::int32_t splits[] = {1, 2, 4, 8};
constexpr double k_step_bytes = 64.0;  // depth is worked through in steps of this many operand bytes

double ceil_div(double a, double b) { return std::ceil(a / b); }

bool is_8_bit(machine::Precision p) { return machine::operand_bytes(p) == 1; }

// Arithmetic time factor of the worst-aligned contiguous dimension.
double misalignment(const KernelKey& key, const KernelConstants& constants) {
  const std::int32_t bytes = machine::operand_bytes(key.precision);
  // TN: rows of both operands run along k. NN: B's along n. NT: A's along m and B's along n.
  const std::int32_t first = key.layout == GemmLayout::nt ? key.m : key.k;
  const std::int32_t second = key.layout == GemmLayout::tn ? key.k : key.n;
  double worst = 1.0;
  for (const std::int32_t extent : {first, second, key.n}) {
    const std::int64_t row = static_cast<std::int64_t>(extent) * bytes;
    if (row % 16 != 0)
      worst = std::max(worst, constants.gemm_misaligned_16);
    else if (row % 128 != 0)
      worst = std::max(worst, constants.gemm_misaligned_128);
  }
  return worst;
}

// What one choice of tile and split costs.
struct Candidate {
  double arithmetic = 0.0, memory = 0.0, time = 0.0, sm_share = 1.0;
};

// What does not depend on the choice.
struct Product {
  double m, n, k, batch, operand_bytes, result_bytes;
  double sm_rate;    // FLOP/s of one SM in the main loop, layout and alignment included
  double bandwidth;  // HBM bytes per second
  double prologue;   // elements of depth
  double tile_loss;  // elements
};

Candidate cost_of(const Product& p, const Tile& tile, std::int32_t split, const machine::GpuSpec& gpu,
                  const KernelConstants& constants) {
  const double r = tile.rows, c = tile.columns, sms = gpu.sm_count;
  const double k_step = k_step_bytes / p.operand_bytes;
  const double depth = ceil_div(p.k, split * k_step) * k_step;
  const double blocks = ceil_div(p.m, r) * ceil_div(p.n, c) * p.batch * split;
  const double tile_loss = 1.0 + p.tile_loss * (1.0 / r + 1.0 / c);
  const double tile_time = 2 * r * c * (depth + p.prologue) * tile_loss / p.sm_rate;
  const double waves = blocks / sms, whole = std::ceil(waves);

  Candidate out;
  out.sm_share = waves / whole;
  out.arithmetic = std::max(1.0, waves + constants.gemm_wave_loss * (whole - waves)) * tile_time;

  const double patch_rows = std::min(p.m, std::sqrt(sms * r * c));
  const double patch_columns = std::min(p.n, sms * r * c / patch_rows);
  const double a = p.m * p.k * p.operand_bytes, b = p.k * p.n * p.operand_bytes;
  const double l2 = static_cast<double>(gpu.l2.value);
  const double again_a = (p.n / patch_columns - 1.0) * a / (a + l2);  // re-reads that L2 does not catch
  const double again_b = (p.m / patch_rows - 1.0) * b / (b + l2);
  const double partials = split > 1 ? 8.0 * split : 0.0;  // fp32 partial sums, written and read
  const double bytes =
      (a * (1 + again_a) + b * (1 + again_b) + p.m * p.n * (p.result_bytes + partials)) * p.batch;
  out.memory = bytes / p.bandwidth;
  out.time = std::max(out.arithmetic, out.memory) +
             constants.gemm_overlap_leak * std::min(out.arithmetic, out.memory) + constants.gemm_ramp;
  return out;
}

}  // namespace

ops::KernelPrice price_gemm(const KernelKey& key, const machine::GpuSpec& gpu,
                            const KernelConstants& constants) {
  const double peak = gpu.peak_of(key.precision).value;
  ECHO_EXPECT(peak > 0.0);
  const bool narrow = is_8_bit(key.precision);
  const bool wide = machine::operand_bytes(key.precision) == 4;
  const double rate = narrow ? constants.gemm_rate_8 : wide ? constants.gemm_rate_32 : constants.gemm_rate_16;
  // Transformer Engine keeps a transposed copy of 8-bit operands: all of their products run as TN.
  const double layout = narrow                         ? 1.0
                        : key.layout == GemmLayout::nn ? constants.gemm_nn
                        : key.layout == GemmLayout::nt ? constants.gemm_nt
                                                       : 1.0;
  const double operand = machine::operand_bytes(key.precision);
  const double slowing = layout * misalignment(key, constants);
  const Product product{
      .m = static_cast<double>(key.m),
      .n = static_cast<double>(key.n),
      .k = static_cast<double>(key.k),
      .batch = static_cast<double>(key.batch),
      .operand_bytes = operand,
      .result_bytes = key.fp32_accumulate ? 8.0 : static_cast<double>(machine::element_bytes(key.precision)),
      .sm_rate = std::min(rate / slowing, 1.0) * peak / gpu.sm_count,
      .bandwidth = gpu.memory_bandwidth.value * constants.gemm_bandwidth,
      .prologue = (narrow ? constants.gemm_prologue_8 : constants.gemm_prologue) / operand,
      .tile_loss = (narrow ? constants.gemm_tile_loss_8 : constants.gemm_tile_loss) / operand};

  Candidate best;
  for (const Tile& tile : tiles) {
    if (gpu.compute_capability < tile.least_capability) continue;
    for (const std::int32_t split : splits) {
      const Candidate candidate = cost_of(product, tile, split, gpu, constants);
      if (best.time == 0.0 || candidate.time < best.time) best = candidate;
      if (candidate.sm_share * split > 0.75 && split == 1) break;  // enough blocks without splitting
    }
  }
  const double throttle = narrow ? constants.gemm_throttle_8 : constants.gemm_throttle;
  const double squared = best.time * best.time, half = constants.gemm_throttle_half;
  const double warmed = squared / (squared + half * half);
  const double heat = constants.gemm_sustained + (1.0 - constants.gemm_sustained) * warmed;
  const double throttled = best.time * (1.0 + throttle * heat);
  const double traffic_time = best.memory * product.bandwidth / gpu.memory_bandwidth.value;
  const double arithmetic = best.arithmetic * best.arithmetic, memory = best.memory * best.memory;
  return {.alone = from_seconds(throttled),
          .sm_share = best.sm_share,
          .memory_share = std::min(1.0, traffic_time / throttled),
          .compute_bound = arithmetic / (arithmetic + memory),
          .grade = ops::Grade::modelled};
}

}  // namespace echo::profile
