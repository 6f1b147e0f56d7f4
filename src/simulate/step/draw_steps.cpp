// Stragglers. GPUs of one kind differ: chips reach their power limit at different clocks. Sinha et al. ("Not
// All GPUs Are Created Equal", SC22) measure 8 % between GPUs of a cluster on average, 22 % at most, and
// outliers 1.5 times slower than the median. So each gpu rank draws a factor for its arithmetic (the core
// clock; memory clocks do not vary), and the same rank has the same factor in every config of a sweep.
//
// Which ranks wait for each other. Ranks that communicate in every layer (tensor and context groups, expert
// grids, shard groups of ZeRO-3) run at the pace of their slowest: they form a set. A pipeline runs through
// the sets of the same place on each stage; there are as many pipelines as sets per stage, each with paces
// of its own. All pipelines agree on gradients, so the step of a draw is that of its slowest pipeline. To
// first order a pass at pace F is longer by (F - 1) times the arithmetic on its own critical path, which the
// paths of its blocks contain (timeline::BlockPaths).
//
// Which pipelines to compose. With the pace of a pipeline's worst stage on all stages a step is no shorter,
// and it is convex in that one pace, so it lies below its chord between pace 1 and the largest pace of all
// draws. Pipelines are composed by descending worst pace until that bound is no longer than the slowest step
// found. A draw needs between one composition and as many as there are pipelines; usually a handful.
//
// Neglected: that a block at another pace may have another critical path (its true time is no shorter; below
// a few percent it is the same), that collectives then overlap other kernels, that pipelines meet at single
// gradient buckets (the result is a lower bound), optimizer steps at other paces (they are limited by
// memory), and stragglers due to sequence lengths, garbage collection or networks.
#include "simulate/step/draw_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::simulate {

namespace {

// Arithmetic on the critical paths of a step's passes, ps.
class PassArithmetic {
 public:
  PassArithmetic(const workload::Workload& work, const ComposedStep& step) : work_(work), step_(step) {}

  [[nodiscard]] double of_pair(std::int32_t pair) const {
    double sum = step_.pairs[at(pair)].wait_bottleneck[Bottleneck::arithmetic];
    for (const workload::BlockRun& run : work_.pairs.row(pair)) sum += run.count * of_block(run.block);
    return sum;
  }

  [[nodiscard]] ChunkPace of_chunk(ChunkId chunk) const {
    const bool whole = work_.backwards == workload::Backward::whole;
    ChunkPace pace;
    pace.forward = of_pass(PassKind::forward, chunk);
    pace.first_forward = work_.gathers_once ? of_pass(PassKind::first_forward, chunk) : pace.forward;
    pace.whole_backward = of_pass(PassKind::backward, chunk);
    pace.backward_input = whole ? pace.whole_backward : of_pass(PassKind::input_gradients, chunk);
    pace.backward_weight = of_pass(PassKind::weight_gradients, chunk);
    pace.last_backward = work_.backwards == workload::Backward::split
                             ? pace.backward_input + pace.backward_weight
                             : pace.whole_backward;
    if (const BlockId block = own_block(work_, PassKind::last_backward, chunk); !block.is_none()) {
      pace.last_backward = of_pass(PassKind::last_backward, chunk);
      pace.data_start = step_.paths[at(block)].data.start.bottleneck[Bottleneck::arithmetic];
    }
    if (const BlockId block = own_block(work_, PassKind::first_forward, chunk); !block.is_none())
      pace.gathered = of_block(block);
    return pace;
  }

 private:
  [[nodiscard]] double of_block(BlockId block) const {
    return step_.paths[at(block)].makespan.bottleneck[Bottleneck::arithmetic];
  }

  [[nodiscard]] double of_pass(PassKind kind, ChunkId chunk) const {
    double sum = step_.chunks[at(chunk)][kind].wait_bottleneck[Bottleneck::arithmetic];
    each_run(work_, kind, chunk,
             [&](const workload::BlockRun& run) { sum += run.count * of_block(run.block); });
    return sum;
  }

