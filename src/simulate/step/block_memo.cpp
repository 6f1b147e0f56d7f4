// Composing a block takes 10 to 100 ns per op and slowdown, and a step has up to some thousand ops; comparing
// what a block is made of takes 1 ns per op. A block is made of its lanes, parts, needs and work. A price
// memo gives every kernel (with its GPU and library) and every collective (with its machine and settings) one
// number; the time of a kernel within a step depends on its framework and on CUDA graphs besides, and so do
// the channels of transfers on userbuffers.
#include "simulate/step/block_memo.hpp"

#include "base/at.hpp"
#include "base/counter_rng.hpp"

namespace echo::simulate {

ComposedBlock compose_one(const workload::OpGraph& graph, const Prices& prices, Slowdown slowdown,
                          timeline::BlockScratchData& scratch) {
  timeline::FactorTable factors = prices.factors();
  if (slowdown != Slowdown::on) factors.scale_up_loss = factors.scale_out_loss = {};
  const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
  ComposedBlock block;
  scratch.together = SimTime::zero();
  block.times = slowdown == Slowdown::off ? timeline::compose_block(view, prices.alone, {}, scratch)
                                          : timeline::compose_block(view, prices.alone, factors, scratch,
                                                                    prices.bottlenecks, block.paths);
  block.collectives_meet = scratch.together > SimTime::zero();
  Cost& cost = block.cost;
  cost.time = block.times.makespan, cost.exposed = block.times.exposed;
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    const std::size_t work = at(graph.work[op]);
    cost.total[at(graph.part[op])] += prices.alone[work];
    if (graph.lane[op] != Lane::compute) continue;
    cost.graded[at(prices.kernels[work].grade)] += prices.alone[work];
    cost.kernels.add(prices.bottlenecks[work], 1.0);
  }
  return block;
}

std::size_t BlockMemo::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.size();
  for (const std::int32_t word : key)
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
  return mix(hash);
}

void BlockMemo::key_of(const StepInput& input, const workload::OpGraph& graph, Key& out) const {
  const Prices& prices = input.prices;
  const std::int32_t kernels = length_of(prices.kernels);
  out.clear();
  out.push_back(input.config.framework.index() * 2 + (input.config.recipe.cuda_graphs ? 1 : 0));
  out.push_back(input.config.cluster.index());
  out.push_back(input.config.gpu.index());
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    const WorkId work = graph.work[op];
    out.push_back(static_cast<std::int32_t>(graph.lane[op]) << 8 | static_cast<std::int32_t>(graph.part[op]));
    out.push_back(is_kernel(work, kernels) ? prices.kernel_number[at(kernel_of(work))]
                                           : ~prices.collective_number[at(collective_of(work, kernels))]);
  }
  out.insert(out.end(), graph.needs.offset.begin(), graph.needs.offset.end());
  for (const OpId need : graph.needs.value) out.push_back(need.index());
}

void BlockMemo::look_up(const StepInput& input) {
  const std::size_t blocks = at(input.work.block_count);
  if (kept_.size() + blocks > most_blocks) kept_.clear();
  step_.resize(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    key_of(input, input.work.blocks[i], key_);
    const auto found = kept_.find(key_);
    ++(found == kept_.end() ? misses_ : hits_);
    step_[i] = found == kept_.end() ? &kept_.try_emplace(key_).first->second : &found->second;
  }
}

const ComposedBlock& BlockMemo::of(const StepInput& input, BlockId block, Slowdown slowdown,
                                   timeline::BlockScratchData& scratch) {
  Entry& entry = *step_[at(block)];
  ComposedBlock& composed = entry.by_slowdown[at(slowdown)];
  if (!entry.is_known[at(slowdown)]) {
    composed = compose_one(input.work.blocks[at(block)], input.prices, slowdown, scratch);
    entry.is_known[at(slowdown)] = true;
  }
  return composed;
}

}  // namespace echo::simulate
