// Reads an export of Nsight Systems (SQLite) whole: of each GPU of the report what it did, as one profile.
#pragma once

#include <string>
#include <vector>

#include "overlaps/profile.hpp"

namespace echo::overlaps {

// Ranks by process and GPU, in their order. Ops are NVTX ranges; those of torch.autograd.profiler.emit_nvtx
// also give operands ("aten::mm, seq = 5, sizes = [[4, 8], [8, 2]]"). Sizes and groups of collectives are not
// in a report. Throws UserError, 2.
[[nodiscard]] std::vector<Profile> read_nsight_profiles(const std::string& path);

}  // namespace echo::overlaps
