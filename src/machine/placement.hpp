// Which GPU of the machine each rank runs on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace echo::machine {

// packed: ranks fill one node after the other. scattered: so they do, but the nodes (whole scale-up domains)
// are dealt out at random over the machine. by_rail: consecutive ranks on like-numbered GPUs of different
// nodes.
enum class Placement : std::int8_t { packed, scattered, by_rail };
inline constexpr std::array<std::string_view, 3> placement_names{"packed", "scattered", "by_rail"};

// GPU of every rank of a job of `gpus` GPUs in domains of `domain`; nothing where packed, or where one domain
// holds the job. A last domain that is not full stays where it is, and keeps by_rail packed.
void place_ranks(Placement, std::int32_t gpus, std::int32_t domain, std::uint64_t seed,
                 std::vector<std::int32_t>& out);

}  // namespace echo::machine
