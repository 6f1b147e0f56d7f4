// Data that one worker keeps from config to config: known prices, and buffers. Results never depend on
// either.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/admission/admission.hpp"
#include "simulate/memo_counts.hpp"
#include "simulate/prices/price_memo.hpp"
#include "simulate/prices/priced_work.hpp"
#include "simulate/simulated_step.hpp"
#include "simulate/step/block_memo.hpp"
#include "timeline/pipeline/pipeline_memo.hpp"

namespace echo::simulate {

// Used only to compose the current step and to find its critical path.
struct ComposeScratch {
  timeline::BlockScratchData block;
  BlockMemo blocks;
  timeline::PipelineScratch pipeline;
  timeline::Trail trail;
  timeline::PipelineMemo pipelines;
  struct Case {
    PassTimes passes;
    timeline::PipelineTimes pipeline;
  };
  std::array<Case, timeline::most_cases - 1> earlier;  // cases of a step before its last one
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
  std::vector<double> pairs;  // arithmetic, ps
  PassTimes paced;
  timeline::PipelineTimes pipeline;
  std::vector<double> pace;         // [stages] of the pipeline in hand
  std::vector<double> sets, worst;  // [stages][pipelines], [pipelines]
  std::vector<std::int32_t> order;  // [pipelines]
  std::vector<SimTime> steps;       // [draws]
};

struct ReplayScratch;  // of replays (replay_scratch.hpp)
struct DropReplayScratch {
  void operator()(ReplayScratch*) const;
};

// Contract: of one catalog and one calibration; where either changes, a new one begins.
struct Workspace {
  MemoCounts counts;  // of all memos below
  Admissions admissions;
  SimulatedStep step;  // the last one
  PriceMemo memo;
  PricedWorkMemo work;
  ComposeScratch scratch;
  SkewScratch draws;
  std::unique_ptr<ReplayScratch, DropReplayScratch> trace;  // made where a trace is first met
};

}  // namespace echo::simulate
