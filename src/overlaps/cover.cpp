#include "overlaps/cover.hpp"

#include <unordered_map>
#include <utility>

namespace echo::overlaps {

namespace {

// Each lane's spans, united: as many of them run at an instant as lanes are busy.
std::vector<nsight::Interval> united_by_lane(const std::vector<Span>& spans) {
  std::unordered_map<std::int64_t, std::vector<nsight::Interval>> lanes;
  for (const Span& span : spans)
    if (span.end > span.begin) lanes[span.lane].push_back({span.begin, span.end});
  std::vector<nsight::Interval> out;
  for (auto& [lane, own] : lanes) {
    const auto apart = nsight::united(std::move(own));
    out.insert(out.end(), apart.begin(), apart.end());
  }
  return out;
}

}  // namespace

Cover::Cover(const std::vector<Span>& spans, std::int32_t lanes) : busy_(united_by_lane(spans), lanes) {}

std::int64_t Cover::within(std::int64_t begin, std::int64_t end) const {
  return end <= begin ? 0 : busy_.within({begin, end});
}

}  // namespace echo::overlaps
