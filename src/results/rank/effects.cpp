// One pass: for each input, rows are grouped by its value, and each group keeps its count and the sum of
// log(metric), taken from the first row's value so that sums of squares do not cancel. Then
//   share = sum over groups of n_g (mean_g - mean)^2  /  sum over rows of (x - mean)^2.
// The logarithm gives a factor of two the same weight for slow and fast configs.
#include "results/rank/effects.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "training/feasibility.hpp"

namespace echo::results {
namespace {

struct Group {
  std::int64_t rows = 0;
  double sum = 0.0;
};

struct Totals {
  Group all;
  double squares = 0.0, origin = 0.0;
  std::vector<std::map<double, Group>> by_value;  // [axis]
};

double share_of(const std::map<double, Group>& groups, const Totals& totals) {
  const double n = static_cast<double>(totals.all.rows), mean = totals.all.sum / n;
  const double whole = totals.squares - n * mean * mean;
  double between = 0.0;
  for (const auto& [value, group] : groups) {
    const double gap = group.sum / static_cast<double>(group.rows) - mean;
    between += static_cast<double>(group.rows) * gap * gap;
  }
  return whole > 1e-12 * n ? std::min(1.0, between / whole) : 0.0;  // below: rounding of logarithms
}

Totals totals_of(const ResultRows& rows, const std::string& metric, const std::vector<std::string>& axes) {
  Totals totals;
  totals.by_value.resize(axes.size());
  std::vector<std::string> columns = axes;
  columns.insert(columns.end(), {"status", metric});
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      const double value = scan.values(axes.size() + 1)[i];
      if (static_cast<training::Status>(scan.values(axes.size())[i]) != training::Status::ok) continue;
      if (!(value > 0.0)) continue;
      if (totals.all.rows == 0) totals.origin = std::log(value);
      const double x = std::log(value) - totals.origin;
      ++totals.all.rows, totals.all.sum += x, totals.squares += x * x;
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        Group& group = totals.by_value[axis][scan.values(axis)[i]];
        ++group.rows, group.sum += x;
      }
    }
  }
  return totals;
}

}  // namespace

std::vector<MainEffect> main_effects(const ResultRows& rows, const std::string& metric) {
  std::vector<std::string> axes;
  for (const ColumnInfo& column : rows.columns()) {
    const bool is_derived = column.name == "microbatches" || column.name == "global_batch_tokens";
    if (column.role == "input" && column.width == 1 && !is_derived && column.name != metric)
      axes.push_back(column.name);
  }
  const Totals totals = totals_of(rows, metric, axes);
  std::vector<MainEffect> effects;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (totals.by_value[axis].size() > 1)
      effects.push_back({axes[axis], share_of(totals.by_value[axis], totals)});
  std::ranges::stable_sort(effects, std::greater{}, &MainEffect::share);
  return effects;
}

void write_effects(storage::Hdf5File& file, const std::vector<MainEffect>& effects,
                   const std::string& metric) {
  std::vector<std::string> names;
  std::vector<double> shares;
  for (const auto& [axis, share] : effects) names.push_back(axis), shares.push_back(share);
  file.make_group("/effects");
  file.make_texts("/effects/axis", names);
  file.make_scale("/effects/axis");
  file.set_attribute("/effects/axis", "long_name", "input, largest effect first");
  const std::string path = "/effects/main_effect";
  file.make_dataset({path, storage::ElementType::f8, {shares.size()}, {}});
  file.write_rows(path, 0, shares.size(), shares.data());
  file.attach_scale(path, 0, "/effects/axis");
  file.set_attribute(path, "units", "1");
  file.set_attribute(path, "long_name", "share of the variance of log(" + metric + ")");
  file.set_attribute(
      path, "description",
      "share of the variance of log(" + metric +
          ") over feasible rows that lies between groups of equal value of the input; shares of "
          "correlated inputs overlap and need not sum to 1");
}

}  // namespace echo::results
