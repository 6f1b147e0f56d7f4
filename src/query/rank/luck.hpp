// The winner's curse: the best of many predictions is best partly because its error is favourable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "query/rank/ranking.hpp"
#include "text/json.hpp"

namespace echo::query {

// The luck of the first row of a ranking by step time, or by a metric that follows from it.
struct Luck {
  double share = 0.0;        // expected true cost over the predicted one, less 1; 0 where nothing is known
  std::int64_t layouts = 0;  // different layouts among the rows that compete for the first place
  double step = 0.0, mfu = 0.0;  // of the first row, as predicted; s
};

// One entry per group, in order. Rows that the file's errors cannot tell from the first compete with it. Zero
// where the file has no errors of the metric. Deterministic.
[[nodiscard]] std::vector<Luck> luck_of(const results::ResultRows&, const RankQuery&,
                                        std::span<const RankedGroup>);

// One line: "#1 is the best of 46 layouts ...: expect 16.4 s (+6.1 %)". "" where there is nothing to tell.
[[nodiscard]] std::string text_of(const Luck&);
// Adds "without_luck" to an open object: the share, the layouts, and the step and MFU of the first row
// without the luck of being first.
void add_luck(text::Json&, const Luck&);

}  // namespace echo::query
