// Finds the kernels of a profile that ran both alone and beside communication, and the collectives that ran
// both alone and beside kernels.
//
//   Equal work.  Name, grid, block, launching op, extents and types of its operands, and the kernels before
//     and after on the stream: with two samples alone of all that, these; else without the neighbours, where
//     the op is known. Never by name and grid alone: persistent kernels have one grid for all sizes. Where no
//     operands are known and the samples alone disagree, two neighbours on either side are compared instead,
//     if those samples agree.
//   Alone.  Beside no communication, no copy, and no kernel of another stream.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "overlaps/observation.hpp"
#include "overlaps/profile.hpp"

namespace echo::overlaps {

// Bounds of what is taken, and of what is recommended.
struct ObservationLimits {
  double least_share = 0.05;       // of its time beside communication, to be taken
  std::int64_t ticks = 2;          // of the clock, least duration to be taken
  std::int64_t samples = 2;        // alone, to be taken
  double most_spread = 0.15;       // of the samples alone, to be recommended, as are the rest
  double recommended_share = 0.5;  // least, beside communication
  double other_share = 0.05;       // most, beside kernels of other streams, and copies
  std::int64_t least_coarse = 10'000, least = 4'000;  // ns alone, by a clock of whole us, by a finer one
  double wait_share = 0.05;  // most of a collective's time that it may have waited for its peers
  std::int64_t many_samples = 5;
  double least_remainder = 0.05;  // of the time alone, left for the part beside, for `implied` to be defined
};

struct ProfileOverlaps {
  std::vector<Observation> rows;        // kernels, then collectives; each by start
  std::int64_t kernels = 0;             // that compute
  std::int64_t kernels_with_alone = 0;  // those of work of which a sample alone exists
  std::int64_t collectives = 0;
  std::map<std::string, std::int64_t> left_out;  // by reason, kernels and collectives that were beside
};

// `shortest` [activity]: of a collective, ns over the ranks of the run, -1 unknown; empty: none is known.
[[nodiscard]] ProfileOverlaps observe(const Profile&, const std::vector<std::int64_t>& shortest,
                                      const ObservationLimits& = {});

}  // namespace echo::overlaps
