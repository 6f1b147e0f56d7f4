// Factors kept from point to point are those that the model gives, pair by pair.
#include "simulate/prices/factor_memo.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "simulate/prices/price_work.hpp"
#include "tests/support/learned_image.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using support::random_config;

TEST(FactorMemo, AnswersAsIsAskedAndAsksOnce) {
  FactorMemo memo;
  testing::Draws draws(5);
  std::int64_t asked = 0, pairs = 0;
  std::vector<bool> seen(300 * 300);
  for (int i = 0; i < 200'000; ++i) {
    const std::int32_t kernel = draws.below(300), collective = draws.below(300);
    const auto& factors = memo.find(kernel, collective, [&] {
      ++asked;
      return slowdown::Factors{1.0 + kernel, 1.0 + collective};
    });
    ASSERT_EQ(factors, (slowdown::Factors{1.0 + kernel, 1.0 + collective}));
    const std::size_t pair = at(kernel * 300 + collective);
    pairs += seen[pair] ? 0 : 1;
    seen[pair] = true;
  }
  EXPECT_EQ(asked, pairs);
  EXPECT_EQ(memo.size(), static_cast<std::size_t>(pairs));
}

TEST(FactorMemo, StartsAnewWhereItIsFull) {
  FactorMemo memo;
  constexpr auto more = static_cast<std::int32_t>(FactorMemo::most) + 100'000;
  for (std::int32_t i = 0; i < more; ++i)
    (void)memo.find(i, 7, [&] { return slowdown::Factors{1.0 + i, 2.0}; });
  EXPECT_LE(memo.size(), FactorMemo::most);
  for (std::int32_t i = 0; i < more; i += 1001)
    ASSERT_EQ(memo.find(i, 7, [&] { return slowdown::Factors{1.0 + i, 2.0}; }).kernel, 1.0 + i);
}

// The slow twin: no memo, and every pair asked for.
template <class Model>
void expect_factors_of(const Calibration& calibration, const Model& model) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace warm;
  std::int64_t met = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const training::TrainingConfig c = random_config(seed);
    const StepReport report = simulate(c, catalog, calibration, warm);
    if (report.status != training::Status::ok) continue;
    const machine::GpuSpec& gpu = catalog.gpu(c);
    const Prices& prices = warm.step.prices;
    const std::size_t kernels = prices.kernels.size(), collectives = prices.collectives.size();
    std::vector<bool> meets(kernels * collectives);
    for (std::size_t block = 0; block < static_cast<std::size_t>(warm.step.work.block_count); ++block) {
      const workload::OpGraph& graph = warm.step.work.blocks[block];
      for (std::size_t a = 0; a < graph.work.size(); ++a)
        for (std::size_t b = 0; b < graph.work.size(); ++b)
          if (graph.lane[a] == Lane::compute && graph.lane[b] != Lane::compute)
            meets[at(graph.work[a]) * collectives + at(graph.work[b]) - kernels] = true;
    }
    for (std::size_t k = 0; k < kernels; ++k)
      for (std::size_t other = 0; other < collectives; ++other) {
        const std::size_t pair = k * collectives + other;
        const slowdown::Factors factors =
            meets[pair] ? model(prices.kernels[k], prices.collectives[other],
                                slowdown::Machine{gpu.sm_count, gpu.memory_bandwidth.value})
                        : slowdown::Factors{};
        ASSERT_EQ(prices.kernel_factor[pair], factors.kernel) << "seed " << seed;
        ASSERT_EQ(prices.collective_factor[pair], factors.collective) << "seed " << seed;
        ASSERT_EQ(prices.load_loss.empty() ? factors.load : prices.load_loss[pair], factors.load)
            << "seed " << seed;
        ++all, met += meets[pair];
      }
    Workspace fresh;
    const StepReport again = simulate(c, catalog, calibration, fresh);
    ASSERT_EQ(report.step, again.step) << "seed " << seed;
    ASSERT_EQ(report.exposed, again.exposed) << "seed " << seed;
  }
  EXPECT_GT(met, 1000);
  EXPECT_LT(met, all);
  std::printf("%ld of %ld pairs can meet\n", static_cast<long>(met), static_cast<long>(all));
}

TEST(LearnedFactors, AreThoseOfTheModelForEveryPairThatCanMeet) {
  const testing::LearnedImage image(testing::sample_simulator_model(3));
  Calibration calibration = presets().calibration;
  calibration.learned = image.view();
  expect_factors_of(calibration, [&](const auto& kernel, const auto& collective, const auto& machine) {
    return calibration.learned.predict(kernel, collective, machine);
  });
}

TEST(WhiteBoxFactors, AreThoseOfTheModelForEveryPairThatCanMeet) {
  const Calibration calibration = presets().calibration;
  expect_factors_of(calibration, [&](const auto& kernel, const auto& collective, const auto& machine) {
    return slowdown::predict(calibration.slowdown, kernel, collective, machine);
  });
}

// Whatever stands where no pair can meet, blocks take the same time.
TEST(LearnedFactors, OfPairsThatCannotMeetAreNeverRead) {
  const Catalog catalog = catalog_with_roomy_gpus();
  const testing::LearnedImage image(testing::constant_model(1.25));
  Calibration calibration = presets().calibration;
  calibration.learned = image.view();
  Workspace ws;
  timeline::BlockScratchData scratch;
  std::int64_t changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    if (simulate(random_config(seed), catalog, calibration, ws).status != training::Status::ok) continue;
    Prices other = ws.step.prices;
    for (std::size_t pair = 0; pair < other.meets.size(); ++pair) {
      if (other.meets[pair] != 0) continue;
      other.kernel_factor[pair] = other.collective_factor[pair] = 7.0;
      if (!other.load_loss.empty()) other.load_loss[pair] = 7.0;
      ++changed;
    }
    for (std::size_t block = 0; block < static_cast<std::size_t>(ws.step.work.block_count); ++block) {
      const workload::OpGraph& graph = ws.step.work.blocks[block];
      const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
      ASSERT_EQ(timeline::compose_block(view, other.alone, other.factors(), scratch),
                timeline::compose_block(view, ws.step.prices.alone, ws.step.prices.factors(), scratch))
          << "seed " << seed;
    }
  }
  EXPECT_GT(changed, 1000);
}

}  // namespace
}  // namespace echo::simulate