  const workload::Workload& work_;
  const ComposedStep& step_;
};

class Drawer {
 public:
  Drawer(const StepInput& input, const ComposedStep& step, const Skew& skew,
         timeline::PipelineScratch& pipeline, SkewScratch& scratch)
      : input_(input),
        step_(step),
        pipeline_(pipeline),
        draw_(scratch),
        stages_(input.config.degrees.pipeline),
        set_(ranks_in_step(input.config, input.layout)),
        pipelines_(training::gpus_of(input.config.degrees) / stages_ / set_) {
    fill_paces(skew, training::gpus_of(input.config.degrees), draw_.paces);
    draw_.paced = step.passes;
    const PassArithmetic arithmetic(input.work, step);
    draw_.pairs.clear();
    for (std::int32_t pair = 0; pair < static_cast<std::int32_t>(step.pairs.size()); ++pair)
      draw_.pairs.push_back(arithmetic.of_pair(pair));
    draw_.chunks.clear();
    for (const ChunkId chunk : ids<ChunkId>(length_of(step.chunks)))
      draw_.chunks.push_back(arithmetic.of_chunk(chunk));
  }

  std::span<SimTime> run(std::int32_t draws) {
    set_bound();
    draw_.steps.clear();
    for (std::int32_t draw = 0; draw < draws; ++draw) draw_.steps.push_back(step_of(draw));
    std::sort(draw_.steps.begin(), draw_.steps.end());
    return draw_.steps;
  }

 private:
  // The chord below which every step at one pace on all stages lies.
  void set_bound() {
    const PaceTable& paces = draw_.paces;
    most_ = 1.0;
    const std::int32_t gpus = pipelines_ * set_ * stages_;
    for (std::int32_t draw = 0; draw < paces.draws; ++draw) {
      const auto row = paces.pace.begin() + std::int64_t{draw} * paces.gpus;
      most_ = std::max(most_, *std::max_element(row, row + gpus));
    }
    draw_.pace.assign(at(stages_), most_);
    at_most_ = compose();
  }

  [[nodiscard]] SimTime bound(double pace) const {
    const SimTime step = step_.outcome.step;
    if (pace <= 1.0 || most_ <= 1.0) return step;
    return step + scaled(at_most_ - step, (pace - 1.0) / (most_ - 1.0));
  }

  SimTime step_of(std::int32_t draw) {
    pace_sets(draw);
    std::iota(draw_.order.begin(), draw_.order.end(), 0);
    std::sort(draw_.order.begin(), draw_.order.end(), [this](std::int32_t a, std::int32_t b) {
      return draw_.worst[at(a)] != draw_.worst[at(b)] ? draw_.worst[at(a)] > draw_.worst[at(b)] : a < b;
    });
    SimTime slowest{};
    for (const std::int32_t pipeline : draw_.order) {
      if (bound(draw_.worst[at(pipeline)]) <= slowest) break;
      for (std::int32_t stage = 0; stage < stages_; ++stage)
        draw_.pace[at(stage)] = draw_.sets[at(stage * pipelines_ + pipeline)];
      slowest = std::max(slowest, compose());
    }
    return slowest;
  }

  // The pace of every set, and of the slowest set of each pipeline.
  void pace_sets(std::int32_t draw) {
    draw_.sets.resize(at(stages_ * pipelines_));
    draw_.worst.assign(at(pipelines_), 0.0);
    draw_.order.resize(at(pipelines_));
    const double* gpu = draw_.paces.pace.data() + std::int64_t{draw} * draw_.paces.gpus;
    for (std::int32_t i = 0; i < stages_ * pipelines_; ++i, gpu += set_) {
      draw_.sets[at(i)] = *std::max_element(gpu, gpu + set_);
      double& worst = draw_.worst[at(i % pipelines_)];
      worst = std::max(worst, draw_.sets[at(i)]);
    }
  }

