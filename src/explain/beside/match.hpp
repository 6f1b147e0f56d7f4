// Recorded kernels laid on simulated ops.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "explain/beside/activity.hpp"

namespace echo::explain {

// A recorded activity and the simulated one it is taken to be.
struct Match {
  std::int32_t recorded = 0, simulated = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

// Pairs (i, j) of two sequences of durations, both ascending, that leave least time unexplained: the sum of
// |recorded - simulated| over pairs, and of the durations that are in none, with as many pairs as possible
// where several do. Beyond `most_cells` products of the lengths: the first with the first, and so on.
inline constexpr std::int64_t most_cells = 64'000'000;
[[nodiscard]] std::vector<std::pair<std::int32_t, std::int32_t>> aligned(std::span<const SimTime> recorded,
                                                                         std::span<const SimTime> simulated);

// Kernels match kernels of the same role and the same pass, in the order in which they start, as aligned()
// has it; where some recorded computation has no known pass (`passes_known`), of the same role. Each activity
// is in one pair at most. Pairs are in the order of `recorded`.
//
// What this cannot know: where several kernels of a role and pass do the work of one op (casts that a
// library fuses, products of experts launched one by one), one of them matches and the others are left
// over, so that pairs are more alike than all of the role are. The sums of a role have no such bias.
[[nodiscard]] std::vector<Match> matched(std::span<const Activity> recorded,
                                         std::span<const Activity> simulated, bool passes_known);

}  // namespace echo::explain
