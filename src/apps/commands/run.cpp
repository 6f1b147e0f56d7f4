// echo-sweep [run] SWEEP.toml: simulates every point of a sweep, on one worker or under mpirun on many, and
// goes on from what an earlier launch left.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/build_facts.hpp"
#include "apps/command.hpp"
#include "apps/problem_text.hpp"
#include "apps/progress.hpp"
#include "apps/show_quantity.hpp"
#include "apps/summary.hpp"
#include "apps/sweep_inputs.hpp"
#include "apps/terminal.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/journal.hpp"
#include "parallel/launch.hpp"
#include "parallel/stop_signal.hpp"
#include "sweep/run_sweep.hpp"

namespace echo::apps::commands {

namespace {

struct RunOptions {
  std::string sweep, output, progress = "auto";
  std::vector<std::string> sets, preset_paths;
  std::int64_t limit = 0, progress_interval = 30;
  bool fresh = false, json = false, quiet = false, no_colour = false, allow_empty = false;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
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
    provenance.inputs.push_back({std::filesystem::path(file.path).stem().string(), file.path, file.hash});
  }
  return provenance;
}

// -o, else the sweep's own [output] file, else <name>.h5 in the current folder.
std::filesystem::path result_file(const RunOptions& options, const sweep::SweepSpec& spec) {
  if (!options.output.empty()) return options.output;
  return spec.output_file.empty() ? spec.name + ".h5" : spec.output_file;
}

// Rows an earlier launch left in journals, for the progress line alone: launch() looks again and has the say.
std::int64_t journalled_rows(const parallel::LaunchRequest& request) {
  if (request.fresh || std::filesystem::exists(request.file)) return 0;
  return parallel::JournalRows(parallel::journal_folder(request.file), request.header.sweep_key).size();
}

// A worker's own failures, so that a bug can be found from the log.
void report_failures(const sweep::SweepSummary& summary, int worker) {
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(summary.failures.size(), shown); ++i) {
    fmt::print(stderr, "worker {}: point {} failed: {}\n", worker, summary.failures[i].id,
               summary.failures[i].message);
  }
}

int report_outcome(const RunOptions& options, const parallel::Session& session,
                   const parallel::LaunchRequest& request, const parallel::LaunchOutcome& outcome,
                   const Invocation& invocation) {
  using Kind = parallel::LaunchOutcome::Kind;
  if (outcome.kind == Kind::stopped) {
    fmt::print(stderr, "stopped early: {} of {} points are done; go on with the same command:\n  {}\n",
               show_count(outcome.summary.rows), show_count(request.size), invocation.text());
    return parallel::exit_resumable;
  }
  const results::Table table = results::read_rows(request.file);
  const SummaryFacts facts{.file = request.file.string(),
                           .rows_digest = outcome.summary.rows_digest,
                           .seconds = outcome.seconds,
                           .simulated = outcome.summary.rows - outcome.resumed_rows,
                           .resumed = outcome.resumed_rows,
                           .workers = session.workers(),
                           .already_complete = outcome.kind == Kind::already_complete};
  fmt::print("{}", options.json ? summary_json(table, facts) : summary_text(table, facts));
  return exit_code_of(table, options.allow_empty);
}

int run_on(const parallel::Session& session, const RunOptions& options, const Invocation& invocation) {
  config::SweepInputs read;
  (void)parallel::from_first_worker(session, [&] {
    read = config::read_sweep(options.sweep, options.preset_paths, options.sets);
    return true;
  });
  parallel::LaunchRequest request;
  if (session.is_first()) {
    request.provenance = provenance_of(read, invocation);
    for (const Problem& warning : read.warnings) {
      if (!options.quiet)
        fmt::print(stderr, "{}", problem_text(warning, wants_colour(stderr, options.no_colour)));
    }
  }
  const WorkerInputs inputs = share_inputs(session, std::move(read));
  const sweep::DesignSpace space(inputs.spec, inputs.catalog);
  request.size = options.limit > 0 ? std::min(options.limit, space.size()) : space.size();
  request.file = result_file(options, inputs.spec);
  request.fresh = options.fresh;
  request.header = {
      .name = inputs.spec.name, .title = inputs.spec.title, .sweep_key = sweep_key(inputs, request.size)};

  std::optional<ProgressReporter> reporter;
  if (session.is_first()) {
    const auto style =
        options.quiet ? ProgressStyle::none : progress_style(options.progress, is_terminal(stderr));
    reporter.emplace(style, static_cast<double>(options.progress_interval),
                     ProgressFacts{.name = inputs.spec.name,
                                   .total = request.size,
                                   .resumed = journalled_rows(request),
                                   .workers = session.workers()});
  }
  const auto run_rows = [&](sweep::WorkSource& source, sweep::RowSink& sink) {
    report_failures(sweep::run_sweep(space, inputs.catalog, inputs.calibration, source, sink),
                    session.worker());
  };
  const auto outcome =
      parallel::launch(session, request, inputs.catalog, run_rows, [&](const parallel::Progress& now) {
        if (reporter) reporter->see(now);
      });
  if (!session.is_first()) return 0;
  const parallel::Progress whole{.by_status = outcome.summary.by_status,
                                 .ids = outcome.summary.rows - outcome.resumed_rows};
  if (outcome.kind != parallel::LaunchOutcome::Kind::already_complete) reporter->finish(whole);
  return report_outcome(options, session, request, outcome, invocation);
}

int run_sweep_file(const RunOptions& options, Invocation& invocation) {
  const parallel::Session session(invocation.argc, invocation.argv);
  parallel::watch_stop_signals();
  int code = 0;
  try {
    code = run_on(session, options, invocation);
  } catch (const UserError& error) {  // on every worker alike
    code = error.exit_code();
    if (session.is_first()) {
      fmt::print(stderr, "{}", problem_text(error, wants_colour(stderr, options.no_colour)));
      if (options.json) fmt::print("{}", problem_json(error));
    }
  } catch (const std::exception& error) {  // on one worker alone: the others may wait for it
    fmt::print(stderr, "worker {}: internal error: {}\n", session.worker(), error.what());
    session.abort();
  }
  return session.agree_on_exit_code(code);
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<RunOptions>();
  options.argument(chosen->sweep, "SWEEP", "the sweep, a TOML file");
  options.value(chosen->output, "-o,--output", "result file (default: the sweep's own, else NAME.h5 here)");
  options.values(chosen->sets, "--set",
                 "KEY=VALUE replaces a value of the sweep, as space.tp=[1,2]; repeatable");
  options.values(chosen->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  options.flag(chosen->fresh, "--fresh", "forget an old result file and its journals");
  options.value(chosen->limit, "--limit", "only the first N points; 0 = all");
  options.choice(chosen->progress, "--progress", {"auto", "bar", "line", "json", "none"},
                 "on stderr; auto = bar on a terminal, lines elsewhere");
  options.value(chosen->progress_interval, "--progress-interval", "seconds between progress lines");
  options.flag(chosen->json, "--json", "the summary, or what is wrong, as JSON on stdout");
  options.flag(chosen->quiet, "-q,--quiet", "no progress and no warnings");
  options.flag(chosen->no_colour, "--no-color", "plain text, as with NO_COLOR in the environment");
  options.flag(chosen->allow_empty, "--allow-empty", "exit 0 even when no point is feasible");
  return [chosen](Invocation& invocation) { return run_sweep_file(*chosen, invocation); };
}

}  // namespace

extern const Command run{.name = "run", .summary = "simulate a sweep, or go on with it", .declare = declare};

}  // namespace echo::apps::commands
