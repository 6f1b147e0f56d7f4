// A k-d tree with bounding boxes (Bentley 1975; bounds as in branch and bound): costs and contributions to
// the error are its coordinates, each box is cut at the median of its widest extent. Rows of different
// owners are in different trees, because whether a source is shared decides which variances are possible. A
// search enters the more promising half first and leaves out halves whose bound is below the best found.
#include "results/rank/contest_tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace echo::results {
namespace {

constexpr std::size_t leaf_size = 8;
constexpr double rounding = 1e-12;  // by which a bound may be below a chance it holds for

constexpr std::size_t coordinates = 2 + error_source_count + 1;
double coordinate(const std::array<double, 2>& cost, const RowError& error, std::size_t which) {
  if (which < 2) return cost[which];
  return which < coordinates - 1 ? error.step[which - 2] : error.memory;
}
double coordinate(const Contender& contender, std::size_t which) {
  return coordinate(contender.cost, contender.error, which);
}

std::array<std::pair<double, double>, coordinates> spans_of(std::span<const Contender> contenders) {
  std::array<std::pair<double, double>, coordinates> spans;
  for (std::size_t which = 0; which < coordinates; ++which) {
    const auto [low, high] = std::ranges::minmax(
        contenders, {}, [which](const Contender& contender) { return coordinate(contender, which); });
    spans[which] = {coordinate(low, which), coordinate(high, which)};
  }
  return spans;
}

// Relative errors and costs with an error are logarithms; costs without one are made comparable.
double extent(const std::pair<double, double>& span, bool is_plain) {
  const double length = span.second - span.first;
  return is_plain && length > 0.0 ? length / std::max(std::abs(span.first), std::abs(span.second)) : length;
}

}  // namespace

ContestTree::ContestTree(std::span<const Aspect> aspects, std::vector<Contender> contenders)
    : aspects_(aspects.begin(), aspects.end()), contenders_(std::move(contenders)) {
  std::ranges::sort(contenders_, {}, [](const Contender& contender) {
    return std::pair(contender.error.owner, contender.row);
  });
  for (std::size_t begin = 0, end = 0; begin < contenders_.size(); begin = end) {
    while (end < contenders_.size() && contenders_[end].error.owner == contenders_[begin].error.owner) ++end;
    roots_.push_back(build(begin, end));
  }
}

std::size_t ContestTree::build(std::size_t begin, std::size_t end) {
  const std::size_t place = nodes_.size();
  nodes_.emplace_back().begin = begin, nodes_.back().end = end;
  const auto spans = spans_of(std::span(contenders_).subspan(begin, end - begin));
  ContestBox& box = nodes_.back().box;
  box.least_cost = {spans[0].first, spans[1].first};
  for (std::size_t k = 0; k < error_source_count; ++k)
    box.least.step[k] = spans[2 + k].first, box.most.step[k] = spans[2 + k].second;
  box.least.memory = spans.back().first, box.most.memory = spans.back().second;
  box.least.owner = box.most.owner = contenders_[begin].error.owner;
  box.least.explained = box.most.explained = contenders_[begin].error.explained;
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t run = 0; run < box.least.explained.size(); ++run) {
      const double explained = contenders_[i].error.explained[run];
      box.least.explained[run] = std::min(box.least.explained[run], explained);
      box.most.explained[run] = std::max(box.most.explained[run], explained);
    }

  std::size_t widest = 0;
  double width = 0.0;
  for (std::size_t which = 0; which < coordinates; ++which) {
    const bool is_plain = which < aspects_.size() && aspects_[which].slope == 0.0;
    if (const double own = extent(spans[which], is_plain); own > width) widest = which, width = own;
  }
  if (end - begin <= leaf_size || width == 0.0) return place;
  const auto at = [this](std::size_t i) { return contenders_.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t middle = begin + (end - begin) / 2;
  std::nth_element(at(begin), at(middle), at(end), [widest](const Contender& a, const Contender& b) {
    return std::pair(coordinate(a, widest), a.row) < std::pair(coordinate(b, widest), b.row);
  });
  const std::size_t left = build(begin, middle), right = build(middle, end);
  nodes_[place].left = left, nodes_[place].right = right;
  return place;
}

void ContestTree::search(std::size_t place, double bound, const Contender& b, double ceiling,
                         Rival& best) const {
  if (bound < best.chance - rounding || (best.row >= 0 && best.chance >= ceiling)) return;
  const Node& node = nodes_[place];
  if (node.left == 0) {
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Contender& a = contenders_[i];
      if (a.row == b.row) continue;
      const double chance = chance_to_beat(aspects_, a, b);
      if (chance < best.chance || (chance == best.chance && best.row >= 0 && best.row < a.row)) continue;
      best = {a.row, chance};
    }
    return;
  }
  std::array<std::pair<double, std::size_t>, 2> halves{
      {{chance_bound(aspects_, nodes_[node.left].box, b), node.left},
       {chance_bound(aspects_, nodes_[node.right].box, b), node.right}}};
  if (halves[1].first > halves[0].first) std::swap(halves[0], halves[1]);
  for (const auto& [half_bound, half] : halves) search(half, half_bound, b, ceiling, best);
}

Rival ContestTree::rival_of(const Contender& b, double floor, double ceiling) const {
  Rival best{-1, floor};
  for (const std::size_t root : roots_)
    search(root, chance_bound(aspects_, nodes_[root].box, b), b, ceiling, best);
  return best.row < 0 ? Rival{} : best;
}

}  // namespace echo::results
