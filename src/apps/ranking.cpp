#include "apps/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "training/feasibility.hpp"

namespace echo::apps {

using results::Table;
using training::Reason;
using training::Status;

static Status status_of(const Table& table, std::int64_t row) {
  return static_cast<Status>(table.integer("status", row));
}

bool is_feasible(const Table& table, std::int64_t row) { return status_of(table, row) == Status::ok; }

std::string fair_metric(const Table& table) {
  std::int64_t first = -1;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (!is_feasible(table, row)) continue;
    if (first < 0) first = row;
    for (const char* column : {"gpus", "global_batch_tokens"}) {
      if (table.integer(column, row) != table.integer(column, first)) return "tokens_per_s_per_gpu";
    }
  }
  return "step_time";
}

double metric_of(const Table& table, std::int64_t row, const std::string& metric) {
  if (metric != "tokens_per_s_per_gpu") return table.number(metric, row);
  return table.number("tokens_per_s", row) / table.number("gpus", row);
}

std::vector<std::int64_t> ranked(const Table& table, const std::string& metric, const std::string& model) {
  struct Keyed {
    double key;
    std::int64_t row;
  };
  const double sign = metric == "step_time" ? 1.0 : -1.0;  // the others are better when larger
  std::vector<Keyed> keyed;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (!is_feasible(table, row) || (!model.empty() && table.text("model", row) != model)) continue;
    const double value = metric_of(table, row, metric);
    keyed.push_back({std::isnan(value) ? std::numeric_limits<double>::infinity() : sign * value, row});
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  std::vector<std::int64_t> rows(keyed.size());
  std::transform(keyed.begin(), keyed.end(), rows.begin(), [](const Keyed& k) { return k.row; });
  return rows;
}

std::vector<std::string> models_of(const Table& table) {
  std::set<std::string> names;
  for (std::int64_t row = 0; row < table.rows(); ++row) names.insert(table.text("model", row));
  return {names.begin(), names.end()};
}

std::vector<std::int64_t> least_infeasible(const Table& table) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    const bool lacks_memory = static_cast<Reason>(table.integer("reason", row)) == Reason::memory;
    if (lacks_memory && std::isfinite(table.number("reason_margin", row))) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&table](std::int64_t a, std::int64_t b) {
    return table.number("reason_margin", a) < table.number("reason_margin", b);
  });
  return rows;
}

static double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::vector<ReasonCount> reasons_of(const Table& table) {
  std::vector<std::string> order;
  std::vector<std::vector<double>> margins;
  std::vector<ReasonCount> counts;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (is_feasible(table, row)) continue;
    const std::string reason = table.text("reason", row);
    auto known = std::find(order.begin(), order.end(), reason);
    if (known == order.end()) {
      order.push_back(reason), margins.emplace_back(), counts.push_back({.reason = reason});
      known = order.end() - 1;
    }
    const auto at = static_cast<std::size_t>(known - order.begin());
    ++counts[at].rows;
    if (const double margin = table.number("reason_margin", row); std::isfinite(margin))
      margins[at].push_back(margin);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i].median_margin = median(margins[i]);
  std::stable_sort(counts.begin(), counts.end(),
                   [](const ReasonCount& a, const ReasonCount& b) { return a.rows > b.rows; });
  return counts;
}

}  // namespace echo::apps
