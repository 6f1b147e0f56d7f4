// The feed-forward of a mixture of experts as serving libraries run it: route, sort tokens by expert, one
// grouped product into the (gated) inner width, activation, one grouped product back, sum each token's rows.
//
// A grouped product works on tiles of r x c elements of one expert at a time. An expert with t rows costs
//   arithmetic  ceil(t/r) r * ceil(n/c) c * (depth + prologue) * 2 (1 + tile_loss (1/r + 1/c)) / rate
//               times the waves' rounding; rate: FLOP/s of the whole GPU
//   memory      its weights once, its rows in and out, and `reread` times the weights for every 8 tiles of
//               rows after the first (libraries order tiles in such groups), as far as L2 misses
//   time        between the sum over experts of max(arithmetic, memory), when nothing of one expert overlaps
//               with another (share `apart`), and the larger of the two sums; + leak * the smaller sum
// Experts with few rows are limited by their weights and busy ones by arithmetic, so uneven loads cost more
// than their padding. Choice of the tile:
//   sglang  16 x 32 when there are no more tokens than experts, else 64 x 64, the default of its Triton
//           kernel; the best one, in a better order and with a rate of its own but no knots, where it comes
//           with tiles chosen for the shape (Routing::tuned). Rows of other ranks' experts are processed
//           as if they were the first expert's (share `remote`).
//   trtllm  chosen by measuring even loads at the power of two below the number of tokens
//   others  the best one
// Then the memory-bound rest: activation, copies and sums of rows, and a router, which TensorRT-LLM fuses
// for up to 128 experts and eight experts per token, and which sglang's timings include only when all
// experts are on the rank. Sources: sglang fused_moe_triton_config.py (get_default_config), TensorRT-LLM
// _torch/modules/fused_moe (routing.py, autotuner), ai-dynamo/aiconfigurator collector/{sglang,trtllm}.
// Neglected: expert order, clusters and multicast, power.
#include "kernels/mechanisms/expert_ffn.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "kernels/mechanisms/expert_loads.hpp"

