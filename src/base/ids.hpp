// The indices of a simulated step: of ops, of what they run, and of the parts of the pipeline that run them.
#pragma once

#include <concepts>
#include <type_traits>

#include "base/id.hpp"

namespace echo {

using OpId = Id<struct OpTag>;                  // of one block, in launch order
using BlockId = Id<struct BlockTag>;            // of workload::Workload::blocks
using KernelId = Id<struct KernelTag>;          // of distinct kernels
using CollectiveId = Id<struct CollectiveTag>;  // of distinct collectives
using WorkId = Id<struct WorkTag>;              // of kernels, then collectives, in one table
using ChunkId = Id<struct ChunkTag>;            // of the model, in the order a microbatch visits them
using StageId = Id<struct StageTag>;            // of the pipeline
using MicrobatchId = Id<struct MicrobatchTag>;  // of one copy of the model
static_assert(sizeof(WorkId) == sizeof(std::int32_t) && std::is_trivially_copyable_v<WorkId>);

// Those that count places in an order have neighbours: the next chunk is chunk + 1.
template <class AnId>
concept Ordinal = std::same_as<AnId, OpId> || std::same_as<AnId, ChunkId> || std::same_as<AnId, StageId> ||
    std::same_as<AnId, MicrobatchId>;
template <Ordinal AnId>
[[nodiscard]] constexpr AnId operator+(AnId id, std::int32_t places) {
  return AnId(id.index() + places);
}
template <Ordinal AnId>
[[nodiscard]] constexpr AnId operator-(AnId id, std::int32_t places) {
  return AnId(id.index() - places);
}
template <Ordinal AnId>
constexpr AnId& operator+=(AnId& id, std::int32_t places) {
  return id = id + places;
}
template <Ordinal AnId>
constexpr AnId& operator-=(AnId& id, std::int32_t places) {
  return id = id - places;
}

// `kernels`: how many there are, so that the first collective follows the last kernel. None stays none.
[[nodiscard]] constexpr WorkId work_of(KernelId kernel) { return WorkId(kernel.index()); }
[[nodiscard]] constexpr WorkId work_of(CollectiveId collective, std::int32_t kernels) {
  return collective.is_none() ? WorkId::none() : WorkId(kernels + collective.index());
}
[[nodiscard]] constexpr bool is_kernel(WorkId work, std::int32_t kernels) { return work.index() < kernels; }
// Contract: the work is a kernel; the work is a collective.
[[nodiscard]] constexpr KernelId kernel_of(WorkId work) { return KernelId(work.index()); }
[[nodiscard]] constexpr CollectiveId collective_of(WorkId work, std::int32_t kernels) {
  return CollectiveId(work.index() - kernels);
}

}  // namespace echo
