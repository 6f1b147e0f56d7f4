#include "search/certificate.hpp"

#include <algorithm>
#include <tuple>

namespace echo::search {

std::array<std::int64_t, fate_count> Certificate::members() const {
  std::array<std::int64_t, fate_count> sums{};
  for (const Node& set : sets) sums[static_cast<std::size_t>(set.fate)] += set.members;
  return sums;
}

static bool may_join(const Node& a, const Node& b) {
  if (a.group != b.group || a.tier != b.tier || a.fate != b.fate || a.fate == Fate::simulated) return false;
  const bool is_bounded = a.fate == Fate::bound || a.fate == Fate::open;
  return !is_bounded || (a.is_sliced == b.is_sliced && a.slice == b.slice);
}

// Both, which may be joined, as one.
static Node joined(const Node& a, const Node& b) {
  Node both = a;
  both.stretch.end = b.stretch.end;
  both.members += b.members;
  both.first_filed = std::min(a.first_filed, b.first_filed);
  for (std::size_t i = 0; i < both.least.size(); ++i) both.least[i] = std::min(a.least[i], b.least[i]);
  if (a.fate != Fate::bound && a.fate != Fate::open) both.slice.clear(), both.is_sliced = false;
  return both;
}

void join_sets(std::vector<Node>& sets, const std::function<bool(const Node&)>& is_excluded) {
  std::ranges::sort(sets, {}, [](const Node& set) { return std::tuple(set.group, set.stretch.begin); });
  std::vector<Node> out;
  for (Node& set : sets) {
    if (!out.empty() && may_join(out.back(), set)) {
      Node both = joined(out.back(), set);
      if (both.fate != Fate::bound || is_excluded(both)) {
        out.back() = std::move(both);
        continue;
      }
    }
    out.push_back(std::move(set));
  }
  sets = std::move(out);
}

}  // namespace echo::search
