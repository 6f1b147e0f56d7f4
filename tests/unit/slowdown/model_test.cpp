#include "slowdown/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::slowdown {
namespace {

constexpr Machine a100{.sm_count = 108, .memory_bandwidth = 2.039e12};

ops::KernelPrice compute_bound_gemm() { return {.sm_share = 1.0, .memory_share = 0.2, .compute_bound = 1.0}; }
ops::KernelPrice memory_bound_norm() { return {.sm_share = 1.0, .memory_share = 0.85, .compute_bound = 0.0}; }
ops::CollectiveEstimate collective(std::int32_t channels, double memory_rate) {
  return {.channels = channels, .memory_rate = memory_rate};
}

TEST(Contention, ComputeBoundKernelLosesTheSharesOfItsSms) {
  const Factors factors = predict(Contention{}, compute_bound_gemm(), collective(27, 1e9), a100);
  EXPECT_DOUBLE_EQ(factors.kernel, 108.0 / (108.0 - 27.0));
  EXPECT_DOUBLE_EQ(factors.collective, 1.0);  // demand fits: 0.2 + 0.0005 of peak
}

TEST(Contention, MemoryBoundKernelLosesBandwidthNotSms) {
  const double demand = 0.3;
  const Factors factors = predict(Contention{}, memory_bound_norm(), collective(24, demand * 2.039e12), a100);
  EXPECT_NEAR(factors.kernel, (0.85 + demand) / 0.9, 1e-12);
  EXPECT_DOUBLE_EQ(factors.kernel, factors.collective);
  EXPECT_DOUBLE_EQ(predict(Contention{}, memory_bound_norm(), collective(24, 0.0), a100).kernel, 1.0);
}

TEST(Contention, KernelThatLeavesSmsFreeLosesNoneOfItsOwn) {
  auto small = compute_bound_gemm();
  small.sm_share = 0.5;
  EXPECT_DOUBLE_EQ(predict(Contention{}, small, collective(32, 0.0), a100).kernel, 1.0);
}

TEST(Contention, CollectiveWithoutChannelsSharesMemoryAlone) {
  const Contention waits{.collective_floor = 0.1};
  EXPECT_EQ(predict(waits, compute_bound_gemm(), collective(0, 0.5 * 2.039e12), a100), Factors{});
  const Factors factors = predict(waits, memory_bound_norm(), collective(0, 0.5 * 2.039e12), a100);
  EXPECT_NEAR(factors.kernel, (0.85 + 0.5) / 0.9, 1e-12);
  EXPECT_DOUBLE_EQ(factors.collective, factors.kernel);
}

TEST(Contention, CollectiveThatTakesNothingSlowsNothing) {
  EXPECT_EQ(predict(Contention{.collective_floor = 0.1}, memory_bound_norm(), collective(0, 0.0), a100),
            Factors{});
  EXPECT_EQ(predict(Contention{}, memory_bound_norm(), collective(0, 0.0), Machine{}), Factors{});
}

// A kernel that wants for neither SMs nor bandwidth waits longer for memory, the more moves beside it.
TEST(Contention, LatencyGrowsWithLoad) {
  const ops::KernelPrice two_blocks{.sm_share = 0.02, .memory_share = 0.01, .by_memory = 1.0};
  const Contention model{.latency_under_load = 3.0};
  const auto beside = [&](double share) {
    return predict(model, two_blocks, collective(24, share * 2.039e12), a100).kernel;
  };
  for (const double share : {0.05, 0.1, 0.5, 0.95}) EXPECT_NEAR(beside(share), 1.0 + 3.0 * share, 1e-12);
  EXPECT_DOUBLE_EQ(beside(1.5), beside(1.0));  // there is no more bandwidth
  EXPECT_DOUBLE_EQ(
      predict(Contention{.latency_under_load = 0.0}, two_blocks, collective(24, 1e12), a100).kernel, 1.0);
}

TEST(Contention, LongerOfTheTwoWaitsForMemoryCounts) {
  auto kernel = memory_bound_norm();
  kernel.by_memory = 1.0;
  const auto comm = collective(24, 0.3 * 2.039e12);
  EXPECT_NEAR(predict(Contention{.latency_under_load = 0.1}, kernel, comm, a100).kernel, 1.15 / 0.9, 1e-12);
  EXPECT_NEAR(predict(Contention{.latency_under_load = 2.0}, kernel, comm, a100).kernel, 1.0 + 2.0 * 0.3,
              1e-12);
}

TEST(Contention, WaitIsCountedAsLoadOnlyWhereItIsTheLonger) {
  auto kernel = memory_bound_norm();
  kernel.by_memory = 1.0;
  const auto comm = collective(24, 0.3 * 2.039e12);
  EXPECT_EQ(predict(Contention{.latency_under_load = 0.1}, kernel, comm, a100).load, 0.0);
  EXPECT_NEAR(predict(Contention{.latency_under_load = 2.0}, kernel, comm, a100).load, 2.0 * 0.3, 1e-12);
}

TEST(Contention, ProductFeelsLoadAsFarAsMemoryBoundsIt) {
  auto product = compute_bound_gemm();
  product.by_memory = 0.1;
  EXPECT_NEAR(
      predict(Contention{.latency_under_load = 3.0}, product, collective(0, 0.5 * 2.039e12), a100).kernel,
      1.15, 1e-12);
}

// Blocks of one length go, in order, to the SM that is free first.
double finish_of(std::int32_t blocks, std::int32_t sms) {
  std::vector<std::int32_t> free_at(static_cast<std::size_t>(sms), 0);
  for (std::int32_t i = 0; i < blocks; ++i) ++*std::min_element(free_at.begin(), free_at.end());
  return *std::max_element(free_at.begin(), free_at.end());
}

TEST(Contention, WholeRoundsAreThoseOfBlocksDealtOneByOne) {
  auto kernel = compute_bound_gemm();
  kernel.memory_share = 0.0, kernel.wave_loss = 1.0;
  for (std::uint64_t key = 0; key < 300; ++key) {
    const auto blocks = 1 + static_cast<std::int32_t>(draw(2, key, 0) % 700);
    const auto channels = static_cast<std::int32_t>(draw(2, key, 1) % 40);
    kernel.blocks = blocks;
    EXPECT_DOUBLE_EQ(predict(Contention{}, kernel, collective(channels, 1.0), a100).kernel,
                     finish_of(blocks, 108 - channels) / finish_of(blocks, 108))
        << blocks << " blocks, " << channels << " channels";
  }
}

TEST(Contention, UnequalBlocksLieBetweenWholeRoundsAndEvenShares) {
  auto kernel = compute_bound_gemm();
  kernel.blocks = 108.0;  // one round
  const auto stretch = [&](double wave_loss) {
    kernel.wave_loss = wave_loss;
    return predict(Contention{}, kernel, collective(24, 0.0), a100).kernel;
  };
  EXPECT_DOUBLE_EQ(stretch(0.0), 108.0 / 84.0);
  EXPECT_DOUBLE_EQ(stretch(0.5), 0.5 * 108.0 / 84.0 + 1.0);
  EXPECT_DOUBLE_EQ(stretch(1.0), 2.0);
}

TEST(Contention, ManyRoundsComeToEvenShares) {
  auto kernel = compute_bound_gemm();
  kernel.wave_loss = 1.0, kernel.blocks = 108.0 * 1000;
  EXPECT_NEAR(predict(Contention{}, kernel, collective(24, 0.0), a100).kernel, 108.0 / 84.0, 1e-3);
}

TEST(Contention, CollectiveFloorActsBesideAFullGpuOnly) {
  const Contention model{.collective_floor = 0.1};
  EXPECT_DOUBLE_EQ(predict(model, compute_bound_gemm(), collective(4, 0.0), a100).collective, 1.1);
  EXPECT_DOUBLE_EQ(predict(model, {.sm_share = 0.0}, collective(4, 0.0), a100).collective, 1.0);
}

TEST(Contention, MoreChannelsThanSmsLeaveOneSm) {
  EXPECT_DOUBLE_EQ(predict(Contention{}, compute_bound_gemm(), collective(500, 0.0), a100).kernel, 108.0);
}

TEST(Contention, RefusesAMachineWithoutSms) {
  EXPECT_THROW(static_cast<void>(predict(Contention{}, compute_bound_gemm(), collective(1, 0.0), Machine{})),
               ContractViolation);
}

TEST(NoSlowdown, IsOneForEveryPair) {
  EXPECT_EQ(predict(NoSlowdown{}, compute_bound_gemm(), collective(32, 2e12), a100), Factors{});
  EXPECT_EQ(predict(NoSlowdown{}, memory_bound_norm(), collective(32, 2e12), Machine{}), Factors{});
}

// A seeded pair, and the same pair asking for more of one thing.
ops::KernelPrice drawn_kernel(std::uint64_t key) {
  const bool in_rounds = draw(1, key, 9) % 2 == 1;
  return {.sm_share = draw_unit(1, key, 0),
          .memory_share = draw_unit(1, key, 1),
          .compute_bound = draw_unit(1, key, 2),
          .blocks = in_rounds ? 1.0 + static_cast<double>(draw(1, key, 10) % 600) : 0.0,
          .wave_loss = draw_unit(1, key, 11),
          .by_memory = draw_unit(1, key, 12)};
}
ops::CollectiveEstimate drawn_collective(std::uint64_t key) {
  return collective(static_cast<std::int32_t>(draw(1, key, 3) % 64), 3e12 * draw_unit(1, key, 4));
}

constexpr Contention loaded{.latency_under_load = 3.6};

TEST(Contention, FactorsAreAtLeastOneAndMonotoneInChannelsAndDemand) {
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const auto kernel = drawn_kernel(key);
    const auto comm = drawn_collective(key);
    const Factors base = predict(loaded, kernel, comm, a100);
    ASSERT_GE(base.kernel, 1.0) << key;
    ASSERT_GE(base.collective, 1.0) << key;
    ASSERT_TRUE(std::isfinite(base.kernel) && std::isfinite(base.collective)) << key;

    auto wider = comm, hungrier = comm;
    wider.channels += 1 + static_cast<std::int32_t>(draw(1, key, 5) % 16);
    hungrier.memory_rate *= 1.0 + draw_unit(1, key, 6);
    auto busier = kernel, fuller = kernel, waiter = kernel;
    waiter.by_memory += draw_unit(1, key, 13) * (1.0 - waiter.by_memory);
    busier.memory_share += draw_unit(1, key, 7) * (1.0 - busier.memory_share);
    fuller.sm_share += draw_unit(1, key, 8) * (1.0 - fuller.sm_share);
    for (const Factors more : {predict(loaded, kernel, wider, a100), predict(loaded, kernel, hungrier, a100),
                               predict(loaded, busier, comm, a100), predict(loaded, waiter, comm, a100),
                               predict(loaded, fuller, comm, a100)}) {
      ASSERT_GE(more.kernel, base.kernel) << key;
      ASSERT_GE(more.collective, base.collective) << key;
    }
  }
}

TEST(FillTable, IsRowMajorAndEqualsPredict) {
  const std::vector kernels{compute_bound_gemm(), memory_bound_norm()};
  const std::vector collectives{collective(2, 1e11), collective(16, 6e11), collective(32, 1e12)};
  std::vector<double> kernel_factor{9.0}, collective_factor(40, 9.0);  // leftovers of an earlier call
  std::vector<double> load_loss{9.0};
  fill_table(loaded, kernels, collectives, a100, {kernel_factor, collective_factor, load_loss});
  ASSERT_EQ(kernel_factor.size(), 6U);
  ASSERT_EQ(collective_factor.size(), 6U);
  ASSERT_EQ(load_loss.size(), 6U);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Factors one = predict(loaded, kernels[k], collectives[c], a100);
      EXPECT_EQ(kernel_factor[k * 3 + c], one.kernel);
      EXPECT_EQ(collective_factor[k * 3 + c], one.collective);
      EXPECT_EQ(load_loss[k * 3 + c], one.load);
    }
  }
}

}  // namespace
}  // namespace echo::slowdown
