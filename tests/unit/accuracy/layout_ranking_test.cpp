#include "accuracy/layout_ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"

namespace echo::accuracy {
namespace {

TEST(LayoutRanking, RightOrderIsOneAndReversedOrderMinusOne) {
  const std::vector<RankedRun> right{{"a", 1, 10}, {"a", 2, 20}, {"a", 3, 30}};
  EXPECT_EQ(score_ranking(right).mean_tau, 1.0);
  EXPECT_EQ(score_ranking(right).max_regret, 0.0);
  const std::vector<RankedRun> wrong{{"a", 1, 30}, {"a", 2, 20}, {"a", 3, 10}};
  EXPECT_EQ(score_ranking(wrong).mean_tau, -1.0);
  EXPECT_NEAR(score_ranking(wrong).max_regret, 2.0, 1e-12);
}

TEST(LayoutRanking, TimesWithinThreePercentAreNoPair) {
  const std::vector<RankedRun> near{{"a", 1.0, 2}, {"a", 1.0299, 1}};
  EXPECT_EQ(score_ranking(near).groups, 0);
  EXPECT_EQ(score_ranking(near).mean_tau, 0.0);
  const std::vector<RankedRun> apart{{"a", 1.0, 2}, {"a", 1.0301, 1}};
  EXPECT_EQ(score_ranking(apart).pairs, 1);
  EXPECT_EQ(score_ranking(apart).mean_tau, -1.0);
}

TEST(LayoutRanking, RunsOfDifferentGroupsDoNotCompete) {
  const std::vector<RankedRun> runs{{"a", 1, 9}, {"b", 2, 1}, {"b", 3, 2}};
  const RankingScore score = score_ranking(runs);
  EXPECT_EQ(score.groups, 1);
  EXPECT_EQ(score.pairs, 1);
  EXPECT_EQ(score.mean_tau, 1.0);
}

TEST(LayoutRanking, EqualPredictionsAreNeitherRightNorWrongAndTheSlowestOfThemIsThePick) {
  const std::vector<RankedRun> runs{{"a", 1, 5}, {"a", 2, 5}};
  EXPECT_EQ(score_ranking(runs).mean_tau, 0.0);
  EXPECT_NEAR(score_ranking(runs).mean_regret, 1.0, 1e-12);
}

// The definition, word by word, group by group.
RankingScore slow_twin(const std::vector<RankedRun>& runs) {
  std::set<std::string> names;
  for (const RankedRun& run : runs) names.insert(run.group);
  RankingScore out;
  std::vector<double> taus, regrets;
  for (const std::string& name : names) {
    double right = 0, wrong = 0, pairs = 0, best = 1e300, fastest = 1e300, pick = 0;
    for (const RankedRun& a : runs) {
      if (a.group != name) continue;
      best = std::min(best, a.measured), fastest = std::min(fastest, a.predicted);
      for (const RankedRun& b : runs) {
        if (b.group != name || b.measured / a.measured < 1.03) continue;
        pairs += 1, right += a.predicted<b.predicted, wrong += a.predicted> b.predicted;
      }
    }
    for (const RankedRun& a : runs)
      if (a.group == name && a.predicted == fastest) pick = std::max(pick, a.measured);
    if (pairs == 0) continue;
    out.pairs += static_cast<int>(pairs);
    taus.push_back((right - wrong) / pairs), regrets.push_back(pick / best - 1);
  }
  out.groups = static_cast<int>(taus.size());
  for (const double tau : taus) out.mean_tau += tau / out.groups;
  for (const double regret : regrets) out.mean_regret += regret / out.groups;
  std::sort(regrets.begin(), regrets.end());
  if (!regrets.empty()) out.max_regret = regrets.back();
  return out;
}

TEST(LayoutRanking, EqualsItsSlowTwinOnRandomRuns) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::uint64_t next = 0;
    const auto draw = [&](int n) { return static_cast<int>(draw_unit(seed, 1, next++) * n); };
    std::vector<RankedRun> runs(static_cast<std::size_t>(draw(40)));
    for (RankedRun& run : runs)  // few values, so that there are ties
      run = {std::string(1, static_cast<char>('a' + draw(5))), 1.0 + 0.02 * draw(12), 1.0 + 0.1 * draw(8)};
    const RankingScore fast = score_ranking(runs), slow = slow_twin(runs);
    EXPECT_EQ(fast.groups, slow.groups);
    EXPECT_EQ(fast.pairs, slow.pairs);
    EXPECT_NEAR(fast.mean_tau, slow.mean_tau, 1e-12);
    EXPECT_NEAR(fast.mean_regret, slow.mean_regret, 1e-12);
    EXPECT_NEAR(fast.max_regret, slow.max_regret, 1e-12);
    EXPECT_LE(fast.median_regret, fast.max_regret);
  }
}

}  // namespace
}  // namespace echo::accuracy
