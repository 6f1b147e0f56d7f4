#include "accuracy/layout_ranking.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/contract.hpp"
#include "base/quantile.hpp"

namespace echo::accuracy {

namespace {

struct GroupScore {
  int pairs = 0, right_less_wrong = 0;
  double regret = 0.0;
};

GroupScore score_group(const std::vector<const RankedRun*>& runs) {
  GroupScore out;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const RankedRun& fast = runs[i]->measured < runs[j]->measured ? *runs[i] : *runs[j];
      const RankedRun& slow = &fast == runs[i] ? *runs[j] : *runs[i];
      if (slow.measured < (1.0 + distinct_times) * fast.measured) continue;
      ++out.pairs;
      out.right_less_wrong +=
          (fast.predicted < slow.predicted ? 1 : 0) - (fast.predicted > slow.predicted ? 1 : 0);
    }
  const auto by_measured = [](const RankedRun* a, const RankedRun* b) { return a->measured < b->measured; };
  const RankedRun& best = **std::min_element(runs.begin(), runs.end(), by_measured);
  const RankedRun& pick =
      **std::min_element(runs.begin(), runs.end(), [](const RankedRun* a, const RankedRun* b) {
        return a->predicted < b->predicted || (a->predicted == b->predicted && a->measured > b->measured);
      });
  out.regret = pick.measured / best.measured - 1.0;
  return out;
}

}  // namespace

RankingScore score_ranking(std::span<const RankedRun> runs) {
  std::map<std::string, std::vector<const RankedRun*>> groups;
  for (const RankedRun& run : runs) {
    ECHO_EXPECT(run.measured > 0.0 && run.predicted > 0.0);
    groups[run.group].push_back(&run);
  }
  RankingScore out;
  std::vector<double> regrets;
  for (const auto& [name, members] : groups) {
    const GroupScore one = score_group(members);
    if (one.pairs == 0) continue;
    ++out.groups;
    out.pairs += one.pairs;
    out.mean_tau += static_cast<double>(one.right_less_wrong) / one.pairs;
    regrets.push_back(one.regret);
  }
  if (regrets.empty()) return out;
  std::sort(regrets.begin(), regrets.end());
  out.mean_tau /= out.groups;
  out.median_regret = quantile(regrets, 0.5);
  out.max_regret = regrets.back();
  for (const double regret : regrets) out.mean_regret += regret / out.groups;
  return out;
}

}  // namespace echo::accuracy
