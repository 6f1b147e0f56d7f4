// The libraries select a tile shape, and a split of k when there are too few tiles, by rules of their own.
// For a tile of r x c elements and depth d = k / split:
//   tile time  = 2 r c (d + prologue) (1 + tile_loss (1/r + 1/c)) / rate       rate: FLOP/s of one SM
//                a small tile re-reads its operands more often than the SM can fetch them; the prologue is
//                the pipeline fill and the epilogue, in units of depth
//   waves      = blocks / SMs, of which the fractional last wave costs more than its share (wave_loss)
//   arithmetic = waves * tile time
//   memory     = the slower of HBM and L2. HBM: one wave works on a nearly square patch of C of SMs * r * c
//                elements; each patch row re-reads its part of A and each patch column its part of B, as far
//                as L2 does not hold them. L2: blocks * (r + c) * d operands cross to the SMs
//   time       = max(arithmetic, memory) + leak * min(arithmetic, memory) + ramp
// Three rules of selection:
//   Powers of two (cuBLAS up to Ampere): a few shapes, of which the fastest is used.
//   Widths in steps (cuBLAS on Hopper and Blackwell, kernels called nvjet_...): bands of 64 to 256 along n,
//   and along m the multiple of the step that just fills a whole number of waves. So 4353 rows need not take
//   longer than 4352: the tables show waves that fit m to 8 rows (wave_loss is fitted to 1, where tiles of
//   powers of two could not explain the steps). The choice is not always the fastest: tiles that are nearly
//   as fast are averaged, each with the weight (least time / its time)^32. One tile for all (CUTLASS kernels
//   used by sglang's 8-bit products): 128 x 128, whole clusters of them. On Hopper a band that is only partly
//   inside the matrix takes several times a full one's time (m = 160 longer than m = 192): `ragged`.
// Sources: NVIDIA "Matrix Multiplication Background User's Guide" (tile and wave quantisation); CUTLASS
// "Efficient GEMM in CUDA" (tile hierarchy, split-k, rasterisation); sgl-kernel/csrc/gemm/fp8_gemm_kernel.cu
// (tile and clusters by m); kernel names in published profiles (nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN).
// Neglected: swizzle, cluster multicast, which SMs of a GPC a cluster can use, NUMA halves of L2.
#include "kernels/mechanisms/gemm_tiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace echo::kernels {

namespace {

struct Tile {
  std::int32_t rows, columns;  // along m and n, elements
};

struct Candidate {
  double arithmetic = 0.0, memory = 0.0, time = 0.0, waves = 0.0, sm_share = 1.0, blocks = 0.0;
};

constexpr std::int32_t most_splits_log2 = 3;
constexpr std::int32_t k_step_log2 = 6;  // bytes: depth is worked through in steps of 64 bytes of an operand
constexpr double sqrt_2 = 1.4142135623730951;

struct PowerTile {
  Tile tile;
  std::int32_t least_capability;
  double side;  // square root of rows * columns
};
// The widest is that of a pair of SMs on Blackwell, per SM.
constexpr PowerTile power_tiles[] = {{{256, 128}, 80, 128 * sqrt_2}, {{128, 256}, 80, 128 * sqrt_2},
                                     {{128, 128}, 80, 128},          {{64, 256}, 90, 128},
                                     {{128, 64}, 80, 64 * sqrt_2},   {{64, 64}, 80, 64}};

// Bands along n, and the widest tile that fits in the registers of a band's warps.
struct Band {
  std::int32_t columns, widest;
};
constexpr std::array<Band, 4> bands{{{64, 256}, {128, 256}, {192, 192}, {256, 128}}};
constexpr std::int32_t least_width = 64;
constexpr std::int64_t waves_tried = 2;

std::int64_t blocks_of(std::int64_t extent, std::int64_t block) { return (extent + block - 1) / block; }

double whole_above(double value) {
  const auto full = static_cast<double>(static_cast<std::int64_t>(value));
  return full < value ? full + 1.0 : full;
}

// The terms that no choice of tiles changes.
struct Operands {
  double a, b;                // bytes
  double a_missed, b_missed;  // share of re-reads that L2 does not catch
  double operand;             // bytes of an element
  double result, partial;     // bytes of C, and of a split's partial sums
};

Operands operands_of(const TiledProduct& p) {
  const double operand = p.operand_log2 < 0 ? 0.5 : 1 << p.operand_log2, m = p.m, n = p.n;
  const double a = m * p.k * operand, b = n * p.k * operand;
  return {.a = a,
          .b = b,
          .a_missed = a / (a + p.l2_bytes),
          .b_missed = b / (b + p.l2_bytes),
          .operand = operand,
          .result = m * n * p.result_bytes,
          .partial = m * n * p.partial_bytes};
}

// `blocks` of C include the batch and exclude splits; side = square root of the elements that a wave covers.
Candidate cost_of(const TiledProduct& p, const Operands& o, const Tile& tile, double blocks, double side,
                  std::int32_t split) {
  const double r = tile.rows, c = tile.columns;
  const std::int32_t k_step = k_step_log2 - p.operand_log2;  // log2 of elements
  const std::int64_t step = std::int64_t{1} << (split + k_step);
  const auto depth = static_cast<double>((p.k + step - 1) >> (split + k_step) << k_step);
  const double pieces = blocks * (1 << split);
  const double tile_time = 2 * (r * c + p.tile_loss * (r + c)) * (depth + p.prologue) * p.flop_time;
  const double waves = pieces / p.sms, whole = whole_above(waves);

  Candidate out;
  out.waves = waves;
  out.blocks = pieces;
  out.sm_share = waves / whole;
  out.arithmetic = std::max(1.0, waves + p.wave_loss * (whole - waves)) * tile_time;

  // The patch of C that one wave works on: nearly square, unless C is narrower.
  const double patch_rows = std::min<double>(p.m, side), area = p.sms * r * c;
  const double reads_of_a = std::max(1.0, p.n * patch_rows / area), reads_of_b = p.m / patch_rows;
  const double partials = split > 0 ? o.partial * (1 << split) : 0.0;  // fp32 sums, written and read
  const double bytes = o.a * (1 + (reads_of_a - 1) * o.a_missed) + o.b * (1 + (reads_of_b - 1) * o.b_missed) +
                       (o.result + partials);
  const double near = pieces * (r + c) * depth * o.operand * p.near_byte_time;
  out.memory = std::max(bytes * p.batch * p.byte_time, near);
  out.time =
      std::max(out.arithmetic, out.memory) + p.overlap_leak * std::min(out.arithmetic, out.memory) + p.ramp;
  return out;
}

double power_of_32(double x) {
  for (int i = 0; i < 5; ++i) x *= x;
  return x;
}

class Choices {
 public:
  void add(const Candidate& candidate) {
    all_[count_++] = candidate;
    if (best_.time == 0.0 || candidate.time < best_.time) best_ = candidate;
  }
  [[nodiscard]] TiledTime best() const {
    return {best_.arithmetic, best_.memory, best_.time, best_.sm_share, best_.blocks};
  }
  [[nodiscard]] TiledTime mean() const {
    TiledTime sum{.sm_share = 0.0};
    double weights = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double weight = power_of_32(best_.time / all_[i].time);
      weights += weight;
      sum.arithmetic += weight * all_[i].arithmetic, sum.memory += weight * all_[i].memory;
      sum.time += weight * all_[i].time, sum.sm_share += weight * all_[i].sm_share;
    }
    return {sum.arithmetic / weights, sum.memory / weights, sum.time / weights, sum.sm_share / weights,
            best_.blocks};
  }

