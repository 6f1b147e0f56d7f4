// After a reduce-scatter over a dimension of n GPUs, each holds a piece of 1/n and communicates only with
// the corresponding GPUs on the next dimension: the data that leaves a node is 1/n of the data that
// otherwise would (Thakur et al. 2005; Cho et al., "BlueConnect", MLSys 2019). Chunks let the dimensions
// work at the same time. With `balanced`, each chunk uses the dimension first that has had the least work,
// unless all have had nearly the same: within a sixteenth of this chunk's work on the least busy one.
// Source: Rashidi et al., "Themis: a network bandwidth-aware collective scheduling policy for distributed
// training of DL models", ISCA 2022, algorithm 1. Neglected: the rounding of chunks that do not divide.
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

// Chunk by chunk, the orders of Themis.
std::vector<std::vector<Stage>> balanced_chunks(const Call& chunk, std::span<const Dimension> dimensions,
                                                std::int64_t count, std::vector<Step>& scratch) {
  std::vector<SimTime> load(dimensions.size());
  std::vector<std::vector<Stage>> chunks;
  const Order plain = first_order(dimensions, ops::DimensionOrder::inner_first);
  for (std::int64_t i = 0; i < count; ++i) {
    Order order = plain;
    std::ranges::stable_sort(order, {}, [&](std::int32_t d) { return load[at(d)]; });
    const auto [least, most] = std::ranges::minmax_element(load);
    const Dimension& idle = dimensions[at(least - load.begin())];
    const Call scattered{
        chunk.kind == CollectiveKind::all_reduce ? CollectiveKind::reduce_scatter : chunk.kind, chunk.bytes};
    if (*most - *least < fastest(scattered, idle, scratch).cost.time() / 16) order = plain;
    chunks.push_back(stages_of(chunk, dimensions, order, scratch));
    for (const Stage& stage : chunks.back()) load[at(stage.dimension)] += stage.cost.time();
  }
  return chunks;
}

Cost in_chunks(const Call& call, std::span<const Dimension> dimensions, std::int64_t count,
               const ops::GenericSettings& settings, std::vector<Step>& scratch) {
  const Call chunk{call.kind, piece_of(call.bytes, count)};
  if (settings.order == ops::DimensionOrder::balanced && dimensions.size() > 1)
    return schedule_chunks(balanced_chunks(chunk, dimensions, count, scratch), settings.queue);
  const auto stages = stages_of(chunk, dimensions, first_order(dimensions, settings.order), scratch);
  if (const auto closed = chunks_alike(stages, count, settings.queue)) return *closed;
  return schedule_chunks(std::vector<std::vector<Stage>>(static_cast<std::size_t>(count), stages),
                         settings.queue);
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
                             std::span<const std::int32_t> order, std::vector<Step>& scratch) {
  std::vector<Stage> stages;
  const auto add = [&](CollectiveKind kind, std::int32_t dimension, std::int64_t bytes) {
    const Dimension& d = dimensions[at(dimension)];
    stages.push_back({dimension, fastest({kind, bytes}, d, scratch).cost});
  };
  const bool is_broadcast = call.kind == CollectiveKind::broadcast;
  if (is_broadcast || call.kind == CollectiveKind::all_to_all) {
    for (std::size_t i = 0; i < order.size(); ++i)
      add(call.kind, order[is_broadcast ? order.size() - 1 - i : i], call.bytes);
    return stages;
  }
  std::vector<std::int64_t> bytes{call.bytes};  // that enter each dimension of the order
  for (const std::int32_t d : order) bytes.push_back(piece_of(bytes.back(), dimensions[at(d)].size));
  const bool turns = call.kind == CollectiveKind::all_reduce;
  const std::size_t ways = order.size() - (turns ? 1 : 0);
  if (call.kind != CollectiveKind::all_gather)
    for (std::size_t i = 0; i < ways; ++i) add(CollectiveKind::reduce_scatter, order[i], bytes[i]);
  if (turns) add(CollectiveKind::all_reduce, order[ways], bytes[ways]);
  if (call.kind != CollectiveKind::reduce_scatter)
    for (std::size_t i = ways; i-- > 0;) add(CollectiveKind::all_gather, order[i], bytes[i]);
  return stages;
}

Hierarchical hierarchical(const Call& call, std::span<const Dimension> dimensions,
                          const ops::GenericSettings& settings, std::vector<Step>& scratch) {
  ECHO_EXPECT(!dimensions.empty());
  const std::int32_t least = std::max(1, settings.chunks), most = settings.chunks > 0 ? settings.chunks : 64;
  Hierarchical best;
  for (std::int32_t chunks = least; chunks <= most; chunks *= 2) {
    const Cost cost = in_chunks(call, dimensions, chunks, settings, scratch);
    if (best.chunks == 0 || cost.time() < best.cost.time()) best = {cost, chunks};
    if (dimensions.size() == 1) break;  // nothing to overlap
  }
  return best;
}

}  // namespace echo::textbook
