// Which GPU of the machine each rank runs on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace echo::machine {

// packed: ranks fill one node after the other. scattered: the same, but the nodes (whole scale-up domains)
// are chosen at random over the machine. by_rail: consecutive ranks on GPUs of the same number of different
// nodes.
enum class Placement : std::int8_t { packed, scattered, by_rail };
inline constexpr std::array<std::string_view, 3> placement_names{"packed", "scattered", "by_rail"};

// GPU of every rank of a job of `gpus` GPUs in domains of `domain`; empty if packed or if one domain holds
// the job. A partly filled last domain stays in place, and keeps by_rail packed.
void place_ranks(Placement, std::int32_t gpus, std::int32_t domain, std::uint64_t seed,
                 std::vector<std::int32_t>& out);

}  // namespace echo::machine
