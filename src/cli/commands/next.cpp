// echo-sweep next FILE: the real runs that would most settle its ranking.
#include <charconv>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/objective_option.hpp"
#include "cli/terminal/say.hpp"
#include "query/settle/planned_runs.hpp"
#include "query/text/measured_text.hpp"
#include "results/updated_file.hpp"

namespace echo::cli::commands {

namespace {

struct NextOptions {
  std::string file, by = "auto", where, precision = "0.5 %";
  std::int64_t runs = 5, max_gpus = 0;
  bool json = false;
};

// "0.5 %" or "0.005".
double precision_of(const std::string& text) {
  double value = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit == "%") value /= 100.0;
  constexpr double least = 1e-4, most = 0.1;
  if (problem != std::errc() || !(unit.empty() || unit == "%") || !(value >= least && value <= most))
    throw UserError("--precision \"" + text + "\" is no share of a step from 0.01 % to 10 %",
                    "as in --precision \"0.5 %\"", 2);
  return value;
}

int run_next(const NextOptions& options) {
  const results::UpdatedFile rows(options.file);
  if (options.runs < 1) throw UserError("--runs 0 asks for nothing", "give at least 1", 2);
  query::RunsQuery asked{
      .by = options.by == "auto" ? query::ranking_objective(rows) : objective_named(options.by),
      .where = options.where,
      .runs = options.runs,
      .precision = precision_of(options.precision)};
  if (options.max_gpus > 0) asked.max_gpus = options.max_gpus;
  const query::RunPlan plan = query::planned_runs(rows, asked);
  if (options.json) {
    text::Json json;
    json.open_object().member("file", options.file).member("measured_runs", rows.state().measured.runs);
    query::add_plan(json, plan, asked, rows);
    json.close();
    say("{}", json.text());
    return 0;
  }
  say("{}{}", query::measured_line(rows.state()), text_of(plan, asked, rows));
  return 0;
}

std::function<int(Invocation&)> declare_next(Options& options) {
  auto chosen = std::make_shared<NextOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.value(chosen->runs, "--runs", "number of runs, at most");
  options.value(chosen->max_gpus, "--max-gpus", "GPUs of a run, at most; 0 = as many as any row has");
  options.value(
      chosen->where, "--where",
      "choose only among rows that satisfy this condition, as in \"gpus == 1024\"; runs may be of any row");
  options.value(
      chosen->by, "--by",
      "metric to choose by; auto = the first objective of the sweep, otherwise step time, or tokens/s "
      "per GPU where batch sizes or GPU counts differ");
  options.value(chosen->precision, "--precision",
                "standard error of a run's mean step time, which says how many steps it takes");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_next(*chosen); };
}

}  // namespace

extern const Command next{
    .name = "next", .summary = "say which real runs would settle the ranking", .declare = declare_next};

}  // namespace echo::cli::commands
