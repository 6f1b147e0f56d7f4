// The 90th percentile of a step against a Monte Carlo run of its two factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/counter_rng.hpp"
#include "simulate/report/robust_step.hpp"

namespace echo::simulate {
namespace {

double normal(std::uint64_t seed, std::uint64_t draw, std::uint64_t n) {
  const double u = draw_unit(seed, draw, 2 * n), v = draw_unit(seed, draw, 2 * n + 1);
  return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(2.0 * std::numbers::pi * v);
}

// Student's t as it is defined: a normal variable over the root of the mean of four squared ones.
double student(std::uint64_t seed, std::uint64_t draw) {
  double squares = 0.0;
  for (std::uint64_t n = 1; n <= 4; ++n) squares += std::pow(normal(seed, draw, n), 2.0);
  return normal(seed, draw, 0) / std::sqrt(squares / 4.0);
}

// Steps of 1 s that GPUs of unequal speed make longer by up to `spread`.
std::vector<SimTime> drawn_steps(std::uint64_t seed, int draws, double spread) {
  std::vector<SimTime> drawn;
  for (int i = 0; i < draws; ++i)
    drawn.push_back(from_seconds(1.0 + spread * draw_unit(seed, static_cast<std::uint64_t>(i), 99)));
  std::ranges::sort(drawn);
  return drawn;
}

TEST(RobustStep, IsTheNinetiethPercentileOfDrawsTimesErrors) {
  constexpr std::uint64_t trials = 100'000;
  constexpr double t90 = 1.5332062740589438;  // of four degrees of freedom: any table of Student's t
  std::uint64_t seed = 1;
  for (const double error : {0.02, 0.10, 0.25}) {
    for (const double spread : {0.0, 0.01, 0.10, 1.0}) {
      for (const int draws : {1, 7, 64}) {
        ++seed;
        const auto drawn = drawn_steps(seed, draws, spread);
        const double p90 = to_seconds(robust_step(drawn.front(), drawn, error));
        std::uint64_t below = 0;
        for (std::uint64_t i = 0; i < trials; ++i) {
          const auto which = static_cast<std::size_t>(draw_unit(seed, i, 50) * draws);
          below += to_seconds(drawn[which]) * std::exp(student(seed, i) * error / t90) <= p90;
        }
        const double share = static_cast<double>(below) / trials;
        EXPECT_NEAR(share, 0.9, 4.0 * std::sqrt(0.09 / trials)) << error << " " << spread << " " << draws;
      }
    }
  }
}

TEST(RobustStep, WithoutDrawsIsThatOfTheErrorAndGrowsWithIt) {
  const SimTime step = from_seconds(2.0);
  EXPECT_EQ(robust_step(step, {}, 0.0), step);
  EXPECT_NEAR(to_seconds(robust_step(step, {}, 0.2)), 2.0 * std::exp(0.2), 1e-11);
  // A row known to +-8 % before one that is 5 % faster and known to +-20 %.
  EXPECT_LT(robust_step(step, {}, 0.08), robust_step(from_seconds(1.9), {}, 0.20));
}

TEST(RobustStep, LiesBetweenThatOfTheShortestDrawAndThatOfTheLongest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto drawn = drawn_steps(seed, 20, 0.05);
    for (const double error : {0.01, 0.05, 0.2}) {
      const SimTime p90 = robust_step(from_seconds(1.0), drawn, error);
      EXPECT_GE(p90, robust_step(drawn.front(), {}, error));
      EXPECT_LE(p90, robust_step(drawn.back(), {}, error));
    }
    EXPECT_EQ(robust_step(from_seconds(1.0), drawn, 0.0), drawn[17]);
  }
}

}  // namespace
}  // namespace echo::simulate
