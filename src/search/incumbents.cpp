#include "search/incumbents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace echo::search {

namespace {

bool is_before(const Found& a, const Found& b) {
  return std::tuple(a.costs[0], a.filed) < std::tuple(b.costs[0], b.filed);
}

// Whether `a` is as good as costs of `b` in both and better in one, or equal and earlier in the file.
bool beats_in_both(const Found& a, const Found& b) {
  if (a.costs[0] > b.costs[0] || a.costs[1] > b.costs[1]) return false;
  return a.costs != b.costs || a.filed < b.filed;
}

}  // namespace

Incumbents::Incumbents(const sweep::Search& search, std::size_t objectives)
    : search_(search), objectives_(objectives) {}

double Incumbents::worst_within(const Slice& slice) const {
  if (slice.best.empty()) return std::numeric_limits<double>::infinity();
  const double least = slice.best.front().costs[0];
  return least + search_.within * std::fabs(least);
}

bool Incumbents::is_full(const Slice& slice) const {
  return search_.within == 0.0 && static_cast<std::int64_t>(slice.best.size()) >= search_.top;
}

void Incumbents::add_to_front(std::vector<Found>& front, const Found& point) const {
  if (!std::isfinite(point.costs[0]) || !std::isfinite(point.costs[1])) return;
  if (std::ranges::any_of(front, [&](const Found& other) { return beats_in_both(other, point); })) return;
  std::erase_if(front, [&](const Found& other) { return beats_in_both(point, other); });
  front.insert(std::ranges::upper_bound(front, point, is_before), point);
}

void Incumbents::add(const std::vector<std::int64_t>& values, const Found& point) {
  Slice& slice = slices_[values];
  if (objectives_ > 1) add_to_front(slice.front, point);
  if (is_full(slice) && !is_before(point, slice.best.back())) return;
  slice.best.insert(std::ranges::upper_bound(slice.best, point, is_before), point);
  if (search_.within > 0.0) {
    const double worst = worst_within(slice);
    while (slice.best.back().costs[0] > worst) slice.best.pop_back();
  } else if (static_cast<std::int64_t>(slice.best.size()) > search_.top) {
    slice.best.pop_back();
  }
}

bool Incumbents::excludes(const Node& node) const {
  if (!node.is_sliced) return false;
  const auto known = slices_.find(node.slice);
  if (known == slices_.end()) return false;
  const Slice& slice = known->second;
  const Found least{node.least, node.first_filed};
  if (search_.within > 0.0) {
    if (!(least.costs[0] > worst_within(slice))) return false;
  } else if (!is_full(slice) || !is_before(slice.best.back(), least)) {
    return false;
  }
  if (objectives_ < 2) return true;
  return std::ranges::any_of(slice.front, [&](const Found& one) { return beats_in_both(one, least); });
}

double Incumbents::best_of(const Node& node) const {
  const auto known = slices_.find(node.slice);
  if (known == slices_.end() || known->second.best.empty()) return std::numeric_limits<double>::infinity();
  return known->second.best.front().costs[0];
}

double Incumbents::best() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [values, slice] : slices_)
    if (!slice.best.empty()) least = std::min(least, slice.best.front().costs[0]);
  return least;
}

std::vector<std::int64_t> Incumbents::points() const {
  std::set<std::int64_t> filed;
  for (const auto& [values, slice] : slices_)
    for (const std::vector<Found>* of : {&slice.best, &slice.front})
      for (const Found& point : *of) filed.insert(point.filed);
  return {filed.begin(), filed.end()};
}

}  // namespace echo::search
