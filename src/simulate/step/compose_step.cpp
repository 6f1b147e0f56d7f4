// The step: the pipeline, then for each stage the gradient reductions that remain, then the agreement on the
// gradient norm (which waits for the slowest stage), then each stage's optimizer and parameter gathers, then
// host time.
#include "simulate/step/compose_step.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/at.hpp"
#include "simulate/prices/host_time.hpp"

namespace echo::simulate {

namespace {

struct TailTimes {
  SimTime gradients{}, grad_norm{}, update{};
};

SimTime sum_of(std::span<const workload::WorkRun> runs, const Prices& prices) {
  SimTime sum{};
  for (const workload::WorkRun& run : runs) sum += run.count * prices.alone[at(run.work)];
  return sum;
}

void account(std::span<const workload::WorkRun> runs, const Prices& prices, Cost& cost) {
  for (const workload::WorkRun& run : runs) {
    const std::size_t work = at(run.work);
    const SimTime time = run.count * prices.alone[work];
    cost.exposed[at(run.part)] += time;
    cost.total[at(run.part)] += time;
    if (!run.is_kernel) continue;
    cost.graded[at(prices.kernels[work].grade)] += time;
    cost.kernels.add(prices.bottlenecks[work], static_cast<double>(run.count));
  }
}

// All work of the stage's compute lane in the pipeline, by part.
Cost pipeline_cost(const StepInput& input, const ComposedStep& step, std::int32_t stage) {
  const std::vector<std::int32_t>& stage_of = input.layout.stage_of_chunk;
  const timeline::PipelineTimes& pipeline = step.pipeline;
  Cost cost;
  for (const ChunkId chunk : ids<ChunkId>(length_of(step.chunks))) {
    const ChunkCost& passes = step.chunks[at(chunk)];
    if (stage_of[at(chunk)] != stage) continue;
    const PassCounts counts = passes_in_step(input.work, input.layout, pipeline, input.microbatches(), chunk);
    for (const PassKind kind : pass_kinds)
      if (const std::int64_t count = counts[at(kind)]; count != 0) cost.add(passes[kind], count);
    cost.total[at(TimeCategory::zero_comm)] += step.gathers[at(chunk)].alone;
  }
  for (std::int32_t pair = 0; pair < static_cast<std::int32_t>(step.pairs.size()); ++pair)
    if (stage_of[at(chunks_of_pair(input.layout, pair).forward)] == stage)
      cost.add(step.pairs[at(pair)], pipeline.pairs[at(pair)]);
  return cost;
}

void time_passes(const StepInput& input, const ComposedStep& step, PassTimes& out) {
  const std::size_t chunks = step.chunks.size();
  out.chunks.resize(chunks);
  out.data.resize(chunks);
  const bool whole = input.work.backwards == workload::Backward::whole;
  for (std::size_t i = 0; i < chunks; ++i) {
    if (step.chunks.is_repeat(i)) {
      out.chunks[i] = out.chunks[i - 1], out.data[i] = out.data[i - 1];
      out.chunks[i].gathered = step.gathers[i].gathered;
      continue;
    }
    const ChunkCost& cost = step.chunks[i];
    out.chunks[i] = {.forward = cost[PassKind::forward].time,
                     .backward_input = cost[whole ? PassKind::backward : PassKind::input_gradients].time,
                     .backward_weight = cost[PassKind::weight_gradients].time,
                     .gathered = step.gathers[i].gathered,
                     .last_backward = cost[PassKind::last_backward].time,
                     .whole_backward = cost[PassKind::backward].time,
                     .first_forward = cost[PassKind::first_forward].time};
    out.data[i] = cost.data;
  }
  out.pairs.clear();
  for (const Cost& pair : step.pairs) out.pairs.push_back(pair.time);
}

// The earliest time at which the first forward can reach a stage: after one forward of every chunk before
// it. A blocking transfer is already part of the stage's own time.
SimTime earliest_start(const StepInput& input, const PassTimes& passes, std::int32_t stage) {
  SimTime start{}, last_hop{};
  for (std::size_t chunk = 0; input.layout.stage_of_chunk[chunk] != stage; ++chunk) {
    last_hop = input.prices.hop_forward[chunk];
    start += passes.chunks[chunk].forward + last_hop;
  }
  return input.config.overlap.pipeline ? start : start - last_hop;
}

// Records to make of a pipeline while it runs, where not null.
struct Notes {
  std::vector<timeline::PlacedTask>* placed = nullptr;
  timeline::Trail* trail = nullptr;
};

timeline::Hops hops_of(const StepInput& input) {
  return {input.prices.hop_forward, input.prices.hop_backward, input.config.overlap.pipeline};
}

void run_pipeline(const StepInput& input, const PassTimes& passes, timeline::PipelineScratch& scratch,
                  timeline::PipelineTimes& out, const Notes& notes = {}) {
  timeline::compose_pipeline(input.shape(), input.schedule, passes.chunks, hops_of(input), passes.data,
                             scratch, out, notes.placed, passes.pairs, notes.trail);
}

// Composes what follows the pipeline; fills all of StepOutcome but `cost`.
StepOutcome end_of_step(const StepInput& input, const PassTimes& passes,
                        const timeline::PipelineTimes& pipeline) {
  const workload::StepTail& tail = input.work.tail;
  StepOutcome out;
  SimTime agreed{-1}, updates{-1}, longest_turn{-1};
  StageId turning_stage;
  for (const StageId stage : ids<StageId>(input.config.degrees.pipeline)) {
    const timeline::StageTimes& times = pipeline.stages[at(stage)];
    const TailTimes own{sum_of(tail.gradients.row(stage), input.prices),
                        sum_of(tail.grad_norm.row(stage), input.prices),
                        sum_of(tail.update.row(stage), input.prices)};
    const SimTime done = std::max(times.compute_end, times.data_end) + own.gradients + own.grad_norm;
    if (done > agreed) agreed = done, out.end.last_stage = stage;
    if (own.update > updates) updates = own.update, out.end.update_stage = stage;
    const SimTime turn = done + own.update - earliest_start(input, passes, stage.index());
    if (turn > longest_turn) longest_turn = turn, turning_stage = stage;
    const SimTime work = times.busy + own.gradients + own.grad_norm + own.update;
    if (work > out.busiest) {
      out.busiest = work;
      out.critical_stage = stage.index();
    }
  }
  const bool go_on = stages_go_on(input);
  out.step = (go_on ? longest_turn : agreed + updates) + host_of_step(input.framework, tail);
  if (go_on) out.end = {turning_stage, StageId::none()};
  return out;
}

// Splits the time of the busiest stage by part.
void account_step(const StepInput& input, const ComposedStep& composed, StepOutcome& out) {
  const workload::StepTail& tail = input.work.tail;
  const timeline::StageTimes& times = composed.pipeline.stages[at(out.critical_stage)];
  Cost& cost = out.cost = pipeline_cost(input, composed, out.critical_stage);
  cost.time = out.step;
  account(tail.gradients.row(out.critical_stage), input.prices, cost);
  account(tail.grad_norm.row(out.critical_stage), input.prices, cost);
  account(tail.update.row(out.critical_stage), input.prices, cost);
  const auto part = [&cost](TimeCategory p) -> SimTime& { return cost.exposed[at(p)]; };
  part(TimeCategory::pp_comm) += times.hop_wait;
  cost.total[at(TimeCategory::pp_comm)] += times.hop_wait;
  part(input.config.zero == training::ZeroStage::none ? TimeCategory::dp_comm : TimeCategory::zero_comm) +=
      std::max(SimTime::zero(), times.data_end - times.compute_end);
  part(TimeCategory::zero_comm) += times.gather_wait;
  part(TimeCategory::other) += host_of_step(input.framework, tail);
  SimTime explained{};
  for (const SimTime exposed : cost.exposed) explained += exposed;
  part(TimeCategory::bubble) +=
      out.step - explained;  // waiting for other stages; never negative (checked with the report)
}

}  // namespace

// Under zero-bubble schedules stages do not wait for each other at the gradient norm: a stage updates and
// continues, and rolls back in the rare step whose norm turns out to be bad (Qi et al. 2023, section 4,
// optimizer post-validation). Their steps then follow each other stage by stage, at a distance of the
// longest turn of one stage. Without post-validation stages wait as under all other schedules.
bool stages_go_on(const StepInput& input) {
  return input.schedule.splits_backward && input.config.recipe.post_validation;
}

SimTime step_of(const StepInput& input, const PassTimes& passes, timeline::PipelineScratch& scratch,
                timeline::PipelineTimes& pipeline) {
  run_pipeline(input, passes, scratch, pipeline);
  return end_of_step(input, passes, pipeline).step;
}

void compose(const StepInput& input, Slowdown slowdown, ComposeScratch& scratch, ComposedStep& out,
             std::vector<timeline::PlacedTask>* placed) {
  compose_chunks(input, slowdown, scratch.block, out);
  time_passes(input, out, out.passes);
  scratch.pipelines.forget_run();
  timeline::Trail* const trail = slowdown == Slowdown::off ? nullptr : &scratch.trail;
  run_pipeline(input, out.passes, scratch.pipeline, out.pipeline, {.placed = placed, .trail = trail});
  out.outcome = end_of_step(input, out.passes, out.pipeline);
  account_step(input, out, out.outcome);
}

namespace {

// Pipelines whose durations are all equal are run once.
class Cases {
 public:
  Cases(const StepInput& input, ComposeScratch& scratch, ComposedStep& out)
      : input_(input), scratch_(scratch), out_(out) {}

