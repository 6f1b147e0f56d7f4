// After a reduce-scatter over a dimension of n GPUs, each holds a piece of 1/n and communicates only with
// the corresponding GPUs on the next dimension: the data that leaves a node is 1/n of the data that
// otherwise would (Thakur et al. 2005; Cho et al., "BlueConnect", MLSys 2019). Chunks let the dimensions
// work at the same time. With `balanced`, each chunk uses the dimension first that has had the least work,
// unless all have had nearly the same: within a sixteenth of this chunk's work on the least busy one.
// themis.cpp has Themis itself. Source: Rashidi et al., "Themis: a network bandwidth-aware collective
// scheduling policy for distributed training of DL models", ISCA 2022, algorithm 1. Neglected: the rounding
// of chunks that do not divide.
#include "textbook/hierarchy.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::textbook {
namespace {

using ops::CollectiveKind;
using Order = std::vector<std::int32_t>;

Order first_order(std::span<const Dimension> dimensions, ops::DimensionOrder wanted) {
  Order order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  if (wanted == ops::DimensionOrder::by_bandwidth) {
    std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
      return dimensions[at(a)].bandwidth > dimensions[at(b)].bandwidth;
    });
  }
  return order;
}

using Chunks = std::vector<std::vector<Stage>>;

// Chunk by chunk, the least loaded dimension first.
Chunks balanced_chunks(const Call& chunk, std::span<const Dimension> dimensions, std::int64_t count,
                       const StageCost& cost) {
  std::vector<SimTime> load(dimensions.size());
  Chunks chunks;
  const Order plain = first_order(dimensions, ops::DimensionOrder::inner_first);
  for (std::int64_t i = 0; i < count; ++i) {
    Order order = plain;
    std::ranges::stable_sort(order, {}, [&](std::int32_t d) { return load[at(d)]; });
    const auto [least, most] = std::ranges::minmax_element(load);
    const Call scattered{
        chunk.kind == CollectiveKind::all_reduce ? CollectiveKind::reduce_scatter : chunk.kind, chunk.bytes};
    const auto idle = static_cast<std::int32_t>(least - load.begin());
    if (*most - *least < cost(scattered, idle).cost.time() / 16) order = plain;
    chunks.push_back(stages_of(chunk, dimensions, order, AllReduceWay::turns, cost));
    for (const Stage& stage : chunks.back()) load[at(stage.dimension)] += stage.cost.time();
  }
  return chunks;
}

Chunks chunks_by_themis(const Call& call, std::span<const Dimension> dimensions, std::int64_t count,
                        ChunkSizes sizes, const StageCost& cost) {
  Chunks chunks;
  for (const OrderedChunk& one : themis_chunks(call.bytes, count, sizes, dimensions))
    chunks.push_back(
        stages_of({call.kind, one.bytes}, dimensions, one.order, AllReduceWay::there_and_back, cost));
  return chunks;
}

// Themis orders what scatters or gathers; an all-to-all takes the dimensions as they are, as in ASTRA-sim.
bool is_ordered(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::reduce_scatter;
}

Cost in_chunks(const Call& call, std::span<const Dimension> dimensions, std::int64_t count,
               const HierarchySettings& settings, const StageCost& cost) {
  const Call chunk{call.kind, piece_of(call.bytes, count)};
  const bool has_choice = dimensions.size() > 1;
  if (settings.themis && has_choice && is_ordered(call.kind))
    return schedule_chunks(chunks_by_themis(call, dimensions, count, *settings.themis, cost), settings.queue,
                           settings.at_once);
  if (settings.order == ops::DimensionOrder::balanced && has_choice)
    return schedule_chunks(balanced_chunks(chunk, dimensions, count, cost), settings.queue, settings.at_once);
  const auto stages =
      stages_of(chunk, dimensions, first_order(dimensions, settings.order), settings.way, cost);
  if (settings.at_once == 1)
    if (const auto closed = chunks_alike(stages, count, settings.queue)) return *closed;
  return schedule_chunks(Chunks(static_cast<std::size_t>(count), stages), settings.queue, settings.at_once);
}

}  // namespace

Chosen fastest(const Call& call, const Dimension& dimension, std::vector<Step>& scratch) {
  Chosen best;
  for (const Algorithm* algorithm : algorithm_table()) {
    if (!algorithm->admits(call.kind, dimension.kind, dimension.size)) continue;
    const Cost cost = cost_of(*algorithm, call, dimension, scratch);
    if (best.algorithm == nullptr || cost.time() < best.cost.time()) best = {algorithm, cost};
  }
  ECHO_ENSURE(best.algorithm != nullptr);
  return best;
}

std::vector<Stage> stages_of(const Call& call, std::span<const Dimension> dimensions,
                             std::span<const std::int32_t> order, AllReduceWay way, const StageCost& cost) {
  std::vector<Stage> stages;
  const auto add = [&](CollectiveKind kind, std::int32_t dimension, std::int64_t bytes) {
    const PhaseCost phase = cost({kind, bytes}, dimension);
    stages.push_back({dimension, phase.cost, phase.early});
  };
  const bool reduces = call.kind == CollectiveKind::all_reduce;
  const bool is_broadcast = call.kind == CollectiveKind::broadcast;
  if (is_broadcast || call.kind == CollectiveKind::all_to_all || (reduces && way == AllReduceWay::whole)) {
    for (std::size_t i = 0; i < order.size(); ++i)
      add(call.kind, order[is_broadcast ? order.size() - 1 - i : i], call.bytes);
    return stages;
  }
  std::vector<std::int64_t> bytes{call.bytes};  // that enter each dimension of the order
  for (const std::int32_t d : order) bytes.push_back(piece_of(bytes.back(), dimensions[at(d)].size));
  const bool turns = reduces && way == AllReduceWay::turns;
  const std::size_t ways = order.size() - (turns ? 1 : 0);
  if (call.kind != CollectiveKind::all_gather)
    for (std::size_t i = 0; i < ways; ++i) add(CollectiveKind::reduce_scatter, order[i], bytes[i]);
  if (turns) add(CollectiveKind::all_reduce, order[ways], bytes[ways]);
  if (call.kind != CollectiveKind::reduce_scatter)
    for (std::size_t i = ways; i-- > 0;) add(CollectiveKind::all_gather, order[i], bytes[i]);
  return stages;
}

Hierarchical hierarchical(const Call& call, std::span<const Dimension> dimensions,
                          const HierarchySettings& settings, const StageCost& cost) {
  ECHO_EXPECT(!dimensions.empty());
  const std::int32_t least = std::max(1, settings.chunks), most = settings.chunks > 0 ? settings.chunks : 64;
  Hierarchical best;
  for (std::int32_t chunks = least; chunks <= most; chunks *= 2) {
    const Cost time = in_chunks(call, dimensions, chunks, settings, cost);
    if (best.chunks == 0 || time.time() < best.cost.time()) best = {time, chunks};
    if (dimensions.size() == 1 && settings.at_once == 1) break;  // nothing to overlap
  }
  return best;
}

Hierarchical hierarchical(const Call& call, std::span<const Dimension> dimensions,
                          const ops::GenericSettings& settings, std::vector<Step>& scratch) {
  HierarchySettings own{.chunks = settings.chunks, .order = settings.order, .queue = settings.queue};
  if (settings.order == ops::DimensionOrder::themis) own.themis = ChunkSizes::level;
  return hierarchical(call, dimensions, own, [&](const Call& stage, std::int32_t d) {
    return PhaseCost{fastest(stage, dimensions[at(d)], scratch).cost};
  });
}

}  // namespace echo::textbook
