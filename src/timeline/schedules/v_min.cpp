// V-Min: two chunks on every stage in a V, as zb-v, with a third of the memory of 1F1B: a stage holds at most
// (stages + 4) / 3 microbatches (2 chunks each), rounded down; the least of all V-shaped schedules. A
// microbatch never rests: down the V, up, and back again, one task a stage. With F = B = W the bubble is
// about two thirds of that of 1F1B; it is sensitive to unequal times, since nothing is kept in reserve.
// Planned for the given times by planned.cpp, by woven rules. Source: Qi et al., "Pipeline Parallelism with
// Controllable Memory", NeurIPS 2024, arXiv 2405.15362, section 3.3; offsets of the building block, and
// memory: sail-sg/zero-bubble-pipeline-parallelism, scheduler/zbv_greedy.py, and the authors' demo page.
// Limits: as v-half.
#include <algorithm>

#include "timeline/planned.hpp"

namespace echo::timeline::schedules {

static const char* admits(const PipelineShape& shape) {
  if (shape.chunks != 2 * shape.stages) return "v-min needs exactly two chunks per stage";
  return nullptr;
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return 2 * std::min((shape.stages + 4) / 3, shape.microbatches);
}

static void order(const PipelineShape& shape, std::span<const ChunkTimes> times, std::int32_t,
                  Csr<Task>& out) {
  constexpr auto timetable = Rule::Timetable::v_min;
  static constexpr Rule rules[] = {
      {.kind = Rule::Kind::woven, .timetable = timetable},
      {.kind = Rule::Kind::woven, .timetable = timetable, .patient = true},
      {.kind = Rule::Kind::woven, .timetable = timetable, .fills_warm_up = true},
      {.kind = Rule::Kind::woven, .timetable = timetable, .fills_warm_up = true, .patient = true},
  };
  order_planned(shape, times, in_flight(shape, 0), rules, out);
}

extern const Schedule v_min;
extern const Schedule v_min{.name = "v-min",
                            .source = "Qi et al. 2024, arXiv:2405.15362, section 3",
                            .admits = admits,
                            .place = place_v,
                            .order = order,
                            .in_flight = in_flight,
                            .splits_backward = true,
                            .interleaves = true};

}  // namespace echo::timeline::schedules