  // The step of a pipeline whose stages run at draw_.pace.
  SimTime compose() {
    const std::vector<std::int32_t>& stage_of = input_.layout.stage_of_chunk;
    const std::size_t laps = draw_.pairs.size() / draw_.chunks.size();
    for (std::size_t pair = 0; pair < draw_.pairs.size(); ++pair) {
      const double more = draw_.pace[at(stage_of[pair / laps])] - 1.0;
      draw_.paced.pairs[pair] = step_.passes.pairs[pair] + SimTime(std::llround(more * draw_.pairs[pair]));
    }
    for (std::size_t chunk = 0; chunk < draw_.chunks.size(); ++chunk) {
      const double more = draw_.pace[at(stage_of[chunk])] - 1.0;
      const ChunkPace& pace = draw_.chunks[chunk];
      const auto paced = [more](SimTime time, double arithmetic) {
        return time + SimTime(std::llround(more * arithmetic));
      };
      const timeline::ChunkTimes& is = step_.passes.chunks[chunk];
      draw_.paced.chunks[chunk] = {
          .forward = paced(is.forward, pace.forward),
          .backward_input = paced(is.backward_input, pace.backward_input),
          .backward_weight = paced(is.backward_weight, pace.backward_weight),
          .gathered = is.gathered > SimTime::zero() ? paced(is.gathered, pace.gathered) : SimTime::zero(),
          .last_backward = paced(is.last_backward, pace.last_backward),
          .whole_backward = paced(is.whole_backward, pace.whole_backward),
          .first_forward = paced(is.first_forward, pace.first_forward)};
      draw_.paced.data[chunk].first_start = paced(step_.passes.data[chunk].first_start, pace.data_start);
    }
    return simulate::step_of(input_, draw_.paced, pipeline_, draw_.pipeline);
  }

  const StepInput& input_;
  const ComposedStep& step_;
  timeline::PipelineScratch& pipeline_;
  SkewScratch& draw_;
  const std::int32_t stages_, set_, pipelines_;
  double most_ = 1.0;
  SimTime at_most_{};
};

}  // namespace

void fill_paces(const Skew& skew, std::int32_t gpus, PaceTable& table) {
  if (table.sigma == skew.sigma && table.draws == skew.draws && table.seed == skew.seed && table.gpus >= gpus)
    return;
  table = {.sigma = skew.sigma, .draws = skew.draws, .seed = skew.seed, .gpus = gpus};
  table.pace.reserve(at(skew.draws) * at(gpus));
  for (std::int32_t draw = 0; draw < skew.draws; ++draw)
    for (std::int32_t gpu = 0; gpu < gpus; ++gpu) table.pace.push_back(pace_of(skew, draw, gpu));
}

double pace_of(const Skew& skew, std::int32_t draw, std::int32_t gpu_rank) {
  // Box-Muller transform: 1 - u is never 0.
  const auto key = static_cast<std::uint64_t>(draw);
  const auto rank = static_cast<std::uint64_t>(gpu_rank);
  const double u = draw_unit(skew.seed, key, 2 * rank), v = draw_unit(skew.seed, key, 2 * rank + 1);
  return std::exp(skew.sigma * std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(2.0 * std::numbers::pi * v));
}

std::int32_t ranks_in_step(const training::TrainingConfig& config, const training::RankLayout& layout) {
  std::int32_t set = layout.tensor.ranks * layout.context.ranks;
  set = std::lcm(set, std::max(1, layout.expert_grid.ranks));
  if (config.zero == training::ZeroStage::parameters)
    set = std::lcm(set, layout.tensor.ranks * std::max(1, layout.shard.ranks));
  return set;
}

std::span<SimTime> draw_steps(const StepInput& input, const ComposedStep& step, const Skew& skew,
                              timeline::PipelineScratch& pipeline, SkewScratch& scratch) {
  ECHO_EXPECT(skew.draws >= 1 && skew.sigma >= 0.0);
  return Drawer(input, step, skew, pipeline, scratch).run(skew.draws);
}

}  // namespace echo::simulate
