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

// The pairs of one block after the other.
class PairsOfBlocks {
 public:
  PairsOfBlocks(const Calibration& calibration, const slowdown::Machine& machine, FactorMemo& memo,
                Prices& out)
      : calibration_(calibration), machine_(machine), memo_(memo), out_(out), row_(out.collectives.size()) {
    const std::size_t pairs = out.kernels.size() * row_;
    out.meets.assign(pairs, 0);
    out.kernel_factor.assign(pairs, 1.0);
    out.collective_factor.assign(pairs, 1.0);
    out.load_loss.assign(is_learned_ ? 0 : pairs, 0.0);
    out.kernel_block.assign(out.kernels.size(), BlockId::none());
  }

  void add(BlockId block, const workload::OpGraph& graph) {
    find_collectives(graph);
    if (out_.block_collectives.empty()) return;
    for (std::size_t op = 0; op < graph.work.size(); ++op)
      if (graph.lane[op] == Lane::compute) add_kernel(block, at(graph.work[op]));
  }
  [[nodiscard]] std::size_t collectives() const { return collectives_; }

 private:
  void find_collectives(const workload::OpGraph& graph) {
    std::vector<CollectiveId>& found = out_.block_collectives;
    found.clear();
    CollectiveId last;
    for (std::size_t op = 0; op < graph.work.size(); ++op) {
      if (graph.lane[op] == Lane::compute) continue;
      const CollectiveId collective = collective_of(graph.work[op], length_of(out_.kernels));
      if (collective == last) continue;
      last = collective;
      if (std::find(found.begin(), found.end(), collective) != found.end()) continue;
      found.push_back(collective);
      collectives_ = std::max(collectives_, at(collective) + 1);
    }
  }
  // A kernel that runs again in the block meets the same collectives.
  void add_kernel(BlockId block, std::size_t kernel) {
    if (out_.kernel_block[kernel] == block) return;
    out_.kernel_block[kernel] = block;
    for (const CollectiveId collective : out_.block_collectives) {
      const std::size_t pair = kernel * row_ + at(collective);
      if (out_.meets[pair] != 0) continue;
      out_.meets[pair] = 1;
      const slowdown::Factors factors = predict(kernel, at(collective));
      out_.kernel_factor[pair] = factors.kernel;
      out_.collective_factor[pair] = factors.collective;
      if (!is_learned_) out_.load_loss[pair] = factors.load;
    }
  }
  [[nodiscard]] slowdown::Factors predict(std::size_t kernel, std::size_t collective) const {
    const ops::KernelPrice& k = out_.kernels[kernel];
    const ops::CollectiveEstimate& c = out_.collectives[collective];
    if (!is_learned_) return slowdown::predict(calibration_.slowdown, k, c, machine_);
    return memo_.find(out_.kernel_number[kernel], out_.collective_number[collective],
                      [&] { return calibration_.learned.predict(k, c, machine_); });
  }

  const Calibration& calibration_;
  const slowdown::Machine& machine_;
  FactorMemo& memo_;
  Prices& out_;
  const bool is_learned_ = !calibration_.learned.is_empty();
  const std::size_t row_;
  std::size_t collectives_ = 0;
};

}  // namespace

std::size_t fill_factors(const Calibration& calibration, const slowdown::Machine& machine,
                         const workload::Workload& work, FactorMemo& memo, Prices& out) {
  PairsOfBlocks pairs(calibration, machine, memo, out);
  for (const BlockId block : ids<BlockId>(work.block_count)) pairs.add(block, work.blocks[at(block)]);
  return pairs.collectives();
}

}  // namespace echo::simulate
