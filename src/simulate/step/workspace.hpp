// Reused buffers and price caches of one worker. Results never depend on its contents.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/prices/price_memo.hpp"
#include "simulate/report/evidence.hpp"
#include "timeline/block/block.hpp"
#include "timeline/pipeline/pipeline.hpp"
#include "training/layout/rank_layout.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Answers for everything a Workload names, in its order: kernels first, then collectives.
struct Prices {
  std::vector<ops::KernelPrice> kernels;
  std::vector<ops::CollectiveEstimate> collectives;
  std::vector<SimTime> alone;                            // [kernels + collectives], launch gaps included
  std::vector<BottleneckTimes> bottlenecks;              // of the same
  std::vector<double> kernel_factor, collective_factor;  // [kernels][collectives]
  std::vector<std::int32_t> kernel_number, collective_number;  // in the memo
  std::vector<std::uint8_t> meets;  // [kernels][collectives] whether some block has both; of a learned model
  std::vector<std::int32_t> block_collectives;        // scratch of the same
  std::vector<network::LinkDemand> uses;              // [collectives]
  std::vector<double> scale_up_loss, scale_out_loss;  // [collectives][collectives]; empty: none

  [[nodiscard]] timeline::FactorTable factors() const {
    return {static_cast<std::int32_t>(kernels.size()),
            static_cast<std::int32_t>(collectives.size()),
            kernel_factor,
            collective_factor,
            scale_up_loss,
            scale_out_loss};
  }
};

// One block or chunk as composed. `total` counts busy time by part, hidden or not, without slowdown.
struct Cost {
  SimTime time{};
  std::array<SimTime, time_category_count> exposed{}, total{};
  std::array<SimTime, 4> graded{};  // compute time by ops::Grade
  SimTime wait{};                   // of time, for the host to issue it,
  SimTime traffic_wait{};           // and for gradient and parameter traffic of the pass before
  BottleneckTimes wait_bottleneck;  // its bottlenecks: a slower GPU waits less

  // `count` times `other` on top.
  void add(const Cost& other, std::int64_t count) {
    time += count * other.time;
    wait += count * other.wait;
    traffic_wait += count * other.traffic_wait;
    wait_bottleneck.add(other.wait_bottleneck, static_cast<double>(count));
    for (std::size_t i = 0; i < time_category_count; ++i) {
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

// What a step's end hangs on: the stage that is done last, the stage that updates longest after it (-1: the
// stages go on by themselves, and the step is the turn of the first).
struct StepEnd {
  std::int32_t last_stage = 0, update_stage = 0;
};

// Paces of gpu ranks by draw (skew.hpp); kept from config to config.
struct PaceTable {
  double sigma = -1.0;
  std::int32_t draws = 0;
  std::uint64_t seed = 0;
  std::int32_t gpus = 0;
  std::vector<double> pace;  // [draws][gpus]
};

// Arithmetic on the path of a chunk's passes, ps.
struct ChunkPace {
  double forward = 0.0, backward_input = 0.0, backward_weight = 0.0, last_backward = 0.0;
  double first_forward = 0.0, whole_backward = 0.0, gathered = 0.0, data_start = 0.0;
};

struct SkewScratch {
  PaceTable paces;
  std::vector<ChunkPace> chunks;
  std::vector<timeline::ChunkTimes> times;  // at nominal pace
  std::vector<timeline::DataLane> data;
  std::vector<SimTime> pair_times;
  std::vector<double> pairs;        // arithmetic, ps
  std::vector<double> pace;         // [stages] of the pipeline in hand
  std::vector<double> sets, worst;  // [stages][pipelines], [pipelines]
  std::vector<std::int32_t> order;  // [pipelines]
  std::vector<SimTime> steps;       // [draws]
};

struct ReplayScratch;  // of replays (replay_scratch.hpp)
struct DropReplayScratch {
  void operator()(ReplayScratch*) const;
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
  std::vector<timeline::BlockPaths> paths;  // [work.block_count] as slowed
  bool collectives_meet = false;            // in some block, as composed
  std::vector<ChunkCost> chunks;            // [pipeline * virtual stages]
  std::vector<Cost> pairs;                  // rows of work.pairs
  std::vector<timeline::ChunkTimes> chunk_times;
  std::vector<timeline::DataLane> data_lanes;
  std::vector<SimTime> pair_times;
  std::vector<SimTime> hop_forward, hop_backward;
  std::vector<BottleneckTimes> hop_bottlenecks;  // of either direction
  timeline::PipelineTimes pipeline;
  Evidence evidence;            // behind the step
  timeline::Trail trail;        // of the slowed step
  timeline::PipelinePath path;  // its critical path through the pipeline, ...
  StepEnd path_end;             // ... how that path ends
  SkewScratch draws;
  std::vector<std::int64_t> path_blocks;                    // [work.block_count] blocks on it
  std::unique_ptr<ReplayScratch, DropReplayScratch> trace;  // made where a trace is first met
};

}  // namespace echo::simulate
