// Estimated counts for a sub-space too large to count: the mean over random descents, and its error.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/space/subtree_counter.hpp"

namespace echo::sweep {

struct Estimate {
  std::vector<double> mean;      // [SubtreeCounter::buckets()] unbiased
  std::vector<double> variance;  // of the mean
  std::int64_t descents = 0;
};

// Descends until about `node_budget` values have been tried, 256 times at least. Uses, and adds to, what
// `counter` knows. The same seed gives the same estimate.
[[nodiscard]] Estimate estimate_counts(const Program& program, SubtreeCounter& counter, std::uint64_t seed,
                                       std::int64_t node_budget);

}  // namespace echo::sweep
