#include "trace_io/model/dependency_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "base/at.hpp"

namespace echo::trace_io {

namespace {

using Places = std::vector<std::pair<std::int64_t, std::int32_t>>;  // (id, node), ascending

constexpr std::size_t most_problems = 20;
constexpr std::size_t most_named = 8;  // nodes of a circle that a message names

void complain(std::vector<Misplaced>& problems, std::int32_t node, std::string text) {
  if (problems.size() < most_problems) problems.push_back({node, std::move(text)});
}

Places places_of(const std::vector<std::int64_t>& ids, std::vector<Misplaced>& problems) {
  Places out;
  out.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) out.emplace_back(ids[i], static_cast<std::int32_t>(i));
  std::sort(out.begin(), out.end());
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i].first == out[i - 1].first)
      complain(problems, out[i].second, "node " + std::to_string(out[i].first) + " occurs twice");
  return out;
}

// -1 where it is not found.
std::int32_t find_id(const Places& places, std::int64_t id) {
  const auto found = std::lower_bound(places.begin(), places.end(), std::pair(id, std::int32_t{0}));
  return found == places.end() || found->first != id ? -1 : found->second;
}

// Rows by node; `nowhere` is called for each id that is not found.
template <class Nowhere>
Csr<std::int32_t> by_node(const Csr<std::int64_t>& rows, const Places& places, const Nowhere& nowhere) {
  Csr<std::int32_t> out;
  for (std::int32_t i = 0; i < rows.rows(); ++i) {
    for (const std::int64_t id : rows.row(i)) {
      const std::int32_t node = find_id(places, id);
      if (node < 0)
        nowhere(i, id);
      else
        out.push(node);
    }
    out.close_row();
  }
  return out;
}

bool in_order(const Csr<std::int32_t>& rows) {
  for (std::int32_t i = 0; i < rows.rows(); ++i)
    for (const std::int32_t earlier : rows.row(i))
      if (earlier >= i) return false;
  return true;
}

// [nodes] the nodes that wait for it, once for each time they name it.
Csr<std::int32_t> waiting_on(const Csr<std::int32_t>& rows) {
  Csr<std::int32_t> out;
  out.offset.assign(static_cast<std::size_t>(rows.rows()) + 1, 0);
  for (const std::int32_t earlier : rows.value) ++out.offset[at(earlier) + 1];
  std::partial_sum(out.offset.begin(), out.offset.end(), out.offset.begin());
  out.value.resize(rows.value.size());
  std::vector<std::int32_t> next(out.offset.begin(), out.offset.end() - 1);
  for (std::int32_t i = 0; i < rows.rows(); ++i)
    for (const std::int32_t earlier : rows.row(i)) out.value[at(next[at(earlier)]++)] = i;
  return out;
}

std::vector<std::int32_t> row_sizes(const Csr<std::int32_t>& rows) {
  std::vector<std::int32_t> out;
  out.reserve(static_cast<std::size_t>(rows.rows()));
  for (std::int32_t i = 0; i < rows.rows(); ++i) out.push_back(static_cast<std::int32_t>(rows.row(i).size()));
  return out;
}

