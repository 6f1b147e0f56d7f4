// The front is kept as a staircase: ascending in the first objective, strictly descending in the second
// (signs are chosen so that less is better). A row enters where the step at or before it is higher, and
// removes the steps after it that it undercuts. One pass; log(front) per row.
#include "results/rank/pareto.hpp"

#include <array>
#include <cmath>
#include <iterator>

#include "results/rank/eligible.hpp"

namespace echo::results {

static double sign_of(const sweep::Objective& objective) {
  return objective.goal == sweep::Goal::min ? 1.0 : -1.0;
}

Staircase::Staircase(const sweep::Objective& first, const sweep::Objective& second)
    : first_sign_(sign_of(first)), second_sign_(sign_of(second)) {}

void Staircase::add(const ParetoPoint& point) {
  const double first = first_sign_ * point.first, second = second_sign_ * point.second;
  const auto after = steps_.upper_bound(first);
  if (after != steps_.begin() && std::prev(after)->second.height <= second) return;
  auto behind = steps_.lower_bound(first);
  while (behind != steps_.end() && behind->second.height >= second) behind = steps_.erase(behind);
  steps_.emplace_hint(behind, first, Step{second, point.row});
}

std::vector<ParetoPoint> Staircase::points() const {
  std::vector<ParetoPoint> points;
  for (const auto& [value, step] : steps_)
    points.push_back({step.row, first_sign_ * value, second_sign_ * step.height});
  return points;
}

std::vector<ParetoPoint> pareto_front(const ResultRows& rows, const sweep::Objective& first,
                                      const sweep::Objective& second) {
  Staircase front(first, second);
  const Eligible eligible(rows);
  const auto [status, chance] = eligible.columns();
  const std::array<std::string, 4> columns{status, chance, first.metric, second.metric};
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      const double a = scan.values(2)[i], b = scan.values(3)[i];
      if (!eligible(scan, i)) continue;
      if (std::isnan(a) || std::isnan(b)) continue;
      front.add({scan.first() + static_cast<std::int64_t>(i), a, b});
    }
  }
  return front.points();
}

}  // namespace echo::results
