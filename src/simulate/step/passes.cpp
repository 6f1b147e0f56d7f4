#include "simulate/step/passes.hpp"

#include "base/at.hpp"

namespace echo::simulate {

namespace {

std::int32_t chunks_of(const training::RankLayout& layout) {
  return static_cast<std::int32_t>(layout.stage_of_chunk.size());
}
std::int32_t stages_of(const training::RankLayout& layout) {
  return static_cast<std::int32_t>(layout.classes.size());
}

}  // namespace

PassKind pass_of(const timeline::Task& task, bool is_last) {
  switch (task.kind) {
    case timeline::TaskKind::forward:
      return task.microbatch == MicrobatchId(0) ? PassKind::first_forward : PassKind::forward;
    case timeline::TaskKind::backward_input:
      return PassKind::input_gradients;
    case timeline::TaskKind::backward_weight:
      return is_last ? PassKind::last_backward : PassKind::weight_gradients;
    case timeline::TaskKind::backward:
      break;
  }
  return is_last ? PassKind::last_backward : PassKind::backward;
}

PairOfChunks chunks_of_pair(const training::RankLayout& layout, std::int32_t pair) {
  const std::int32_t stages = stages_of(layout), laps = chunks_of(layout) / stages;
  PairOfChunks found{.forward = ChunkId(pair / laps), .backward = ChunkId(pair % laps * stages)};
  while (layout.stage_of_chunk[at(found.backward)] != layout.stage_of_chunk[at(found.forward)])
    found.backward += 1;
  return found;
}

std::int32_t pair_of(const training::RankLayout& layout, PairOfChunks chunks) {
  const std::int32_t stages = stages_of(layout);
  return chunks.forward.index() * (chunks_of(layout) / stages) + chunks.backward.index() / stages;
}

PassCounts passes_in_step(const workload::Workload& work, const training::RankLayout& layout,
                          const timeline::PipelineTimes& pipeline, std::int32_t microbatches, ChunkId chunk) {
  std::int64_t forwards = microbatches - 1, backwards = microbatches - 1;
  if (work.pairs.rows() > 0) {  // else what runs as one runs one after the other
    const std::int32_t chunks = chunks_of(layout), laps = chunks / stages_of(layout);
    for (std::int32_t lap = 0; lap < laps; ++lap) forwards -= pipeline.pairs[at(chunk.index() * laps + lap)];
    for (const ChunkId other : ids<ChunkId>(chunks))
      if (layout.stage_of_chunk[at(other)] == layout.stage_of_chunk[at(chunk)])
        backwards -= pipeline.pairs[at(pair_of(layout, {.forward = other, .backward = chunk}))];
  }
  const std::int64_t apart = pipeline.apart[at(chunk)];
  PassCounts counts{};
  counts[at(PassKind::forward)] = forwards;
  counts[at(PassKind::first_forward)] = 1;
  counts[at(PassKind::backward)] = backwards - apart;
  counts[at(PassKind::input_gradients)] = apart;
  counts[at(PassKind::weight_gradients)] = apart;
  counts[at(PassKind::last_backward)] = 1;
  return counts;
}

std::vector<std::int64_t> blocks_in_step(const workload::Workload& work, const training::RankLayout& layout,
                                         const timeline::PipelineTimes& pipeline, std::int32_t microbatches,
                                         std::int32_t stage) {
  std::vector<std::int64_t> blocks(at(work.block_count));
  for (const ChunkId chunk : ids<ChunkId>(chunks_of(layout))) {
    if (layout.stage_of_chunk[at(chunk)] != stage) continue;
    const PassCounts counts = passes_in_step(work, layout, pipeline, microbatches, chunk);
    for (const PassKind kind : pass_kinds) {
      const std::int64_t count = counts[at(kind)];
      if (count == 0) continue;
      each_run(work, kind, chunk,
               [&](const workload::BlockRun& run) { blocks[at(run.block)] += count * run.count; });
    }
  }
  for (std::int32_t pair = 0; pair < work.pairs.rows(); ++pair) {
    if (layout.stage_of_chunk[at(chunks_of_pair(layout, pair).forward)] != stage) continue;
    for (const workload::BlockRun& run : work.pairs.row(pair))
      blocks[at(run.block)] += std::int64_t{pipeline.pairs[at(pair)]} * run.count;
  }
  return blocks;
}

}  // namespace echo::simulate
