#include "query/text/infeasible_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/result_text.hpp"
#include "query/text/rule_text.hpp"
#include "results/nearest_group.hpp"
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
  const std::string lack = typical_lack(count);
  return (count.limit.empty() ? count.reason : "limit " + count.limit) + (lack.empty() ? "" : ", " + lack);
}

// The first row of each cause, in their order.
results::Table first_rows(const results::ResultRows& rows, const std::vector<ReasonCount>& counts) {
  std::vector<std::int64_t> firsts;
  for (const ReasonCount& count : counts) firsts.push_back(count.first);
  return rows.pick(firsts);
}

}  // namespace

std::string typical_lack(const ReasonCount& count) {
  if (std::isfinite(count.median_margin))
    return fmt::format("median short by {}", text::show_gib(count.median_margin));
  if (std::isfinite(count.median_excess))
    return fmt::format("median {} beyond it", text::show_share(count.median_excess));
  return "";
}

std::string nearest_text(const results::ResultRows& rows, std::int64_t count, const std::string& where) {
  std::string text;
  const results::Table near = rows.pick(least_infeasible(rows, count, where));
  const std::vector<std::string> layouts = layouts_of(near, {"model"});
  for (std::int64_t row = 0; row < near.rows(); ++row)
    text += fmt::format("  {}  {} {}: {}\n", config_key(near, row).substr(0, 8), near.text("model", row),
                        layouts[at(row)], lack_of(near, row));
  return text;
}

std::string infeasible_text(const results::ResultRows& rows, std::int64_t nearest, const std::string& where) {
  const auto counts = reasons_of(rows, where);
  if (counts.empty()) return "every row is feasible\n";
  std::string text = fmt::format("{:>9}  {:8}  cause\n", "rows", "one");
  const results::Table firsts = first_rows(rows, counts);
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += fmt::format("{:>9}  {}  {}\n", text::show_count(counts[i].rows),
                        config_key(firsts, static_cast<std::int64_t>(i)).substr(0, 8), cause_of(counts[i]));
  if (const std::string near = nearest_text(rows, nearest, where); !near.empty())
    text += "nearest to a place in the ranking\n" + near;
  return text;
}

std::string ledger_text(const results::ResultFile& file) {
  const auto entries = results::read_nearest(file.file());
  if (entries.empty()) return "";
  std::string text =
      "smallest changes that make them feasible, one row of each cause (echo-sweep why-not says more)\n";
  for (const results::NearestEntry& entry : entries) {
    const bool is_word = entry.cause != "memory" && !entry.cause.starts_with("limit ");
    const results::Table row = file.pick(std::span(&entry.row, 1));
    text += fmt::format(
        "  {}  {}: {}\n", config_key(row, 0).substr(0, 8), is_word ? rule_said(entry.cause) : entry.cause,
        entry.change.empty() ? "no change of one or two choices"
                             : fmt::format("{}, step {}", entry.change, text::show_time(entry.step_time)));
  }
  return text;
}

void add_infeasible(text::Json& json, const results::ResultRows& rows, std::int64_t nearest,
                    const std::string& where) {
  const auto counts = reasons_of(rows, where);
  const results::Table firsts = first_rows(rows, counts);
  json.key("causes").open_array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ReasonCount& count = counts[i];
    json.open_object().member("reason", count.reason).member("limit", count.limit);
    json.member("rule", count.rule).member("text", cause_of(count)).member("rows", count.rows);
    json.member("one", config_key(firsts, static_cast<std::int64_t>(i))).close();
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
