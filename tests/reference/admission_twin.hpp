// Whether a step is simulated, the plain way: every rule tested, ranks laid out, the memory of every stage
// worked out, for every config anew and from the whole of it.
#pragma once

#include "simulate/report.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/schedule_rules.hpp"
#include "simulate/step/stage_memory.hpp"
#include "training/feasibility.hpp"
#include "training/layout/stage_balance.hpp"

namespace echo::reference {

inline training::RankLayout layout_of(const training::TrainingConfig& c, const simulate::Catalog& catalog) {
  const timeline::Schedule schedule = simulate::schedule_of(c, catalog);
  const auto table = c.layers.explicit_layers;
  std::vector<std::int32_t> layers;
  if (!table.is_none())
    layers = catalog.layer_tables.at(at(table));
  else if (catalog.framework(c).balances_stages && c.degrees.virtual_stages == 1)
    layers = training::balanced_stages(catalog.model(c.model), c.degrees.pipeline);
  training::RankLayout layout;
  training::lay_out_ranks(c, catalog.model(c.model), catalog.cluster(c.cluster), layers, layout);
  if (schedule.copies > 1) training::copy_model(c, catalog.cluster(c.cluster), layout);
  schedule.place(c.degrees.pipeline, length_of(layout.stage_of_chunk), layout.stage_of_chunk);
  return layout;
}

inline simulate::StepReport admission_twin(const training::TrainingConfig& c,
                                           const simulate::Catalog& catalog,
                                           const simulate::ErrorModel& errors) {
  simulate::StepReport out;
  Refusal refusal = training::first_broken_rule(
      {c, catalog.model(c.model), catalog.framework(c), catalog.cluster(c.cluster), catalog.gpu(c)});
  training::RankLayout layout;
  if (!refusal) {
    layout = layout_of(c, catalog);
    refusal = simulate::why_schedule_cannot(c, simulate::schedule_of(c, catalog), layout);
  }
  if (refusal) {
    out.status = training::Status::infeasible;
    out.reason = training::Reason::unsupported;
    out.rule = code_of(refusal);
    return out;
  }
  const auto stages = simulate::memory_of_stages(c, catalog, layout);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    if (stage > 0 && stages[stage].total() <= out.memory_peak) continue;
    out.memory_peak = stages[stage].total();
    out.memory = stages[stage].part;
    out.memory_stage = static_cast<std::int32_t>(stage);
  }
  out.memory_limit = catalog.gpu(c).memory;
  const simulate::MemoryFit fit = simulate::memory_fit(errors, out.memory, out.memory_limit);
  out.mem_rel_error = static_cast<float>(fit.rel_error);
  out.fit_chance = static_cast<float>(fit.chance);
  if (fit.chance >= simulate::least_fit_chance) return out;
  out.status = training::Status::infeasible;
  out.reason = training::Reason::memory;
  out.reason_margin = static_cast<double>((out.memory_peak - out.memory_limit).value);
  return out;
}

}  // namespace echo::reference
