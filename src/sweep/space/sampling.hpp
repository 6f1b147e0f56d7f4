// [search] random and sobol: the sample of points to run instead of the whole space.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/space/raw_space.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

// Whether the strategy draws some points of the space; the others have them all.
[[nodiscard]] constexpr bool draws_points(Strategy strategy) {
  return strategy == Strategy::random || strategy == Strategy::sobol;
}

// The raw indices of spec.search.points different points, ascending; the same for the same seed.
// random: each set of points is as likely as any other. sobol: low-discrepancy over the axes before the
// rules, so that what the rules leave is covered evenly. Throws UserError where there are not so many points,
// or too few are met. Contract: draws_points(strategy).
[[nodiscard]] std::vector<std::int64_t> sample_points(const SweepSpec& spec, const RawSpace& space);

}  // namespace echo::sweep
