// The passes of a chunk of the model over a microbatch: which blocks each of them runs, and how often a step
// runs it. Costs, paths, paces, timelines and listings of a step are sums over these.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/pipeline/pipeline.hpp"
#include "training/layout/rank_layout.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// A backward is whole, or split into its input gradients, which the stage before waits for, and its weight
// gradients, which nobody waits for until the end of the step.
enum class PassKind : std::int8_t {
  forward,
  first_forward,  // of the chunk's first microbatch: it may gather weights
  backward,       // whole
  input_gradients,
  weight_gradients,
  last_backward,  // of the chunk's last microbatch, both halves: it may carry gradient traffic
};
inline constexpr std::size_t pass_kind_count = 6;
inline constexpr std::array<PassKind, pass_kind_count> pass_kinds{
    PassKind::forward,         PassKind::first_forward,    PassKind::backward,
    PassKind::input_gradients, PassKind::weight_gradients, PassKind::last_backward};

// How often each kind of pass occurs.
using PassCounts = std::array<std::int64_t, pass_kind_count>;

// The block that a chunk's first forward or last backward is, where no other pass runs it; else none.
[[nodiscard]] inline BlockId own_block(const workload::Workload& work, PassKind kind, ChunkId chunk) {
  if (kind == PassKind::first_forward) return work.first_forward[at(chunk)];
  return kind == PassKind::last_backward ? work.last_backward[at(chunk)] : BlockId::none();
}

// Calls visit(BlockRun) for what the pass runs, one after the other.
template <class Visit>
void each_run(const workload::Workload& work, PassKind kind, ChunkId chunk, Visit visit) {
  const auto all_of = [&](const Csr<workload::BlockRun>& passes) {
    for (const workload::BlockRun& run : passes.row(chunk)) visit(run);
  };
  if (const BlockId own = own_block(work, kind, chunk); !own.is_none())
    return visit(workload::BlockRun{own, 1});
  const bool both = work.backwards == workload::Backward::both;
  switch (kind) {
    case PassKind::forward:
    case PassKind::first_forward:
      return all_of(work.forward);
    case PassKind::input_gradients:
      return all_of(both ? work.input_gradients : work.backward);
    case PassKind::weight_gradients:
      return all_of(work.weight_gradients);
    case PassKind::backward:
    case PassKind::last_backward:
      all_of(work.backward);  // where all are split: input gradients
      if (!both) all_of(work.weight_gradients);
  }
}

// The pass that a task of the pipeline is. `is_last`: the last backward of its chunk. The weight gradients of
// a last backward that is split are what is left of that pass after its input gradients.
[[nodiscard]] PassKind pass_of(const timeline::Task&, bool is_last);

// A forward and a backward of one stage that run as one: row of Workload::pairs, and of PipelineTimes::pairs.
struct PairOfChunks {
  ChunkId forward, backward;
};
[[nodiscard]] PairOfChunks chunks_of_pair(const training::RankLayout&, std::int32_t pair);
[[nodiscard]] std::int32_t pair_of(const training::RankLayout&, PairOfChunks);

// How often a step runs each pass of a chunk by itself: not woven with another. Contract: `pipeline` as
// compose_pipeline left it; microbatches: of one copy of the model.
[[nodiscard]] PassCounts passes_in_step(const workload::Workload&, const training::RankLayout&,
                                        const timeline::PipelineTimes&, std::int32_t microbatches,
                                        ChunkId chunk);

// [work.block_count] how often a gpu rank of `stage` runs each block in a step. Same contract.
[[nodiscard]] std::vector<std::int64_t> blocks_in_step(const workload::Workload&, const training::RankLayout&,
                                                       const timeline::PipelineTimes&,
                                                       std::int32_t microbatches, std::int32_t stage);

}  // namespace echo::simulate
