#include "sweep/run/visit_order.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/step_ends.hpp"

namespace echo::sweep {

void VisitOrder::clear() {
  likes_.clear();
  points_.clear();
}

void VisitOrder::add(const training::AxisValues& values) {
  const std::uint64_t like = training::AxisValuesHash()(simulate::axes_before_step_ends().seen_of(values));
  // Most points are like one of the last few.
  std::size_t number = likes_.size();
  while (number > 0 && likes_[number - 1] != like) --number;
  if (number == 0) likes_.push_back(like), number = likes_.size();
  points_.push_back({static_cast<std::int32_t>(number), simulate::step_end_of(values), length_of(points_)});
}

std::span<const std::int32_t> VisitOrder::places() {
  std::ranges::sort(points_);
  places_.clear();
  for (const Point& point : points_) places_.push_back(point.place);
  return places_;
}

}  // namespace echo::sweep
