// Events in order of time, and of their scheduling where times are equal: a heap of four children per node.
// What is pushed after a pop takes the place at the top that the pop left, so that both cost one descent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace echo::packets {

struct Event {
  enum class Kind : std::int8_t { arrival, transmitted, wake, start, control_timer, timeout, credit };
  SimTime time{};
  std::int64_t order_and_kind =
      0;  // order: counts what was scheduled; one bit: after the event of that order
  std::int32_t where = 0, what = 0;

  Event() = default;
  Event(SimTime when, std::int64_t order, Kind kind, std::int32_t place, std::int32_t thing,
        bool is_after = false)
      : time(when),
        order_and_kind(order << 4 | (is_after ? 8 : 0) | static_cast<std::int64_t>(kind)),
        where(place),
        what(thing) {}
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(order_and_kind & 7); }
  [[nodiscard]] std::int64_t order() const { return order_and_kind >> 4; }
  [[nodiscard]] bool precedes(const Event& other) const {
    return time != other.time ? time < other.time : order_and_kind < other.order_and_kind;
  }
};

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.size() == (has_hole_ ? 1U : 0U); }
  void push(const Event& event) {
    if (has_hole_) {
      has_hole_ = false;
      return sink(event);
    }
    heap_.push_back(event);
    rise(heap_.size() - 1);
  }
  // Contract: not empty.
  [[nodiscard]] Event pop() {
    if (has_hole_) {
      const Event last = heap_.back();
      heap_.pop_back();
      sink(last);
    }
    has_hole_ = true;
    return heap_.front();
  }

 private:
  void rise(std::size_t i) {
    const Event event = heap_[i];
    while (i > 0) {
      const std::size_t parent = (i - 1) / 4;
      if (!event.precedes(heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = event;
  }
  void sink(const Event event) {
    std::size_t i = 0;
    for (;;) {
      const std::size_t first = 4 * i + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      const std::size_t end = std::min(first + 4, heap_.size());
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap_[child].precedes(heap_[least])) least = child;
      if (!heap_[least].precedes(event)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = event;
  }

  std::vector<Event> heap_;
  bool has_hole_ = false;  // the top was popped
};

}  // namespace echo::packets
