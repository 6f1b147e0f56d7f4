// What overlap costs to price: the table of a sweep's points, and whole points. Cold: every pair is asked
// for, as the first worker on a new sweep does; warm: factors are kept from point to point. Reported, never
// judged; compare within one run. slowdown_benchmark.cpp times one pair.
#include <benchmark/benchmark.h>

#include <memory>

#include "config/sweep_file/sweep_file.hpp"
#include "simulate/prices/fill_factors.hpp"
#include "simulate/simulate.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/learned_image.hpp"
#include "tests/support/sample_learned.hpp"
#include "tests/support/source_dir.hpp"

namespace echo {
namespace {

constexpr auto features = static_cast<std::int32_t>(slowdown::simulator_feature_count);

slowdown::LearnedModel model_of(slowdown::Regressor residual) {
  slowdown::LearnedModel model{.name = "benchmark", .base = slowdown::Base::contention};
  model.ranges.assign(slowdown::simulator_feature_count, {-30.0, 30.0});
  model.kernel = {.residual = std::move(residual), .seen = {0.2, 1.0}};
  return model;
}

slowdown::Forest trees() {  // 200 of depth 6
  testing::Draws draws(1);
  return testing::sample_forest(draws, features, 200, 6);
}
slowdown::Mlp network() {
  testing::Draws draws(2);
  return testing::sample_mlp(draws, features, {32, 32});
}

const testing::LearnedImage& image(bool of_trees) {
  static const testing::LearnedImage forest(model_of(trees())), mlp(model_of(network()));
  return of_trees ? forest : mlp;
}

enum class Kind { off, white_box, trees, network };

struct Points {
  config::SweepInputs inputs;
  std::vector<training::TrainingConfig> composed;  // neighbours, as a worker claims them
};

const Points& points_of_sweep() {
  static const Points made = [] {
    Points points;
    points.inputs = config::read_sweep(support::source_dir() + "/sweeps/gpt3-175b-96xh800.toml");
    const sweep::DesignSpace space(points.inputs.spec, points.inputs.catalog);
    simulate::Workspace ws;
    for (sweep::PointIndex i = 0; i < space.size() && points.composed.size() < 1000; ++i) {
      const training::TrainingConfig config = space.at(i);
      const auto report = simulate::simulate(config, points.inputs.catalog, points.inputs.calibration, ws);
      if (report.status == training::Status::ok) points.composed.push_back(config);
    }
    return points;
  }();
  return made;
}

simulate::Calibration calibration_with(Kind kind) {
  simulate::Calibration calibration = points_of_sweep().inputs.calibration;
  if (kind == Kind::off) calibration.slowdown = slowdown::NoSlowdown{};
  if (kind == Kind::trees) calibration.learned = image(true).view();
  if (kind == Kind::network) calibration.learned = image(false).view();
  return calibration;
}

// The table of one point: the mean over the sweep's.
void table(benchmark::State& state, Kind kind, bool warm) {
  const Points& points = points_of_sweep();
  const simulate::Calibration calibration = calibration_with(kind);
  simulate::Workspace ws;
  struct Asked {
    workload::Workload work;
    simulate::Prices prices;
    slowdown::Machine machine;
  };
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < points.composed.size(); i += 25) {
    const training::TrainingConfig& config = points.composed[i];
    (void)simulate::simulate(config, points.inputs.catalog, points.inputs.calibration, ws);
    const machine::GpuSpec& gpu = points.inputs.catalog.gpu(config);
    asked.push_back({ws.step.work, ws.step.prices, {gpu.sm_count, gpu.memory_bandwidth.value}});
  }
  simulate::FactorMemo kept;
  double pairs = 0.0, met = 0.0;
  for (auto _ : state) {
    for (Asked& point : asked) {
      if (warm) {
        simulate::fill_factors(calibration, point.machine, point.work, kept, point.prices);
      } else {
        simulate::FactorMemo fresh;
        simulate::fill_factors(calibration, point.machine, point.work, fresh, point.prices);
      }
      benchmark::DoNotOptimize(point.prices.kernel_factor.data());
    }
  }
  for (const Asked& point : asked) {
    pairs += static_cast<double>(point.prices.kernel_factor.size());
    for (const std::uint8_t meets : point.prices.meets) met += meets;
  }
  const auto count = static_cast<double>(asked.size());
  state.counters["seconds_a_point"] =
      benchmark::Counter(count * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["pairs"] = pairs / count;
  state.counters["that_meet"] = met / count;
}
BENCHMARK_CAPTURE(table, white_box, Kind::white_box, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(table, trees_cold, Kind::trees, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(table, trees_warm, Kind::trees, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(table, network_cold, Kind::network, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(table, network_warm, Kind::network, true)->Unit(benchmark::kMicrosecond);

// Points of the sweep in order, with one workspace. First: it is new; a thousand points fill its memos.
void points(benchmark::State& state, Kind kind, bool first) {
  const Points& points = points_of_sweep();
  const simulate::Calibration calibration = calibration_with(kind);
  auto ws = std::make_unique<simulate::Workspace>();
  for (auto _ : state) {
    if (first) ws = std::make_unique<simulate::Workspace>();
    for (const training::TrainingConfig& config : points.composed)
      benchmark::DoNotOptimize(simulate::simulate(config, points.inputs.catalog, calibration, *ws));
  }
  const auto done = static_cast<double>(state.iterations()) * static_cast<double>(points.composed.size());
  state.counters["points_per_second"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["pairs_kept"] = static_cast<double>(ws->memo.factors.size());
}
BENCHMARK_CAPTURE(points, off, Kind::off, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(points, white_box, Kind::white_box, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(points, trees, Kind::trees, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(points, network, Kind::network, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(points, white_box_first, Kind::white_box, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(points, trees_first, Kind::trees, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace echo
