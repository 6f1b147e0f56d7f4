// Which profiles are ranks of one run, and how long each collective took on the rank that waited least.
#pragma once

#include <cstdint>
#include <vector>

#include "overlaps/profile.hpp"

namespace echo::overlaps {

// [profile] the number of its run, from 0. Ranks of one run say the same world, have ranks of their own, and
// ran at the same time.
[[nodiscard]] std::vector<std::int32_t> runs_of(const std::vector<Profile>&);

// [profile][activity] the shortest duration (ns) of an all-reduce, all-gather or reduce-scatter over the
// ranks of its run: none can end before the last rank joins, so that the last to join waits for nobody. -1:
// of other activities, and where no other rank has its counterpart: of the same kind, type and size, which
// ends nearest in time, and runs at the same time.
[[nodiscard]] std::vector<std::vector<std::int64_t>> shortest_over_ranks(
    const std::vector<Profile>&, const std::vector<std::int32_t>& runs);

}  // namespace echo::overlaps
