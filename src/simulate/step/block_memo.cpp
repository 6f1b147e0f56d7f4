// Composing a block takes 10 to 100 ns per op and slowdown, and a step has up to some thousand ops; the
// fingerprint of what a block is made of takes 2 ns per op. A block is made of its lanes, parts, needs and
// work. A price memo gives every kernel (with its GPU and library) and every collective (with its machine and
// settings) one number; the time of a kernel within a step depends on its framework and on CUDA graphs
// besides.
#include "simulate/step/block_memo.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/block/block_pair.hpp"

namespace echo::simulate {

static timeline::FactorTable factors_of(const Prices& prices, Slowdown slowdown) {
  if (slowdown == Slowdown::off) return {};
  timeline::FactorTable factors = prices.factors();
  if (slowdown != Slowdown::on) factors.scale_up_loss = factors.scale_out_loss = {};
  return factors;
}

static timeline::OpGraphView view_of(const workload::OpGraph& graph) {
  return {graph.lane, graph.part, graph.work, &graph.needs};
}

static timeline::BlockTimes time_one(const workload::OpGraph& graph, const Prices& prices, Slowdown slowdown,
                                     timeline::BlockScratchData& scratch) {
  return timeline::compose_block(view_of(graph), prices.alone, factors_of(prices, slowdown), scratch);
}

// Fills its cost.
static void account(const workload::OpGraph& graph, const Prices& prices, ComposedBlock& block) {
  Cost& cost = block.cost;
  cost.time = block.times.makespan, cost.exposed = block.times.exposed;
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    const std::size_t work = at(graph.work[op]);
    cost.total[at(graph.part[op])] += prices.alone[work];
    if (graph.lane[op] != Lane::compute) continue;
    cost.graded[at(prices.kernels[work].grade)] += prices.alone[work];
    cost.kernels.add(prices.bottlenecks[work], 1.0);
  }
}

ComposedBlock compose_one(const workload::OpGraph& graph, const Prices& prices, Slowdown slowdown,
                          timeline::BlockScratchData& scratch) {
  ComposedBlock block;
  block.times = slowdown == Slowdown::off
                    ? time_one(graph, prices, slowdown, scratch)
                    : timeline::compose_block(view_of(graph), prices.alone, factors_of(prices, slowdown),
                                              scratch, prices.bottlenecks, block.paths);
  account(graph, prices, block);
  return block;
}

Hash128 BlockMemo::print_of(const StepInput& input, const workload::OpGraph& graph) {
  const Prices& prices = input.prices;
  const std::int32_t kernels = length_of(prices.kernels);
  const std::size_t ops = graph.lane.size(), needs = graph.needs.value.size();
  words_.resize(4 + 2 * ops + graph.needs.offset.size() + needs);
  std::int32_t* next = words_.data();
  *next++ = input.config.framework.index() * 2 + (input.config.recipe.cuda_graphs ? 1 : 0);
  *next++ = input.config.cluster.index();
  *next++ = input.config.gpu.index();
  *next++ = length_of(graph.lane);
  for (std::size_t op = 0; op < ops; ++op) {
    const WorkId work = graph.work[op];
    *next++ = static_cast<std::int32_t>(graph.lane[op]) << 8 | static_cast<std::int32_t>(graph.part[op]);
    *next++ = is_kernel(work, kernels) ? prices.kernel_number[at(kernel_of(work))]
                                       : ~prices.collective_number[at(collective_of(work, kernels))];
  }
  next = std::ranges::copy(graph.needs.offset, next).out;
  for (const OpId need : graph.needs.value) *next++ = need.index();
  return hash128(std::as_bytes(std::span(words_)));
}

BlockMemo::Entry& BlockMemo::entry_of(const Hash128& print) {
  if (const auto found = recent_.find(print); found != recent_.end()) return found->second;
  if (auto other = others_.extract(print)) return recent_.insert(std::move(other)).position->second;
  if (forgotten_.empty()) return recent_[print];
  auto node = std::move(forgotten_.back());
  forgotten_.pop_back();
  node.key() = print;
  node.mapped().is_known = node.mapped().has_whole_apart = false;
  return recent_.insert(std::move(node)).position->second;
}

void BlockMemo::forget_others() {
  forgotten_.reserve(forgotten_.size() + others_.size());
  while (!others_.empty()) forgotten_.push_back(others_.extract(others_.begin()));
  std::swap(recent_, others_);
}

