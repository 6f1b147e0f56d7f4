#include "cli/terminal/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "ops/describe.hpp"
#include "query/rank/doubtful.hpp"
#include "query/rank/judged_ranking.hpp"
#include "query/rank/levers.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/varying_axes.hpp"
#include "query/rank/without_slowdown.hpp"
#include "query/text/front_text.hpp"
#include "query/text/infeasible_text.hpp"
#include "query/text/ranked_table.hpp"
#include "query/text/result_text.hpp"
#include "query/text/rule_text.hpp"
#include "query/text/training_text.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "training/feasibility.hpp"

namespace echo::cli {

using results::ResultRows;
using results::Standing;
using results::Table;
using training::Status;

constexpr std::int64_t shown_best = 10;
constexpr std::int64_t shown_near = 3;
constexpr std::size_t shown_failures = 3, shown_rules = 6, shown_levers = 4, shown_gaps = 5, listed_gaps = 50;

static std::int64_t count_of(const std::array<std::int64_t, 5>& counts, Status status) {
  return counts[at(status)];
}

static double rate_of(const SummaryFacts& facts) {
  return facts.seconds > 0.0 ? static_cast<double>(facts.simulated) / facts.seconds : 0.0;
}

static std::string done_line(const ResultRows& rows, const SummaryFacts& facts) {
  const auto counts = query::counts_of(rows);
  std::string line;
  if (facts.already_complete) {
    line = fmt::format("complete  {} points, nothing to do", text::show_count(rows.rows()));
  } else {
    const double rate = rate_of(facts);
    line = fmt::format("done  {} points in {} on {} worker{} ({:.0f} pt/s, {:.0f} per worker)",
                       text::show_count(facts.simulated), text::show_duration(facts.seconds), facts.workers,
                       facts.workers == 1 ? "" : "s", rate, rate / facts.workers);
    const auto composed = static_cast<double>(count_of(counts, Status::ok));
    if (facts.resumed == 0 && composed > 0 && facts.seconds > 0.0) {
      line += fmt::format(", {:.0f} timelines/s per worker", composed / facts.seconds / facts.workers);
    }
    if (facts.resumed > 0) line += fmt::format(" + {} from journals", text::show_count(facts.resumed));
  }
  line +=
      fmt::format(" · {} feasible · {} infeasible", text::show_count(counts[0]), text::show_count(counts[1]));
  if (counts[2] > 0) line += fmt::format(" · {} failed (rerun: --retry-failed)", text::show_count(counts[2]));
  if (counts[3] > 0) line += fmt::format(" · {} over budget", text::show_count(counts[3]));
  return line + "\n";
}

static std::string best_text(const ResultRows& rows, const query::JudgedRanking& ranking, std::size_t g,
                             query::RankedTable request) {
  const query::RankedGroup& group = ranking.groups[g];
  if (group.rows.empty())
    return "no feasible row surely enough fits its GPU's memory ([rank] min_fit_chance)\n";
  const Table table = rows.pick(group.rows);
  request.first_is_better = ranking.ties[g].shown();
  return fmt::format("best of {} by {}\n{}", group.name, ranking.query.by.metric,
                     query::ranked_text(rows, table, request)) +
         first_place_text(ranking, g, table, rows) + query::training_text(table, 0);
}

// Unsupported rows count as one here, whatever their rule.
static std::string reasons_text(const ResultRows& rows) {
  std::string line;
  std::int64_t unsupported = 0;
  const auto counts = query::reasons_of(rows);
  for (const query::ReasonCount& count : counts) unsupported += count.rule.empty() ? 0 : count.rows;
  for (const query::ReasonCount& count : counts) {
    if (!count.rule.empty() && unsupported == 0) continue;
    const bool is_rule = !count.rule.empty();
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ",
                        count.limit.empty() ? count.reason : "limit " + count.limit,
                        text::show_count(is_rule ? std::exchange(unsupported, 0) : count.rows));
    if (const std::string lack = query::typical_lack(count); !lack.empty())
      line += fmt::format(" ({})", lack);
  }
  return line.empty() ? "" : "infeasible: " + line + "\n" + query::rules_text(counts, shown_rules);
}

static std::string failures_text(const ResultRows& rows) {
  std::string text;
  const auto& failures = rows.failures();
  for (std::size_t i = 0; i < std::min(failures.size(), shown_failures); ++i)
    text += fmt::format("failed: point {}: {}\n", failures[i].id, failures[i].message);
  if (failures.size() > shown_failures)
    text +=
        fmt::format("  and {} more in /failures\n", text::show_count(std::ssize(failures) - shown_failures));
  return text;
}

