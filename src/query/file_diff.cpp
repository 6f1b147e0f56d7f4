// Both files' ids are sorted once and joined; then each column is compared with the same column of the other
// file. A rank is one more than the number of better rows, so the ranks of a few rows need one scan.
#include "query/file_diff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/at.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/where.hpp"
#include "training/feasibility.hpp"

namespace echo::query {

using results::ColumnInfo;
using results::ResultRows;
using results::Scan;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Keyed {
  std::uint64_t id;
  std::int64_t row;
};
using Ids = std::vector<Keyed>;  // sorted by id

Ids ids_of(const ResultRows& rows, const std::string& where) {
  Ids ids;
  RowFilter filter(rows, where);
  std::vector<std::int64_t> batch;
  for (Scan scan(rows, filter.columns()); scan.next();) {
    rows.read(rows.at("config_id"), scan.first(), scan.count(), batch);
    for (std::int64_t i = 0; i < scan.count(); ++i)
      if (filter.keeps(scan, 0, i))
        ids.push_back({static_cast<std::uint64_t>(batch[at(i)]), scan.first() + i});
  }
  std::ranges::sort(ids, {}, &Keyed::id);
  return ids;
}

// Rows of one config in both files.
struct Pair {
  std::int64_t first, second;
};

std::vector<Pair> join(const Ids& a, const Ids& b, FileDiff& diff) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (j == b.size() || (i < a.size() && a[i].id < b[j].id)) {
      ++diff.only_first, ++i;
    } else if (i == a.size() || b[j].id < a[i].id) {
      ++diff.only_second, ++j;
    } else {
      pairs.push_back({a[i++].row, b[j++].row});
    }
  }
  diff.both = std::ssize(pairs);
  std::ranges::sort(pairs, {}, &Pair::first);
  return pairs;
}

std::vector<double> whole(const ResultRows& rows, const std::string& column) {
  std::vector<double> values;
  rows.read(rows.at(column), 0, rows.rows(), values);
  return values;
}

std::string word(const ColumnInfo& column, double code) {
  return column.meanings.at(static_cast<std::size_t>(code));
}

// "ok", "infeasible (memory)".
std::vector<StatusChange> status_changes(const ResultRows& a, const ResultRows& b,
                                         const std::vector<Pair>& pairs) {
  using Outcome = std::pair<double, double>;
  const auto status_a = whole(a, "status"), status_b = whole(b, "status");
  const auto reason_a = whole(a, "reason"), reason_b = whole(b, "reason");
  std::map<std::pair<Outcome, Outcome>, std::int64_t> counts;
  for (const auto& [first, second] : pairs) {
    const auto i = static_cast<std::size_t>(first), j = static_cast<std::size_t>(second);
    const Outcome before{status_a[i], reason_a[i]}, after{status_b[j], reason_b[j]};
    if (before != after) ++counts[{before, after}];
  }
  const auto text = [](const ResultRows& rows, const Outcome& outcome) {
    const std::string reason = word(rows.at("reason"), outcome.second);
    return word(rows.at("status"), outcome.first) + (reason == "none" ? "" : " (" + reason + ")");
  };
  std::vector<StatusChange> changes;
  for (const auto& [key, rows] : counts) changes.push_back({text(a, key.first), text(b, key.second), rows});
  std::ranges::stable_sort(changes, std::greater{}, &StatusChange::rows);
  return changes;
}

double relative(double before, double after) {
  if (std::isnan(before) || std::isnan(after)) return missing;
  return before == 0.0 ? std::copysign(std::numeric_limits<double>::infinity(), after) : after / before - 1.0;
}

std::optional<MetricChange> metric_change(const ResultRows& a, const ResultRows& b, const std::string& metric,
                                          const std::vector<Pair>& pairs) {
  const auto before = whole(a, metric), after = whole(b, metric);
  MetricChange change{.metric = metric, .rows = 0, .largest = missing, .config_id = 0};
  std::int64_t largest = -1;
  for (const auto& [first, second] : pairs) {
    const double x = before[at(first)], y = after[at(second)];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    ++change.rows;
    const double by = relative(x, y);
    if (std::isnan(by) || std::abs(by) <= std::abs(change.largest)) continue;
    change.largest = by, largest = first;
  }
  if (change.rows == 0) return std::nullopt;
  std::vector<std::int64_t> id;
  if (largest >= 0)
    a.read(a.at("config_id"), largest, 1, id), change.config_id = static_cast<std::uint64_t>(id[0]);
  return change;
}

