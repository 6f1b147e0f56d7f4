// Collectives over several dimensions, one after the other.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "textbook/algorithm.hpp"
#include "textbook/chunk_pipeline.hpp"
#include "textbook/themis.hpp"

namespace echo::textbook {

// The fastest algorithm that admits a call on one dimension of two GPUs or more.
struct Chosen {
  const Algorithm* algorithm = nullptr;
  Cost cost;
};
[[nodiscard]] Chosen fastest(const Call&, const Dimension&, std::vector<Step>& scratch);

using StageCost = std::function<PhaseCost(const Call&, std::int32_t dimension)>;

// How an all-reduce goes over the dimensions. turns: reduce-scatters, an all-reduce on the last, all-gathers
// back. there_and_back: it reduce-scatters and gathers on the last, too. whole: all-reduces of everything on
// each.
enum class AllReduceWay : std::int8_t { turns, there_and_back, whole };

// Stages of one chunk of `call` in this order of dimensions: reduce-scatters from first to last, all-gathers
// in reverse; an all-to-all on each; a broadcast from the last to the first.
[[nodiscard]] std::vector<Stage> stages_of(const Call&, std::span<const Dimension>,
                                           std::span<const std::int32_t> order, AllReduceWay,
                                           const StageCost&);

// All chunks. Dimensions of two GPUs or more. `chunks`: their number.
struct Hierarchical {
  Cost cost;
  std::int32_t chunks = 0;
};
struct HierarchySettings {
  std::int32_t chunks = 0;  // 0 = the best power of two up to 64
  ops::DimensionOrder order = ops::DimensionOrder::inner_first;
  ops::ChunkQueue queue = ops::ChunkQueue::fifo;
  AllReduceWay way = AllReduceWay::turns;
  std::int32_t at_once = 1;                         // chunks that a dimension serves at the same time
  std::optional<ChunkSizes> themis = std::nullopt;  // orders and sizes as Themis says; order is ignored then
};
[[nodiscard]] Hierarchical hierarchical(const Call&, std::span<const Dimension>, const HierarchySettings&,
                                        const StageCost&);

// The same by the fastest algorithm on each dimension (`algorithm` is ignored).
[[nodiscard]] Hierarchical hierarchical(const Call&, std::span<const Dimension>, const ops::GenericSettings&,
                                        std::vector<Step>& scratch);

}  // namespace echo::textbook
