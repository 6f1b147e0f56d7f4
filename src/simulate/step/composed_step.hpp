// One step put together from its blocks: how long each block, pass and stage takes, and where the time goes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "base/bottleneck.hpp"
#include "base/lane.hpp"
#include "base/units.hpp"
#include "simulate/step/passes.hpp"
#include "timeline/block/block.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::simulate {

// One block or chunk as composed. `total` counts busy time by part, hidden or not, without slowdown.
struct Cost {
  SimTime time{};
  std::array<SimTime, time_category_count> exposed{}, total{};
  std::array<SimTime, 4> graded{};  // compute time by ops::Grade
  KernelTimes kernels;              // the same, without slowdown
  SimTime issued{};                 // host time to issue it, hidden or not
  SimTime peers{};                  // Host::peers_of it
  SimTime wait{};                   // of time, for the host to issue it,
  SimTime traffic_wait{};           // and for gradient and parameter traffic of the pass before
  BottleneckTimes wait_bottleneck;  // what that depends on: a slower GPU waits less

  // `count` times `other` on top.
  void add(const Cost& other, std::int64_t count) {
    time += count * other.time;
    issued += count * other.issued;
    peers += count * other.peers;
    wait += count * other.wait;
    traffic_wait += count * other.traffic_wait;
    wait_bottleneck.add(other.wait_bottleneck, static_cast<double>(count));
    kernels.add(other.kernels, static_cast<double>(count));
    for (std::size_t i = 0; i < time_category_count; ++i) {
      exposed[i] += count * other.exposed[i];
      total[i] += count * other.total[i];
    }
    for (std::size_t i = 0; i < graded.size(); ++i) graded[i] += count * other.graded[i];
  }
};

// A chunk's passes, slowed or not; zero where the schedule has none of the kind.
struct ChunkCost {
  std::array<Cost, pass_kind_count> passes;
  timeline::DataLane data;

  [[nodiscard]] Cost& operator[](PassKind kind) { return passes[at(kind)]; }
  [[nodiscard]] const Cost& operator[](PassKind kind) const { return passes[at(kind)]; }
};

// The parameter gathers of a chunk that begin with the step.
struct ChunkGathers {
  SimTime busy{}, alone{};  // as slowed; without slowdown
  SimTime gathered{};       // its first forward ends no earlier in the step, because of them
};

// The costs of all chunks. Most chunks of a step run the same blocks and share one.
class ChunkCosts {
 public:
  void clear() { cost_of_.clear(), costs_ = 0; }
  // The cost of the next chunk: that of the chunk before it, or a new one to fill.
  void repeat() { cost_of_.push_back(cost_of_.back()); }
  [[nodiscard]] ChunkCost& add() {
    if (kept_.size() == costs_) kept_.emplace_back();
    cost_of_.push_back(static_cast<std::int32_t>(costs_));
    return kept_[costs_++];
  }
  [[nodiscard]] std::size_t size() const { return cost_of_.size(); }
  [[nodiscard]] const ChunkCost& operator[](std::size_t chunk) const { return kept_[at(cost_of_[chunk])]; }
  [[nodiscard]] bool is_repeat(std::size_t chunk) const {
    return chunk > 0 && cost_of_[chunk] == cost_of_[chunk - 1];
  }

 private:
  std::vector<ChunkCost> kept_;  // the first costs_ of them are in use
  std::vector<std::int32_t> cost_of_;
  std::size_t costs_ = 0;
};

// What a step's end depends on: the stage that is done last, the stage that updates longest after it (none:
// the stages go on by themselves, and the step is the turn of the first).
struct StepEnd {
  StageId last_stage{0}, update_stage{0};
};

// The durations of the passes of which a pipeline consists.
struct PassTimes {
  std::vector<timeline::ChunkTimes> chunks;
  std::vector<timeline::DataLane> data;  // [chunks] gradient traffic
  std::vector<SimTime> pairs;            // rows of work.pairs
  friend bool operator==(const PassTimes&, const PassTimes&) = default;
};

// The step from the view of the stage with the most work.
struct StepOutcome {
  SimTime step{};
  std::int32_t critical_stage = 0;  // that stage
  SimTime busiest{};                // its work
  Cost cost;                        // exposed sums to step
  StepEnd end;
};

// As compose() leaves it; nobody changes it afterwards. Vectors keep their buffers from step to step.
struct ComposedStep {
  std::vector<Cost> blocks;                 // [work.block_count]
  std::vector<timeline::BlockTimes> times;  // [work.block_count]
  std::vector<timeline::BlockPaths> paths;  // [work.block_count] as slowed
  ChunkCosts chunks;                        // [chunks]
  std::vector<ChunkGathers> gathers;        // [chunks]
  std::vector<SimTime> gathered;            // [stages] busy time of those of a stage
  std::vector<Cost> pairs;                  // rows of work.pairs
  PassTimes passes;                         // of these chunks and pairs
  timeline::PipelineTimes pipeline;
  StepOutcome outcome;
  // Its critical path: through the pipeline, and how often it runs through each block; where asked for
  // (critical_path.hpp).
  timeline::PipelinePath path;
  std::vector<std::int64_t> path_blocks;  // [work.block_count]
};

}  // namespace echo::simulate