 private:
  std::array<Candidate, bands.size() * (most_splits_log2 + 1) * (1 + waves_tried)> all_;
  std::size_t count_ = 0;
  Candidate best_;
};

TiledTime in_powers_of_two(const TiledProduct& p) {
  Choices choices;
  const Operands operands = operands_of(p);
  const double side = std::sqrt(p.sms);
  for (const PowerTile& one : power_tiles) {
    if (p.capability < one.least_capability) continue;
    const auto blocks =
        static_cast<double>(blocks_of(p.m, one.tile.rows) * blocks_of(p.n, one.tile.columns) * p.batch);
    for (std::int32_t split = 0; split <= most_splits_log2; ++split) {
      const Candidate candidate = cost_of(p, operands, one.tile, blocks, side * one.side, split);
      choices.add(candidate);
      if (candidate.waves >= 2.0) break;  // enough blocks without (further) splitting
    }
  }
  return choices.best();
}

TiledTime in_steps(const TiledProduct& p) {
  Choices choices;
  const Operands operands = operands_of(p);
  const auto sms = static_cast<std::int64_t>(p.sms);
  const auto cost = [&](std::int32_t rows, std::int32_t columns, std::int64_t in_band, std::int32_t split) {
    const auto blocks = static_cast<double>(in_band * blocks_of(p.m, rows));
    const double side = std::sqrt(p.sms * rows * columns);
    return cost_of(p, operands, {rows, columns}, blocks, side, split);
  };
  for (const Band& band : bands) {
    const std::int64_t in_band = blocks_of(p.n, band.columns) * p.batch;
    const std::int64_t fewest = blocks_of(p.m, band.widest);
    for (std::int32_t split = 0; split <= most_splits_log2; ++split) {
      const Candidate widest = cost(band.widest, band.columns, in_band, split);
      choices.add(widest);
      const std::int64_t pieces = in_band << split, least_waves = blocks_of(fewest * pieces, sms);
      for (std::int64_t waves = least_waves; waves < least_waves + waves_tried; ++waves) {
        const std::int64_t widths = waves * sms / pieces;  // tiles along m that these waves have room for
        if (widths < fewest) continue;
        const std::int64_t exact = blocks_of(blocks_of(p.m, widths), p.width_step) * p.width_step;
        const auto rows = static_cast<std::int32_t>(std::max<std::int64_t>(exact, least_width));
        if (rows < band.widest) choices.add(cost(rows, band.columns, in_band, split));
      }
      if (widest.waves >= 1.0) break;  // as full as splitting would make it
    }
  }
  return choices.mean();
}

TiledTime in_clusters(const TiledProduct& p) {
  constexpr std::int32_t tile = 128;
  const std::int64_t rows = blocks_of(p.m, tile * p.cluster_rows) * p.cluster_rows;
  const std::int64_t columns = blocks_of(p.n, tile * p.cluster_columns) * p.cluster_columns;
  const double bands_along_m = static_cast<double>(rows) + (p.m % tile != 0 ? p.ragged : 0.0);
  Choices choices;
  choices.add(cost_of(p, operands_of(p), {tile, tile}, bands_along_m * static_cast<double>(columns * p.batch),
                      tile * std::sqrt(p.sms), 0));
  return choices.best();
}

}  // namespace

TiledTime time_in_tiles(const TiledProduct& product) {
  if (product.cluster_rows > 0 && product.cluster_columns > 0) return in_clusters(product);
  return product.width_step > 0 ? in_steps(product) : in_powers_of_two(product);
}

}  // namespace echo::kernels
