#include "cli/slurm/slurm_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/problems.hpp"

namespace echo::cli {

namespace {

constexpr double shortest_minutes = 10;  // in a shorter job, most of the time would be after the warning

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

// Slurm splits #SBATCH lines at blanks, and lists at commas.
bool is_plain_word(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.,+@").find(c) != std::string_view::npos;
  });
}

void check_job(const SlurmJob& job) {
  constexpr std::int64_t most_nodes = 100'000, most_tasks = 1'024, most_shards = 100'000;
  Problems problems;
  const auto check = [&](bool good, std::string what, std::string remedy) {
    if (!good) problems.error({}, std::move(what), std::move(remedy));
  };
  check(job.nodes >= 1 && job.nodes <= most_nodes, fmt::format("--nodes {} is no number of nodes", job.nodes),
        "give 1 or more");
  check(job.tasks_per_node >= 1 && job.tasks_per_node <= most_tasks,
        fmt::format("--tasks-per-node {} is no number of workers for a node", job.tasks_per_node),
        "give as many as a node has cores");
  check(job.shards == 0 || (job.shards >= 2 && job.shards <= most_shards),
        fmt::format("--array {} is no job array", job.shards), "give 2 or more shards, or leave it out");
  const auto minutes = slurm_minutes(job.time);
  check(minutes.has_value(), fmt::format("--time \"{}\" is no Slurm time", job.time),
        "write minutes, H:M:S or D-H:M:S, such as 04:00:00");
  check(!minutes || *minutes >= shortest_minutes, fmt::format("--time {} is too short", job.time),
        fmt::format("give at least {:.0f} minutes: the job is signalled {} s before its end, and Slurm "
                    "may do so a minute early",
                    shortest_minutes, warning_seconds));
  check(job.partition.empty() || is_plain_word(job.partition),
        fmt::format("--partition \"{}\" is no name of a partition", job.partition),
        "sinfo lists the partitions");
  check(job.account.empty() || is_plain_word(job.account),
        fmt::format("--account \"{}\" is no name of an account", job.account),
        "sacctmgr show associations lists your accounts");
  if (job.sweep) {
    check(job.shards == 0 || job.sweep->file.ends_with(".h5"),
          fmt::format("\"{}\" does not end in .h5", job.sweep->file),
          "shards of an array are named after it: give it that ending with -o");
    for (const std::string& path : {job.sweep->sweep, job.sweep->file, job.sweep->program}) {
      check(!has_control_character(path), "a path holds a control character", "rename the file");
    }
  }
  check(!has_control_character(job.command), "the command line holds a control character",
        "the script could not quote it in a comment");
  problems.throw_if_any();
}

std::optional<double> slurm_minutes(std::string_view text) {
  constexpr std::int64_t most = 1'000'000;
  std::vector<std::int64_t> numbers;
  std::string separators;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || *at == '-' || number > most) return std::nullopt;
    numbers.push_back(number);
    if (stop == end) break;
    separators += *stop;
    at = stop + 1;
  }
  numbers.resize(4);
  const auto in_minutes = [](std::int64_t d, std::int64_t h, std::int64_t m, std::int64_t s) {
    return static_cast<double>((d * 24 + h) * 60 + m) + static_cast<double>(s) / 60.0;
  };
  if (separators.starts_with('-') && (separators == "-" || separators == "-:" || separators == "-::"))
    return in_minutes(numbers[0], numbers[1], numbers[2], numbers[3]);
  if (separators.empty() || separators == ":") return in_minutes(0, 0, numbers[0], numbers[1]);
  if (separators == "::") return in_minutes(0, numbers[0], numbers[1], numbers[2]);
  return std::nullopt;
}

}  // namespace echo::cli
