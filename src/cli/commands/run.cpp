// echo-sweep [run] SWEEP.toml: simulates every point of a sweep, on one worker or on many under mpirun, and
// continues where an earlier launch stopped.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/freed_memory.hpp"
#include "cli/command.hpp"
#include "cli/run/abort_all.hpp"
#include "cli/run/best_search.hpp"
#include "cli/run/memo_report.hpp"
#include "cli/run/packet_cache.hpp"
#include "cli/run/phase_times.hpp"
#include "cli/run/run_request.hpp"
#include "cli/run/sweep_inputs.hpp"
#include "cli/slurm/time_budget.hpp"
#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/summary.hpp"
#include "cli/terminal/terminal.hpp"
#include "explain/profile_inputs.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/launch/launch.hpp"
#include "parallel/launch/stop_signal.hpp"
#include "parallel/search/round_journal.hpp"
#include "results/read_rows.hpp"
#include "sweep/run/run_sweep.hpp"
#include "sweep/space/space_index.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

const char* words_of(parallel::StopReason reason) {
  switch (reason) {
    case parallel::StopReason::time_budget:
      return "the time budget is exhausted";
    case parallel::StopReason::failures:
      return "more points failed than --max-failures allows";
    case parallel::StopReason::none:
    case parallel::StopReason::signal:
    case parallel::StopReason::gave_up:
      break;
  }
  return "a signal asked for it";
}

int report_stop(const parallel::LaunchRequest& request, const parallel::LaunchOutcome& outcome,
                const Invocation& invocation) {
  remark("stopped early ({}): {} of {} points are done; continue with the same command:\n  {}\n",
         words_of(outcome.stop_reason), text::show_count(outcome.summary.rows),
         text::show_count(ids_of(request.shard, request.space.size).count()), invocation.text());
  return outcome.stop_reason == parallel::StopReason::failures ? 4 : parallel::exit_resumable;
}

constexpr std::int64_t points_for_gaps = 20;

int report_outcome(const RunOptions& options, std::int64_t allowed_failures, const parallel::Session& session,
                   const WorkerInputs& inputs, const parallel::LaunchRequest& request,
                   const parallel::LaunchOutcome& outcome, const Invocation& invocation) {
  using Kind = parallel::LaunchOutcome::Kind;
  if (outcome.kind == Kind::stopped) return report_stop(request, outcome, invocation);
  const results::ResultFile rows(request.file);
  simulate::Catalog catalog = inputs.catalog;
  const auto best = explain::best_configs(rows, points_for_gaps, catalog);
  const SummaryFacts facts{.file = request.file.string(),
                           .rows_digest = outcome.summary.rows_digest,
                           .seconds = outcome.seconds,
                           .simulated = outcome.progress.rows(),
                           .resumed = outcome.resumed_rows,
                           .workers = session.workers(),
                           .already_complete = outcome.kind == Kind::already_complete,
                           .gaps = explain::kernel_gaps(best, catalog, inputs.calibration),
                           .gap_points = best.size(),
                           .line_width = line_width(stdout)};
  say("{}", options.json ? summary_json(rows, facts) : summary_text(rows, facts));
  if (request.provenance.search) {
    if (outcome.kind != Kind::limited)
      parallel::RoundJournal::remove(parallel::real_disk(), parallel::round_journal_of(request.file));
    if (!options.json) say("{}", proof_text(*request.provenance.search));
  }
  if (outcome.kind == Kind::limited && !options.json)
    say("partial: the first {} of {} points; continue with the same command without --limit\n",
        text::show_count(outcome.summary.rows), text::show_count(request.space.size));
  return exit_code_of_rows(outcome.summary.by_status, allowed_failures, options.allow_empty);
}

