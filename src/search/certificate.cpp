#include "search/certificate.hpp"

#include <algorithm>
#include <tuple>

namespace echo::search {

std::array<std::int64_t, fate_count> Certificate::members() const {
  std::array<std::int64_t, fate_count> sums{};
  for (const Node& set : sets) sums[static_cast<std::size_t>(set.fate)] += set.members;
  return sums;
}

static bool may_join(const Node& a, const Node& b, bool two) {
  if (a.group != b.group || a.tier != b.tier || a.fate != b.fate) return false;
  if (a.fate == Fate::simulated) return false;
  if (a.fate != Fate::bound && a.fate != Fate::open) return true;
  return a.is_sliced == b.is_sliced && a.slice == b.slice && (!two || a.least == b.least);
}

void join_sets(std::vector<Node>& sets, bool two) {
  std::ranges::sort(sets, {}, [](const Node& set) { return std::tuple(set.group, set.stretch.begin); });
  std::vector<Node> joined;
  for (Node& set : sets) {
    if (joined.empty() || !may_join(joined.back(), set, two)) {
      joined.push_back(std::move(set));
      continue;
    }
    Node& before = joined.back();
    before.stretch.end = set.stretch.end;
    before.members += set.members;
    before.first_filed = std::min(before.first_filed, set.first_filed);
    for (std::size_t i = 0; i < before.least.size(); ++i)
      before.least[i] = std::min(before.least[i], set.least[i]);
    if (before.fate != Fate::bound && before.fate != Fate::open) before.slice.clear(), before.is_sliced = false;
  }
  sets = std::move(joined);
}

}  // namespace echo::search