void BlockMemo::look_up(const StepInput& input) {
  const std::size_t blocks = at(input.work.block_count);
  std::size_t known = input.body.number != 0 && input.body.number == body_ ? at(input.body.blocks) : 0;
  body_ = 0;  // until all are looked up: memory may be refused
  if (recent_.size() + blocks > most_recent) forget_others(), known = 0;
  step_.resize(known);
  for (std::size_t i = known; i < blocks; ++i) {
    Entry& entry = entry_of(print_of(input, input.work.blocks[i]));
    ++count_.asked, count_.known += entry.is_known ? 1 : 0;
    step_.push_back(&entry);
  }
  body_ = input.body.number;
}

// Every block is asked for whole in the end, and in most collectives do not slow each other: such a block,
// composed with all its slowdown, is what it is apart.
BlockMemo::Entry& BlockMemo::timed(const StepInput& input, BlockId block,
                                   timeline::BlockScratchData& scratch) {
  Entry& entry = *step_[at(block)];
  if (entry.is_known) return entry;
  const workload::OpGraph& graph = input.work.blocks[at(block)];
  if (const std::size_t next = at(block) + 1; next < step_.size() && !step_[next]->is_known) {
    const workload::OpGraph& other = input.work.blocks[next];
    const std::int32_t alike = timeline::ops_alike(view_of(graph), view_of(other));
    if (step_[next] != &entry && 2 * alike > other.size()) {
      time_both(input, block, alike, scratch);
      return entry;
    }
  }
  entry.unslowed = time_one(graph, input.prices, Slowdown::off, scratch);
  scratch.contended = SimTime::zero();
  entry.on = compose_one(graph, input.prices, Slowdown::on, scratch);
  entry.apart = entry.on.times;
  entry.is_contended = scratch.contended > SimTime::zero();
  if (entry.is_contended) entry.apart = time_one(graph, input.prices, Slowdown::apart, scratch);
  entry.is_known = true;
  return entry;
}

void BlockMemo::time_both(const StepInput& input, BlockId block, std::int32_t alike,
                          timeline::BlockScratchData& scratch) {
  const Prices& prices = input.prices;
  std::array<timeline::PairedBlock, 2> pair;
  std::array<timeline::OpGraphView, 2> views;
  for (std::size_t i = 0; i < 2; ++i) {
    const workload::OpGraph& graph = input.work.blocks[at(block) + i];
    views[i] = view_of(graph);
    step_[at(block) + i]->unslowed = time_one(graph, prices, Slowdown::off, scratch);
  }
  const timeline::BlockPair both{views[0], views[1], alike};
  timeline::compose_pair(both, prices.alone, factors_of(prices, Slowdown::on), scratch, prices.bottlenecks,
                         pair[0], pair[1]);
  bool is_contended = false;
  for (std::size_t i = 0; i < 2; ++i) {
    Entry& entry = *step_[at(block) + i];
    entry.on.cost = {}, entry.on.times = pair[i].times, entry.on.paths = pair[i].paths;
    account(input.work.blocks[at(block) + i], prices, entry.on);
    entry.apart = pair[i].times;
    entry.is_contended = pair[i].contended > SimTime::zero();
    is_contended = is_contended || entry.is_contended;
  }
  if (is_contended) {
    timeline::compose_pair(both, prices.alone, factors_of(prices, Slowdown::apart), scratch, pair[0],
                           pair[1]);
    for (std::size_t i = 0; i < 2; ++i) step_[at(block) + i]->apart = pair[i].times;
  }
  for (std::size_t i = 0; i < 2; ++i) step_[at(block) + i]->is_known = true;
}

const timeline::BlockTimes& BlockMemo::times_of(const StepInput& input, BlockId block, Slowdown slowdown,
                                                timeline::BlockScratchData& scratch) {
  ECHO_EXPECT(slowdown != Slowdown::on);
  const Entry& entry = timed(input, block, scratch);
  return slowdown == Slowdown::off ? entry.unslowed : entry.apart;
}

const ComposedBlock& BlockMemo::of(const StepInput& input, BlockId block, Slowdown slowdown,
                                   timeline::BlockScratchData& scratch) {
  ECHO_EXPECT(slowdown != Slowdown::off);
  Entry& entry = timed(input, block, scratch);
  if (slowdown == Slowdown::on || !entry.is_contended) return entry.on;
  if (!entry.whole_apart) entry.whole_apart = std::make_unique<ComposedBlock>();
  if (!std::exchange(entry.has_whole_apart, true))
    *entry.whole_apart = compose_one(input.work.blocks[at(block)], input.prices, slowdown, scratch);
  return *entry.whole_apart;
}

bool BlockMemo::collectives_contend(const StepInput& input, timeline::BlockScratchData& scratch) {
  bool contend = false;
  for (const BlockId block : ids<BlockId>(input.work.block_count))
    contend = timed(input, block, scratch).is_contended || contend;
  return contend;
}

}  // namespace echo::simulate