// `shared` outlives exceptions thrown here: an exception on a single worker must not destroy it before the
// session.
int run_on(const parallel::Session& session, const RunOptions& options, const Invocation& invocation,
           std::optional<WorkerInputs>& shared) {
  PhaseTimes phases;
  config::SweepInputs read;
  std::string measured;
  (void)parallel::from_first_worker(session, [&] {
    check_options(options);
    read = config::read_sweep(options.sweep, options.preset_paths, options.sets);
    check_strategy(options, read.spec);
    measured = explain::read_profiles(read, options.profiles);
    return true;
  });
  Log log(session.is_first() ? options.log_file : "");
  results::Provenance provenance;
  if (session.is_first()) {
    provenance = provenance_of(read, invocation);
    for (const Problem& warning : read.warnings)
      if (!options.quiet) log.write(problem_text(warning, wants_colour(stderr, options.no_colour)));
  }
  shared.emplace(share_inputs(session, std::move(read), measured));
  const WorkerInputs& inputs = *shared;
  if (session.is_first() && !options.quiet && inputs.spec.search.strategy != sweep::Strategy::best)
    log.write(numbering_note(inputs));
  phases.end("reading the sweep");
  const bool searches = inputs.spec.search.strategy == sweep::Strategy::best;
  std::vector<std::int64_t> points;
  if (searches) {
    BestPoints best = find_best(session, inputs, search_request(options, inputs), log);
    if (best.is_stopped) return parallel::exit_resumable;
    points = std::move(best.points);
    if (session.is_first()) provenance.search = std::move(best.record);
  }
  const sweep::DesignSpace space =
      searches ? sweep::DesignSpace(inputs.spec, inputs.catalog, sweep::index_of_list(std::move(points)))
               : share_space(session, inputs);
  phases.end(searches ? "search" : "numbering");
  const parallel::LaunchRequest request = launch_request(options, inputs, space, std::move(provenance));
  if (options.verbose && session.is_first()) log.write(printable(describe_request(request)));

  std::optional<ProgressReporter> reporter;
  const parallel::LaunchWatch watch{
      .on_start =
          [&](const parallel::LaunchStart& start) {
            reporter.emplace(progress_style(options.quiet ? "none" : options.progress, is_terminal(stderr)),
                             parse_seconds(options.progress_interval, "--progress-interval"), log,
                             ProgressFacts{.name = inputs.spec.name,
                                           .total = start.total,
                                           .resumed = start.resumed,
                                           .suspects = start.suspects,
                                           .workers = session.workers()});
          },
      .on_progress = [&](const parallel::Progress& now) { reporter->see(now); },
      .on_warning = [&](const std::string& text) { log.write("warning: " + printable(text) + "\n"); }};
  simulate::MemoCounts memos;  // of this worker
  const PacketCache packets(request.file, inputs.spec.packet_cache, inputs.catalog, inputs.calibration);
  const auto run_rows = [&](sweep::WorkSource& source, sweep::RowSink& sink) {
    memos +=
        sweep::run_sweep(space, inputs.catalog, inputs.calibration, source, sink, packets.memory()).memos;
    return_freed_memory();
  };
  const auto outcome = parallel::launch(session, request, inputs.catalog, run_rows, watch);
  if (options.stats) memos = sum_over_workers(session, memos);
  if (!session.is_first()) return 0;
  if (reporter) reporter->finish(outcome.progress);
  phases.end_two("points", outcome.seconds, "result file");
  const int code = report_outcome(options, failures_allowed(options, inputs.spec, outcome.summary.rows),
                                  session, inputs, request, outcome, invocation);
  phases.end("summary");
  if (options.stats) remark("{}\n{}", memo_report(memos), phases.text());
  return code;
}

int run_sweep_file(const RunOptions& options, Invocation& invocation) {
  parallel::watch_stop_signals();  // before MPI starts, which takes a while
  const parallel::Session session(invocation.argc, invocation.argv);
  std::optional<WorkerInputs> inputs;
  int code = 0;
  try {
    code = run_on(session, options, invocation, inputs);
  } catch (const UserError& error) {  // the same on every worker
    code = error.exit_code();
    if (session.is_first()) {
      fmt::print(stderr, "{}",
                 problem_text(error, wants_colour(stderr, options.no_colour), Purpose::simulate));
      if (options.json) say("{}", problem_json(error));
    }
  } catch (const std::exception& error) {  // on one worker only
    abort_all(session, error);
  }
  return session.agree_on_exit_code(code);
}

