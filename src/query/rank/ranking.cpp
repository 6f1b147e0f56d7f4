#include "query/rank/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "query/rank/group_key.hpp"
#include "query/text/value_text.hpp"
#include "results/rank/eligible.hpp"
#include "training/feasibility.hpp"

namespace echo::query {

using results::ColumnInfo;
using results::ResultRows;
using results::Scan;
using training::Status;

namespace {

Status status_of(double code) { return static_cast<Status>(code); }

// The best `count` of the rows passed to it.
class Best {
 public:
  void see(double key, std::int64_t row, std::int64_t count) {
    ++seen_;
    if (count <= 0) return;
    worst_first_.emplace(key, row);
    if (std::ssize(worst_first_) > count) worst_first_.pop();
  }
  [[nodiscard]] std::int64_t seen() const { return seen_; }
  // (key, row), least key first.
  [[nodiscard]] std::vector<std::pair<double, std::int64_t>> sorted() const {
    auto left = worst_first_;
    std::vector<std::pair<double, std::int64_t>> kept;
    for (; !left.empty(); left.pop()) kept.push_back(left.top());
    std::ranges::reverse(kept);
    return kept;
  }
  [[nodiscard]] std::vector<std::int64_t> rows() const {
    std::vector<std::int64_t> rows;
    for (const auto& [key, row] : sorted()) rows.push_back(row);
    return rows;
  }

 private:
  struct Heap : std::priority_queue<std::pair<double, std::int64_t>> {};
  Heap worst_first_;
  std::int64_t seen_ = 0;
};

// The median of values rounded to a step size: memory grows with their range, not with their number.
class StepMedian {
 public:
  explicit StepMedian(double step) : step_(step) {}
  void see(double value) {
    if (std::isfinite(value)) ++count_[std::llround(value / step_)], ++seen_;
  }
  [[nodiscard]] double median() const {
    if (seen_ == 0) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::pair<std::int64_t, std::int64_t>> ascending(count_.begin(), count_.end());
    std::ranges::sort(ascending);
    return 0.5 * (nth(ascending, (seen_ - 1) / 2) + nth(ascending, seen_ / 2));
  }

 private:
  [[nodiscard]] double nth(std::span<const std::pair<std::int64_t, std::int64_t>> ascending,
                           std::int64_t n) const {
    for (const auto& [steps, count] : ascending)
      if ((n -= count) < 0) return static_cast<double>(steps) * step_;
    return 0.0;
  }
  double step_;
  std::int64_t seen_ = 0;
  std::unordered_map<std::int64_t, std::int64_t> count_;
};

}  // namespace

std::array<std::int64_t, 5> counts_of(const ResultRows& rows) {
  std::array<std::int64_t, 5> counts{};
  const std::vector<std::string> columns{"status"};
  for (Scan scan(rows, columns); scan.next();)
    for (const double status : scan.values(0)) ++counts.at(static_cast<std::size_t>(status));
  return counts;
}

sweep::Objective ranking_objective(const ResultRows& rows) {
  if (!rows.state().objectives.empty()) return rows.state().objectives.front();
  const std::vector<std::string> columns{"status", "gpus", "global_batch_tokens"};
  double gpus = -1.0, batch = -1.0;
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      if (status_of(scan.values(0)[i]) != Status::ok) continue;
      if (gpus < 0.0) gpus = scan.values(1)[i], batch = scan.values(2)[i];
      if (scan.values(1)[i] != gpus || scan.values(2)[i] != batch)
        return {"tokens_per_s_per_gpu", sweep::Goal::max};
    }
  }
  return {"step_time", sweep::Goal::min};
}

