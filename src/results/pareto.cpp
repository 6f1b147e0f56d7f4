// The front is kept as a staircase: ascending in the first objective, strictly descending in the second (both
// turned so that less is better). A row enters where the step at or before it is higher, and takes the steps
// behind it that it undercuts. One pass; log(front) a row.
#include "results/pareto.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "training/feasibility.hpp"

namespace echo::results {
namespace {

class Staircase {
 public:
  void add(double first, double second, std::int64_t row) {
    const auto after = steps_.upper_bound(first);
    if (after != steps_.begin() && std::prev(after)->second.height <= second) return;
    auto behind = steps_.lower_bound(first);
    while (behind != steps_.end() && behind->second.height >= second) behind = steps_.erase(behind);
    steps_.emplace_hint(behind, first, Step{second, row});
  }
  struct Step {
    double height;
    std::int64_t row;
  };
  [[nodiscard]] const std::map<double, Step>& steps() const { return steps_; }

 private:
  std::map<double, Step> steps_;
};

double sign_of(const sweep::Objective& objective) { return objective.goal == sweep::Goal::min ? 1.0 : -1.0; }

}  // namespace

std::vector<ParetoPoint> pareto_front(const ResultRows& rows, const sweep::Objective& first,
                                      const sweep::Objective& second) {
  Staircase front;
  const std::array<std::string, 3> columns{"status", first.metric, second.metric};
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      const double a = scan.values(1)[i], b = scan.values(2)[i];
      if (static_cast<training::Status>(scan.values(0)[i]) != training::Status::ok) continue;
      if (std::isnan(a) || std::isnan(b)) continue;
      front.add(sign_of(first) * a, sign_of(second) * b, scan.first() + static_cast<std::int64_t>(i));
    }
  }
  std::vector<ParetoPoint> points;
  for (const auto& [value, step] : front.steps())
    points.push_back({step.row, sign_of(first) * value, sign_of(second) * step.height});
  return points;
}

void write_pareto(storage::Hdf5File& file, const std::vector<ParetoPoint>& front,
                  std::span<const sweep::Objective> objectives, std::span<const ColumnInfo> columns) {
  using storage::ElementType;
  const std::string here = "/pareto", scale = here + "/point";
  const std::string &first = objectives[0].metric, &second = objectives[1].metric;
  std::vector<std::int32_t> numbers(front.size()), rows;
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<double> firsts, seconds;
  for (const ParetoPoint& point : front) {
    rows.push_back(static_cast<std::int32_t>(point.row));
    firsts.push_back(point.first), seconds.push_back(point.second);
  }
  const auto add = [&](const std::string& path, ElementType type, const auto& values,
                       const std::string& units, const std::string& long_name) {
    file.make_dataset({path, type, {values.size()}, {}});
    file.write_rows(path, 0, values.size(), values.data());
    file.set_attribute(path, "units", units);
    file.set_attribute(path, "long_name", long_name);
    if (path == scale)
      file.make_scale(path);
    else
      file.attach_scale(path, 0, scale);
  };
  file.make_group(here);
  add(scale, ElementType::i4, numbers, "1", "number on the front, best " + first + " first");
  add(here + "/config", ElementType::i4, rows, "1", "row of the file");
  add(here + "/" + first, ElementType::f8, firsts, columns[0].units, columns[0].long_name);
  add(here + "/" + second, ElementType::f8, seconds, columns[1].units, columns[1].long_name);
  file.set_attribute(here, "NX_class", "NXdata");
  file.set_attribute(here, "signal", first);
  file.set_attribute(here, "axes", second);
  file.set_attribute(here, "title",
                     "feasible configs that no other beats in both " + first + " and " + second);
}

}  // namespace echo::results
