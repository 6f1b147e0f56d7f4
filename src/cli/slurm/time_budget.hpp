// How long a launch may hand out work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace echo::cli {

// Seconds a launch may take. `asked`, as the user wrote it ("3h30m", "90 min"; "0" = no bound), comes first,
// then the sweep's own ([run] budget; 0 = none), then what is left of the Slurm job. Nothing: no bound.
// UserError 2 where `asked` is no duration. `job_end` is SLURM_JOB_END_TIME (seconds since 1970; null =
// none), `now` the wall clock's answer to it: read once, here; afterwards only a steady clock counts.
[[nodiscard]] std::optional<double> time_budget(const std::string& asked, double of_sweep,
                                                const char* job_end, std::int64_t now);

// "3h30m", "90 min", "10 s", or a bare number of seconds. UserError 2 else.
[[nodiscard]] double parse_seconds(const std::string& text, const std::string& option);

// Left of a Slurm job for what comes after the last point, given what is left of it.
[[nodiscard]] double slurm_margin(double seconds_left);

}  // namespace echo::cli