// Values of the objective over the feasible rows that satisfy `where`, for ranks.
class Ranks {
 public:
  Ranks(const ResultRows& rows, const sweep::Objective& by, const Ids& ids)
      : by_(by), values_(whole(rows, by.metric)), ids_(ids) {
    const auto status = whole(rows, "status");
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (static_cast<training::Status>(status[i]) != training::Status::ok) values_[i] = missing;
    for (const Keyed& key : ids_)
      if (const double value = values_[at(key.row)]; !std::isnan(value)) sorted_.push_back(value);
    std::ranges::sort(sorted_);
  }
  // NaN if the file has no such feasible row.
  [[nodiscard]] double value(std::uint64_t id) const {
    const auto found = std::ranges::lower_bound(ids_, id, {}, &Keyed::id);
    return found == ids_.end() || found->id != id ? missing : values_[at(found->row)];
  }
  [[nodiscard]] bool has(std::uint64_t id) const {
    return std::ranges::binary_search(ids_, id, {}, &Keyed::id);
  }
  [[nodiscard]] std::int64_t rank(double value) const {
    if (std::isnan(value)) return 0;
    if (by_.goal == sweep::Goal::min) return 1 + (std::ranges::lower_bound(sorted_, value) - sorted_.begin());
    return 1 + (sorted_.end() - std::ranges::upper_bound(sorted_, value));
  }

 private:
  sweep::Objective by_;
  std::vector<double> values_, sorted_;
  const Ids& ids_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string cause_of(const RankChange& change, bool in_first, bool in_second, const FileDiff& diff) {
  const std::string keys = diff.causes.empty() ? "" : " [" + joined(diff.causes) + "]";
  if (!in_first) return "only in the second file [space]";
  if (!in_second) return "only in the first file [space]";
  if (std::isnan(change.before)) return "feasible now" + keys;
  if (std::isnan(change.after)) return "no longer feasible" + keys;
  if (change.before == change.after) return "rows ranked before it were added, removed or changed";
  const double by = 100.0 * relative(change.before, change.after);
  std::string percent = std::to_string(by);
  percent.resize(percent.find('.') + 3);
  return "its " + diff.by.metric + " changed " + (by > 0 ? "+" : "") + percent + " %" + keys;
}

std::vector<std::uint64_t> best_ids(const ResultRows& rows, const FileDiff& diff, std::int64_t count,
                                    const std::string& where) {
  const auto best = ranked(rows, {.by = diff.by, .count = count, .per = "", .where = where}).front().rows;
  const results::Table table = rows.pick(best);
  std::vector<std::uint64_t> ids;
  for (std::int64_t row = 0; row < table.rows(); ++row) ids.push_back(table.config_id(row));
  return ids;
}

// The keys that differ, which are the possible causes. row_key covers presets, constants, program and the
// settings of rows together: if the first three agree, it shows whether the settings differ.
std::vector<std::string> causes_of(const results::FileState& a, const results::FileState& b) {
  std::vector<std::string> causes;
  if (a.space_key != b.space_key) causes.emplace_back("space");
  if (a.catalog_key != b.catalog_key) causes.emplace_back("presets");
  if (a.calibration_key != b.calibration_key) causes.emplace_back("calibration");
  if (a.code_key != b.code_key) causes.emplace_back("code");
  const bool same_base =
      a.catalog_key == b.catalog_key && a.calibration_key == b.calibration_key && a.code_key == b.code_key;
  if (same_base && a.row_key != b.row_key) causes.emplace_back("settings");
  return causes;
}

}  // namespace

FileDiff diff_of(const ResultRows& first, const ResultRows& second, std::int64_t count,
                 const std::string& where) {
  FileDiff diff{
      .causes = causes_of(first.state(), second.state()), .status = {}, .metrics = {}, .by = {}, .ranks = {}};
  const Ids a = ids_of(first, where), b = ids_of(second, where);
  const auto pairs = join(a, b, diff);
  diff.status = status_changes(first, second, pairs);
  for (const ColumnInfo& column : first.columns()) {
    if (column.role != "metric" || second.find(column.name) == nullptr) continue;
    if (auto change = metric_change(first, second, column.name, pairs)) diff.metrics.push_back(*change);
  }
  diff.by = ranking_objective(first);
  const Ranks before(first, diff.by, a), after(second, diff.by, b);
  auto ids = best_ids(first, diff, count, where), others = best_ids(second, diff, count, where);
  ids.insert(ids.end(), others.begin(), others.end());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const std::uint64_t id : ids) {
    RankChange change{.config_id = id, .before = before.value(id), .after = after.value(id), .cause = ""};
    change.from = before.rank(change.before), change.to = after.rank(change.after);
    if (change.from == change.to) continue;
    change.cause = cause_of(change, before.has(id), after.has(id), diff);
    diff.ranks.push_back(change);
  }
  const auto better = [](const RankChange& c) {
    return c.from == 0 || c.to == 0 ? std::max(c.from, c.to) : std::min(c.from, c.to);
  };
  std::ranges::stable_sort(diff.ranks, {}, better);
  return diff;
}

}  // namespace echo::query
