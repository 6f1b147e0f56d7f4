// Chooses the pairs of kernel and collective for which a slowdown model is evaluated.
//
// Problem. A point has some 40 kernels and 12 collectives. The white-box model takes 6 ns per pair, less
// than any look-up; a forest of 200 trees takes 1.2 us, and 485 times that is more than everything else that
// a point takes.
//
// Idea. A kernel meets only the collectives of its own blocks, which are two fifths of all pairs.
// Neighbouring points also share most kernels and collectives, so factors are kept from point to point,
// indexed by the numbers that the price memos gave to the kernel and the collective. Measured on points of
// sweeps/gpt3-175b-96xh800.toml (tests/benchmark/overlap_benchmark.cpp, November 2026): 4 us with the
// white-box model, 251 us where the forest is evaluated for each of 200 pairs, 6 us where factors are kept.
#include "simulate/prices/fill_factors.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "slowdown/model.hpp"

namespace echo::simulate {

namespace {

// Marks the pairs of one block; `collectives` is scratch.
void mark_block(const workload::OpGraph& graph, std::int32_t kernels, std::size_t row,
                std::vector<CollectiveId>& collectives, std::vector<std::uint8_t>& meets) {
  collectives.clear();
  for (std::size_t op = 0; op < graph.work.size(); ++op) {
    if (graph.lane[op] == Lane::compute) continue;
    const CollectiveId collective = collective_of(graph.work[op], kernels);
    if (std::find(collectives.begin(), collectives.end(), collective) == collectives.end())
      collectives.push_back(collective);
  }
  if (collectives.empty()) return;
  for (std::size_t op = 0; op < graph.work.size(); ++op) {
    if (graph.lane[op] != Lane::compute) continue;
    std::uint8_t* const first = &meets[at(graph.work[op]) * row];
    for (const CollectiveId collective : collectives) first[at(collective)] = 1;
  }
}

}  // namespace

void fill_factors(const Calibration& calibration, const slowdown::Machine& machine,
                  const workload::Workload& work, FactorMemo& memo, Prices& out) {
  if (calibration.learned.is_empty()) {
    slowdown::fill_table(calibration.slowdown, out.kernels, out.collectives, machine, out.slowdown());
    return;
  }
  out.slowdown().clear();
  const std::size_t kernels = out.kernels.size(), collectives = out.collectives.size();
  out.meets.assign(kernels * collectives, 0);
  for (const BlockId block : ids<BlockId>(work.block_count))
    mark_block(work.blocks[at(block)], length_of(out.kernels), collectives, out.block_collectives, out.meets);
  out.kernel_factor.assign(kernels * collectives, 1.0);
  out.collective_factor.assign(kernels * collectives, 1.0);
  for (std::size_t k = 0; k < kernels; ++k) {
    for (std::size_t c = 0; c < collectives; ++c) {
      const std::size_t pair = k * collectives + c;
      if (out.meets[pair] == 0) continue;
      const slowdown::Factors& factors = memo.find(out.kernel_number[k], out.collective_number[c], [&] {
        return calibration.learned.predict(out.kernels[k], out.collectives[c], machine);
      });
      out.kernel_factor[pair] = factors.kernel;
      out.collective_factor[pair] = factors.collective;
    }
  }
}

}  // namespace echo::simulate
