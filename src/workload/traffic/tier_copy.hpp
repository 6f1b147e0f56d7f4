// Copies between a GPU and a memory tier, or the host's memory.
#pragma once

#include "workload/layer/transformer.hpp"

namespace echo::workload {

enum class Access : bool { read, write };  // of the tier

[[nodiscard]] ops::CollectiveQuery tier_copy(const BlockContext&, machine::MemoryTier, Access,
                                             std::int64_t bytes);
}  // namespace echo::workload
