// Events in order of time, and of their scheduling where times are equal. Those of the present slot of time
// are in a heap; those of the slots that follow lie unordered in a list for each slot, until their time has
// come; those beyond are in a heap of their own (a calendar queue: Brown, CACM 31(10), 1988).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/at.hpp"
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

// A heap of four children per node. What is pushed after a pop takes the place at the top that the pop left,
// so that both cost one descent.
class EventHeap {
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
  // Contract of both: not empty.
  [[nodiscard]] const Event& top() {
    fill_hole();
    return heap_.front();
  }
  [[nodiscard]] Event pop() {
    fill_hole();
    has_hole_ = true;
    return heap_.front();
  }

 private:
  void fill_hole() {
    if (!has_hole_) return;
    has_hole_ = false;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }
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

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  void push(const Event& event) {
    ++size_;
    const std::int64_t slot = slot_of(event);
    if (slot <= present_) return now_.push(event);
    if (slot >= present_ + slots) return later_.push(event);
    list(event, slot);
  }
  // Contract: not empty.
  [[nodiscard]] Event pop() {
    while (now_.empty()) advance();
    --size_;
    return now_.pop();
  }

 private:
  static constexpr int slot_bits = 13;  // 8.2 ns: a packet of 100 B at 100 Gb/s
  static constexpr std::int64_t slots = 4096;
  struct Listed {
    Event event;
    std::int32_t next = -1;
  };

  static std::int64_t slot_of(const Event& event) { return event.time.count() >> slot_bits; }

  void list(const Event& event, std::int64_t slot) {
    std::int32_t place = free_;
    if (place < 0) {
      place = length_of(listed_);
      listed_.emplace_back();
    } else {
      free_ = listed_[at(place)].next;
    }
    const std::size_t i = at(slot % slots);
    listed_[at(place)] = {event, first_[i]};
    first_[i] = place;
    filled_[i / 64] |= std::uint64_t{1} << i % 64;
  }

  // To the next slot that has events, and of those beyond takes in what has come within reach.
  void advance() {
    const std::int64_t listed = next_filled();
    const std::int64_t beyond = later_.empty() ? listed : slot_of(later_.top());
    present_ = listed < 0 ? beyond : std::min(listed, beyond);
    if (present_ == listed) take_list(at(present_ % slots));
    while (!later_.empty() && slot_of(later_.top()) < present_ + slots) {
      const Event event = later_.pop();
      const std::int64_t slot = slot_of(event);
      if (slot == present_)
        now_.push(event);
      else
        list(event, slot);
    }
  }

  void take_list(std::size_t i) {
    for (std::int32_t place = std::exchange(first_[i], -1); place >= 0;) {
      Listed& one = listed_[at(place)];
      now_.push(one.event);
      place = std::exchange(one.next, std::exchange(free_, place));
    }
    filled_[i / 64] &= ~(std::uint64_t{1} << i % 64);
  }

  // The first slot after the present one that has events; -1 for none.
  [[nodiscard]] std::int64_t next_filled() const {
    const std::int64_t from = present_ + 1;
    const std::size_t start = at(from % slots);
    for (std::size_t word = 0; word <= filled_.size(); ++word) {
      std::uint64_t bits = filled_[(start / 64 + word) % filled_.size()];
      if (word == 0) bits &= ~std::uint64_t{0} << start % 64;
      if (bits == 0) continue;
      const auto i =
          static_cast<std::int64_t>((start / 64 + word) % filled_.size() * 64) + std::countr_zero(bits);
      return from + (i - static_cast<std::int64_t>(start) + slots) % slots;
    }
    return -1;
  }

  EventHeap now_, later_;
  std::vector<Listed> listed_;
  std::array<std::int32_t, slots> first_ = all_empty();  // [slot % slots] of its list
  std::array<std::uint64_t, slots / 64> filled_{};       // bit of a slot that has events
  std::int64_t present_ = 0, size_ = 0;
  std::int32_t free_ = -1;

  static constexpr std::array<std::int32_t, slots> all_empty() {
    std::array<std::int32_t, slots> none{};
    none.fill(-1);
    return none;
  }
};

}  // namespace echo::packets
