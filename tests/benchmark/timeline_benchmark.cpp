// Timeline: ns per op of block composition, ns per task of the plain pipeline loop, us per call with the
// steady state skipped. Reported, never judged.
#include <benchmark/benchmark.h>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "timeline/block/block.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {
namespace {

const Schedule& schedule(std::string_view name) {
  return *schedule_table()[at(find_named(schedule_table(), name))];
}

// A transformer backward pass as Megatron runs it: per layer 10 kernels, 2 collectives the kernels wait for,
// 1 data transfer beside them.
void block_ops(benchmark::State& state) {
  const bool slowed = state.range(0) != 0, shared = state.range(0) == 2;
  constexpr std::int32_t layers = 24, kernels = 10, collectives = 3;
  std::vector<Lane> lane;
  std::vector<TimeCategory> part;
  std::vector<WorkId> work;
  Csr<OpId> needs;
  const auto add = [&](Lane l, TimeCategory p, std::int32_t w, OpId need) {
    lane.push_back(l), part.push_back(p), work.push_back(WorkId(w));
    if (!need.is_none()) needs.push(need);
    needs.close_row();
    return OpId(length_of(lane) - 1);
  };
  for (std::int32_t layer = 0; layer < layers; ++layer) {
    OpId last;
    for (std::int32_t k = 0; k < kernels; ++k) {
      const OpId kernel = add(Lane::compute, TimeCategory::backward, k, last);
      last = k == 4 || k == 9 ? add(Lane::tensor, TimeCategory::tp_comm, kernels + (k == 9), kernel)
                              : OpId::none();
    }
    add(Lane::data, TimeCategory::dp_comm, kernels + 2, OpId(length_of(lane) - 2));
  }
  std::vector<SimTime> alone;
  for (std::int32_t i = 0; i < kernels + collectives; ++i) alone.emplace_back(1'000'000 + 100'000 * i);
  alone.back() *= 8;
  std::vector<double> kernel_factor, collective_factor;
  for (std::int32_t i = 0; slowed && i < kernels * collectives; ++i) {
    kernel_factor.push_back(1.0 + draw_unit(1, 1, static_cast<std::uint64_t>(i)));
    collective_factor.push_back(1.0 + draw_unit(1, 2, static_cast<std::uint64_t>(i)));
  }
  std::vector<double> scale_up_loss, scale_out_loss;
  for (std::int32_t i = 0; shared && i < collectives * collectives; ++i) {
    scale_up_loss.push_back(0.5 * draw_unit(1, 3, static_cast<std::uint64_t>(i)));
    scale_out_loss.push_back(0.5 * draw_unit(1, 4, static_cast<std::uint64_t>(i)));
  }
  const FactorTable factors{kernels,           collectives,   kernel_factor,
                            collective_factor, scale_up_loss, scale_out_loss};
  BlockScratchData scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(compose_block({lane, part, work, &needs}, alone, factors, scratch));
  }
  state.counters["ns_per_op"] =
      benchmark::Counter(1e-9 * static_cast<double>(lane.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
// 2: collectives slow each other too.
BENCHMARK(block_ops)->ArgName("slowed")->Arg(0)->Arg(1)->Arg(2);

// Stages differ by a percent or so, the last one more, as layers, embedding and loss make them.
struct Pipeline {
  Pipeline(const Schedule& plan, std::int32_t p, std::int32_t v, std::int32_t m) {
    stage_of.resize(at(p * v));
    plan.place(p, p * v, stage_of);
    shape = {p, p * v, m, stage_of};
    shape.copies = plan.copies;
    for (std::int32_t c = 0; c < p * v; ++c) {
      const std::int64_t extra = c == 0 ? 20'000'000 : c == p * v - 1 ? 90'000'000 : 0;
      const SimTime forward(1'000'000'000 + extra), backward(2'000'000'000 + 2 * extra);
      times.push_back({forward, backward / 2, backward / 2, forward * 2, backward * 2, backward});
    }
    hop.assign(stage_of.size() - 1, SimTime(30'000'000));
  }
  std::vector<std::int32_t> stage_of;
  std::vector<ChunkTimes> times;
  std::vector<SimTime> hop;
  PipelineShape shape;
};

void run(benchmark::State& state, const char* name, bool plain) {
  Schedule plan = schedule(name);
  if (plain) plan.steady = nullptr;
  const auto p = static_cast<std::int32_t>(state.range(0)), v = static_cast<std::int32_t>(state.range(1)),
             m = static_cast<std::int32_t>(state.range(2));
  const Pipeline line(plan, p, v, m);
  const Hops hops{line.hop, line.hop, state.range(3) != 0};
  PipelineScratch scratch;
  PipelineTimes out;
  for (auto _ : state) {
    compose_pipeline(line.shape, plan, line.times, hops, {}, scratch, out);
    benchmark::DoNotOptimize(out.end);
  }
  state.counters["ns_per_task"] = benchmark::Counter(
      2e-9 * p * v * m, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void pipeline_plain(benchmark::State& state, const char* name) { run(state, name, true); }
void pipeline(benchmark::State& state, const char* name) { run(state, name, false); }

const std::vector<std::string> axes{"p", "v", "m", "overlapped"};
BENCHMARK_CAPTURE(pipeline_plain, one_f_one_b, "1f1b")
    ->ArgNames(axes)
    ->ArgsProduct({{4, 16}, {1}, {64, 256, 1536}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pipeline_plain, gpipe, "gpipe")
    ->ArgNames(axes)
    ->ArgsProduct({{16}, {1}, {256}, {0}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pipeline_plain, interleaved, "interleaved")
    ->ArgNames(axes)
    ->ArgsProduct({{4, 16}, {2, 6}, {256}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pipeline, one_f_one_b, "1f1b")
    ->ArgNames(axes)
    ->ArgsProduct({{1, 4, 16, 32}, {1}, {64, 256, 1536}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pipeline, interleaved, "interleaved")
    ->ArgNames(axes)
    ->ArgsProduct({{4, 16}, {2, 6}, {64, 256, 1536}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

// Every schedule in the table, planning included: what one composition costs by stages and microbatches.
void every_schedule(benchmark::State& state, const Schedule* plan) {
  const auto p = static_cast<std::int32_t>(state.range(0)), m = static_cast<std::int32_t>(state.range(1));
  const Pipeline line(*plan, p, plan->interleaves ? 2 : 1, m);
  if (plan->refuses(line.shape)) return state.SkipWithError("not admitted");
  PipelineScratch scratch;
  PipelineTimes out;
  for (auto _ : state) {
    compose_pipeline(line.shape, *plan, line.times, {line.hop, line.hop, true}, {}, scratch, out);
    benchmark::DoNotOptimize(out.end);
  }
}

const bool registered = [] {
  for (const Schedule* plan : schedule_table()) {
    benchmark::RegisterBenchmark((std::string("every_schedule/") + plan->name).c_str(), every_schedule, plan)
        ->ArgNames({"p", "m"})
        ->ArgsProduct({{4, 8, 16, 32, 64}, {64, 512}})
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace echo::timeline
