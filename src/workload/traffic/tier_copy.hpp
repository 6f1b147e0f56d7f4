// Copies between a GPU and a memory tier, or the host's memory.
#pragma once

#include "workload/layer/transformer.hpp"

namespace echo::workload {

enum class Access : bool { read, write };  // of the tier

// What a copy or an update reads from and writes to a tier; nothing where that is the host's own memory.
[[nodiscard]] ops::TierTraffic tier_traffic(const BlockContext&, machine::MemoryTier, std::int64_t read,
                                            std::int64_t written);

[[nodiscard]] ops::CollectiveQuery tier_copy(const BlockContext&, machine::MemoryTier, Access,
                                             std::int64_t bytes);

}  // namespace echo::workload
