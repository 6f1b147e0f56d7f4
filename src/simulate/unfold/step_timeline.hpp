// The full timeline of one step for display: all tasks of every stage and their ops, with every microbatch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lane.hpp"
#include "base/units.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/step/workspace.hpp"
#include "timeline/schedule.hpp"
#include "training/config.hpp"

namespace echo::simulate {

enum class SliceKind : std::int8_t {
  task,      // a chunk's pass over a microbatch, or two that run as one
  wait,      // for another stage
  transfer,  // a blocking one
  gradients,
  norm,
  optimizer,
  host  // after the last task
};

// Something on the compute lane of a stage. Slices of one stage follow each other without gap.
struct Slice {
  SliceKind kind{};
  std::int32_t stage = 0;
  SimTime start{}, end{};
  timeline::Task task, partner;           // of a task; partner: the backward that runs with it
  bool is_pair = false, is_last = false;  // last: the chunk's last backward, which carries gradient traffic
  std::array<SimTime, time_category_count> exposed{};  // sums to end - start exactly
};

struct PlacedOp {
  Lane lane{};
  TimeCategory part{};
  WorkId work;
  SimTime start{}, end{};
};

struct StepTimeline {
  StepReport report;
  std::vector<Slice>
      slices;  // stage by stage, in order of time; empty unless the report is ok, and of a trace
  std::vector<std::vector<PlacedOp>> blocks;  // [work.block_count], times from the start of the block
};

// ws.step holds what the slices are made of afterwards.
[[nodiscard]] StepTimeline unfold_step(const training::TrainingConfig&, const Catalog&, const Calibration&,
                                       Workspace& ws);

// Runs of blocks of a task whose ops can be drawn from its start on, in order; none where only its length is
// known (the rest of a last backward that is split).
[[nodiscard]] std::vector<workload::BlockRun> placed_runs(const Slice&, const SimulatedStep&);

}  // namespace echo::simulate
