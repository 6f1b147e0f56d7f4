// A simulated step as a trace: the generated ops of a GPU rank, as a tool would have recorded them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "simulate/catalog.hpp"
#include "simulate/unfold/rank_recorder.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "trace/trace.hpp"

namespace echo::simulate {

struct StepTraceRequest {
  std::vector<std::int32_t> ranks;       // global, to be written one by one; empty: the first of every
                                         // stage, which stands for all of it
  std::int64_t most_nodes = 20'000'000;  // of all ranks together
};

struct StepTrace {
  trace::Trace trace;
  std::vector<std::vector<TimeCategory>> parts;  // [ranks][nodes] what a node's time counts as in a report
};

// Records one rank after the other, each in its own memory. Keeps references.
class StepRecorder {
 public:
  // As generate_trace, but most_nodes is of one rank.
  StepRecorder(const StepTimeline&, const training::TrainingConfig&, const Catalog&, const SimulatedStep&,
               const StepTraceRequest& = {});
  [[nodiscard]] const std::vector<std::int32_t>& ranks() const { return ranks_; }  // ascending
  // An upper bound of the ops of a rank.
  [[nodiscard]] std::int64_t nodes_of(std::int32_t rank) const { return nodes_[at(rank / of_stage_)]; }
  // One of ranks(), whatever was recorded before; adds what its ops name to tables().
  void record(std::int32_t rank, trace::RankTrace& out, std::vector<TimeCategory>& parts);
  // The trace without ranks; whole when each was recorded. The notes about all of it come last.
  [[nodiscard]] trace::Trace& tables() { return tables_; }
  void add_notes();

 private:
  const StepTimeline& timeline_;
  const training::TrainingConfig& config_;
  const SimulatedStep& step_;
  std::vector<std::int32_t> ranks_;
  bool each_alone_;  // ranks do not stand for others
  std::int32_t of_stage_;
  SimTime host_;
  std::vector<std::int64_t> nodes_;  // [stages] of a rank
  trace::Trace tables_;
  TraceGroups groups_;
  TraceTables shared_;
};

// Contract: the timeline and the step as unfold_step left them, of a config whose report is ok. Durations are
// of each op alone, without slowdown; the host's time per step is the gap of the first op; its time per op
// is not recorded. Streams are those of base/lane.hpp, then those of transfers between stages. Throws
// UserError where a rank is not of the job, or nodes are too many.
[[nodiscard]] StepTrace generate_trace(const StepTimeline&, const training::TrainingConfig&, const Catalog&,
                                       const SimulatedStep&, const StepTraceRequest& = {});

}  // namespace echo::simulate
