// Compares the ranking by predicted times with the ranking by measured times, among runs that a user could
// have chosen between: the same work on the same machine in different layouts.
#pragma once

#include <span>
#include <string>

namespace echo::accuracy {

struct RankedRun {
  std::string group;                       // runs of one group compete
  double measured = 0.0, predicted = 0.0;  // seconds, positive
};

// Pairs whose measured times differ by less are not distinguished: the same run, repeated, differs by that
// much.
inline constexpr double distinct_times = 0.03;  // of the shorter one

struct RankingScore {
  int groups = 0, pairs = 0;  // groups with a pair that is distinguished; such pairs in all of them
  // Kendall's tau of a group: pairs in the right order less those in the wrong one, over all; a pair that is
  // predicted equal counts for neither. The mean over groups.
  double mean_tau = 0.0;
  // Measured time of the run that is predicted fastest over the best measured one, less 1; over the same
  // groups. If several runs are predicted equal, the slowest counts.
  double median_regret = 0.0, mean_regret = 0.0, max_regret = 0.0;
};

[[nodiscard]] RankingScore score_ranking(std::span<const RankedRun>);

}  // namespace echo::accuracy
