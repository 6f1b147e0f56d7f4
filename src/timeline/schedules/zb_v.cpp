// ZB-V: two chunks on every stage, placed like a V: down the stages and up again, so the first stage holds
// the first chunk and the last. The turn at the last stage needs no transfer, and each stage holds one chunk
// for a long time and the other briefly, in sum as long as any other: the memory of 1F1B, 2 stages
// activations of chunks of half the size, keeps every stage busy where F, B and W take about as long. The
// order is planned for the given times by planned.cpp, by woven rules. With F = B = W (or W shorter) the
// step ends after microbatches (F + B + W) + (stages - 1) F / 2, the least the placement allows; with F = B
// = W and at least 2 stages microbatches no stage waits between its first task and its last. Source: Qi et
// al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, section 6; Qi et al., "Pipeline
// Parallelism with Controllable Memory", arXiv 2405.15362. Limits: the plan does not include transfers. It
// is a heuristic, and unlike zb-1p it has no order of 1F1B to fall back on, so where stages differ much it
// may be slower. Memory as in zb-1p.
#include <algorithm>

#include "timeline/patterns/planned.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"zb-v needs exactly two chunks per stage", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == 2 * shape.stages; }},
};

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return std::min(2 * shape.stages, 2 * shape.microbatches);
}

static void plan(const PipelineShape& shape, std::span<const ChunkTimes> times, Csr<Task>& out) {
  static constexpr Rule rules[] = {
      {.kind = Rule::Kind::woven},
      {.kind = Rule::Kind::woven, .fills_warm_up = true},
      {.kind = Rule::Kind::woven, .fills_warm_up = true, .patient = true},
      {.kind = Rule::Kind::woven, .patient = true},
  };
  // Where planning is long the patient rules are left out: the longest turn is then 0.1 % longer on average
  // over random shapes with uneven stages, 1.7 % at worst.
  const std::span<const Rule> all(rules);
  order_planned(shape, times, in_flight(shape, 0), plays_are_long(shape) ? all.first(2) : all, out);
}

extern const Schedule zb_v{.name = "zb-v",
                           .source = "Qi et al. 2023, arXiv:2401.10241, section 6",
                           .rules = shape_rules,
                           .place = place_v,
                           .in_flight = in_flight,
                           .splits_backward = true,
                           .interleaves = true,
                           .plan = plan};

}  // namespace echo::timeline::schedules