namespace echo::kernels {

namespace {

using ops::KernelKey;
using ops::KernelLibrary;

struct Tile {
  constexpr Tile(double tall, double wide, double at_a_time)
      : rows(tall), columns(wide), a_row(1.0 / tall), a_column(1.0 / wide), a_resident(1.0 / at_a_time) {}
  double rows, columns;
  double a_row, a_column, a_resident;  // one over the rows, the columns, and the tiles on an SM at a time
};
constexpr Tile default_tile{64, 64, 4}, tile_of_few_tokens{16, 32, 4};
constexpr Tile tiles[] = {{256, 128, 1}, {128, 256, 1}, {128, 128, 1}, {64, 256, 1},
                          {64, 128, 1},  {64, 64, 1},   {32, 128, 1},  {16, 128, 1}};
constexpr double row_tiles_in_order = 8.0;
constexpr std::int32_t most_experts_of_fused_router = 128, most_choices_of_fused_router = 8;

// One grouped product: every expert has `columns` x `depth` weights.
struct Product {
  double columns, depth;
  double slowing;      // of its arithmetic, by misalignment
  double flop_time;    // s per FLOP
  double weight_time;  // s to read one expert's weights
  double row_time;     // s to read and write one row
  double reread_time;  // s for every group of row tiles after an expert's first
  double an_sm;        // one over the SMs
};

struct Cost {
  double arithmetic = 0.0, memory = 0.0;        // all experts
  double by_arithmetic = 0.0, by_memory = 0.0;  // what counts of them
  double waves = 0.0;
  [[nodiscard]] double time() const { return by_arithmetic + by_memory; }
};

// The share of one expert (or of the remote rows).
struct Part {
  double arithmetic, memory;
};
Part part_of(const Product& p, const Tile& tile, double tile_time, double rows, double padded_rows) {
  const double row_tiles = padded_rows * tile.a_row;
  return {row_tiles * tile_time,
          std::min(1.0, rows) * p.weight_time + rows * p.row_time +
              std::max(0.0, row_tiles * (1.0 / row_tiles_in_order) - 1.0) * p.reread_time};
}

Cost cost_of(const Product& p, const Tile& tile, const ExpertLoads& loads, double remote,
             const KernelConstants& c) {
  const double column_tiles = rounded_up(p.columns * tile.a_column);
  double padded_rows = rounded_up(remote * tile.a_row) * tile.rows;
  std::array<double, ExpertLoads::most_groups> padding{};
  for (std::int32_t i = 0; i < loads.groups; ++i) {
    padding[at(i)] = padded(loads, i, tile.rows, tile.a_row);
    padded_rows += padding[at(i)] * loads.experts;
  }
  Cost out;
  out.waves = padded_rows * tile.a_row * column_tiles * tile.a_resident * p.an_sm;
  const double rounding =
      std::max(1.0, out.waves + c.expert_wave_loss * (rounded_up(out.waves) - out.waves)) / out.waves;
  // Time of a row of tiles, with all SMs working on it.
  const double tile_time = tile.rows * column_tiles * tile.columns * (p.depth + c.expert_prologue) * 2.0 *
                           (1.0 + c.expert_tile_loss * (tile.a_row + tile.a_column)) * p.slowing * rounding *
                           p.flop_time;
  double apart_arithmetic = 0.0, apart_memory = 0.0;
  const auto add = [&](const Part& part, double times) {
    out.arithmetic += part.arithmetic * times, out.memory += part.memory * times;
    (part.arithmetic >= part.memory ? apart_arithmetic : apart_memory) +=
        std::max(part.arithmetic, part.memory) * times;
  };
  for (std::int32_t i = 0; i < loads.groups; ++i) {
    const auto at = static_cast<std::size_t>(i);
    add(part_of(p, tile, tile_time, loads.rows[at], padding[at]), loads.experts);
  }
  if (remote > 0.0) add(part_of(p, tile, tile_time, remote, remote), 1.0);
  const bool computes = out.arithmetic >= out.memory;
  const double together = 1.0 - c.expert_apart, leak = c.expert_overlap_leak;
  out.by_arithmetic = c.expert_apart * apart_arithmetic + (computes ? together : leak) * out.arithmetic;
  out.by_memory = c.expert_apart * apart_memory + (computes ? leak : together) * out.memory;
  return out;
}

Cost best_of(const Product& p, const ExpertLoads& loads, double remote, const KernelConstants& c,
             const Tile** chosen = nullptr) {
  Cost best;
  for (const Tile& tile : tiles) {
    const Cost one = cost_of(p, tile, loads, remote, c);
    if (best.waves > 0.0 && one.time() >= best.time()) continue;
    best = one;
    if (chosen != nullptr) *chosen = &tile;
  }
  return best;
}

Cost cost_of(const Product& p, const KernelKey& key, const ExpertLoads& loads, double remote,
             const KernelConstants& c) {
  const ops::Routing routing = ops::routing_of(key);
  if (c.library == KernelLibrary::sglang && !routing.tuned)
    return cost_of(p, routing.reached <= key.batch ? tile_of_few_tokens : default_tile, loads, remote, c);
  if (c.library != KernelLibrary::trtllm) return best_of(p, loads, remote, c);
  std::int32_t bucket = 1;
  while (bucket * 2 <= key.m) bucket *= 2;
  const Tile* tile = nullptr;
  best_of(p, even_loads(rounded_up(static_cast<double>(bucket) * key.groups / routing.experts), key.batch),
          0.0, c, &tile);
  return cost_of(p, *tile, loads, remote, c);
}

Product product_of(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c,
                   double columns, double depth, double slowing) {
  const double operand = machine::operand_bytes(key.precision);
  const double byte_time = 1.0 / (gpu.memory_bandwidth.value * c.expert_bandwidth);
  const bool tuned = ops::routing_of(key).tuned;
  const double weights = columns * depth * operand, step = 64.0 / operand;
  return {
      .columns = columns,
      .depth = rounded_up(depth / step) * step,
      .slowing = slowing,
      .flop_time = 1.0 / (gpu.peak_of(key.precision).value * (tuned ? c.expert_tuned_rate : c.expert_rate)),
      .weight_time = weights * byte_time,
      .row_time = (depth * operand + columns * machine::element_bytes(key.precision)) * byte_time,
      .reread_time = tuned ? 0.0
                           : c.expert_reread * weights * byte_time * weights /
                                 (weights + static_cast<double>(gpu.l2.value)),
      .an_sm = 1.0 / gpu.sm_count};
}

// Seconds beside the products: those inverse to the bandwidth, and those independent of it.
struct Rest {
  double memory, fixed;
};
Rest rest_of(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  const ops::Routing routing = ops::routing_of(key);
  const double element = machine::element_bytes(key.precision), n = key.n, k = key.k;
  const bool sglang = c.library == KernelLibrary::sglang;
  // sglang passes all rows of the tokens that reach the rank from kernel to kernel and copies none; the
  // others copy the rank's rows together and write every token's sum.
  const double rows = sglang ? static_cast<double>(routing.reached) * key.groups : routing.rows;
  const double sums = sglang ? routing.reached : key.m, copies = sglang ? 0.0 : 2.0 * rows;
  const double activation = rows * n * element * (key.gated ? 3.0 : 2.0) / c.expert_activation;
  const double combine = (rows + sums + copies) * k * element / c.expert_combine;
  Rest out{.memory = (activation + combine) / gpu.memory_bandwidth.value, .fixed = c.expert_ramp};
  if (sglang && routing.experts != key.batch) return out;
  const bool fused =
      routing.experts <= most_experts_of_fused_router && key.groups <= most_choices_of_fused_router;
  out.fixed += (fused ? 0.0 : c.expert_router_ramp) +
               (fused ? c.expert_router_fused : c.expert_router) * key.m * std::sqrt(routing.experts / 128.0);
  return out;
}

}  // namespace

std::array<double, 3> place_of_experts(const KernelKey& key) {
  const double rows = static_cast<double>(ops::routing_of(key).rows) / key.batch;
  return {octaves(std::max(1.0, rows)), octaves(key.n), octaves(key.batch)};
}

ops::KernelPrice price_expert_ffn(const KernelKey& key, const machine::GpuSpec& gpu,
                                  const KernelConstants& c) {
  ECHO_EXPECT(gpu.peak_of(key.precision).value > 0.0);
  const ops::Routing routing = ops::routing_of(key);
  const ExpertLoads loads = loads_of(key);
  const double remote =
      c.expert_remote * std::max(0.0, static_cast<double>(routing.reached) * key.groups - routing.rows);
  constexpr double aligned = 32.0;  // bytes, which Triton's wide loads need of every row
  const bool misaligned = std::fmod(key.n * machine::operand_bytes(key.precision), aligned) != 0.0;
  const double inner = key.n, hidden = key.k;
  const Cost up =
      cost_of(product_of(key, gpu, c, key.gated ? 2.0 * inner : inner, hidden, 1.0), key, loads, remote, c);
  const Cost down = cost_of(product_of(key, gpu, c, hidden, inner, misaligned ? c.expert_misaligned : 1.0),
                            key, loads, remote, c);
  const Rest rest = rest_of(key, gpu, c);
  const double by_arithmetic = up.by_arithmetic + down.by_arithmetic,
               by_memory = up.by_memory + down.by_memory + rest.memory;
  const double factor = routing.tuned ? 1.0 : correction(c.expert_knots, place_of_experts(key));
  const double time = (by_arithmetic + by_memory + rest.fixed) * factor;
  const double traffic = (up.memory + down.memory) * c.expert_bandwidth + rest.memory * c.expert_combine;
  const double arithmetic = up.arithmetic + down.arithmetic, memory = up.memory + down.memory + rest.memory;
  return {.alone = from_seconds(time),
          .sm_share = std::min(1.0, up.waves),
          .memory_share = std::min(1.0, traffic / time),
          .compute_bound = arithmetic * arithmetic / (arithmetic * arithmetic + memory * memory),
          .by_arithmetic = by_arithmetic * factor / time,
          .by_memory = by_memory * factor / time,
          .grade = ops::Grade::modelled};
}

}  // namespace echo::kernels