  void add(Slowdown slowdown) {
    time_chunks(input_, slowdown, scratch_.block, out_, scratch_.blocks);
    time_passes(input_, out_, scratch_.earlier[count_++].passes);
  }
  // `out` becomes what it says, but for the pipeline.
  void add_last(Slowdown slowdown) {
    compose_chunks(input_, slowdown, scratch_.block, out_, &scratch_.blocks);
    time_passes(input_, out_, out_.passes);
    ++count_;
  }

  // The steps of all cases in the order in which they were added; out.pipeline is the last one's.
  std::array<SimTime, timeline::most_cases> run() {
    std::array<SimTime, timeline::most_cases> steps{};
    const std::size_t last = count_ - 1;
    std::array<bool, timeline::most_cases> is_last{};
    std::array<timeline::PipelineCase, timeline::most_cases> cases;
    std::size_t to_run = 0;
    for (std::size_t i = 0; i < last; ++i) {
      is_last[i] = scratch_.earlier[i].passes == out_.passes;
      if (!is_last[i]) cases[to_run++] = case_of(scratch_.earlier[i].passes, scratch_.earlier[i].pipeline);
    }
    cases[to_run++] = case_of(out_.passes, out_.pipeline);
    run({cases.data(), to_run});
    out_.outcome = end_of_step(input_, out_.passes, out_.pipeline);
    for (std::size_t i = 0; i < last; ++i)
      steps[i] = is_last[i]
                     ? out_.outcome.step
                     : end_of_step(input_, scratch_.earlier[i].passes, scratch_.earlier[i].pipeline).step;
    steps[last] = out_.outcome.step;
    return steps;
  }

