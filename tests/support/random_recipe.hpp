// Any combination of axes of the recipe and the fabric, framework defaults most often: most draws of a choice
// make a config another rule refuses, so each is drawn rarely.
#pragma once

#include "training/axis.hpp"

#include "tests/support/random_config.hpp"

namespace echo::support {

inline void draw_recipe(training::TrainingConfig& c, Draws& draws) {
  for (const training::AxisInfo& info : training::axis_table) {
    if (info.holder == training::AxisHolder::config || draws.below(12) != 0) continue;
    const training::AxisMember& member = training::member_of(info.axis);
    if (info.kind == training::AxisKind::level) {
      member.set(c, draws.one_of({0, 1, 2, 4, 8}));
    } else if (info.kind == training::AxisKind::ratio) {
      member.set(c, draws.one_of({0, 500, 1000, 1250}));
    } else if (info.kind == training::AxisKind::preset) {  // of NICs or switches, after the cluster's own
      const simulate::Catalog& catalog = presets().catalog;
      const auto& names = info.axis == training::Axis::nic ? catalog.nics : catalog.switches;
      member.set(c, draws.below(1 + static_cast<std::int32_t>(names.size())));
    } else {
      member.set(c, draws.below(info.highest + 1));
    }
  }
}

// A small world (64 gpu ranks at most) of a model of few layers, and a recipe of its own.
inline training::TrainingConfig small_world(std::uint64_t seed) {
  Draws draws(seed ^ 0x5eed);
  training::TrainingConfig c = random_config(seed);
  c.degrees = {.tensor = draws.one_of({1, 2, 4}),
               .pipeline = draws.one_of({1, 2, 4}),
               .data = draws.one_of({1, 2, 4}),
               .context = draws.one_of({1, 1, 2, 4})};
  const auto table = timeline::schedule_table();
  c.schedule = training::ScheduleId(draws.below(static_cast<std::int32_t>(table.size())));
  const timeline::Schedule& schedule = *table[static_cast<std::size_t>(c.schedule.index())];
  c.degrees.virtual_stages = c.degrees.pipeline > 1 && schedule.interleaves && schedule.copies == 1 ? 2 : 1;
  if (c.degrees.pipeline == 1) c.schedule = training::ScheduleId(find_named(table, "1f1b"));
  c.batch = {.global_samples = c.degrees.data * c.degrees.pipeline * draws.one_of({2, 4}),
             .micro_samples = 1,
             .sequence_tokens = 2048};
  c.sequence_parallel = c.degrees.tensor > 1 && draws.coin();
  c.precision = draws.one_of({machine::Precision::bf16, machine::Precision::bf16, machine::Precision::fp8});
  c.recompute = static_cast<training::Recompute>(draws.below(4));
  c.zero_group = 0;
  c.overlap = {.grad_reduce = draws.coin(), .pipeline = draws.coin()};
  draw_recipe(c, draws);
  if (draws.below(3) == 0) {
    mix_experts(c, draws);
    c.degrees.expert = draws.one_of({1, 2, 4});
    c.degrees.expert_tensor = draws.one_of({1, c.degrees.tensor});
  }
  return c;
}

}  // namespace echo::support
