// Turns the options of `run` into a request for a launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/run/best_search.hpp"
#include "cli/run/sweep_inputs.hpp"
#include "parallel/launch/launch.hpp"

namespace echo::cli {

struct RunOptions {
  std::string sweep, output, shard, max_failures, time_budget, snapshot_every, log_file;
  std::string gap;  // of a search for the best: ends where it is no wider
  std::string fsync = "never", progress = "auto", progress_interval = "60s";
  std::vector<std::string> sets, preset_paths, profiles;
  std::int64_t limit = 0;
  bool fresh = false, extend = false, retry_failed = false, fail_fast = false, allow_empty = false;
  bool json = false, quiet = false, verbose = false, no_colour = false, stats = false;
};

// UserError 2 if a value cannot be parsed or two options exclude each other, before anything is done.
void check_options(const RunOptions&);

// Input files, build, host and command; the launch adds the facts that only it knows.
[[nodiscard]] results::Provenance provenance_of(const config::SweepInputs& read, const Invocation&);

// Keeps references to `space`, which must outlive the request.
[[nodiscard]] parallel::LaunchRequest launch_request(const RunOptions&, const WorkerInputs&,
                                                     const sweep::DesignSpace& space, results::Provenance);

// What the part of a run that finds the best points needs: where its rows go, their key with the gap.
[[nodiscard]] BestSearch search_request(const RunOptions&, const WorkerInputs&);
// UserError 2 where options make no sense with the strategy of the sweep.
void check_strategy(const RunOptions&, const sweep::SweepSpec&);

// Text for --verbose: file, points and keys.
[[nodiscard]] std::string describe_request(const parallel::LaunchRequest&);

// Tolerated number of failed points among `points`: "10" or "2%" from the command line, otherwise from the
// sweep, otherwise none.
[[nodiscard]] std::int64_t failures_allowed(const RunOptions&, const sweep::SweepSpec&, std::int64_t points);

// 4 when more rows failed than `allowed`; 3 when none is feasible, unless --allow-empty; else 0.
[[nodiscard]] int exit_code_of_rows(const std::array<std::int64_t, 5>& by_status, std::int64_t allowed,
                                    bool allow_empty);

}  // namespace echo::cli
