#include "overlaps/cover.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <unordered_map>

namespace echo::overlaps {

namespace {

struct Edge {
  std::int64_t time = 0, lane = 0;
  std::int32_t step = 0;  // +1 a span begins, -1 one ends
};

std::vector<Edge> edges_of(const std::vector<Span>& spans) {
  std::vector<Edge> edges;
  edges.reserve(2 * spans.size());
  for (const Span& span : spans) {
    if (span.end <= span.begin) continue;
    edges.push_back({span.begin, span.lane, +1});
    edges.push_back({span.end, span.lane, -1});
  }
  // Beginnings first, so that spans that touch are one.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.time, -a.step, a.lane) < std::tuple(b.time, -b.step, b.lane);
  });
  return edges;
}

}  // namespace

Cover::Cover(const std::vector<Span>& spans, std::int64_t lanes) {
  std::unordered_map<std::int64_t, std::int64_t> busy;  // spans by lane
  std::int64_t count = 0, total = 0;                    // of busy lanes; ns
  for (const Edge& edge : edges_of(spans)) {
    std::int64_t& here = busy[edge.lane];
    here += edge.step;
    if (edge.step > 0 && here == 1 && ++count == lanes) {
      begins_.push_back(edge.time);
      covered_.push_back(total);
    } else if (edge.step < 0 && here == 0 && count-- == lanes) {
      ends_.push_back(edge.time);
      total += edge.time - begins_.back();
    }
  }
}

std::int64_t Cover::before(std::int64_t time) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), time);
  if (next == begins_.begin()) return 0;
  const auto last = static_cast<std::size_t>(next - begins_.begin()) - 1;
  return covered_[last] + std::min(time, ends_[last]) - begins_[last];
}

std::int64_t Cover::within(std::int64_t begin, std::int64_t end) const {
  return end <= begin ? 0 : before(end) - before(begin);
}

}  // namespace echo::overlaps
