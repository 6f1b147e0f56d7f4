// One pass: for each input, rows are grouped by its value, and each group keeps its count and the sum of
// log(metric). Then
//   share = sum over groups of n_g (mean_g - mean)^2  /  sum over rows of (x - mean)^2.
// The logarithm gives a factor of two the same weight for slow and fast configs. Logarithms are below 2^10,
// hence below 2^50 in units of 2^-40; a sum of 2^27 squares stays below 2^127.
#include "results/rank/effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "training/feasibility.hpp"

namespace echo::results {
namespace {

using Sum = EffectSums::Sum;
using Group = EffectSums::Group;

constexpr double units = 0x1p40;  // of a logarithm, in 1

// Takes the mean of all rows off before anything is squared: sums of squares do not cancel.
struct Centre {
  explicit Centre(const EffectSums& sums)
      : middle(sums.all.sum / sums.all.rows),
        squares(sums.squares - 2 * middle * sums.all.sum + middle * middle * sums.all.rows),
        mean(mean_of(sums.all)) {}
  [[nodiscard]] double mean_of(const Group& group) const {
    return static_cast<double>(group.sum - middle * group.rows) / static_cast<double>(group.rows) / units;
  }
  Sum middle, squares;
  double mean;
};

double share_of(const std::map<double, Group>& groups, const EffectSums& sums, const Centre& centre) {
  const double n = static_cast<double>(sums.all.rows);
  const double whole = static_cast<double>(centre.squares) / units / units - n * centre.mean * centre.mean;
  double between = 0.0;
  for (const auto& [value, group] : groups) {
    const double gap = centre.mean_of(group) - centre.mean;
    between += static_cast<double>(group.rows) * gap * gap;
  }
  return whole > 1e-12 * n ? std::min(1.0, between / whole) : 0.0;  // below: rounding of logarithms
}

// Groups of one input over the rows of a batch. Values repeat from row to row, and are few.
class BatchGroups {
 public:
  void add(double value, const Group& rows) {
    if (groups_.empty() || value != values_[last_]) last_ = place_of(value);
    groups_[last_].rows += rows.rows, groups_[last_].sum += rows.sum;
  }
  void take_into(std::map<double, Group>& all) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& group = all[values_[i]];
      group.rows += groups_[i].rows, group.sum += groups_[i].sum;
    }
    *this = {};
  }

 private:
  std::size_t place_of(double value) {
    constexpr std::size_t few = 16;
    const std::size_t looked = std::min(few, values_.size());
    for (std::size_t i = 0; i < looked; ++i)
      if (values_[i] == value) return i;
    const std::size_t next = values_.size();
    const std::size_t place = next < few ? next : beyond_.try_emplace(value, next).first->second;
    if (place == next) values_.push_back(value), groups_.emplace_back();
    return place;
  }
  std::vector<double> values_;
  std::vector<Group> groups_;
  std::unordered_map<double, std::size_t> beyond_;  // all but the first few
  std::size_t last_ = 0;
};

std::vector<std::string> axes_of(const ResultRows& rows, const std::string& metric,
                                 std::span<const std::string> wanted) {
  std::vector<std::string> axes;
  for (const ColumnInfo& column : rows.columns()) {
    const bool is_derived = column.name == "microbatches" || column.name == "global_batch_tokens";
    const bool is_wanted = wanted.empty() || std::ranges::find(wanted, column.name) != wanted.end();
    if (column.role == "input" && column.width == 1 && !is_derived && column.name != metric && is_wanted)
      axes.push_back(column.name);
  }
  return axes;
}

// A row that counts: its place in the batch, and its logarithm.
struct Counted {
  std::size_t row = 0;
  std::int64_t log = 0;
};

std::vector<Counted> counted_rows(const Scan& scan, EffectSums& sums) {
  std::vector<Counted> counted;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
    const double value = scan.values(1)[i];
    const bool is_ok = static_cast<training::Status>(scan.values(0)[i]) == training::Status::ok;
    if (!is_ok || !(value > 0.0) || std::isinf(value)) continue;
    const auto log = static_cast<std::int64_t>(std::llround(std::log(value) * units));
    counted.push_back({i, log});
    ++sums.all.rows, sums.all.sum += log, sums.squares += static_cast<Sum>(log) * log;
  }
  return counted;
}

}  // namespace

void EffectSums::add(const EffectSums& other) {
  all.rows += other.all.rows, all.sum += other.all.sum, squares += other.squares;
  for (const auto& [axis, groups] : other.axes) {
    auto& own = axes[axis];
    for (const auto& [value, group] : groups) {
      Group& sum = own[value];
      sum.rows += group.rows, sum.sum += group.sum;
    }
  }
}

EffectSums effect_sums(const ResultRows& rows, const std::string& metric,
                       std::span<const std::string> inputs) {
  EffectSums sums;
  const auto axes = axes_of(rows, metric, inputs);
  BatchGroups groups;
  std::vector<double> values;
  const std::array<std::string, 2> columns{"status", metric};
  for (Scan scan(rows, columns); scan.next();) {
    const Group before = sums.all;
    const auto counted = counted_rows(scan, sums);
    if (counted.empty()) continue;
    for (const std::string& axis : axes) {
      const ColumnInfo& column = rows.at(axis);
      if (const auto value = rows.repeated(column, scan.first(), scan.count())) {
        groups.add(*value, {sums.all.rows - before.rows, sums.all.sum - before.sum});
      } else {
        rows.read(column, scan.first(), scan.count(), values);
        for (const auto& [row, log] : counted) groups.add(values[row], {1, log});
      }
      groups.take_into(sums.axes[axis]);
    }
  }
  return sums;
}

std::vector<MainEffect> main_effects(const ResultRows& rows, const EffectSums& sums) {
  std::vector<MainEffect> effects;
  if (sums.all.rows == 0) return effects;
  const Centre centre(sums);
  for (const ColumnInfo& column : rows.columns()) {
    const auto groups = sums.axes.find(column.name);
    if (groups != sums.axes.end() && groups->second.size() > 1)
      effects.push_back({column.name, share_of(groups->second, sums, centre)});
  }
  std::ranges::stable_sort(effects, std::greater{}, &MainEffect::share);
  return effects;
}

std::vector<MainEffect> main_effects(const ResultRows& rows, const std::string& metric,
                                     std::span<const std::string> inputs) {
  return main_effects(rows, effect_sums(rows, metric, inputs));
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