std::vector<RankedGroup> ranked(const ResultRows& rows, const RankQuery& query) {
  RowFilter filter(rows, query.where);
  const results::Eligible eligible(rows);
  const auto [status, chance] = eligible.columns();
  const GroupColumns per(rows, query.per);
  std::vector<std::string> columns{status, chance, query.by.metric};
  columns.insert(columns.end(), per.names().begin(), per.names().end());
  const std::size_t first_filtered = columns.size();
  columns.insert(columns.end(), filter.columns().begin(), filter.columns().end());
  const double sign = query.by.goal == sweep::Goal::min ? 1.0 : -1.0;
  std::map<GroupKey, Best> groups;
  for (Scan scan(rows, columns); scan.next();) {
    for (std::int64_t i = 0; i < scan.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_asked = query.which == Ranked::sure ? eligible(scan, at) : eligible.may_not_fit(scan, at);
      if (!is_asked || !filter.keeps(scan, first_filtered, i)) continue;
      const double value = scan.values(2)[at];
      const double key = std::isnan(value) ? std::numeric_limits<double>::infinity() : sign * value;
      groups[per.key(scan, 3, at)].see(key, scan.first() + i, query.count);
    }
  }
  std::vector<RankedGroup> result;
  for (const auto& [value, best] : groups) {
    RankedGroup& group = result.emplace_back();
    group.name = per.text(rows, value);
    group.feasible = best.seen();
    for (const auto& [key, row] : best.sorted()) {
      group.rows.push_back(row);
      group.values.push_back(std::isinf(key) ? std::numeric_limits<double>::quiet_NaN() : sign * key);
    }
  }
  if (result.empty()) result.emplace_back();
  return result;
}

std::vector<std::int64_t> least_infeasible(const ResultRows& rows, std::int64_t count,
                                           const std::string& where) {
  Best best;
  RowFilter filter(rows, where);
  std::vector<std::string> columns{"status", "reason_margin", "mem_limit", "limit_excess"};
  columns.insert(columns.end(), filter.columns().begin(), filter.columns().end());
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      if (status_of(scan.values(0)[i]) != Status::infeasible ||
          !filter.keeps(scan, 4, static_cast<std::int64_t>(i)))
        continue;
      const double short_of = scan.values(1)[i] / scan.values(2)[i], past = scan.values(3)[i];
      const double lack = std::isfinite(short_of) ? short_of : past;
      if (std::isfinite(lack)) best.see(lack, scan.first() + static_cast<std::int64_t>(i), count);
    }
  }
  return best.rows();
}

std::vector<ReasonCount> reasons_of(const ResultRows& rows, const std::string& where) {
  constexpr double byte_step = 16 * 1048576.0, permille = 0.001;
  struct Tally {
    std::int64_t rows = 0, first = 0;
    StepMedian margin{byte_step}, excess{permille};
  };
  const bool has_rules = rows.find("rule") != nullptr;
  RowFilter filter(rows, where);
  std::map<std::array<double, 3>, Tally> tallies;  // by reason, limit and rule
  auto last = tallies.end();                       // of the row before
  std::vector<std::string> columns{"status",        "reason",       "limit",
                                   "reason_margin", "limit_excess", has_rules ? "rule" : "reason"};
  columns.insert(columns.end(), filter.columns().begin(), filter.columns().end());
  for (Scan scan(rows, columns); scan.next();) {
    for (std::int64_t row = 0; row < scan.count(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (status_of(scan.values(0)[i]) == Status::ok || !filter.keeps(scan, 6, row)) continue;
      const std::array<double, 3> cause{scan.values(1)[i], scan.values(2)[i], scan.values(5)[i]};
      if (last == tallies.end() || last->first != cause) last = tallies.try_emplace(cause).first;
      Tally& tally = last->second;
      if (tally.rows++ == 0) tally.first = scan.first() + row;
      tally.margin.see(scan.values(3)[i]), tally.excess.see(scan.values(4)[i]);
    }
  }
  std::vector<ReasonCount> counts;
  for (const auto& [key, tally] : tallies) {
    const std::string rule = has_rules ? value_text(rows.at("rule"), key[2]) : "none";
    counts.push_back({.reason = value_text(rows.at("reason"), key[0]),
                      .limit = key[1] > 0.0 ? value_text(rows.at("limit"), key[1]) : "",
                      .rule = rule == "none" ? "" : rule,
                      .rows = tally.rows,
                      .first = tally.first,
                      .median_margin = tally.margin.median(),
                      .median_excess = tally.excess.median()});
  }
  std::ranges::stable_sort(counts, std::greater{}, &ReasonCount::rows);
  return counts;
}

}  // namespace echo::query
