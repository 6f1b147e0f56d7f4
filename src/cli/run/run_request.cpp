#include "cli/run/run_request.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "cli/run/build_facts.hpp"
#include "cli/slurm/time_budget.hpp"
#include "explain/nearest/ledger.hpp"
#include "explain/profile_inputs.hpp"
#include "sweep/space/config_id.hpp"
#include "text/show_quantity.hpp"
#include "training/feasibility.hpp"

namespace echo::cli {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// -o, otherwise the file named in the sweep; a shard has its own file next to it.
std::filesystem::path result_file(const RunOptions& options, const sweep::SweepSpec& spec) {
  if (!options.output.empty()) return options.output;
  return file_of(parallel::parse_shard(options.shard), sweep::result_file_of(spec));
}

// A journal is checked by the ids of some of its points, mostly in ascending order, and snapshots check it
// from a thread of their own. A cursor costs a hundred times as much as going on with it.
std::function<std::uint64_t(sweep::PointIndex)> config_ids_of(const sweep::DesignSpace& space) {
  struct Walked {
    explicit Walked(const sweep::DesignSpace& points) : cursor(points) {}
    std::mutex one_at_a_time;
    sweep::PointCursor cursor;
  };
  return [&space, walked = std::make_shared<Walked>(space)](sweep::PointIndex point) {
    const std::scoped_lock lock(walked->one_at_a_time);
    walked->cursor.go_to(point);
    return sweep::config_id_of(walked->cursor.config(), space.raw_space().catalog());
  };
}

parallel::Fsync fsync_of(const std::string& name) {
  if (name == "batch") return parallel::Fsync::batch;
  return name == "second" ? parallel::Fsync::second : parallel::Fsync::never;
}

parallel::SnapshotPace pace_of(const RunOptions& options, const sweep::SweepSpec& spec) {
  parallel::SnapshotPace pace;
  const double seconds = options.snapshot_every.empty()
                             ? spec.run.snapshot_every
                             : parse_seconds(options.snapshot_every, "--snapshot-every");
  if (seconds >= 0.0) pace.every = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
  return pace;
}

// "10" or "2%", with or without a blank; nothing if it is neither.
std::optional<std::int64_t> parse_failures(std::string text, std::int64_t points) {
  std::erase(text, ' ');
  const bool is_share = text.ends_with('%');
  if (is_share) text.pop_back();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number >= 0.0)) return std::nullopt;
  const double failures = is_share ? number / 100.0 * static_cast<double>(points) : number;
  return static_cast<std::int64_t>(failures);
}

// A search that stops at a gap has other rows than one that does not.
results::FileHeader header_of(const RunOptions& options, const WorkerInputs& inputs) {
  results::FileHeader header = sweep_header(inputs);
  if (inputs.spec.search.strategy != sweep::Strategy::best || options.gap.empty()) return header;
  const std::string text = header.space_key + fmt::format(" gap {}", parse_share(options.gap, "--gap"));
  Digest digest;
  digest.add(std::as_bytes(std::span(text)));
  header.space_key = digest.hex();
  const std::string both = header.row_key + header.space_key;
  Digest whole;
  whole.add(std::as_bytes(std::span(both)));
  header.sweep_key = whole.hex();
  return header;
}

}  // namespace

BestSearch search_request(const RunOptions& options, const WorkerInputs& inputs) {
  const auto seconds = time_budget(options.time_budget, inputs.spec.run.time_budget,
                                   std::getenv("SLURM_JOB_END_TIME"), std::time(nullptr));
  return {.file = result_file(options, inputs.spec),
          .sweep_key = header_of(options, inputs).sweep_key,
          .gap = options.gap.empty() ? 0.0 : parse_share(options.gap, "--gap"),
          .fresh = options.fresh,
          .progress = options.quiet ? "none" : options.progress,
          .interval = parse_seconds(options.progress_interval, "--progress-interval"),
          .deadline = seconds ? std::optional(parallel::seconds_from_now(*seconds)) : std::nullopt};
}

void check_strategy(const RunOptions& options, const sweep::SweepSpec& spec) {
  const bool searches = spec.search.strategy == sweep::Strategy::best;
  if (!searches && !options.gap.empty())
    throw UserError("--gap is of a search for the best points, and this sweep runs others",
                    "write strategy = \"best\" in [search], or leave out --gap", 2);
  if (searches && (!options.shard.empty() || options.extend || options.limit > 0))
    throw UserError(
        "a search for the best points finds them all at once: --shard, --extend and --limit do not "
        "go with it",
        "leave them out; mpirun spreads the search over workers", 2);
}

