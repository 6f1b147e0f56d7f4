// Runs chosen one by one against all pairs, and expected regrets against the closed form of two rows.
#include "settle/next_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/random_choices.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::settle {
namespace {

double cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); }
// E max(0, N(-gap, s^2)).
double option_value(double gap, double s) { return s * density(gap / s) - gap * cdf(-gap / s); }

// What the runs take off the expected regret, by the matrix and draws of its own.
double slow_gain(const std::vector<Choice>& choices, const std::vector<std::size_t>& runs) {
  const DenseTwin twin(choices, runs);
  const Latent latent(choices);
  constexpr std::uint64_t worlds = 6000;
  double sum = 0.0, before = 1e9;
  for (const Choice& one : choices) before = std::min(before, one.cost);
  for (std::uint64_t world = 0; world < worlds; ++world)
    for (const double mirror : {1.0, -1.0}) {
      std::vector<double> u, shown;
      for (std::size_t v = 0; v < latent.variables(); ++v) u.push_back(mirror * draw_normal(77, world, v));
      for (std::size_t k = 0; k < runs.size(); ++k)
        shown.push_back(latent.error(runs[k], u) +
                        mirror * std::sqrt(choices[runs[k]].noise) * draw_normal(78, world, k));
      const std::vector<double> none(runs.size(), 0.0);
      double least = 1e9;
      for (std::size_t i = 0; i < choices.size(); ++i)
        least = std::min(least, choices[i].cost + twin.shift(i, shown));
      sum += least;
    }
  return before - sum / (2.0 * static_cast<double>(worlds));
}

TEST(NextRuns, TakeOffWhatTheClosedFormOfTwoRowsSays) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<Choice> choices = random_choices(seed, 3);
    choices[2].competes = false;  // it is run, and tells of both
    const DenseTwin twin(choices, {});
    const double of_run = twin.covariance(2, 2) + choices[2].noise;
    const double s = std::abs(twin.covariance(0, 2) - twin.covariance(1, 2)) / std::sqrt(of_run);
    const std::vector<std::size_t> run{2};
    EXPECT_NEAR(expected_gain(choices, run), option_value(std::abs(choices[0].cost - choices[1].cost), s),
                0.05 * s + 1e-9)
        << "seed " << seed;
  }
}

TEST(NextRuns, GainsEqualTheSlowTwins) {
  for (std::uint64_t seed = 0; seed < support::trials(6U); ++seed) {
    const std::vector<Choice> choices = random_choices(seed, 6);
    for (const std::vector<std::size_t>& runs : {std::vector<std::size_t>{1}, {0, 4}, {2, 3, 5}}) {
      const double slow = slow_gain(choices, runs);
      EXPECT_NEAR(expected_gain(choices, runs), slow, 0.0012) << "seed " << seed;
    }
  }
}

TEST(NextRuns, TheFirstIsTheBestOfAllWherePricesAreEqual) {
  for (std::uint64_t seed = 0; seed < support::trials(40U); ++seed) {
    std::vector<Choice> choices = random_choices(seed, 8);
    double most = 0.0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::vector<std::size_t> run{i};
      most = std::max(most, expected_gain(choices, run));
    }
    // Prices that fall with the gain make the best of those that are worth as much the cheapest.
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::vector<std::size_t> run{i};
      choices[i].price = 1.0 + most - expected_gain(choices, run);
    }
    const auto first = next_runs(choices, 1);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_NEAR(expected_gain(choices, first), most, 1e-15) << "seed " << seed;
  }
}

TEST(NextRuns, TwoOfThemAreNearlyAsGoodAsTheBestPair) {
  double greedy = 0.0, best = 0.0;
  for (std::uint64_t seed = 0; seed < support::trials(40U); ++seed) {
    const std::vector<Choice> choices = random_choices(seed, 8);
    double most = 0.0;
    for (std::size_t i = 0; i < choices.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const std::vector<std::size_t> pair{i, j};
        most = std::max(most, expected_gain(choices, pair));
      }
    const double of_greedy = expected_gain(choices, next_runs(choices, 2));
    EXPECT_GE(of_greedy, 0.6 * most) << "seed " << seed;
    greedy += of_greedy, best += most;
  }
  EXPECT_GT(greedy, 0.9 * best);
}

TEST(NextRuns, AreTheCheapestOfThoseThatTellAsMuch) {
  std::vector<Choice> choices = random_choices(3, 10);
  for (std::size_t i = 0; i < 5;
       ++i) {  // a twin of each row on few GPUs, which tells all but the row's own term
    Choice twin = choices[i];
    twin.competes = false, twin.price = 0.01;
    choices.push_back(twin);
  }
  for (Choice& one : choices) one.error.step[index_of(ErrorSource::layout)] = 1e-4;
  const auto runs = next_runs(choices, 2);
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(choices[runs[0]].price, 0.01);
  for (Choice& one : choices) one.can_run = one.competes;
  for (const std::size_t run : next_runs(choices, 4)) EXPECT_TRUE(choices[run].can_run);
}

TEST(NextRuns, AreNoneWhereNothingCanChangeTheChoice) {
  std::vector<Choice> choices = random_choices(3, 5);
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i].cost = static_cast<double>(i);
  EXPECT_TRUE(next_runs(choices, 3).empty());
  choices = random_choices(3, 5);
  for (Choice& one : choices)
    one.error = choices.front().error, one.error.step[index_of(ErrorSource::layout)] = 0.0;
  EXPECT_TRUE(next_runs(choices, 3).empty());  // all errors are shared
}

}  // namespace
}  // namespace echo::settle
