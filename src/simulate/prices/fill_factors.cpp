// Chooses the pairs of kernel and collective for which a slowdown model is evaluated.
//
// Problem. A point has some 40 kernels and 12 collectives. The white-box model takes 6 ns per pair, less
// than any look-up; a forest of 200 trees takes 1.2 us, and 485 times that is more than everything else that
// a point takes.
//
// Idea. A kernel meets only the collectives of its own blocks, which are two fifths of all pairs: no model is
// asked about others. Neighbouring points also share most kernels and collectives, so factors of a learned
// model are kept from point to point, indexed by the numbers that the price memos gave to the kernel and the
// collective. Measured, before the white-box model left out pairs that cannot meet, on points of
// sweeps/gpt3-175b-96xh800.toml (tests/benchmark/overlap_benchmark.cpp, November 2026): 4 us with the
// white-box model, 251 us where the forest is evaluated for each of 200 pairs, 6 us where factors are kept.
#include "simulate/prices/fill_factors.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "slowdown/model.hpp"

namespace echo::simulate {

namespace {

// Marks the pairs of one block; `collectives` is scratch. A kernel that runs again meets the same ones.
void mark_block(const workload::OpGraph& graph, std::int32_t kernels, std::size_t row,
                std::vector<CollectiveId>& collectives, std::vector<std::uint8_t>& meets) {
  collectives.clear();
  CollectiveId last;
  for (std::size_t op = 0; op < graph.work.size(); ++op) {
    if (graph.lane[op] == Lane::compute) continue;
    const CollectiveId collective = collective_of(graph.work[op], kernels);
    if (collective == last) continue;
    last = collective;
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
  const bool is_learned = !calibration.learned.is_empty();
  const std::size_t kernels = out.kernels.size(), collectives = out.collectives.size();
  const std::size_t pairs = kernels * collectives;
  out.meets.assign(pairs, 0);
  for (const BlockId block : ids<BlockId>(work.block_count))
    mark_block(work.blocks[at(block)], length_of(out.kernels), collectives, out.block_collectives, out.meets);
  out.kernel_factor.assign(pairs, 1.0);
  out.collective_factor.assign(pairs, 1.0);
  out.load_loss.assign(is_learned ? 0 : pairs, 0.0);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if (out.meets[pair] == 0) continue;
    const std::size_t k = pair / collectives, c = pair % collectives;
    const slowdown::Factors factors =
        is_learned
            ? memo.find(
                  out.kernel_number[k], out.collective_number[c],
                  [&] { return calibration.learned.predict(out.kernels[k], out.collectives[c], machine); })
            : slowdown::predict(calibration.slowdown, out.kernels[k], out.collectives[c], machine);
    out.kernel_factor[pair] = factors.kernel;
    out.collective_factor[pair] = factors.collective;
    if (!is_learned) out.load_loss[pair] = factors.load;
  }
}

}  // namespace echo::simulate
