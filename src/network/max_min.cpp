// Long transfers over a lossless network share its links about evenly, whatever mechanism keeps them fair
// (credits of InfiniBand, congestion control of RoCE): the tightest link of each limits its rate. Rates are
// found by progressive filling: all rise together until a link is full; its flows keep their rate, the
// others continue to rise.
//   level of a link = (capacity - what flows with a rate take) / sum of shares over the others
// The link with the lowest level fills next. Levels only grow while flows freeze, so a heap with stale keys
// is sufficient: a popped key that has grown goes back. The cost is O(uses * log links) for all, and only
// for flows that a change can reach over shared links.
//
// Where flows only stop, rates below that of the slowest of them stay: a link that filled at a lower level
// had none of them, or they would have kept that level, so that filling is the same up to there. In an
// all-to-all of equal flows those that end are always the fastest, and nothing is left to be computed again,
// however the paths were hashed.
//
// Source: Bertsekas and Gallager, Data Networks, 1992, 6.5.2. Neglected: unfairness between short and long
// paths, time until rates settle.
#include "network/max_min.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::network {

namespace {
constexpr double everything_below = std::numeric_limits<double>::infinity();
constexpr double surely_less = 1.0 - 1e-9;  // beyond rounding
}  // namespace

void MaxMin::bind(const Csr<LinkUse>& uses, std::span<const double> capacity) {
  const std::size_t flows = at(uses.rows());
  uses_ = &uses;
  capacity_ = capacity;
  links_.assign(capacity.size(), {});
  entries_.assign(uses.value.size(), {});
  rate_.assign(flows, 0.0);
  bottleneck_.assign(flows, -1);
  reached_flow_.assign(flows, 0);
  is_open_.assign(flows, 0);
  touched_.clear();
  kept_below_ = everything_below;
}

void MaxMin::touch(std::int32_t link) {
  LinkState& state = links_[at(link)];
  if (state.reached) return;
  state.reached = true;
  touched_.push_back(link);
}

void MaxMin::start(std::int32_t flow) {
  const std::int32_t begin = uses_->offset[at(flow)], end = uses_->offset[at(flow) + 1];
  ECHO_EXPECT(begin < end);
  kept_below_ = 0.0;
  for (std::int32_t i = begin; i < end; ++i) {
    const std::int32_t link = uses_->value[at(i)].link;
    LinkState& state = links_[at(link)];
    entries_[at(i)] = {.flow = flow, .next = state.head, .previous = -1};
    if (state.head >= 0) entries_[at(state.head)].previous = i;
    state.head = i;
    touch(link);
  }
}

void MaxMin::stop(std::int32_t flow) {
  kept_below_ = std::min(kept_below_, rate_[at(flow)] * surely_less);
  for (std::int32_t i = uses_->offset[at(flow)]; i < uses_->offset[at(flow) + 1]; ++i) {
    const Entry& gone = entries_[at(i)];
    const std::int32_t link = uses_->value[at(i)].link;
    if (gone.next >= 0) entries_[at(gone.next)].previous = gone.previous;
    (gone.previous >= 0 ? entries_[at(gone.previous)].next : links_[at(link)].head) = gone.next;
    touch(link);
  }
}

// The links and flows that are connected with the touched links, but for flows that keep their rates.
void MaxMin::reach_from_touched() {
  component_links_.swap(touched_);
  touched_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    for (std::int32_t e = links_[at(component_links_[i])].head; e >= 0; e = entries_[at(e)].next) {
      const std::int32_t flow = entries_[at(e)].flow;
      if (reached_flow_[at(flow)] != 0 || rate_[at(flow)] < kept_below_) continue;
      reached_flow_[at(flow)] = 1;
      component_flows_.push_back(flow);
      for (const LinkUse& use : uses_->row(flow)) {
        LinkState& state = links_[at(use.link)];
        if (state.reached) continue;
        state.reached = true;
        component_links_.push_back(use.link);
      }
    }
  }
}

double MaxMin::level_of(std::int32_t link) const { return links_[at(link)].left / links_[at(link)].demand; }

void MaxMin::freeze(std::int32_t flow, double level, std::int32_t link) {
  is_open_[at(flow)] = 0;
  rate_[at(flow)] = level;
  bottleneck_[at(flow)] = link;
  for (const LinkUse& use : uses_->row(flow)) {
    LinkState& state = links_[at(use.link)];
    state.left -= use.share * rate_[at(flow)];
    state.demand -= use.share;
    state.open -= 1;
  }
}

void MaxMin::fill() {
  for (const std::int32_t link : component_links_) {
    LinkState& state = links_[at(link)];
    state.left = capacity_[at(link)];
    state.demand = 0.0;
    state.open = 0;
    if (kept_below_ == 0.0) continue;
    for (std::int32_t e = state.head; e >= 0; e = entries_[at(e)].next)
      if (const std::int32_t flow = entries_[at(e)].flow; reached_flow_[at(flow)] == 0)
        state.left -= uses_->value[at(e)].share * rate_[at(flow)];
  }
  for (const std::int32_t flow : component_flows_) {
    is_open_[at(flow)] = 1;
    for (const LinkUse& use : uses_->row(flow)) {
      links_[at(use.link)].demand += use.share;
      links_[at(use.link)].open += 1;
    }
  }
  heap_.clear();
  for (const std::int32_t link : component_links_)
    if (links_[at(link)].open > 0) heap_.emplace_back(level_of(link), link);
  const std::greater<> least_first;
  std::make_heap(heap_.begin(), heap_.end(), least_first);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), least_first);
    const auto [key, link] = heap_.back();
    heap_.pop_back();
    if (links_[at(link)].open == 0) continue;
    const double level = level_of(link);
    if (level > key && !heap_.empty() && level > heap_.front().first) {
      heap_.emplace_back(level, link);
      std::push_heap(heap_.begin(), heap_.end(), least_first);
      continue;
    }
    for (std::int32_t e = links_[at(link)].head; e >= 0; e = entries_[at(e)].next)
      if (is_open_[at(entries_[at(e)].flow)] != 0) freeze(entries_[at(e)].flow, level, link);
  }
}

std::span<const std::int32_t> MaxMin::settle() {
  component_flows_.clear();
  reach_from_touched();
  fill();
  for (const std::int32_t link : component_links_) links_[at(link)].reached = false;
  for (const std::int32_t flow : component_flows_) reached_flow_[at(flow)] = 0;
  component_links_.clear();
  kept_below_ = everything_below;
  return component_flows_;
}

void max_min_rates(const Csr<LinkUse>& uses, std::span<const double> capacity, std::vector<double>& out) {
  MaxMin solver;
  solver.bind(uses, capacity);
  for (std::int32_t flow = 0; flow < uses.rows(); ++flow) solver.start(flow);
  solver.settle();
  out.resize(at(uses.rows()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = solver.rate(static_cast<std::int32_t>(i));
}

}  // namespace echo::network
