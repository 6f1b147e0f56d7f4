#include "timeline/schedule.hpp"

#include <limits>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {

void place_round_robin(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out) {
  ECHO_EXPECT(static_cast<std::size_t>(chunks) == out.size());
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk) out[at(chunk)] = chunk % stages;
}

void place_v(std::int32_t stages, std::int32_t chunks, std::span<std::int32_t> out) {
  ECHO_EXPECT(static_cast<std::size_t>(chunks) == out.size());
  for (std::int32_t c = 0; c < chunks; ++c) {
    const bool up = c / stages % 2 == 1;
    out[at(c)] = up ? stages - 1 - c % stages : c % stages;
  }
}

Schedule deferring(Schedule schedule) {
  ECHO_EXPECT(schedule.defers);
  schedule.mixes_backwards = true;
  schedule.steady = nullptr;
  return schedule;
}

void order_of(const Schedule& schedule, const PipelineShape& shape, std::span<const ChunkTimes> times,
              Csr<Task>& out) {
  if (schedule.plan != nullptr) return schedule.plan(shape, times, out);
  const std::int32_t passes = schedule.splits_backward ? 3 : 2;
  const std::int32_t tasks_per_stage = schedule.mixes_backwards
                                           ? std::numeric_limits<std::int32_t>::max()
                                           : passes * shape.microbatches * (shape.chunks / shape.stages);
  out.clear();
  for (std::int32_t stage = 0; stage < shape.stages; ++stage) {
    schedule.slice(shape, stage, 0, tasks_per_stage, out.value);
    out.close_row();
  }
}

}  // namespace echo::timeline
