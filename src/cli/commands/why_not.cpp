// echo-sweep why-not FILE [ID]: why a point is not feasible, and the smallest change that makes it so.

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "config/sweep_file/axis_values.hpp"
#include "config/sweep_file/point_reader.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/chosen_row.hpp"
#include "explain/config_of_row.hpp"
#include "explain/nearest/alternatives.hpp"
#include "explain/nearest/best_row.hpp"
#include "explain/nearest/nearest_text.hpp"
#include "explain/sweep_again.hpp"
#include "query/rank/ranking.hpp"

namespace echo::cli::commands {

namespace {

struct WhyNotOptions {
  std::string file, id;
  std::vector<std::string> sets, also, preset_paths;
  std::int64_t number = 5;
  bool json = false;
};

// The row that a user names; else the best, and where there is none, the nearest to a place in the ranking.
std::int64_t base_row(const results::ResultFile& file, const WhyNotOptions& options) {
  if (!options.id.empty()) return explain::find_row(file, options.id);
  if (options.sets.empty())
    throw UserError("which point?",
                    "name a row (echo-sweep top FILE --infeasible lists some), or choices: "
                    "--set tp=8,pp=4",
                    2);
  if (const explain::BestRow best = explain::best_row(file); best.row >= 0) return best.row;
  const auto near = query::least_infeasible(file, 1);
  return near.empty() ? 0 : near.front();
}

// The best row that trains the same model; none where the file has no such row.
explain::BestRow best_of_model(const results::ResultFile& file, const std::string& model) {
  const auto& models = file.at("model").meanings;
  if (std::ranges::find(models, model) == models.end()) return {.by = query::ranking_objective(file)};
  return explain::best_row(file, "model == '" + model + "'");
}

sweep::AxisSet axes_of(const std::vector<sweep::AxisColumn>& choices, const std::vector<std::string>& also) {
  sweep::AxisSet axes;
  for (const sweep::AxisColumn& choice : choices) axes.set(at(choice.axis));
  for (const std::string& name : also) axes.set(at(config::axis_named(name)));
  return axes;
}

// What its row in the file says otherwise.
std::string remark_on(const explain::Nearest& nearest, const results::Table& row) {
  const bool is_same = static_cast<std::int64_t>(nearest.point.report.status) == row.integer("status", 0) &&
                       static_cast<std::int64_t>(nearest.point.report.reason) == row.integer("reason", 0);
  return is_same ? ""
                 : "the catalog or the program has changed since: the file says " + row.text("reason", 0);
}

int run_why_not(const WhyNotOptions& options) {
  const results::ResultFile file(options.file);
  const std::int64_t row = base_row(file, options);
  const results::Table table = file.pick(std::span(&row, 1));
  explain::SweepAgain again = explain::sweep_again(file, options.preset_paths);
  std::string problem;
  const auto config = explain::config_of_row(table, 0, results::read_layer_tables(file.file()),
                                             again.inputs.catalog, problem);
  if (!config) throw UserError("the row cannot be simulated again: " + problem, "run the sweep again", 5);
  sweep::OnePoint point = sweep::pinned(again.inputs.spec, *config, again.inputs.catalog);
  const auto choices = config::read_choices(options.sets, again.inputs);
  for (const sweep::AxisColumn& choice : choices)
    sweep::choose(point, choice.axis, choice.values.front(), again.inputs.catalog);
  const sweep::AxisSet axes = explain::changeable_axes(again.inputs.spec, axes_of(choices, options.also));
  const explain::BestRow beside = best_of_model(file, again.inputs.catalog.model(point.config.model).name);
  const explain::Nearest nearest =
      explain::nearest_feasible(point, again.inputs.spec, again.inputs.catalog, again.inputs.calibration,
                                {.axes = axes, .by = beside.by});
  const explain::NearestReport report{.point = point,
                                      .spec = again.inputs.spec,
                                      .catalog = again.inputs.catalog,
                                      .nearest = nearest,
                                      .best = beside,
                                      .shown = options.number};
  const std::string remark = choices.empty() && nearest.removed_by.empty() ? remark_on(nearest, table) : "";
  if (options.json) {
    text::Json json;
    json.open_object().member("file", options.file);
    explain::add_nearest(json, report);
    json.member("remark", remark).close();
    say("{}", json.text());
    return 0;
  }
  say("{}", explain::nearest_text(report));
  if (!remark.empty()) say("\nremark: {}\n", remark);
  return 0;
}

std::function<int(Invocation&)> declare_why_not(Options& options) {
  auto chosen = std::make_shared<WhyNotOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.optional_argument(chosen->id, "ID", "config_id or its first digits, or a row number");
  options.values(chosen->sets, "--set",
                 "tp=8,pp=4: a point that is not in the file; other choices are those of row ID, or of the "
                 "best row; repeatable");
  options.values(chosen->also, "--also",
                 "AXIS that may change too; the axes of the layout, those that the sweep varies and the "
                 "number of GPUs may; repeatable");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.value(chosen->number, "-n,--number", "number of changes listed (default: 5)");
  options.flag(chosen->json, "--json", "print JSON on stdout, with all changes");
  return [chosen](Invocation&) { return run_why_not(*chosen); };
}

}  // namespace

extern const Command why_not{.name = "why-not",
                             .summary =
                                 "say why a point is not feasible, and the smallest change that "
                                 "makes it so",
                             .declare = declare_why_not};

}  // namespace echo::cli::commands
