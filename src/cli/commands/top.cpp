// echo-sweep top FILE: prints the best rows of a result file.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/objective_option.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "query/rank/doubtful.hpp"
#include "query/rank/group_key.hpp"
#include "query/rank/judged_ranking.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/varying_axes.hpp"
#include "query/rank/without_slowdown.hpp"
#include "query/text/front_text.hpp"
#include "query/text/infeasible_text.hpp"
#include "query/text/measured_text.hpp"
#include "query/text/ranked_table.hpp"
#include "query/text/result_text.hpp"
#include "results/updated_file.hpp"

namespace echo::cli::commands {

namespace {

struct TopOptions {
  std::string file, by = "auto", per, where, columns;
  std::int64_t number = 10;
  bool json = false, keep_order = false, infeasible = false, pareto = false, explain = false;
};

sweep::Objective objective_of(const results::ResultRows& rows, const std::string& by) {
  return by == "auto" ? query::ranking_objective(rows) : objective_named(by);
}

void print_json(const results::ResultRows& all, const TopOptions& options,
                const query::JudgedRanking& ranking) {
  const sweep::Objective& by = ranking.query.by;
  text::Json json;
  json.open_object().member("file", options.file).member("by", by.metric);
  json.member("setting", all.state().settings.setting);
  json.member("measured_runs", all.state().measured.runs);
  json.member("goal", by.goal == sweep::Goal::min ? "min" : "max");
  json.member("per", options.per).member("where", options.where).key("rows").open_array();
  query::add_ranked_rows(json, ranking, all);
  json.close().key("groups").open_array();
  query::add_groups(json, ranking);
  json.close();
  query::add_without_slowdown(json, query::without_slowdown(all, options.where), all);
  json.close();
  say("{}", json.text());
}

// "model llama3-8b, gpus 16: ".
std::string name_of_group(const TopOptions& options, const query::RankedGroup& group) {
  return options.per.empty() ? "" : fmt::format("{} {}: ", options.per, group.name);
}

std::string group_text(const results::ResultRows& all, const TopOptions& options,
                       const query::JudgedRanking& ranking, std::size_t g, query::RankedTable request) {
  const query::RankedGroup& group = ranking.groups[g];
  const std::string which = name_of_group(options, group);
  if (group.rows.empty())
    return which + "no feasible row" + (options.where.empty() ? " to rank" : " to rank satisfies --where") +
           "\n";
  const results::Table table = all.pick(group.rows);
  request.first_is_better = ranking.ties[g].shown();
  std::string text = fmt::format("{}by {}, {} of {} feasible rows\n{}", which, ranking.query.by.metric,
                                 group.rows.size(), group.feasible, query::ranked_text(all, table, request));
  if (options.explain && g == 0) text += query::legend_text(all, table, request);
  return text + first_place_text(ranking, g, table, all);
}

int say_infeasible(const results::ResultFile& rows, const TopOptions& options) {
  if (!options.json) {
    say("{}{}", query::infeasible_text(rows, options.number, options.where),
        options.where.empty() ? query::ledger_text(rows) : "");
    return 0;
  }
  text::Json json;
  json.open_object().member("file", options.file).member("where", options.where);
  query::add_infeasible(json, rows, options.number, options.where);
  json.close();
  say("{}", json.text());
  return 0;
}

query::RankedTable table_of(const results::ResultRows& rows, const TopOptions& options) {
  query::RankedTable request;
  request.axes = query::varying_axes(rows);
  request.columns = query::names_in_list(options.columns);
  request.width = line_width(stdout);
  return request;
}

int say_front(const results::ResultRows& rows, const TopOptions& options) {
  if (!options.where.empty() || !options.per.empty())
    throw UserError("--pareto lists the front of all rows of the file",
                    "leave out --where and --per; in Python, s.pareto(metrics, where=...) takes a condition");
  if (!options.json) {
    say("{}{}{}", query::setting_line(rows.state()), query::measured_line(rows.state()),
        query::front_text(rows, table_of(rows, options)));
    return 0;
  }
  text::Json json;
  json.open_object().member("file", options.file);
  query::add_front(json, rows);
  json.close();
  say("{}", json.text());
  return 0;
}

int run_top(const TopOptions& options) {
  const results::UpdatedFile rows(options.file);
  if (options.infeasible) return say_infeasible(rows, options);
  if (options.pareto) return say_front(rows, options);
  const sweep::Objective by = objective_of(rows, options.by);
  const query::RankQuery query{.by = by, .count = options.number, .per = options.per, .where = options.where};
  const query::JudgedRanking ranking = query::judged_ranking(
      rows, query, options.keep_order ? query::FirstPlace::by_metric : query::FirstPlace::by_practice);
  const std::vector<query::RankedGroup>& groups = ranking.groups;
  if (options.json) {
    print_json(rows, options, ranking);
    return 0;
  }
  query::RankedTable request = table_of(rows, options);
  request.metrics = query::asked_metrics(rows, by.metric);
  say("{}{}", query::setting_line(rows.state()), query::measured_line(rows.state()));
  for (std::size_t i = 0; i < groups.size(); ++i)
    say("{}{}", i > 0 ? "\n" : "", group_text(rows, options, ranking, i, request));
  if (const std::string text = query::doubtful_text(rows, query, groups); !text.empty()) say("\n{}", text);
  if (const std::string text = text_of(query::without_slowdown(rows, options.where), rows); !text.empty())
    say("\n{}", text);
  return 0;
}

std::function<int(Invocation&)> declare_top(Options& options) {
  auto chosen = std::make_shared<TopOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.value(chosen->by, "--by",
                "metric to rank by; auto = the first objective of the sweep, otherwise step time, or "
                "tokens/s per GPU where batch sizes "
                "or GPU counts differ");
  options.value(chosen->number, "-n,--number", "number of rows (per group)");
  options.value(chosen->per, "--per",
                "rank separately for each value of a column, or of up to four, as in --per model,gpus");
  options.value(chosen->columns, "--columns",
                "columns to print in place of the usual ones, as in --columns tp,pp,step_time,mfu");
  options.value(chosen->where, "--where",
                "only rows that satisfy this condition, as in \"gpus <= 1024 and schedule == '1f1b'\"");
  options.flag(
      chosen->keep_order, "--keep-order",
      "rank by the metric alone; otherwise that row comes first, among those that tie with the best, "
      "whose choices published runs have exercised most completely");
  options.flag(chosen->infeasible, "--infeasible",
               "instead, why rows are infeasible: the causes with their number of rows, and the rows nearest "
               "to a place in the ranking");
  options.flag(chosen->pareto, "--pareto",
               "instead, the Pareto front of the first two objectives, with what could beat each point");
  options.flag(chosen->explain, "--explain", "say below the table what its columns mean");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_top(*chosen); };
}

}  // namespace

extern const Command top{
    .name = "top", .summary = "print the best rows of a result file", .declare = declare_top};

}  // namespace echo::cli::commands
