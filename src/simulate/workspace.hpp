// Reused buffers and price memos of one worker. Results never depend on its contents.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/price_memo.hpp"
#include "timeline/block.hpp"
#include "timeline/pipeline.hpp"
#include "training/rank_layout.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Answers for everything a Workload names, in its order: kernels first, then collectives.
struct Prices {
  std::vector<ops::KernelPrice> kernels;
  std::vector<ops::CollectiveEstimate> collectives;
  std::vector<SimTime> alone;                            // [kernels + collectives], launch gaps included
  std::vector<double> kernel_factor, collective_factor;  // [kernels][collectives]
};

// One block or chunk as composed. `total` counts busy time by part, hidden or not, without slowdown.
struct Cost {
  SimTime time{};
  std::array<SimTime, part_count> exposed{}, total{};
  std::array<SimTime, 4> graded{};  // compute time by ops::Grade

  // `count` times `other` on top.
  void add(const Cost& other, std::int64_t count) {
    time += count * other.time;
    for (std::size_t i = 0; i < part_count; ++i) {
      exposed[i] += count * other.exposed[i];
      total[i] += count * other.total[i];
    }
    for (std::size_t i = 0; i < graded.size(); ++i) graded[i] += count * other.graded[i];
  }
};

// A chunk's passes, slowed or not.
struct ChunkCost {
  Cost forward, first_forward, backward, weights, last_backward;  // weights: only where the backward is split
  Cost input;         // of a split backward where `backward` is a whole one
  SimTime gathers{};  // busy time of its parameter gathers, as slowed, and alone
  SimTime gathers_alone{};
  SimTime gathered{};  // its first forward ends no earlier in the step, because of them
  timeline::DataLane data;
};

struct Workspace {
  training::RankLayout layout;
  workload::Workload work;
  Prices prices;
  PriceMemo memo;
  timeline::BlockScratchData block_scratch;
  timeline::PipelineScratch pipeline_scratch;
  std::vector<Cost> blocks;                 // [work.block_count]
  std::vector<timeline::BlockTimes> times;  // [work.block_count]
  std::vector<ChunkCost> chunks;            // [pipeline * virtual stages]
  std::vector<Cost> pairs;                  // rows of work.pairs
  std::vector<timeline::ChunkTimes> chunk_times;
  std::vector<timeline::DataLane> data_lanes;
  std::vector<SimTime> pair_times;
  std::vector<SimTime> hop_forward, hop_backward;
  timeline::PipelineTimes pipeline;
};

}  // namespace echo::simulate
