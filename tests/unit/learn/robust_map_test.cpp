#include "learn/fit/robust_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/counter_rng.hpp"

using namespace echo;
using namespace echo::learn;

namespace {

struct Draws {
  std::uint64_t seed, key;
  [[nodiscard]] double uniform(std::uint64_t at) const { return draw_unit(seed, key, at); }
};

double normal(const Draws& rng, std::uint64_t at) { return draw_normal(rng.seed, rng.key, at); }

// Rows that answer linearly: row i moves by slopes[i][p] for one of parameter p.
struct Linear {
  Slopes slopes;
  NearlyKnown problem;
  std::vector<std::size_t> rows;

  Linear(Slopes s, std::vector<double> measured, std::vector<double> prior) : slopes(std::move(s)) {
    problem.prior_sigma = std::move(prior);
    problem.measured = std::move(measured);
    problem.predict = [this](std::span<const double> at, RowsAsked wanted) {
      std::vector<double> out;
      for (const std::size_t row : wanted)
        out.push_back(std::inner_product(at.begin(), at.end(), slopes[row].begin(), 0.0));
      return out;
    };
    rows.resize(problem.measured.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
  }
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;
  ~Linear() = default;

  [[nodiscard]] MostProbable fit(std::vector<char> may_move = {}) const {
    if (may_move.empty()) may_move.assign(problem.prior_sigma.size(), 1);
    return most_probable(problem, rows, may_move, slopes, 3);
  }
};

Slopes random_slopes(const Draws& rng, std::size_t rows) {
  Slopes out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back({rng.uniform(900 + 2 * i), rng.uniform(901 + 2 * i)});
  return out;
}

}  // namespace

TEST(RobustMap, EqualsTheClosedFormWhereNoRowIsWild) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Draws rng{seed, 1};
    constexpr double noise = 0.05;
    std::vector<double> measured;
    for (std::size_t i = 0; i < 6; ++i) measured.push_back(0.05 * rng.uniform(i) - 0.025);
    Linear twin(random_slopes(rng, measured.size()), measured, {0.1, 0.3});
    twin.problem.noise = noise, twin.problem.noise_rows = 1e12;  // the noise is known
    double a = 1 / 0.01, b = 0, d = 1 / 0.09, x = 0, y = 0;      // of [a b; b d] p = (x, y)
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const double s = twin.slopes[i][0], t = twin.slopes[i][1], w = 1 / (noise * noise);
      a += w * s * s, b += w * s * t, d += w * t * t;
      x += w * s * measured[i], y += w * t * measured[i];
    }
    const double determinant = a * d - b * b;
    const MostProbable found = twin.fit();
    EXPECT_NEAR(found.value[0], (d * x - b * y) / determinant, 1e-6);
    EXPECT_NEAR(found.value[1], (a * y - b * x) / determinant, 1e-6);
    EXPECT_NEAR(found.sigma[0], std::sqrt(d / determinant), 1e-6);
    EXPECT_NEAR(found.sigma[1], std::sqrt(a / determinant), 1e-6);
  }
}

TEST(RobustMap, HoldsTheTruthWithinItsBandsAsOftenAsTheySay) {
  int within_one = 0, within_two = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Draws rng{seed, 2};
    Linear twin(random_slopes(rng, 30), std::vector<double>(30), {0.1, 0.3});
    const std::vector<double> truth{0.1 * normal(rng, 100), 0.3 * normal(rng, 101)};
    twin.problem.measured = twin.problem.predict(truth, twin.rows);
    for (std::size_t i = 0; i < 30; ++i) twin.problem.measured[i] += 0.05 * normal(rng, i);
    const MostProbable found = twin.fit();
    for (std::size_t p = 0; p < 2; ++p, ++all) {
      const double off = std::abs(found.value[p] - truth[p]) / found.sigma[p];
      within_one += off < 1 ? 1 : 0;
      within_two += off < 2 ? 1 : 0;
    }
  }
  EXPECT_NEAR(within_one, 0.68 * all, 0.08 * all);
  EXPECT_NEAR(within_two, 0.95 * all, 0.04 * all);
}

TEST(RobustMap, StaysPutWhereAllRowsAgree) {
  const Linear agreeing({{0.6, 0.2}, {0.5, 0.4}, {0.3, 0.9}}, {0.0, 0.0, 0.0}, {0.1, 0.3});
  EXPECT_EQ(agreeing.fit().value, (std::vector<double>{0.0, 0.0}));
}

TEST(RobustMap, LetsOneWildRowPullNoHarderThanABadOne) {
  std::vector<double> measured(12, 0.08);
  const Slopes slopes(12, {1.0});
  const double clean = Linear(slopes, measured, {0.1}).fit().value[0];
  measured[3] = 1.1;  // three times as long
  const Linear wild(slopes, measured, {0.1});
  const MostProbable found = wild.fit();
  EXPECT_NEAR(found.value[0], clean, 0.02);
  EXPECT_LT(found.weight[3], 0.1);
  EXPECT_GT(found.weight[2], 0.9);
  measured[3] = 11.0;
  EXPECT_NEAR(Linear(slopes, measured, {0.1}).fit().value[0], found.value[0], 1e-3);
}

TEST(RobustMap, TakesNoShiftThatAllRowsShareForNoise) {
  const Linear shifted(Slopes(20, {1.0}), std::vector<double>(20, 0.3), {0.06});
  const MostProbable found = shifted.fit();
  EXPECT_GT(found.value[0], 0.25);
  EXPECT_LT(found.noise, 0.05);
}

TEST(RobustMap, LeavesThePriorTheSayWhereRowsAreFew) {
  const Linear one({{1.0}}, {0.2}, {0.05});
  EXPECT_GT(one.fit().value[0], 0.0);
  EXPECT_LT(one.fit().value[0], 0.15);
}

TEST(RobustMap, KeepsWhatMayNotMove) {
  const Linear two({{1.0, 1.0}, {0.5, 1.0}}, {0.2, 0.2}, {0.1, 0.3});
  const MostProbable found = two.fit({1, 0});
  EXPECT_GT(found.value[0], 0.0);
  EXPECT_EQ(found.value[1], 0.0);
  EXPECT_DOUBLE_EQ(found.sigma[1], 0.3);
}

TEST(RobustMap, SaysBeforehandHowWellAParameterWillBeKnown) {
  const Linear rows(Slopes(9, {1.0, 0.0}), std::vector<double>(9, 0.0), {1.0, 0.3});
  const auto sigma = expected_sigma(rows.problem, rows.slopes, 0.03);
  EXPECT_NEAR(sigma[0], 0.01, 1e-4);
  EXPECT_DOUBLE_EQ(sigma[1], 0.3);
}
