// A simulated study: true worlds are drawn from the error model, some rows are measured in each, and the row
// of the least expected cost is chosen. The regret falls with the number of runs, as predicted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/student_t.hpp"
#include "settle/conditioning.hpp"
#include "settle/next_runs.hpp"
#include "tests/support/random_choices.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::settle {
namespace {

constexpr std::uint64_t worlds = 1000;
constexpr std::array<std::size_t, 3> run_counts{0, 2, 5};

struct Mean {
  double sum = 0.0, squares = 0.0;
  void add(double x) { sum += x, squares += x * x; }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(worlds); }
  [[nodiscard]] double error() const {
    const double n = static_cast<double>(worlds);
    return std::sqrt((squares / n - mean() * mean()) / (n - 1.0));
  }
};

// Errors of a Student's t with the tenths of the normal law: normal ones over the root of a mean of squares.
double scale_of(std::uint64_t seed, std::uint64_t world) {
  double squares = 0.0;
  for (std::uint64_t i = 0; i < 4; ++i) squares += std::pow(draw_normal(seed, world, 1000 + i), 2);
  return std::sqrt(4.0 / squares) * z90 / student_t4_quantile(0.9);
}

class Study {
 public:
  explicit Study(std::uint64_t seed)
      : seed_(seed),
        choices_(random_choices(seed, 60, 0.05)),
        latent_(choices_),
        runs_(next_runs(choices_, 5)) {
    for (const std::size_t count : run_counts) {
      std::vector<MeasuredRun> measured;
      for (std::size_t k = 0; k < std::min(count, runs_.size()); ++k)
        measured.push_back(
            {static_cast<std::int64_t>(runs_[k]), choices_[runs_[k]].error, 0.0, choices_[runs_[k]].noise});
      asked_.push_back(measured);
    }
  }
  void run() {
    for (std::uint64_t world = 0; world < worlds; ++world) {
      std::vector<double> u;
      const double scale = scale_of(seed_, world);
      for (std::size_t v = 0; v < latent_.variables(); ++v)
        u.push_back(scale * draw_normal(seed_ + 500, world, v));
      std::array<double, run_counts.size()> regrets{};
      for (std::size_t c = 0; c < run_counts.size(); ++c) {
        for (std::size_t k = 0; k < asked_[c].size(); ++k)
          asked_[c][k].surprise =
              latent_.error(runs_[k], u) + std::sqrt(asked_[c][k].noise) * draw_normal(seed_ + 600, world, k);
        regrets[c] = regret_of(Conditioning(asked_[c]), u);
        regret[c].add(regrets[c]);
      }
      fall[0].add(regrets[0] - regrets[1]), fall[1].add(regrets[1] - regrets[2]);
    }
  }
  [[nodiscard]] std::vector<Outlook> predicted() const { return outlooks(choices_, runs_); }

  std::array<Mean, run_counts.size()> regret;
  std::array<Mean, 2> fall;  // in the same worlds

 private:
  [[nodiscard]] double regret_of(const Conditioning& known, const std::vector<double>& u) const {
    double least = 1e9, chosen = 0.0, best = 1e9;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const double expected =
          choices_[i].cost + known.about(static_cast<std::int64_t>(i), choices_[i].error).shift;
      const double truth = choices_[i].cost + latent_.error(i, u);
      if (expected < least) least = expected, chosen = truth;
      best = std::min(best, truth);
    }
    return chosen - best;
  }
  std::uint64_t seed_;
  std::vector<Choice> choices_;
  Latent latent_;
  std::vector<std::size_t> runs_;
  std::vector<std::vector<MeasuredRun>> asked_;
};

TEST(SettledWorlds, TheRegretFallsAsPredicted) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Study study(seed);
    study.run();
    const std::vector<Outlook> predicted = study.predicted();
    ASSERT_EQ(predicted.size(), 6U);
    for (std::size_t c = 0; c < run_counts.size(); ++c) {
      const Outlook& outlook = predicted[run_counts[c]];
      const double error = std::hypot(study.regret[c].error(), outlook.regret_error);
      EXPECT_LT(std::abs(study.regret[c].mean() - outlook.regret), 3.5 * error)
          << "seed " << seed << ", " << run_counts[c] << " runs: " << study.regret[c].mean() << " and "
          << outlook.regret;
      RecordProperty("regret_" + std::to_string(seed) + "_" + std::to_string(run_counts[c]),
                     std::to_string(study.regret[c].mean()));
    }
    for (const Mean& fall : study.fall) EXPECT_GT(fall.mean(), 3.0 * fall.error()) << "seed " << seed;
  }
}

TEST(SettledWorlds, OutlooksGiveTheChanceThatTheChosenRowIsTheBest) {
  const std::vector<Choice> choices = random_choices(9, 20, 0.05);
  const auto runs = next_runs(choices, 5);
  const std::vector<Outlook> all = outlooks(choices, runs);
  EXPECT_GT(all.back().chance, all.front().chance);
  for (const Outlook& one : all) {
    EXPECT_GT(one.chance, 0.0);
    EXPECT_LE(one.chance, 1.0);
  }
  // Two rows of independent normal errors, one ahead by one standard deviation of their difference; a t of
  // the same tenths has its centre a little narrower.
  std::vector<Choice> two = random_choices(9, 2, 0.0);
  two[0].error.step[index_of(ErrorSource::layout)] = two[1].error.step[index_of(ErrorSource::layout)] = 0.03;
  two[0].cost = 0.0, two[1].cost = 0.03 * std::sqrt(2.0);
  const double t = std::sqrt(1.0) * student_t4_quantile(0.9) / z90;
  EXPECT_NEAR(outlooks(two, {}).front().chance, student_t4_cdf(t), 0.03);
}

}  // namespace
}  // namespace echo::settle
