// echo-sweep validate FILE.csv...: predicts every row of tables of measurements and reports the errors. Under
// mpirun every worker reads the tables and predicts its share of the rows; worker 0 prints.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "cli/command.hpp"
#include "cli/recalibrate_command.hpp"
#include "cli/run/abort_all.hpp"
#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "explain/slowdown_input.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/platform/launcher.hpp"
#include "validation/measured_table.hpp"
#include "validation/validate_report.hpp"

namespace echo::cli {

namespace {

struct Arguments {
  std::vector<std::string> tables, sites, preset_paths;
  std::string csv, slowdown = "auto", setting = "stated", by = "stratum,source", expect, recalibrate;
  std::int64_t worst = 5;
  bool json = false, markdown = false, force = false;
};

struct Inputs {
  config::CatalogInputs presets;
  std::vector<validation::MeasuredTable> tables;
  std::unique_ptr<const std::string> learned;  // referenced by the calibration's slowdown model
  validation::SlowdownChoice on_metrics;
  validation::ValidateOptions options;
};

// --setting: "stated" leaves rows as their tables have them.
void choose_setting(const std::string& word, std::vector<validation::MeasuredTable>& tables) {
  if (word == "stated") return;
  const auto found = std::ranges::find(simulate::setting_names, word);
  if (found == simulate::setting_names.end())
    throw UserError("--setting " + word + " is unknown", "stated, benchmark or production");
  const auto setting = static_cast<simulate::Setting>(found - simulate::setting_names.begin());
  for (validation::MeasuredTable& table : tables)
    if (auto* const steps = std::get_if<config::MeasuredSteps>(&table.rows))
      for (config::MeasuredStep& step : steps->rows) step.setting = setting;
}

Inputs read_inputs(const Arguments& arguments, const validation::RowShares& shares) {
  Inputs out;
  out.options = {.shares = shares,
                 .wants_csv = !arguments.csv.empty(),
                 .by = validation::groupings_of(arguments.by),
                 .worst = static_cast<std::size_t>(arguments.worst)};
  out.presets = config::read_catalog_with(arguments.sites, arguments.preset_paths);
  out.tables = validation::read_measured_tables(arguments.tables, out.presets);
  choose_setting(arguments.setting, out.tables);
  bool steps = false, slowdown = false;
  for (const validation::MeasuredTable& table : out.tables)
    steps |= table.is_steps(), slowdown |= table.is_slowdown();
  if (slowdown) out.on_metrics = validation::slowdown_on_metrics(arguments.slowdown, out.presets);
  if (steps || !slowdown) out.learned = explain::choose_slowdown(arguments.slowdown, out.presets.calibration);
  return out;
}

// Throws the same problem on every worker, whichever worker found it.
std::optional<Inputs> read_on_all(const Arguments& arguments, const parallel::Session& session) {
  std::optional<Inputs> out;
  std::string failure;
  try {
    out.emplace(read_inputs(arguments, validation::RowShares(session)));
  } catch (const UserError& error) {
    failure = parallel::describe(error);
  }
  session.share_failure(failure);
  if (!failure.empty()) parallel::throw_described(failure);
  return out;
}

void tell(const Arguments& arguments, const Inputs& inputs,
          const std::vector<validation::ValidatedTable>& tables) {
  for (const validation::MeasuredTable& table : inputs.tables)
    for (const Problem& warning : table.warnings())
      fmt::print(stderr, "{}", problem_text(warning, wants_colour(stderr, false)));
  if (inputs.options.wants_csv) validation::write_rows(arguments.csv, tables);
  if (arguments.json)
    say("{}", report_json(tables));
  else if (arguments.markdown)
    say("{}", validation::report_markdown(tables));
  else
    say("{}", report_text(tables, arguments.by == "all"));
  validation::check_expected(validation::split_list(arguments.expect), tables);
}

std::vector<validation::ValidatedTable> validated(const Inputs& inputs, const std::string& slowdown) {
  std::vector<validation::ValidatedTable> out;
  for (const validation::MeasuredTable& table : inputs.tables)
    out.push_back(
        validation::validate_table(table, inputs.presets, inputs.on_metrics, slowdown, inputs.options));
  return out;
}

void validate_on(const parallel::Session& session, const Arguments& arguments) {
  const auto inputs = read_on_all(arguments, session);
  const auto tables = validated(*inputs, arguments.slowdown);
  (void)parallel::from_first_worker(session, [&] { return tell(arguments, *inputs, tables), true; });
}

RecalibrateArguments to_recalibrate(const Arguments& a) {
  return {a.tables, a.sites, a.preset_paths, a.recalibrate, a.csv, a.slowdown, a.json, a.force};
}

int validate_together(const Arguments& arguments, Invocation& invocation) {
  const parallel::Session session(invocation.argc, invocation.argv);
  int code = 0;
  try {
    if (arguments.recalibrate.empty())
      validate_on(session, arguments);
    else
      code = parallel::from_first_worker(session,
                                         [&] { return recalibrate_and_tell(to_recalibrate(arguments)); });
  } catch (const UserError& error) {  // the same on every worker
    code = error.exit_code();
    if (session.is_first())
      fmt::print(stderr, "{}", problem_text(error, wants_colour(stderr, false), Purpose::simulate));
  } catch (const std::exception& error) {  // on one worker only
    abort_all(session, error);
  }
  return session.agree_on_exit_code(code);
}

int validate_alone(const Arguments& arguments) {
  if (!arguments.recalibrate.empty()) return recalibrate_and_tell(to_recalibrate(arguments));
  const Inputs inputs = read_inputs(arguments, {});
  tell(arguments, inputs, validated(inputs, arguments.slowdown));
  return 0;
}

std::function<int(Invocation&)> declare_validate(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.arguments(
      arguments->tables, "FILE.csv",
      "tables of measured training steps, kernels, collectives, overlaps or goodputs, one per row");
  options.value(arguments->by, "--by",
                "groups of the error tables of training steps, as in stratum,gpu: stratum, source, gpu, "
                "framework, gpus, "
                "precision, feature, mfu, memory_source, memory_kind; or all (--json always prints all)");
  options.value(arguments->worst, "--worst",
                "number of worst training steps to show, each with a likely cause");
  options.value(arguments->expect, "--expect",
                "groups that must have scored rows, as in korthikanti22,feature=cp; all = every stratum; "
                "otherwise exit with 4");
  options.value(arguments->csv, "--csv", "write one line per row to this CSV file");
  options.flag(arguments->json, "--json", "print all results as JSON");
  options.flag(arguments->markdown, "--markdown", "print the error tables of training steps in Markdown");
  options.value(
      arguments->slowdown, "--slowdown",
      "as [simulate] slowdown in a sweep: auto, off, contention or a learned model; for tables of overlaps "
      "also a model of measured metrics");
  options.value(arguments->setting, "--setting",
                "of training steps, as [simulate] setting in a sweep: benchmark, production, or stated: "
                "as the column setting says, else benchmark");
  options.values(arguments->preset_paths, "--preset-path,--include", preset_path_help);
  options.values(arguments->sites, "--site", "file of site constants, as included by a sweep");
  options.value(arguments->recalibrate, "--recalibrate",
                "fit site constants to a table of training steps and write them to this file");
  options.flag(arguments->force, "--force",
               "write them even if they do not improve the predictions of held-out rows");
  return [arguments](Invocation& invocation) {
    return parallel::is_launched() ? validate_together(*arguments, invocation) : validate_alone(*arguments);
  };
}

}  // namespace

namespace commands {
extern const Command validate;
const Command validate{.name = "validate",
                       .summary = "compare predictions with tables of measurements",
                       .declare = declare_validate,
                       .simulates = true};
}  // namespace commands

}  // namespace echo::cli
