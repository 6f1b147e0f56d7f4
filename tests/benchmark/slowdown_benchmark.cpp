// Cost of one pair of kernel and collective, by kind of model, from its flat bytes and from the model itself;
// and of training on as many rows as a measured dataset has.
#include <benchmark/benchmark.h>

#include <cmath>

#include "learn/fit/booster.hpp"
#include "learn/fit/fit.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model.hpp"
#include "tests/support/sample_learned.hpp"
#include "tests/support/sample_samples.hpp"

namespace echo::slowdown {
namespace {

using testing::Draws;

struct Pair {
  ops::KernelPrice kernel;
  ops::CollectiveEstimate collective;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> drawn = [] {
    std::vector<Pair> pairs;
    Draws draws(1);
    for (std::int32_t i = 0; i < 1024; ++i) {
      pairs.push_back({testing::sample_kernel(draws), testing::sample_collective(draws)});
      pairs.back().collective.channels += 1;
    }
    return pairs;
  }();
  return drawn;
}

LearnedModel model_of(Regressor residual) {
  LearnedModel model{.name = "benchmark", .base = Base::contention};
  model.ranges.assign(simulator_feature_count, {-1.0, 1.5});
  model.kernel = {residual, {0.05, 1.0}};
  model.collective = model.kernel;
  return model;
}

constexpr auto features = static_cast<std::int32_t>(simulator_feature_count);

Regressor trees(std::int32_t count, std::int32_t depth) {
  Draws draws(2);
  return testing::sample_forest(draws, features, count, depth);
}

Regressor network(std::int32_t width) {
  Draws draws(3);
  return testing::sample_mlp(draws, features, {width, width});
}

// A pair is two evaluations: what the kernel keeps and what the collective keeps.
template <class Predict>
void each_pair(benchmark::State& state, const Predict& predict) {
  std::size_t next = 0;
  for (auto _ : state) {
    const Pair& pair = pairs()[next++ % pairs().size()];
    benchmark::DoNotOptimize(predict(pair.kernel, pair.collective));
  }
}

void from_view(benchmark::State& state, const Regressor& residual) {
  const std::string image = make_image(model_of(residual));
  const LearnedView view(std::as_bytes(std::span(image)));
  each_pair(state, [&](const auto& kernel, const auto& collective) {
    return view.predict(kernel, collective, testing::a100_machine);
  });
  state.counters["bytes"] = static_cast<double>(image.size());
}

void from_model(benchmark::State& state, const Regressor& residual) {
  const LearnedModel model = model_of(residual);
  each_pair(state, [&](const auto& kernel, const auto& collective) {
    return predict(model, kernel, collective, testing::a100_machine);
  });
}

void white_box(benchmark::State& state) {
  each_pair(state, [](const auto& kernel, const auto& collective) {
    return predict(Contention{}, kernel, collective, testing::a100_machine);
  });
}
BENCHMARK(white_box);
BENCHMARK_CAPTURE(from_view, trees_100_depth_4, trees(100, 4));
BENCHMARK_CAPTURE(from_view, trees_100_depth_7, trees(100, 7));
BENCHMARK_CAPTURE(from_view, network_16_16, network(16));
BENCHMARK_CAPTURE(from_view, network_64_64, network(64));
BENCHMARK_CAPTURE(from_model, trees_100_depth_4, trees(100, 4));
BENCHMARK_CAPTURE(from_model, trees_100_depth_7, trees(100, 7));
BENCHMARK_CAPTURE(from_model, network_16_16, network(16));

void train(benchmark::State& state, const learn::Settings& settings) {
  if (std::holds_alternative<learn::TreeSettings>(settings) && !learn::is_built_with_xgboost()) {
    state.SkipWithError("built without xgboost");
    return;
  }
  const learn::Samples samples =
      testing::sample_samples(1, static_cast<std::size_t>(state.range(0)), simulator_feature_count);
  for (auto _ : state) benchmark::DoNotOptimize(learn::fit(samples, settings, {}, 1));
}
BENCHMARK_CAPTURE(train, trees, learn::TreeSettings{})->Arg(600)->Arg(4000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train, network, learn::MlpSettings{})->Arg(600)->Arg(4000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace echo::slowdown