void check_options(const RunOptions& options) {
  if (options.fresh && (options.extend || options.retry_failed))
    throw UserError("--fresh discards old rows, but --extend and --retry-failed continue from them",
                    "choose one of them", 2);
  if (options.extend && !options.shard.empty())
    throw UserError("--extend cannot be combined with --shard: the points of each shard would change",
                    "extend the merged file, or run the shards of the new sweep from the beginning", 2);
  static_cast<void>(parallel::parse_shard(options.shard));
  static_cast<void>(parse_seconds(options.progress_interval, "--progress-interval"));
  if (!options.gap.empty()) static_cast<void>(parse_share(options.gap, "--gap"));
  if (!options.time_budget.empty()) static_cast<void>(parse_seconds(options.time_budget, "--time-budget"));
  if (!options.snapshot_every.empty())
    static_cast<void>(parse_seconds(options.snapshot_every, "--snapshot-every"));
  if (!options.max_failures.empty() && !parse_failures(options.max_failures, 0))
    throw UserError("--max-failures: \"" + options.max_failures + "\" is neither a number nor a percentage",
                    "give the tolerated number of failed points, as in 10 or 2%", 2);
}

std::int64_t failures_allowed(const RunOptions& options, const sweep::SweepSpec& spec, std::int64_t points) {
  const std::string& text = options.max_failures.empty() ? spec.run.max_failures : options.max_failures;
  return parse_failures(text, points).value_or(0);
}

results::Provenance provenance_of(const config::SweepInputs& read, const Invocation& invocation) {
  const BuildFacts facts = build_facts();
  results::Provenance provenance{.program = "echo-sweep",
                                 .version = facts.version,
                                 .git_commit = facts.git_commit,
                                 .compiler = facts.compiler,
                                 .build_type = facts.build_type,
                                 .host = host_name(),
                                 .command = invocation.text(),
                                 .sweep_toml = read.sweep_toml,
                                 .resolved_toml = read.resolved_toml};
  for (const config::InputFile& file : read.files) {
    provenance.inputs.push_back({explain::provenance_name(file), file.path, file.hash});
  }
  return provenance;
}

parallel::LaunchRequest launch_request(const RunOptions& options, const WorkerInputs& inputs,
                                       const sweep::DesignSpace& space, results::Provenance provenance) {
  const sweep::SweepSpec& spec = inputs.spec;
  const auto seconds = time_budget(options.time_budget, spec.run.time_budget,
                                   std::getenv("SLURM_JOB_END_TIME"), std::time(nullptr));
  return {.file = result_file(options, spec),
          .header = header_of(options, inputs),
          .provenance = std::move(provenance),
          .nearest =
              [&inputs](const results::ResultFile& file) {
                return explain::nearest_ledger(file, inputs.spec, inputs.catalog, inputs.calibration);
              },
          .space = {.size = space.size(),
                    .config_id = config_ids_of(space),
                    .config = [&space](sweep::PointIndex point) { return space.at(point); }},
          .shard = parallel::parse_shard(options.shard),
          .limit = options.limit,
          .fresh = options.fresh,
          .extend = options.extend,
          .retry_failed = options.retry_failed,
          .most_failures = options.fail_fast ? failures_allowed(options, spec, space.size()) : -1,
          .deadline = seconds ? std::optional(parallel::seconds_from_now(*seconds)) : std::nullopt,
          .fsync = fsync_of(options.fsync),
          .snapshots = pace_of(options, spec)};
}

std::string describe_request(const parallel::LaunchRequest& request) {
  const results::FileHeader& header = request.header;
  std::string text =
      fmt::format("file {}, {} points{}{}\n", request.file.string(), text::show_count(request.space.size),
                  request.shard.is_whole() ? "" : ", shard " + text_of(request.shard),
                  request.deadline ? ", with a time budget" : "");
  text += fmt::format("keys: sweep {}, rows {} (program {}, presets {}, calibration {}), space {}\n",
                      header.sweep_key.substr(0, 8), header.row_key.substr(0, 8),
                      header.code_key.substr(0, 8), header.catalog_key.substr(0, 8),
                      header.calibration_key.substr(0, 8), header.space_key.substr(0, 8));
  return text;
}

int exit_code_of_rows(const std::array<std::int64_t, 5>& by_status, std::int64_t allowed, bool allow_empty) {
  const auto count = [&by_status](training::Status s) { return by_status[at(s)]; };
  if (count(training::Status::failed) > allowed) return 4;
  return count(training::Status::ok) == 0 && !allow_empty ? 3 : 0;
}

}  // namespace echo::cli
