// How many events had been scheduled at a time not long past. An event that was left out when it would have
// done nothing can so be scheduled later, in the place among those of its time that it would have had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace echo::packets {

class OrderHistory {
 public:
  // Remembers what was noted up to `window` ago; nothing for a window of 0.
  void remember(SimTime window) { window_ = window; }
  // Before each event is handled; times never fall. `next_order`: of what is scheduled next.
  void note(SimTime now, std::int64_t next_order) {
    if (window_ == SimTime{} || (first_ < moments_.size() && moments_.back().time == now)) return;
    moments_.push_back({now, next_order});
    while (moments_[first_].time < now - window_) ++first_;
    if (first_ < 1024 || 2 * first_ < moments_.size()) return;
    moments_.erase(moments_.begin(), moments_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  // The order that the first event scheduled at `since` or later got. Contract: `since` lies within the
  // window.
  [[nodiscard]] std::int64_t order_at(SimTime since) const {
    const auto moment =
        std::lower_bound(moments_.begin() + static_cast<std::ptrdiff_t>(first_), moments_.end(), since,
                         [](const Moment& one, SimTime time) { return one.time < time; });
    return moment->next_order;
  }

 private:
  struct Moment {
    SimTime time{};
    std::int64_t next_order = 0;
  };
  SimTime window_{};
  std::vector<Moment> moments_;
  std::size_t first_ = 0;
};

}  // namespace echo::packets
