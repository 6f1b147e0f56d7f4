// A heap of the running units of a replay by their end; supports changes of an end.
#pragma once

#include <cstddef>
#include <utility>

#include "base/at.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::timeline {

class ReplayHeap {
 public:
  ReplayHeap(std::vector<std::int32_t>& heap, std::vector<ReplayScratch::Unit>& units)
      : heap_(heap), units_(units) {}

  [[nodiscard]] bool is_empty() const { return heap_.empty(); }
  [[nodiscard]] std::int32_t first() const { return heap_.front(); }
  [[nodiscard]] SimTime first_end() const { return of(heap_.front()).end; }

  void push(std::int32_t unit) {
    heap_.push_back(unit);
    of(unit).in_heap = static_cast<std::int32_t>(heap_.size()) - 1;
    rise(heap_.size() - 1);
  }
  void pop() {
    of(heap_.front()).in_heap = -1;
    const std::int32_t last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    put(0, last);
    sink(0);
  }
  void moved(std::int32_t unit) {
    const std::size_t place = at(of(unit).in_heap);
    rise(place);
    sink(static_cast<std::size_t>(of(unit).in_heap));
  }

 private:
  [[nodiscard]] ReplayScratch::Unit& of(std::int32_t unit) const { return units_[at(unit)]; }
  [[nodiscard]] bool before(std::int32_t a, std::int32_t b) const {
    return of(a).end != of(b).end ? of(a).end < of(b).end : a < b;
  }
  void put(std::size_t place, std::int32_t unit) {
    heap_[place] = unit;
    of(unit).in_heap = static_cast<std::int32_t>(place);
  }
  void rise(std::size_t place) {
    const std::int32_t unit = heap_[place];
    for (; place > 0 && before(unit, heap_[(place - 1) / 2]); place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, unit);
  }
  void sink(std::size_t place) {
    const std::int32_t unit = heap_[place];
    for (std::size_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], unit)) break;
      put(place, heap_[child]);
      place = child;
    }
    put(place, unit);
  }

  std::vector<std::int32_t>& heap_;
  std::vector<ReplayScratch::Unit>& units_;
};

}  // namespace echo::timeline
