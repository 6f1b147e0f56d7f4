// Whole spaces on one worker, rows thrown away: numbering alone; the points that are rejected, by a rule or
// for lack of memory, alone; everything. What precedes a simulated step costs every point as much as a
// rejected one.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"
#include "sweep/run/run_sweep.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/source_dir.hpp"

namespace echo {
namespace {

using sweep::IdRange;
using sweep::PointIndex;

struct ListedRanges : sweep::WorkSource {
  explicit ListedRanges(const std::vector<IdRange>& ranges) : left(ranges) {}
  std::optional<IdRange> claim() override {
    if (left.empty()) return std::nullopt;
    const IdRange first = left.front();
    left = left.subspan(1);
    return first;
  }
  std::span<const IdRange> left;
};

struct NoRows : sweep::RowSink {
  void accept(std::span<const sweep::Row> rows) override { benchmark::DoNotOptimize(rows.data()); }
};

// Stretches of points that have one reason to be rejected.
struct Rejected : sweep::RowSink {
  explicit Rejected(training::Reason wanted) : reason(wanted) {}
  void accept(std::span<const sweep::Row> rows) override {
    for (const sweep::Row& row : rows) {
      if (row.report.reason != reason) continue;
      ++points;
      if (!ranges.empty() && ranges.back().end == row.id) {
        ++ranges.back().end;
      } else {
        ranges.push_back({row.id, row.id + 1});
      }
    }
  }
  training::Reason reason;
  std::int64_t points = 0;
  std::vector<IdRange> ranges;
};

struct Both : sweep::RowSink {
  void accept(std::span<const sweep::Row> rows) override {
    unsupported.accept(rows);
    memory.accept(rows);
  }
  Rejected unsupported{training::Reason::unsupported}, memory{training::Reason::memory};
};

struct AllPoints : sweep::WorkSource {
  explicit AllPoints(PointIndex end) : range{0, end} {}
  std::optional<IdRange> claim() override {
    if (range.begin == range.end) return std::nullopt;
    return std::exchange(range, {range.end, range.end});
  }
  IdRange range;
};

// The others are over a budget of one task: nothing is simulated.
config::SweepInputs inputs_without_work() {
  config::SweepInputs inputs =
      config::read_sweep(support::source_dir() + "/tests/benchmark/spaces/gpt3-1024.toml");
  inputs.spec.run.work_budget = 1;
  return inputs;
}

struct Space {
  Space() : inputs(inputs_without_work()), points(inputs.spec, inputs.catalog) {
    AllPoints all(points.size());
    sweep::run_sweep(points, inputs.catalog, inputs.calibration, all, rejected);
  }
  config::SweepInputs inputs;
  sweep::DesignSpace points;
  Both rejected;
};
const Space& gpt3_1024() {
  static const Space space;
  return space;
}

void rejected_points(benchmark::State& state, Rejected Both::*which) {
  const Space& space = gpt3_1024();
  const Rejected& rejected = space.rejected.*which;
  NoRows sink;
  for (auto _ : state) {
    ListedRanges source(rejected.ranges);
    sweep::run_sweep(space.points, space.inputs.catalog, space.inputs.calibration, source, sink);
  }
  const auto done = static_cast<double>(state.iterations()) * static_cast<double>(rejected.points);
  state.counters["points_per_second"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["points"] = static_cast<double>(rejected.points);
}
BENCHMARK_CAPTURE(rejected_points, unsupported, &Both::unsupported)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rejected_points, memory, &Both::memory)->Unit(benchmark::kMillisecond);

// Numbering the points of the space: the walk that every launch starts with.
void numbered_points(benchmark::State& state) {
  const Space& space = gpt3_1024();
  for (auto _ : state) {
    const sweep::DesignSpace numbered(space.inputs.spec, space.inputs.catalog);
    benchmark::DoNotOptimize(numbered.size());
  }
  const auto done = static_cast<double>(state.iterations()) * static_cast<double>(space.points.size());
  state.counters["points_per_second"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
}
BENCHMARK(numbered_points)->Unit(benchmark::kMillisecond);

// Everything that a worker does but writing rows, numbering included.
void whole_space(benchmark::State& state, const char* file) {
  const config::SweepInputs inputs = config::read_sweep(support::source_dir() + file);
  std::int64_t points = 0;
  NoRows sink;
  for (auto _ : state) {
    const sweep::DesignSpace space(inputs.spec, inputs.catalog);
    AllPoints source(space.size());
    sweep::run_sweep(space, inputs.catalog, inputs.calibration, source, sink);
    points += space.size();
  }
  state.counters["points_per_second"] =
      benchmark::Counter(static_cast<double>(points), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(whole_space, gpt3_1024, "/tests/benchmark/spaces/gpt3-1024.toml")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(whole_space, design_space, "/sweeps/design-space.toml")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace echo
