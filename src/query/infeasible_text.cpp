#include "query/infeasible_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "query/ranking.hpp"
#include "query/result_text.hpp"
#include "query/rule_text.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

namespace {

// "short of 3.1 GiB", "12.0 % beyond deadline".
std::string lack_of(const results::Table& table, std::int64_t row) {
  if (const double margin = table.number("reason_margin", row); std::isfinite(margin))
    return "short of " + text::show_gib(margin);
  return fmt::format("{} beyond {}", text::show_share(table.number("limit_excess", row)),
                     table.text("limit", row));
}

std::string cause_of(const ReasonCount& count) {
  if (!count.rule.empty()) return rule_said(count.rule);
  std::string text = count.limit.empty() ? count.reason : "limit " + count.limit;
  if (std::isfinite(count.median_margin))
    text += fmt::format(", median short by {}", text::show_gib(count.median_margin));
  if (std::isfinite(count.median_excess))
    text += fmt::format(", median {} beyond it", text::show_share(count.median_excess));
  return text;
}

std::string key_of(const results::ResultRows& rows, std::int64_t row) {
  return config_key(rows.pick(std::span(&row, 1)), 0);
}

}  // namespace

std::string nearest_text(const results::ResultRows& rows, std::int64_t count, const std::string& where) {
  std::string text;
  const results::Table near = rows.pick(least_infeasible(rows, count, where));
  for (std::int64_t row = 0; row < near.rows(); ++row)
    text += fmt::format("  {}  {} {}: {}\n", config_key(near, row).substr(0, 8), near.text("model", row),
                        layout_of(near, row), lack_of(near, row));
  return text;
}

std::string infeasible_text(const results::ResultRows& rows, std::int64_t nearest, const std::string& where) {
  const auto counts = reasons_of(rows, where);
  if (counts.empty()) return "every row is feasible\n";
  std::string text = fmt::format("{:>9}  {:8}  cause\n", "rows", "one");
  for (const ReasonCount& count : counts)
    text += fmt::format("{:>9}  {}  {}\n", text::show_count(count.rows),
                        key_of(rows, count.first).substr(0, 8), cause_of(count));
  if (const std::string near = nearest_text(rows, nearest, where); !near.empty())
    text += "nearest to a place in the ranking\n" + near;
  return text;
}

void add_infeasible(text::Json& json, const results::ResultRows& rows, std::int64_t nearest,
                    const std::string& where) {
  json.key("causes").open_array();
  for (const ReasonCount& count : reasons_of(rows, where)) {
    json.open_object().member("reason", count.reason).member("limit", count.limit);
    json.member("rule", count.rule).member("text", cause_of(count)).member("rows", count.rows);
    json.member("one", key_of(rows, count.first)).close();
  }
  json.close().key("nearest").open_array();
  const results::Table near = rows.pick(least_infeasible(rows, nearest, where));
  for (std::int64_t row = 0; row < near.rows(); ++row) {
    json.open_object();
    add_row(json, near, row);
    json.close();
  }
  json.close();
}

}  // namespace echo::query
