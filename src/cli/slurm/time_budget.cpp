// The margin before the end of a Slurm job. After the decision to stop, ranges in progress are finished (two
// of them, a quarter of a second each), the launcher ends, and the batch script asks for a requeue: seconds.
// slurmctld checks time limits about every half minute, and clocks of nodes differ a little. A minute covers
// all of it; where less than two minutes are left, the margin is half of the remaining time, so that a
// launch always does something.
#include "cli/slurm/time_budget.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "config/toml/units.hpp"

namespace echo::cli {

constexpr double margin_seconds = 60.0;

// "3h30m" as the readers of sweep files know it: a lone m is minutes here.
static std::string spelled_out(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool is_lone =
        text[i] == 'm' &&
        (i + 1 == text.size() || std::string_view("sin").find(text[i + 1]) == std::string_view::npos);
    if (is_lone) out += "in";
  }
  return out;
}

double parse_seconds(const std::string& text, const std::string& option) {
  char* end = nullptr;
  const double bare = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && bare >= 0.0) return bare;
  config::UnitProblem problem;
  const auto seconds = config::parse_quantity(spelled_out(text), config::UnitKind::duration, option, problem);
  if (!seconds)
    throw UserError(fmt::format("{}: \"{}\" is not a duration", option, text),
                    "write a number of seconds, or as 3h30m, \"90 min\", \"10 s\"", 2);
  return static_cast<double>(*seconds);
}

double slurm_margin(double seconds_left) { return std::min(margin_seconds, seconds_left / 2.0); }

std::optional<double> time_budget(const std::string& asked, double of_sweep, const char* job_end,
                                  std::int64_t now) {
  if (!asked.empty()) {
    const double seconds = parse_seconds(asked, "--time-budget");
    return seconds > 0.0 ? std::optional(seconds) : std::nullopt;
  }
  if (of_sweep > 0.0) return of_sweep;
  if (job_end == nullptr) return std::nullopt;
  const double left = std::max(0.0, static_cast<double>(std::atoll(job_end) - now));
  return left - slurm_margin(left);
}

}  // namespace echo::cli
