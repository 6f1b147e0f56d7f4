// Memory beyond a GPU's own: that of its host, and tiers behind it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace echo::machine {

// host: memory of the node's processors. cxl: memory that they reach over CXL. nvme: drives. remote: a pool
// on the network.
enum class MemoryTier : std::int8_t { host, cxl, nvme, remote };
inline constexpr std::int32_t memory_tier_count = 4;
inline constexpr std::array<std::string_view, memory_tier_count> memory_tier_names{"host", "cxl", "nvme",
                                                                                   "remote"};

// The GPUs that have one such memory together: each has its own, those of a node, all of a job. ASTRA-sim's
// names: PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION, MEMORY_POOL.
enum class TierSharing : std::int8_t { gpu, node, job };
inline constexpr std::array<std::string_view, 3> tier_sharing_names{"gpu", "node", "job"};

// One such memory. Its rates are those of all that share it together.
struct TierSpec {
  BytesPerSecond read, write;  // 0 = the machine has none, or it is unknown
  SimTime latency{};           // from the request to the first byte
  Bytes capacity;              // 0 = unknown
  TierSharing shared_by = TierSharing::node;
  [[nodiscard]] bool is_known() const { return read.value > 0.0; }
  friend bool operator==(const TierSpec&, const TierSpec&) = default;
};

}  // namespace echo::machine
