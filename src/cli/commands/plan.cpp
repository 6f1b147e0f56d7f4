// echo-sweep plan SWEEP: counts the points and how many each rule removes; on request lists points, times a
// few of them, or explains why one is removed. SWEEP is a TOML file, or a result file, which holds its sweep.
// Writes nothing.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/plan_counts.hpp"
#include "cli/plan/plan_points.hpp"
#include "cli/plan/plan_probe.hpp"
#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/profile_inputs.hpp"
#include "explain/sweep_again.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "results/file_header.hpp"
#include "results/read_rows.hpp"
#include "results/write/result_file.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct PlanOptions {
  std::string sweep, output, why, waterfall = "order";
  std::vector<std::string> sets, preset_paths, profiles;
  std::int64_t probe = 0, workers = 1, list = 0;
  bool json = false;
};

// Rows left by earlier launches, in the result file or in the journals next to it.
struct AlreadyThere {
  std::string file;
  std::int64_t rows = 0;
};
AlreadyThere look_for_rows(const PlanOptions& options, const sweep::SweepSpec& spec) {
  AlreadyThere there{options.output, 0};
  if (there.file.empty())
    there.file = results::is_result(options.sweep) ? options.sweep : sweep::result_file_of(spec);
  if (const auto state = results::read_state(there.file)) there.rows = state->rows;
  const auto folder = parallel::journal_folder(there.file);
  if (std::filesystem::is_directory(folder))
    there.rows = std::max(there.rows, parallel::JournalRows(folder, "").size());
  return there;
}

void print_text(const PlanOptions& options, const config::SweepInputs& inputs, const PlanCounts& counts) {
  say("{}", options.waterfall == "alone" ? alone_text(counts) : waterfall_text(inputs.spec, counts));
  const AlreadyThere there = look_for_rows(options, inputs.spec);
  say("{}already in {}: {}\n", to_run_text(inputs.spec, counts), there.file, text::show_count(there.rows));
  if (options.probe > 0) {
    say("{}", probe_text(probe_points(inputs.spec, inputs.catalog, inputs.calibration, counts, options.probe,
                                      options.workers)));
  }
  if (options.list > 0)
    say("{}", points_text(list_points(inputs.spec, inputs.catalog, counts, options.list)));
  if (!options.why.empty()) say("{}", fate_text(find_fate(inputs.spec, inputs.catalog, counts, options.why)));
}

void print_json(const PlanOptions& options, const config::SweepInputs& inputs, const PlanCounts& counts) {
  text::Json json;
  json.open_object();
  add_counts(counts, json);
  const AlreadyThere there = look_for_rows(options, inputs.spec);
  json.member("file", there.file).member("already", there.rows);
  if (options.probe > 0) {
    add_probe(
        probe_points(inputs.spec, inputs.catalog, inputs.calibration, counts, options.probe, options.workers),
        json);
  }
  if (options.list > 0)
    add_points("list", list_points(inputs.spec, inputs.catalog, counts, options.list), json);
  if (!options.why.empty()) add_fate(find_fate(inputs.spec, inputs.catalog, counts, options.why), json);
  json.close();
  say("{}", json.text());
}

explain::SweepAgain read_sweep(const PlanOptions& options) {
  if (results::is_result(options.sweep))
    return explain::sweep_again(results::ResultFile(options.sweep), options.preset_paths, options.sets);
  explain::SweepAgain read{config::read_sweep(options.sweep, options.preset_paths, options.sets), nullptr};
  read.measured = std::make_unique<const std::string>(explain::read_profiles(read.inputs, options.profiles));
  explain::price_by(*read.measured, read.inputs);
  return read;
}

int run_plan(const PlanOptions& options) {
  const explain::SweepAgain read = read_sweep(options);
  const config::SweepInputs& inputs = read.inputs;
  for (const Problem& warning : inputs.warnings) {
    fmt::print(stderr, "{}", problem_text(warning, wants_colour(stderr, false)));
  }
  const PlanCounts counts = count_plan(inputs.spec, inputs.catalog);
  (options.json ? print_json : print_text)(options, inputs, counts);
  return 0;
}

std::function<int(Invocation&)> declare_plan(Options& options) {
  auto chosen = std::make_shared<PlanOptions>();
  options.argument(chosen->sweep, "SWEEP", "the sweep, a TOML file, or a result file");
  options.values(chosen->sets, "--set", "KEY=VALUE replaces a value of the sweep; repeatable");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.values(chosen->profiles, "--profile", "profile of measured kernels, as in run; repeatable");
  options.choice(
      chosen->waterfall, "--waterfall", {"order", "alone"},
      "points removed by each rule: after the earlier rules (order), or by that rule alone (alone)");
  options.value(chosen->probe, "--probe", "simulate N points and estimate the time for all");
  options.value(chosen->workers, "--workers", "number of workers assumed by the estimate");
  options.value(chosen->list, "--list", "list the first N points");
  options.value(chosen->why, "--why",
                "explain which rule removes a point: tp=8,pp=4 (other axes: any value)");
  options.value(chosen->output, "-o,--output",
                "result file searched for existing rows (default: the sweep's)");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_plan(*chosen); };
}

}  // namespace

extern const Command plan{
    .name = "plan", .summary = "count the points of a sweep, rule by rule", .declare = declare_plan};

}  // namespace echo::cli::commands
