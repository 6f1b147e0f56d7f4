// A sweep over the instants at which something starts or ends. Between two of them nothing changes, and the
// stretch belongs to the earliest-started computation that runs, else to the earliest-started communication,
// else to nobody.
#include "explain/beside/activity.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace echo::explain {

namespace {

struct Edge {
  SimTime time{};
  bool opens = false;
  std::size_t which = 0;
};

std::vector<Edge> edges_of(std::span<const Activity> all) {
  std::vector<Edge> edges;
  edges.reserve(2 * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].start == all[i].end) continue;
    edges.push_back({all[i].start, true, i});
    edges.push_back({all[i].end, false, i});
  }
  std::ranges::stable_sort(edges, {}, &Edge::time);
  return edges;
}

// Computations by their start: the earliest launch among those that start later, at each of them.
class Pending {
 public:
  explicit Pending(std::span<const Activity> all) {
    for (const Activity& one : all)
      if (!communicates(one.role)) later_.emplace_back(one.start, one.issued);
    std::ranges::sort(later_);
    for (std::size_t i = later_.size(); i-- > 1;)
      later_[i - 1].second = std::min(later_[i - 1].second, later_[i].second);
  }
  // When the first of those that start at `time` or later was issued; `never` where none does.
  [[nodiscard]] SimTime issued_from(SimTime time, SimTime never) const {
    const auto found = std::ranges::lower_bound(later_, time, {}, &std::pair<SimTime, SimTime>::first);
    return found == later_.end() ? never : found->second;
  }

 private:
  std::vector<std::pair<SimTime, SimTime>> later_;
};

}  // namespace

Usage usage_of(std::span<const Activity> all) {
  Usage out;
  out.share.resize(all.size());
  out.beside.resize(all.size());
  const std::vector<Edge> edges = edges_of(all);
  if (edges.empty()) return out;
  out.span = edges.back().time - edges.front().time;
  const Pending pending(all);
  using Running = std::set<std::pair<SimTime, std::size_t>>;
  Running computing, talking;
  // Time of communication up to now; what it was when each computation started.
  std::vector<SimTime> talked_before(all.size());
  SimTime now = edges.front().time;
  for (const Edge& edge : edges) {
    const SimTime stretch = edge.time - now;
    if (stretch > SimTime::zero()) {
      if (!talking.empty()) out.communicating += stretch;
      if (!computing.empty()) {
        out.computing += stretch;
        out.share[computing.begin()->second] += stretch;
      } else if (!talking.empty()) {
        out.exposed += stretch;
        out.share[talking.begin()->second] += stretch;
      } else {
        const SimTime issued = std::clamp(pending.issued_from(edge.time, edge.time), now, edge.time);
        out.host += issued - now;
        out.waiting += edge.time - issued;
      }
      now = edge.time;
    }
    const bool talks = communicates(all[edge.which].role);
    Running& running = talks ? talking : computing;
    const std::pair key{all[edge.which].start, edge.which};
    if (edge.opens)
      running.insert(key), talked_before[edge.which] = out.communicating;
    else
      running.erase(key);
    if (!edge.opens && !talks) out.beside[edge.which] = out.communicating - talked_before[edge.which];
  }
  return out;
}

}  // namespace echo::explain