 private:
  static timeline::PipelineCase case_of(const PassTimes& passes, timeline::PipelineTimes& out) {
    return {.times = passes.chunks, .data = passes.data, .pairs = passes.pairs, .out = &out};
  }
  void run(std::span<const timeline::PipelineCase> cases) {
    scratch_.pipelines.run(input_.shape(), input_.schedule, cases, hops_of(input_), scratch_.pipeline,
                           scratch_.trail);
  }

  const StepInput& input_;
  ComposeScratch& scratch_;
  ComposedStep& out_;
  std::size_t count_ = 0;
};

}  // namespace

SlowedSteps compose_slowed(const StepInput& input, bool collectives_slow, ComposeScratch& scratch,
                           ComposedStep& out) {
  scratch.blocks.look_up(input);
  const bool slow_each_other = collectives_slow && scratch.blocks.collectives_contend(input, scratch.block);
  Cases cases(input, scratch, out);
  cases.add(Slowdown::off);
  if (slow_each_other) cases.add(Slowdown::apart);
  cases.add_last(slow_each_other ? Slowdown::on : Slowdown::apart);
  const auto steps = cases.run();
  account_step(input, out, out.outcome);
  return {.unslowed = steps[0], .apart = steps[1]};
}

}  // namespace echo::simulate