// Walks from a remaining node to a remaining node that it waits for, until a node repeats.
Misplaced circle_among(const std::vector<std::int64_t>& ids, const std::vector<std::int32_t>& open,
                       const Csr<std::int32_t>& needs) {
  std::int32_t at = 0;
  while (open[static_cast<std::size_t>(at)] == 0) ++at;
  std::vector<std::int32_t> seen(ids.size(), -1), path;
  while (seen[static_cast<std::size_t>(at)] < 0) {
    seen[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(path.size());
    path.push_back(at);
    std::int32_t next = -1;
    for (const std::int32_t earlier : needs.row(at))
      if (next < 0 && open[static_cast<std::size_t>(earlier)] > 0) next = earlier;
    at = next;
  }
  path.erase(path.begin(), path.begin() + seen[static_cast<std::size_t>(at)]);
  std::string text = "nodes wait for each other in a cycle of " + std::to_string(path.size()) + ":";
  for (std::size_t i = 0; i < std::min(path.size(), most_named); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(ids[static_cast<std::size_t>(path[i])]);
  return {path.front(), text + (path.size() > most_named ? ", ..." : "")};
}

// Orders the nodes, each after those that it waits for.
class Sorter {
 public:
  Sorter(const Csr<std::int32_t>& needs, const Csr<std::int32_t>& follows)
      : open_needs(row_sizes(needs)),
        open_follows_(row_sizes(follows)),
        needed_by_(waiting_on(needs)),
        followed_by_(waiting_on(follows)),
        placed_(open_needs.size(), false) {}
  // False where the remaining nodes depend on each other.
  bool sort() {
    for (std::size_t i = 0; i < placed_.size(); ++i) offer(static_cast<std::int32_t>(i));
    while (order.size() < placed_.size()) {
      Queue& from = free_.empty() ? needing_nothing_ : free_;
      if (from.empty()) return false;
      const std::int32_t node = from.top();
      from.pop();
      if (!placed_[at(node)]) put(node);
    }
    return true;
  }
  std::vector<std::int32_t> order, open_needs;

 private:
  using Queue = std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>>;
  void offer(std::int32_t node) {
    if (open_needs[at(node)] > 0) return;
    (open_follows_[at(node)] > 0 ? needing_nothing_ : free_).push(node);
  }
  void put(std::int32_t node) {
    placed_[at(node)] = true;
    order.push_back(node);
    for (const std::int32_t later : needed_by_.row(node))
      if (--open_needs[at(later)] == 0) offer(later);
    for (const std::int32_t later : followed_by_.row(node))
      if (--open_follows_[at(later)] == 0) offer(later);
  }
  std::vector<std::int32_t> open_follows_;
  Csr<std::int32_t> needed_by_, followed_by_;
  std::vector<bool> placed_;
  Queue free_, needing_nothing_;
};

// `rows` by place; `later` is called for each node with a row that refers to a later place.
template <class Later>
Csr<std::int32_t> moved(const Csr<std::int32_t>& rows, const std::vector<std::int32_t>& order,
                        const std::vector<std::int32_t>& place, const Later& later) {
  Csr<std::int32_t> out;
  for (const std::int32_t node : order) {
    for (const std::int32_t earlier : rows.row(node))
      if (place[at(earlier)] < place[at(node)])
        out.push(place[at(earlier)]);
      else
        later(node);
    out.close_row();
  }
  return out;
}

}  // namespace

DependencyOrder put_in_order(const NamedDependencies& named, std::vector<Misplaced>& problems) {
  const std::size_t before = problems.size(), count = named.ids.size();
  const Places places = places_of(named.ids, problems);
  DependencyOrder out;
  out.needs = by_node(named.needs, places, [&](std::int32_t i, std::int64_t id) {
    complain(problems, i,
             "node " + std::to_string(named.ids[at(i)]) + " waits for node " + std::to_string(id) +
                 ", which does not exist");
  });
  out.follows = by_node(named.follows, places, [&](std::int32_t i, std::int64_t) { out.lost.push_back(i); });
  if (problems.size() > before) return out;
  if (in_order(out.needs) && in_order(out.follows)) {
    out.order.resize(count);
    std::iota(out.order.begin(), out.order.end(), 0);
  } else {
    Sorter sorter(out.needs, out.follows);
    if (!sorter.sort()) {
      problems.push_back(circle_among(named.ids, sorter.open_needs, out.needs));
      return out;
    }
    out.order = std::move(sorter.order);
    std::vector<std::int32_t> place(count, 0);
    for (std::size_t i = 0; i < count; ++i) place[at(out.order[i])] = static_cast<std::int32_t>(i);
    const auto lose = [&](std::int32_t node) { out.lost.push_back(node); };
    out.needs = moved(out.needs, out.order, place, lose);
    out.follows = moved(out.follows, out.order, place, lose);
  }
  std::sort(out.lost.begin(), out.lost.end());
  out.lost.erase(std::unique(out.lost.begin(), out.lost.end()), out.lost.end());
  return out;
}

}  // namespace echo::trace_io