void declare_what_runs(Options& options, RunOptions& chosen) {
  options.argument(chosen.sweep, "SWEEP", "the sweep, a TOML file");
  options.value(chosen.output, "-o,--output",
                "result file (default: the one named in the sweep, otherwise ./NAME.h5)");
  options.values(chosen.sets, "--set",
                 "KEY=VALUE replaces a value of the sweep, as in space.tp=[1,2]; repeatable");
  options.values(chosen.preset_paths, "--preset-path,--include", preset_path_help);
  options.values(
      chosen.profiles, "--profile",
      "profile of measured kernels, in addition to those of the sweep (see echo-sweep profile); repeatable");
  options.value(chosen.limit, "--limit",
                "run only the first N points; a later run without --limit continues; 0 = all");
  options.value(
      chosen.gap, "--gap",
      "search for the best points: stop where no other point can be better by more than this share: "
      "1%, 0.01 (default: 0, a proof)");
  options.value(chosen.shard, "--shard",
                "I/N: run only shard I of N, into a separate file (echo-sweep merge combines them)");
  options.flag(chosen.fresh, "--fresh",
               "discard old rows; the old file is kept until the new one is complete");
  options.flag(chosen.extend, "--extend",
               "the design space changed: keep the rows of points that are still in it");
  options.flag(chosen.retry_failed, "--retry-failed", "simulate failed points again");
  options.value(chosen.max_failures, "--max-failures",
                "tolerated number of failed points, or P%; beyond it exit with 4 (default: 0)");
  options.flag(chosen.fail_fast, "--fail-fast", "stop at the first failed point that is not tolerated");
  options.flag(chosen.allow_empty, "--allow-empty", "exit with 0 even if no point is feasible");
}

void declare_how_it_runs(Options& options, RunOptions& chosen) {
  options.value(
      chosen.time_budget, "--time-budget",
      "stop after this time with exit code 75: 3h30m, 90min; 0 = never (default: the sweep's, otherwise "
      "the remaining time of the Slurm job minus one minute)");
  options.value(chosen.snapshot_every, "--snapshot-every",
                "interval between snapshots, complete result files written during the run; 0 = none "
                "(default: the sweep's, otherwise 5min)");
  options.choice(chosen.fsync, "--fsync", {"never", "second", "batch"},
                 "when rows are flushed to disk. never: a kill loses at most one second of rows, a power "
                 "failure everything not yet written by the kernel; second: both lose at most one second; "
                 "batch: nothing is lost");
  options.choice(chosen.progress, "--progress", {"auto", "bar", "line", "json", "none"},
                 "progress report on stderr; auto = a bar on a terminal, lines elsewhere");
  options.value(chosen.progress_interval, "--progress-interval",
                "interval between progress lines: 30s, 5min");
  options.value(chosen.log_file, "--log-file", "also append progress lines and warnings to this file");
  options.flag(
      chosen.stats, "--stats",
      "print on stderr how often results of earlier points could be used again, and the time of each phase");
  options.flag(chosen.json, "--json", "print the summary, or the problems, as JSON on stdout");
  options.flag(chosen.quiet, "-q,--quiet", "print no progress and no warnings");
  options.flag(chosen.verbose, "-v,--verbose", "print the sweep that is run and its keys");
  options.flag(chosen.no_colour, "--no-color", "no colours, as with NO_COLOR in the environment");
}

std::function<int(Invocation&)> declare_run(Options& options) {
  auto chosen = std::make_shared<RunOptions>();
  declare_what_runs(options, *chosen);
  declare_how_it_runs(options, *chosen);
  return [chosen](Invocation& invocation) { return run_sweep_file(*chosen, invocation); };
}

}  // namespace

extern const Command run{
    .name = "run", .summary = "run a sweep, or continue it", .declare = declare_run, .simulates = true};

}  // namespace echo::cli::commands
