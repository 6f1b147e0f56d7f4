// Problem: most points of a sweep break a rule or lack memory, and their neighbours do so for the same
// reason. A point that differs in an axis which neither rules nor memory look at needs nothing but a look-up.
// Idea: three stages, each a function of few axes: the layout of ranks (degrees, schedule, placement), of
// which the last one is kept, since neighbours mostly share it; rules; memory. Rules and memory together are
// one entry of a bounded memo. Stages of a pipeline hold the same but for the microbatches in flight, so that
// a config's memory is worked out once per class of stages.
#include "simulate/admission/admission.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/admission/axes_read.hpp"
#include "simulate/admission/tier_capacity.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/schedule_rules.hpp"
#include "simulate/simulated_step.hpp"
#include "training/layout/stage_balance.hpp"

namespace echo::simulate {

using training::AxisValues;
using training::RankLayout;
using training::TrainingConfig;

namespace {

// The layers of each stage where a config lists them or its framework balances them; empty where layers are
// distributed evenly.
std::vector<std::int32_t> layer_table(const TrainingConfig& config, const Catalog& catalog) {
  const auto id = config.layers.explicit_layers;
  if (!id.is_none()) return catalog.layer_tables.at(at(id.index()));
  if (!catalog.framework(config).balances_stages || config.degrees.virtual_stages > 1) return {};
  return training::balanced_stages(catalog.model(config.model), config.degrees.pipeline);
}

// Contract: the config breaks no rule of its framework.
void lay_out_step(const TrainingConfig& config, const Catalog& catalog, const timeline::Schedule& schedule,
                  RankLayout& layout) {
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  training::lay_out_ranks(config, catalog.model(config.model), cluster, layer_table(config, catalog), layout);
  if (schedule.copies > 1) training::copy_model(config, cluster, layout);
  schedule.place(config.degrees.pipeline, static_cast<std::int32_t>(layout.stage_of_chunk.size()),
                 layout.stage_of_chunk);
}

// Whether all that memory_fit looks at is equal.
bool are_same_of_memory(const ErrorModel& a, const ErrorModel& b) {
  return a.memory_states == b.memory_states && a.memory_activations == b.memory_activations &&
         a.memory_rest == b.memory_rest && a.memory_publication == b.memory_publication;
}

training::Attempt attempt_of(const TrainingConfig& config, const Catalog& catalog) {
  return {config, catalog.model(config.model), catalog.framework(config), catalog.cluster(config.cluster),
          catalog.gpu(config)};
}

}  // namespace

void report_admission(const Admission& admission, StepReport& report) {
  if (admission.rule != 0) {
    report.status = training::Status::infeasible;
    report.reason = training::Reason::unsupported;
    report.rule = admission.rule;
    return;
  }
  report.memory = admission.memory;
  report.memory_peak = admission.memory_peak;
  report.memory_limit = admission.memory_limit;
  report.memory_stage = admission.memory_stage;
  report.mem_rel_error = admission.mem_rel_error;
  report.fit_chance = admission.fit_chance;
  if (admission.fits) return;
  report.status = training::Status::infeasible;
  report.reason = training::Reason::memory;
  report.reason_margin = static_cast<double>((report.memory_peak - report.memory_limit).value);
}

Refusal first_refusal(const TrainingConfig& config, const Catalog& catalog,
                      const timeline::Schedule& schedule, RankLayout& scratch) {
  if (const Refusal refusal = training::first_broken_rule(attempt_of(config, catalog))) return refusal;
  lay_out_step(config, catalog, schedule, scratch);
  return why_schedule_cannot(config, schedule, scratch);
}

const Admission& Admissions::of(const TrainingConfig& config, const Catalog& catalog,
                                const ErrorModel& errors, RankLayout& layout, MemoCounts& counts) {
  if (!are_same_of_memory(errors_, errors)) {
    known_.clear();
    errors_ = errors;
  }
  const AxisValues values = training::values_of(config);
  const std::int64_t known = known_.count().known;
  const Admission& admission = known_.of(axes_of_admission().seen_of(values), [&] {
    return admit(config, values, catalog, errors, layout, counts);
  });
  counts.count(Memo::admission, known_.count().known > known);
  if (admission.rule == 0) lay_out(config, values, catalog, layout, counts);
  return admission;
}

void Admissions::lay_out(const TrainingConfig& whole, const AxisValues& values, const Catalog& catalog,
                         RankLayout& layout, MemoCounts& counts) {
  const AxisValues seen = axes_of_layout().seen_of(values);
  const bool known = is_laid_out_ && laid_out_ == seen;
  counts.count(Memo::rank_layout, known);
  if (known) return;
  is_laid_out_ = false;
  const TrainingConfig config = axes_of_layout().seen_of(whole, values);
  lay_out_step(config, catalog, schedule_of(config, catalog), layout);
  classes_.find(layout);
  laid_out_ = seen;
  is_laid_out_ = true;
}

Admission Admissions::admit(const TrainingConfig& whole, const AxisValues& values, const Catalog& catalog,
                            const ErrorModel& errors, RankLayout& layout, MemoCounts& counts) {
  const TrainingConfig config = axes_of_admission().seen_of(whole, values);
  Admission out;
  if (const Refusal refusal = training::first_broken_rule(attempt_of(config, catalog))) {
    out.rule = code_of(refusal);
    return out;
  }
  lay_out(config, values, catalog, layout, counts);
  const timeline::Schedule schedule = schedule_of(config, catalog);
  if (const Refusal refusal = why_schedule_cannot(config, schedule, layout)) {
    out.rule = code_of(refusal);
    return out;
  }
  const TierUse beyond = find_fullest(config, catalog, schedule, layout, out);
  out.memory_limit = catalog.gpu(config).memory;
  const MemoryFit fit = memory_fit(errors, out.memory, out.memory_limit);
  out.mem_rel_error = static_cast<float>(fit.rel_error);
  out.fit_chance = static_cast<float>(fit.chance);
  out.fits = fit.chance >= least_fit_chance;
  if (!out.fits) return out;
  if (const Refusal refusal = why_tiers_cannot(config, catalog.cluster(config.cluster), beyond)) {
    out = {};
    out.rule = code_of(refusal);
  }
  return out;
}

// The stage that needs most memory decides; the first of several. Returns the most that a stage has
// elsewhere.
TierUse Admissions::find_fullest(const TrainingConfig& config, const Catalog& catalog,
                                 const timeline::Schedule& schedule, const RankLayout& layout,
                                 Admission& out) {
  TierUse beyond{};
  const training::FrameworkSpec& framework = catalog.framework(config);
  const machine::GpuSpec& gpu = catalog.gpu(config);
  const timeline::PipelineShape shape = pipeline_shape(config, layout, schedule);
  holds_.resize(at(classes_.count()));
  is_held_.assign(at(classes_.count()), 0);
  for (std::int32_t stage = 0; stage < config.degrees.pipeline; ++stage) {
    const std::size_t like = at(classes_.of(stage));
    if (is_held_[like] == 0)
      holds_[like] =
          training::stage_holds(config, catalog.model(config.model), framework, layout, gpu, stage);
    is_held_[like] = 1;
    const std::int32_t in_flight = schedule.in_flight(shape, stage);
    const TierUse away = tier_use(config, holds_[like], in_flight);
    for (std::size_t tier = 0; tier < away.size(); ++tier) beyond[tier] = std::max(beyond[tier], away[tier]);
    const training::MemoryUse use = training::memory_with(config, framework, gpu, holds_[like], in_flight);
    if (stage > 0 && use.total() <= out.memory_peak) continue;
    out.memory_peak = use.total();
    out.memory = use.part;
    out.memory_stage = stage;
  }
  return beyond;
}

}  // namespace echo::simulate