static std::string levers_line(const ResultRows& rows, const std::string& metric) {
  const auto effects = query::levers_of(rows, metric);
  std::string line;
  for (std::size_t i = 0; i < std::min(effects.size(), shown_levers); ++i)
    line += fmt::format("{}{} {:.0f} %", i > 0 ? ", " : "", effects[i].axis, 100.0 * effects[i].share);
  if (line.empty()) return "";
  return fmt::format("axes with the largest effect (share of the variance of log {}, feasible points): {}\n",
                     metric, line);
}

static query::JudgedRanking best_of_models(const ResultRows& rows, const sweep::Objective& by) {
  return query::judged_ranking(rows, {.by = by, .count = shown_best, .per = "model", .where = ""});
}

std::string summary_text(const ResultRows& rows, const SummaryFacts& facts) {
  std::string text = done_line(rows, facts) + "\n" + query::setting_line(rows.state());
  if (count_of(query::counts_of(rows), Status::ok) == 0) {
    text += "no feasible point\n" + query::nearest_text(rows, shown_near);
  } else {
    const sweep::Objective by = query::ranking_objective(rows);
    const query::JudgedRanking ranking = best_of_models(rows, by);
    query::RankedTable request;
    request.metrics = query::asked_metrics(rows, by.metric);
    request.axes = query::varying_axes(rows);
    request.width = facts.line_width;
    for (std::size_t g = 0; g < ranking.groups.size(); ++g)
      text += best_text(rows, ranking, g, request) + "\n";
    text += query::doubtful_text(rows, ranking.query, ranking.groups);
    text += query::front_line(rows) + levers_line(rows, by.metric) +
            text_of(query::without_slowdown(rows), rows) +
            explain::gaps_text(facts.gaps, shown_gaps, facts.gap_points);
  }
  text += reasons_text(rows) + failures_text(rows);
  text += fmt::format("rows_digest {}\nfile {}\n", facts.rows_digest, facts.file);
  return text;
}

static void add_findings(text::Json& json, const ResultRows& rows, const std::string& metric) {
  json.key("reasons").open_array();
  for (const query::ReasonCount& count : query::reasons_of(rows)) {
    json.open_object().member("reason", count.reason).member("limit", count.limit);
    json.member("rule", count.rule).member("rows", count.rows).member("median_margin", count.median_margin);
    json.member("median_excess", count.median_excess).close();
  }
  json.close().key("failures").open_array();
  for (const results::Failure& failure : rows.failures()) {
    json.open_object().member("point", failure.id).member("launch", failure.launch);
    json.member("message", failure.message).close();
  }
  const auto both = results::two_objectives(rows.state().objectives);
  json.close().key("pareto").open_object().key("objectives").open_array();
  json.value(both[0].metric).value(both[1].metric).close();
  const auto front = results::robust_front(rows, both[0], both[1]);
  const auto unproven = results::count_of(front, Standing::unproven);
  json.member("points", std::ssize(front) - unproven).member("unproven", unproven);
  json.member("robust", results::count_of(front, Standing::robust));
  json.member("tie", results::count_of(front, Standing::tie)).close();
  json.key("levers").open_array();
  for (const auto& [axis, share] : query::levers_of(rows, metric))
    json.open_object().member("axis", axis).member("share", share).close();
  json.close();
  query::add_without_slowdown(json, query::without_slowdown(rows), rows);
}

static void add_gap(text::Json& json, const explain::KernelGap& gap) {
  json.open_object().member("kernel", ops::describe(gap.key)).member("gpu", gap.gpu);
  json.member("share_of_step", gap.share)
      .member("price_error", gap.error)
      .member("points", gap.points)
      .close();
}

std::string summary_json(const ResultRows& rows, const SummaryFacts& facts) {
  text::Json json;
  const auto counts = query::counts_of(rows);
  json.open_object().member("file", facts.file).member("rows_digest", facts.rows_digest);
  json.member("setting", rows.state().settings.setting);
  json.member("points", rows.rows()).member("feasible", counts[0]).member("infeasible", counts[1]);
  json.member("failed", counts[2]).member("over_budget", counts[3]).member("pending", counts[4]);
  json.member("workers", facts.workers).member("seconds", facts.seconds).member("simulated", facts.simulated);
  json.member("resumed", facts.resumed).member("points_per_second", rate_of(facts));
  const sweep::Objective by = query::ranking_objective(rows);
  add_findings(json, rows, by.metric);
  json.member("ranked_by", by.metric).key("best").open_array();
  const query::JudgedRanking ranking = best_of_models(rows, by);
  query::add_ranked_rows(json, ranking, rows);
  json.close().key("groups").open_array();
  query::add_groups(json, ranking);
  json.close().key("worth_measuring").open_array();
  for (std::size_t i = 0; i < std::min(facts.gaps.size(), listed_gaps); ++i) add_gap(json, facts.gaps[i]);
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
