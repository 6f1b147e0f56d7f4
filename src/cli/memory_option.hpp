// --max-memory: how much memory reading one input may take (base/memory_limit.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/options.hpp"

namespace echo::cli {

void declare_memory_limit(Options& options, std::string& value);

// Sets the limit: `value`, or a quarter of memory_of_machine() where it is empty. UserError, 2, where it is
// no size.
void set_memory_limit_to(const std::string& value);

// Bytes that this process may have: the machine's, or fewer where a container or a batch job has fewer
// (cgroup v2). `cgroups` and `own`: where the kernel says so.
[[nodiscard]] std::int64_t memory_of_machine(const std::filesystem::path& cgroups = "/sys/fs/cgroup",
                                             const std::filesystem::path& own = "/proc/self/cgroup");

}  // namespace echo::cli
