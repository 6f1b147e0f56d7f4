#include "simulate/unfold/recorded_step.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/error.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/unfold/rank_recorder.hpp"

namespace echo::simulate {

namespace {

// Upper bound of the number of ops of a step, by stage: a ring's step counts as two nodes.
std::vector<std::int64_t> nodes_of_stages(const StepTimeline& timeline, std::int32_t stages,
                                          const SimulatedStep& step) {
  std::vector<std::int64_t> nodes(static_cast<std::size_t>(stages));
  for (const Slice& slice : timeline.slices) {
    if (slice.kind != SliceKind::task) continue;
    constexpr std::int64_t transfers = 6;
    std::int64_t& of_stage = nodes[at(slice.stage)];
    of_stage += transfers;
    for (const workload::BlockRun& run : blocks_of(slice, step).runs)
      of_stage += std::int64_t{run.count} * step.work.blocks[at(run.block)].size();
  }
  for (std::int32_t stage = 0; stage < stages; ++stage)
    for (const auto* runs : {&step.work.tail.gradients, &step.work.tail.grad_norm, &step.work.tail.update})
      for (const workload::WorkRun& run : runs->row(stage)) nodes[at(stage)] += run.count;
  return nodes;
}

void refuse_too_many(std::int64_t nodes, std::int64_t most) {
  if (nodes <= most) return;
  throw UserError("the trace would have " + std::to_string(nodes) + " ops",
                  "choose fewer ranks or a smaller batch; at most " + std::to_string(most) + " are written");
}

std::vector<std::int32_t> ranks_of(const StepTraceRequest& request, std::int32_t world,
                                   std::int32_t of_stage) {
  std::vector<std::int32_t> ranks = request.ranks;
  for (std::int32_t rank = 0; request.ranks.empty() && rank < world; rank += of_stage) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const std::int32_t rank : ranks)
    if (rank < 0 || rank >= world)
      throw UserError("rank " + std::to_string(rank) + " is not in the job",
                      "choose ranks from 0 to " + std::to_string(world - 1));
  return ranks;
}

}  // namespace

StepRecorder::StepRecorder(const StepTimeline& timeline, const training::TrainingConfig& config,
                           const Catalog& catalog, const SimulatedStep& step, const StepTraceRequest& request)
    : timeline_(timeline),
      config_(config),
      step_(step),
      each_alone_(!request.ranks.empty()),
      of_stage_(training::gpus_of(config.degrees) / config.degrees.pipeline),
      host_(host_of_step(catalog.framework(config), step.work.tail)),
      nodes_(nodes_of_stages(timeline, config.degrees.pipeline, step)),
      tables_{.name = catalog.model(config.model).name,
              .format = "generated",
              .gpu = catalog.gpu(config).name,
              .world = training::gpus_of(config.degrees),
              .groups = {},
              .names = {},
              .kernels = step.work.kernels,
              .ranks = {},
              .notes = {},
              .extras = {}},
      groups_(config.degrees, step.layout, tables_),
      shared_{tables_, groups_} {
  ECHO_EXPECT(timeline.report.status == training::Status::ok);
  ranks_ = ranks_of(request, tables_.world, of_stage_);
  for (const std::int32_t rank : ranks_) refuse_too_many(nodes_of(rank), request.most_nodes);
}

void StepRecorder::record(std::int32_t rank, trace::RankTrace& out, std::vector<TimeCategory>& parts) {
  out = {};
  parts.clear();
  RankTraceWriter writer(config_, step_, shared_, rank, out, parts);
  for (const Slice& slice : timeline_.slices)
    if (slice.stage == rank / of_stage_ && slice.kind == SliceKind::task) writer.write_task(slice);
  writer.write_tail();
  // Before the first op rather than behind the last: steps follow each other.
  if (!out.nodes.empty()) out.nodes.front().gap = host_;
  out.stands_for.assign(1, rank);
  if (each_alone_) return;
  out.stands_for.resize(at(of_stage_));
  std::iota(out.stands_for.begin(), out.stands_for.end(), rank);
}

void StepRecorder::add_notes() {
  tables_.notes.emplace_back(
      "generated: durations are simulated, of each op alone, with the gap before the next");
  const auto goes_on = [](const ops::CollectiveQuery& q) { return q.tier.tier != machine::MemoryTier::host; };
  if (std::ranges::any_of(step_.work.collectives, goes_on))
    tables_.notes.emplace_back(
        "copies and updates in memory behind the host's are written as the host's; a replay prices them so");
  if (!step_.layout.slots.empty())
    tables_.notes.emplace_back("ranks are not packed onto nodes; where each is, is not said");
}

StepTrace generate_trace(const StepTimeline& timeline, const training::TrainingConfig& config,
                         const Catalog& catalog, const SimulatedStep& step, const StepTraceRequest& request) {
  StepRecorder recorder(timeline, config, catalog, step, request);
  std::int64_t all = 0;
  for (const std::int32_t rank : recorder.ranks()) all += recorder.nodes_of(rank);
  refuse_too_many(all, request.most_nodes);
  std::vector<trace::RankTrace> ranks(recorder.ranks().size());
  StepTrace out;
  out.parts.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) recorder.record(recorder.ranks()[r], ranks[r], out.parts[r]);
  recorder.add_notes();
  out.trace = std::move(recorder.tables());
  out.trace.ranks = std::move(ranks);
  return out;
}

}  // namespace echo::simulate
