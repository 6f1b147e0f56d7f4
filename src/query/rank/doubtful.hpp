// Feasible rows that may not fit the memory of their GPU: listed apart from the ranking.
#pragma once

#include <string>

#include "query/rank/ranking.hpp"

namespace echo::query {

// The doubtful rows of each group of `query` that would rank above the first row of `sure`: how many, and of
// the best few their chance to fit, what they would gain, how much less memory they would have to need to be
// ranked, and the largest part of memory that a choice of the layout can reduce. "" where there are none.
[[nodiscard]] std::string doubtful_text(const results::ResultRows&, const RankQuery& query,
                                        const std::vector<RankedGroup>& sure);

}  // namespace echo::query
