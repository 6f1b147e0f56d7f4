// Orders of schedules in closed form, listed once per shape: the points of a sweep share few shapes, and
// every point composes its pipeline up to three times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

class OrderMemo {
 public:
  // Tasks in order, one row per stage. With a steady stretch: `start`, the positions before it and its first
  // repeat; `rest`, those after its last. Without: `start` alone, all of them.
  struct Orders {
    Csr<Task> start, rest;
  };
  // Contract: schedule.slice; shape.given is null. Valid until the next call. The result does not depend on
  // earlier calls.
  [[nodiscard]] const Orders& of(const Schedule&, const PipelineShape&, bool steady);

 private:
  // All that `slice` and `steady` may read, and the schedule that they belong to.
  struct Question {
    const char* schedule;
    std::array<std::int32_t, 8> numbers;
    std::span<const std::int32_t> stage_of_chunk;
  };
  struct Entry {
    const char* schedule;
    std::array<std::int32_t, 8> numbers;
    std::vector<std::int32_t> stage_of_chunk;
  };
  // Questions are looked up as they are, without an allocation.
  struct Less {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      if (a.schedule != b.schedule) return std::less<>()(a.schedule, b.schedule);
      if (a.numbers != b.numbers) return a.numbers < b.numbers;
      return std::ranges::lexicographical_compare(a.stage_of_chunk, b.stage_of_chunk);
    }
  };
  static constexpr std::size_t most_tasks = std::size_t{1} << 17;  // 2 MiB
  std::map<Entry, Orders, Less> kept_;
  std::size_t tasks_ = 0;  // in kept_
};

}  // namespace echo::timeline
