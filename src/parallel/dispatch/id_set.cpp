#include "parallel/dispatch/id_set.hpp"

#include <algorithm>
#include <utility>

namespace echo::parallel {

using sweep::IdRange;

IdSet::IdSet(std::vector<IdRange> ranges) : ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](const IdRange& range) { return range.begin >= range.end; });
  std::ranges::sort(ranges_, {}, &IdRange::begin);
  std::size_t kept = 0;
  for (const IdRange& range : ranges_) {
    if (kept > 0 && range.begin <= ranges_[kept - 1].end)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  }
  ranges_.resize(kept);
}

std::int64_t IdSet::count() const {
  std::int64_t ids = 0;
  for (const IdRange& range : ranges_) ids += range.end - range.begin;
  return ids;
}

bool IdSet::contains(sweep::PointIndex id) const {
  const auto after = std::ranges::upper_bound(ranges_, id, {}, &IdRange::begin);
  return after != ranges_.begin() && id < std::prev(after)->end;
}

IdSet unite(const IdSet& a, const IdSet& b) {
  std::vector<IdRange> all(a.ranges().begin(), a.ranges().end());
  all.insert(all.end(), b.ranges().begin(), b.ranges().end());
  return IdSet(std::move(all));
}

IdSet subtract(const IdSet& from, const IdSet& what) {
  std::vector<IdRange> left;
  auto hole = what.ranges().begin();
  for (IdRange range : from.ranges()) {
    while (hole != what.ranges().end() && hole->end <= range.begin) ++hole;
    for (auto next = hole; next != what.ranges().end() && next->begin < range.end; ++next) {
      if (next->begin > range.begin) left.push_back({range.begin, next->begin});
      range.begin = next->end;
    }
    if (range.begin < range.end) left.push_back(range);
  }
  return IdSet(std::move(left));
}

IdSet intersect(const IdSet& a, const IdSet& b) { return subtract(a, subtract(a, b)); }

}  // namespace echo::parallel
