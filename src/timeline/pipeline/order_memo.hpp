// Orders of schedules in closed form, listed once per shape: the points of a sweep share few shapes, and
// every point composes its pipeline up to three times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/csr.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

class OrderMemo {
 public:
  // Of every stage, one row per stage. With a steady stretch: `start`, the positions before it and its first
  // repeat; `rest`, those after its last. Without: `start` alone, all of them.
  struct Orders {
    Csr<Task> start, rest;
  };
  // Contract: schedule.slice; shape.given is null. Valid until the next call. The result does not depend on
  // earlier calls.
  [[nodiscard]] const Orders& of(const Schedule&, const PipelineShape&, bool steady);

 private:
  // All that `slice` and `steady` may read, and the schedule that they belong to.
  using Key = std::tuple<const char*, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                         bool, bool, std::vector<std::int32_t>>;
  static constexpr std::size_t most_tasks = std::size_t{1} << 17;  // 2 MiB
  std::map<Key, Orders> kept_;
  std::size_t tasks_ = 0;  // in kept_
};

}  // namespace echo::timeline
