// The time for which a launch may hand out work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace echo::cli {

// Seconds that a launch may take. `asked`, as written by the user ("3h30m", "90 min"; "0" = no bound), comes
// first, then the sweep's own ([run] budget; 0 = none), then the remaining time of the Slurm job. Nothing: no
// bound. UserError 2 if `asked` is not a duration. `job_end` is SLURM_JOB_END_TIME (seconds since 1970; null
// = none), `now` the current wall-clock time: it is read only here; afterwards a steady clock is used.
[[nodiscard]] std::optional<double> time_budget(const std::string& asked, double of_sweep,
                                                const char* job_end, std::int64_t now);

// "3h30m", "90 min", "10 s", or a plain number of seconds; otherwise UserError 2.
[[nodiscard]] double parse_seconds(const std::string& text, const std::string& option);

// Seconds of a Slurm job reserved for the work after the last point, given its remaining seconds.
[[nodiscard]] double slurm_margin(double seconds_left);

}  // namespace echo::cli
