// The front is kept as a staircase: ascending in the first objective, strictly descending in the second
// (signs are chosen so that less is better). A row enters where the step at or before it is higher, and
// removes the steps after it that it undercuts. One pass; log(front) per row.
#include "results/rank/pareto.hpp"

#include <array>
#include <cmath>
#include <map>

#include "results/rank/eligible.hpp"

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
  const Eligible eligible(rows);
  const auto [status, chance] = eligible.columns();
  const std::array<std::string, 4> columns{status, chance, first.metric, second.metric};
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      const double a = scan.values(2)[i], b = scan.values(3)[i];
      if (!eligible(scan, i)) continue;
      if (std::isnan(a) || std::isnan(b)) continue;
      front.add(sign_of(first) * a, sign_of(second) * b, scan.first() + static_cast<std::int64_t>(i));
    }
  }
  std::vector<ParetoPoint> points;
  for (const auto& [value, step] : front.steps())
    points.push_back({step.row, sign_of(first) * value, sign_of(second) * step.height});
  return points;
}

}  // namespace echo::results
