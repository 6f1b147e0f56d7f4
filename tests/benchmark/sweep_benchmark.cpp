// Composed points per second of the shipped sweeps, one worker, no MPI and no files. Cold: a new
// workspace for every point. Warm: one workspace for all, as a worker runs. Reported, never judged.
#include <benchmark/benchmark.h>

#include <memory>

#include "config/sweep_file/sweep_file.hpp"
#include "simulate/simulate.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/source_dir.hpp"

namespace echo {
namespace {

struct Points {
  config::SweepInputs inputs;
  std::vector<training::TrainingConfig> composed;  // feasible points, evenly drawn, at most a few thousand
};

const Points& points_of(const std::string& name) {
  static std::vector<std::pair<std::string, std::unique_ptr<Points>>> known;
  for (const auto& [key, points] : known)
    if (key == name) return *points;
  auto points = std::make_unique<Points>();
  points->inputs = config::read_sweep(support::source_dir() + "/sweeps/" + name + ".toml");
  const sweep::DesignSpace space(points->inputs.spec, points->inputs.catalog);
  const sweep::PointIndex stride = space.size() / 20'000 + 1;
  simulate::Workspace ws;
  for (sweep::PointIndex i = 0; i < space.size(); i += stride) {
    const training::TrainingConfig config = space.at(i);
    const auto status =
        simulate::simulate(config, points->inputs.catalog, points->inputs.calibration, ws).status;
    if (status == training::Status::ok) points->composed.push_back(config);
  }
  known.emplace_back(name, std::move(points));
  return *known.back().second;
}

void composed_points(benchmark::State& state, const char* name, bool warm) {
  const Points& points = points_of(name);
  simulate::Workspace kept;
  for (auto _ : state)
    for (const training::TrainingConfig& config : points.composed) {
      if (warm) {
        benchmark::DoNotOptimize(
            simulate::simulate(config, points.inputs.catalog, points.inputs.calibration, kept));
      } else {
        simulate::Workspace fresh;
        benchmark::DoNotOptimize(
            simulate::simulate(config, points.inputs.catalog, points.inputs.calibration, fresh));
      }
    }
  const auto done = static_cast<double>(state.iterations()) * static_cast<double>(points.composed.size());
  state.counters["points_per_second"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["points"] = static_cast<double>(points.composed.size());
}
BENCHMARK_CAPTURE(composed_points, gpt3_175b_96xh800_warm, "gpt3-175b-96xh800", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed_points, gpt3_175b_96xh800_cold, "gpt3-175b-96xh800", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed_points, design_space_warm, "design-space", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed_points, design_space_cold, "design-space", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed_points, moe_layouts_warm, "moe-layouts", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed_points, moe_layouts_cold, "moe-layouts", false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace echo
