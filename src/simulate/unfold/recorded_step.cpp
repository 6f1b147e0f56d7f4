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

void add_notes(const SimulatedStep& step, trace::Trace& out) {
  out.notes.emplace_back(
      "generated: durations are simulated, of each op alone, with the gap before the next");
  if (!step.layout.slots.empty())
    out.notes.emplace_back("ranks are not packed onto nodes; where each is, is not said");
}

}  // namespace

StepTrace generate_trace(const StepTimeline& timeline, const training::TrainingConfig& config,
                         const Catalog& catalog, const SimulatedStep& step, const StepTraceRequest& request) {
  ECHO_EXPECT(timeline.report.status == training::Status::ok);
  const std::int32_t world = training::gpus_of(config.degrees), stages = config.degrees.pipeline;
  const std::int32_t of_stage = world / stages;
  const std::vector<std::int32_t> ranks = ranks_of(request, world, of_stage);
  const std::vector<std::int64_t> nodes = nodes_of_stages(timeline, stages, step);
  std::int64_t all = 0;
  for (const std::int32_t rank : ranks) all += nodes[at(rank / of_stage)];
  refuse_too_many(all, request.most_nodes);

  const SimTime host = host_of_step(catalog.framework(config), step.work.tail);
  StepTrace out;
  out.trace.name = catalog.model(config.model).name;
  out.trace.format = "generated";
  out.trace.gpu = catalog.gpu(config).name;
  out.trace.world = world;
  out.trace.kernels = step.work.kernels;
  TraceGroups groups(config.degrees, step.layout, out.trace);
  TraceTables tables{out.trace, groups};
  for (const std::int32_t rank : ranks) {
    trace::RankTrace& traced = out.trace.ranks.emplace_back();
    RankTraceWriter writer(config, step, tables, rank, traced, out.parts.emplace_back());
    for (const Slice& slice : timeline.slices)
      if (slice.stage == rank / of_stage && slice.kind == SliceKind::task) writer.write_task(slice);
    writer.write_tail();
    // Before the first op rather than behind the last: steps follow each other.
    if (!traced.nodes.empty()) traced.nodes.front().gap = host;
    traced.stands_for.assign(1, rank);
    if (!request.ranks.empty()) continue;
    traced.stands_for.resize(at(of_stage));
    std::iota(traced.stands_for.begin(), traced.stands_for.end(), rank);
  }
  add_notes(step, out.trace);
  return out;
}

}  // namespace echo::simulate
