// The step: pipeline, then per stage what is left of the gradient reductions, then agreement on the gradient
// norm (the slowest stage sets it), then each stage's optimizer and parameter gathers, then host time.
#include "simulate/step/compose_step.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "simulate/prices/host_time.hpp"

namespace echo::simulate {

namespace {

struct TailTimes {
  SimTime gradients{}, grad_norm{}, update{};
};

SimTime sum_of(std::span<const workload::WorkRun> runs, const Prices& prices) {
  SimTime sum{};
  for (const workload::WorkRun& run : runs)
    sum += run.count * prices.alone[static_cast<std::size_t>(run.work)];
  return sum;
}

void account(std::span<const workload::WorkRun> runs, const Prices& prices, Cost& cost) {
  for (const workload::WorkRun& run : runs) {
    const auto work = static_cast<std::size_t>(run.work);
    const SimTime time = run.count * prices.alone[work];
    cost.exposed[static_cast<std::size_t>(run.part)] += time;
    cost.total[static_cast<std::size_t>(run.part)] += time;
    if (run.is_kernel) cost.graded[static_cast<std::size_t>(prices.kernels[work].grade)] += time;
  }
}

// How many of a chunk's passes ran as one with another, and what those of its forwards cost.
struct Paired {
  std::int64_t forwards = 0, backwards = 0;
  Cost cost;
};

Paired pairs_of(const Workspace& ws, std::size_t chunk) {
  Paired found;
  if (ws.pairs.empty()) return found;  // none, or as long as both
  const std::vector<std::int32_t>& runs = ws.pipeline.pairs;
  const std::size_t chunks = ws.chunks.size(), laps = runs.size() / chunks, stages = chunks / laps;
  for (std::size_t i = chunk * laps; i < (chunk + 1) * laps; ++i) {
    found.forwards += runs[i];
    found.cost.add(ws.pairs[i], runs[i]);
  }
  for (std::size_t other = 0; other < chunks; ++other)
    if (ws.layout.stage_of_chunk[other] == ws.layout.stage_of_chunk[chunk])
      found.backwards += runs[other * laps + chunk / stages];
  return found;
}

// Everything the stage's compute lane does in the pipeline, by part.
Cost pipeline_cost(const Workspace& ws, std::int32_t stage, std::int64_t microbatches) {
  Cost cost;
  for (std::size_t i = 0; i < ws.chunks.size(); ++i) {
    if (ws.layout.stage_of_chunk[i] != stage) continue;
    const Paired paired = pairs_of(ws, i);
    cost.add(ws.chunks[i].first_forward, 1);
    cost.add(ws.chunks[i].forward, microbatches - 1 - paired.forwards);
    cost.total[static_cast<std::size_t>(TimeCategory::zero_comm)] += ws.chunks[i].gathers_alone;
    const std::int64_t backwards = microbatches - 1 - paired.backwards;
    if (ws.work.input_gradients.rows() == 0) {
      cost.add(ws.chunks[i].backward, backwards);
      cost.add(ws.chunks[i].weights, backwards);
    } else {
      const std::int64_t apart = ws.pipeline.apart[i];
      cost.add(ws.chunks[i].backward, backwards - apart);
      cost.add(ws.chunks[i].input, apart);
      cost.add(ws.chunks[i].weights, apart);
    }
    cost.add(ws.chunks[i].last_backward, 1);
    cost.add(paired.cost, 1);
  }
  return cost;
}

void time_chunks(Workspace& ws) {
  const std::size_t chunks = ws.chunks.size();
  ws.chunk_times.resize(chunks);
  ws.data_lanes.resize(chunks);
  for (std::size_t i = 0; i < chunks; ++i) {
    const ChunkCost& cost = ws.chunks[i];
    const bool some_split = ws.work.input_gradients.rows() > 0;
    ws.chunk_times[i] = {.forward = cost.forward.time,
                         .backward_input = (some_split ? cost.input : cost.backward).time,
                         .backward_weight = cost.weights.time,
                         .gathered = cost.gathered,
                         .last_backward = cost.last_backward.time,
                         .whole_backward = cost.backward.time,
                         .first_forward = cost.first_forward.time};
    ws.data_lanes[i] = cost.data;
  }
  ws.pair_times.clear();
  for (const Cost& pair : ws.pairs) ws.pair_times.push_back(pair.time);
}

}  // namespace

timeline::PipelineShape pipeline_shape(const training::TrainingConfig& config,
                                       const training::RankLayout& layout,
                                       const timeline::Schedule& schedule) {
  return {.stages = config.degrees.pipeline,
          .chunks = static_cast<std::int32_t>(layout.stage_of_chunk.size()),
          .microbatches = training::microbatches_of(config),
          .stage_of_chunk = layout.stage_of_chunk,
          .microbatch_group = config.recipe.microbatch_group,
          .pairs = config.recipe.overlap_ep,
          .copies = layout.copies,
          .given = schedule.given};
}

// When the first forward can reach a stage, at the earliest: after one forward of every chunk before it. A
// blocking transfer already takes the stage's own time.
static SimTime earliest_start(const Workspace& ws, std::int32_t stage, bool overlapped) {
  SimTime start{}, last_hop{};
  for (std::size_t chunk = 0; ws.layout.stage_of_chunk[chunk] != stage; ++chunk) {
    last_hop = ws.hop_forward[chunk];
    start += ws.chunk_times[chunk].forward + last_hop;
  }
  return overlapped ? start : start - last_hop;
}

// Composes the pipeline of ws.chunk_times and what comes after it; fills all of StepOutcome but `cost`.
static StepOutcome end_of_step(const training::TrainingConfig& config,
                               const training::FrameworkSpec& framework, const timeline::Schedule& schedule,
                               Workspace& ws, std::vector<timeline::PlacedTask>* placed,
                               timeline::Trail* trail) {
  const timeline::Hops hops{ws.hop_forward, ws.hop_backward, config.overlap.pipeline};
  timeline::compose_pipeline(pipeline_shape(config, ws.layout, schedule), schedule, ws.chunk_times, hops,
                             ws.data_lanes, ws.pipeline_scratch, ws.pipeline, placed, ws.pair_times, trail);

  const workload::StepTail& tail = ws.work.tail;
  StepOutcome out;
  SimTime agreed{-1}, updates{-1}, longest_turn{-1};
  std::int32_t turning_stage = 0;
  for (std::int32_t stage = 0; stage < config.degrees.pipeline; ++stage) {
    const timeline::StageTimes& times = ws.pipeline.stages[static_cast<std::size_t>(stage)];
    const TailTimes own{sum_of(tail.gradients.row(stage), ws.prices),
                        sum_of(tail.grad_norm.row(stage), ws.prices),
                        sum_of(tail.update.row(stage), ws.prices)};
    const SimTime done = std::max(times.compute_end, times.data_end) + own.gradients + own.grad_norm;
    if (done > agreed) agreed = done, out.end.last_stage = stage;
    if (own.update > updates) updates = own.update, out.end.update_stage = stage;
    const SimTime turn = done + own.update - earliest_start(ws, stage, config.overlap.pipeline);
    if (turn > longest_turn) longest_turn = turn, turning_stage = stage;
    const SimTime work = times.busy + own.gradients + own.grad_norm + own.update;
    if (work > out.busiest) {
      out.busiest = work;
      out.critical_stage = stage;
    }
  }
  // Zero-bubble schedules do not wait for each other at the gradient norm: a stage updates and goes on, and
  // rolls back in the rare step whose norm turns out bad (Qi et al. 2023, section 4, optimizer
  // post-validation). Their steps then follow each other stage by stage, as far apart as the longest turn of
  // one stage. Without post-validation they wait like all others.
  const bool stages_go_on = schedule.splits_backward && config.recipe.post_validation;
  out.step = (stages_go_on ? longest_turn : agreed + updates) + host_of_step(framework, tail);
  if (stages_go_on) out.end = {turning_stage, -1};
  return out;
}

SimTime step_of_chunk_times(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
                            const timeline::Schedule& schedule, Workspace& ws) {
  return end_of_step(config, framework, schedule, ws, nullptr, nullptr).step;
}

StepOutcome compose_step(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
                         const timeline::Schedule& schedule, Workspace& ws,
                         std::vector<timeline::PlacedTask>* placed, timeline::Trail* trail) {
  time_chunks(ws);
  StepOutcome out = end_of_step(config, framework, schedule, ws, placed, trail);
  const workload::StepTail& tail = ws.work.tail;
  const timeline::StageTimes& times = ws.pipeline.stages[static_cast<std::size_t>(out.critical_stage)];
  Cost& cost = out.cost =
      pipeline_cost(ws, out.critical_stage, training::microbatches_of(config) / ws.layout.copies);
  cost.time = out.step;
  account(tail.gradients.row(out.critical_stage), ws.prices, cost);
  account(tail.grad_norm.row(out.critical_stage), ws.prices, cost);
  account(tail.update.row(out.critical_stage), ws.prices, cost);
  const auto part = [&cost](TimeCategory p) -> SimTime& { return cost.exposed[static_cast<std::size_t>(p)]; };
  part(TimeCategory::pp_comm) += times.hop_wait;
  cost.total[static_cast<std::size_t>(TimeCategory::pp_comm)] += times.hop_wait;
  part(TimeCategory::zero_comm) += times.gather_wait;
  part(config.zero == training::ZeroStage::none ? TimeCategory::dp_comm : TimeCategory::zero_comm) +=
      std::max(SimTime::zero(), times.data_end - times.compute_end);
  part(TimeCategory::other) += host_of_step(framework, tail);
  SimTime explained{};
  for (const SimTime exposed : cost.exposed) explained += exposed;
  part(TimeCategory::bubble) +=
      out.step - explained;  // waiting for other stages; never negative (checked with the report)
  return out;
}

}  // namespace echo::simulate
