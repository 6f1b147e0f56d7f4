// The pipeline of a simulation, in six stages: lay out ranks, trace the workload, price kernels and
// collectives, predict slowdown, compose the timeline, then check and report. Start reading here.
#include "simulate/simulate.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/replay/replay_step.hpp"
#include "simulate/report/error_bands.hpp"
#include "simulate/report/invariants.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/report/production.hpp"
#include "simulate/report/report_shares.hpp"
#include "simulate/report/robust_step.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/schedule_rules.hpp"
#include "simulate/step/compose_step.hpp"
#include "simulate/step/critical_path.hpp"
#include "simulate/step/draw_steps.hpp"
#include "simulate/step/stage_memory.hpp"
#include "timeline/schedule.hpp"
#include "training/layout/multi_token.hpp"
#include "training/layout/stage_balance.hpp"
#include "workload/generate_workload.hpp"

namespace echo::simulate {

namespace {

using training::Reason;
using training::Status;
using training::TrainingConfig;

StepReport unsupported(const Refusal& refusal) {
  StepReport report;
  report.status = Status::infeasible;
  report.reason = Reason::unsupported;
  report.rule = code_of(refusal);
  return report;
}

StepReport over_budget(StepReport report) {  // its memory is known
  report.status = Status::over_budget;
  report.reason = Reason::work_budget;
  return report;
}

void place_chunks(const TrainingConfig& config, const machine::ClusterSpec& cluster,
                  const timeline::Schedule& schedule, training::RankLayout& layout) {
  if (schedule.copies > 1) training::copy_model(config, cluster, layout);
  schedule.place(config.degrees.pipeline, static_cast<std::int32_t>(layout.stage_of_chunk.size()),
                 layout.stage_of_chunk);
}

workload::Backward backward_of(const timeline::Schedule& schedule) {
  if (schedule.mixes_backwards) return workload::Backward::both;
  return schedule.splits_backward ? workload::Backward::split : workload::Backward::whole;
}

// The layers of each stage where a config lists them or its framework balances them; empty where layers are
// distributed evenly.
std::vector<std::int32_t> layer_table(const TrainingConfig& config, const Catalog& catalog) {
  const auto id = config.layers.explicit_layers;
  if (!id.is_none()) return catalog.layer_tables.at(at(id.index()));
  if (!catalog.framework(config).balances_stages || config.degrees.virtual_stages > 1) return {};
  return training::balanced_stages(catalog.model(config.model), config.degrees.pipeline);
}

training::Attempt attempt_of(const TrainingConfig& config, const Catalog& catalog) {
  return {config, catalog.model(config.model), catalog.framework(config), catalog.cluster(config.cluster),
          catalog.gpu(config)};
}

// Contract: the config breaks no rule of its framework.
void lay_out(const TrainingConfig& config, const Catalog& catalog, const timeline::Schedule& schedule,
             training::RankLayout& layout) {
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  training::lay_out_ranks(config, catalog.model(config.model), cluster, layer_table(config, catalog), layout);
  place_chunks(config, cluster, schedule, layout);
}

// The stage that needs most memory decides; fills the report's memory fields. False where it hardly fits.
bool report_memory(const TrainingConfig& config, const Catalog& catalog, const ErrorModel& errors,
                   const training::RankLayout& layout, StepReport& report) {
  report.memory_limit = catalog.gpu(config).memory;
  for (std::int32_t stage = 0; stage < config.degrees.pipeline; ++stage) {
    const training::MemoryUse use = memory_of_stage(config, catalog, layout, stage);
    if (stage > 0 && use.total() <= report.memory_peak) continue;
    report.memory_peak = use.total();
    report.memory = use.part;
    report.memory_stage = stage;
  }
  const MemoryFit fit = memory_fit(errors, report.memory, report.memory_limit);
  report.mem_rel_error = static_cast<float>(fit.rel_error);
  report.fit_chance = static_cast<float>(fit.chance);
  return fit.chance >= least_fit_chance;
}

void price_hops(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                PriceMemo& memo, SimulatedStep& step) {
  const std::vector<std::int32_t>& stage_of = step.layout.stage_of_chunk;
  const workload::Workload& work = step.work;
  Prices& prices = step.prices;
  const std::size_t hops = stage_of.size() - 1;
  prices.hop_forward.assign(hops, SimTime::zero());
  prices.hop_backward.assign(hops, SimTime::zero());
  prices.hop_bottlenecks.assign(hops, BottleneckTimes{});
  if (config.degrees.pipeline == 1) return;
  const SimTime gather = work.hop_gather.is_none() ? SimTime::zero() : prices.alone[at(work.hop_gather)];
  for (std::size_t i = 0; i < hops; ++i) {
    const std::int32_t from = stage_of[i], to = stage_of[i + 1];
    if (from == to) continue;
    // Boundary s joins stages s and s + 1; the last one joins the last stage to stage 0.
    const bool neighbours_up = to == (from + 1) % config.degrees.pipeline;
    const bool crosses = step.layout.hop_crosses_nodes[at(neighbours_up ? from : to)];
    const ops::CollectiveQuery& hop = crosses ? work.hop_across : work.hop_within;
    const ops::CollectiveEstimate price = price_collective(hop, config, catalog, calibration, memo);
    prices.hop_forward[i] = prices.hop_backward[i] = price.time + gather;
    prices.hop_bottlenecks[i] = bottlenecks_of(price);
    if (!work.hop_gather.is_none())
      prices.hop_bottlenecks[i].add(prices.bottlenecks[at(work.hop_gather)], 1.0);
  }
}

void report_step(const TrainingConfig& config, const Catalog& catalog, const StepOutcome& slowed,
                 SimTime unslowed, StepReport& report) {
  report.status = Status::ok;
  report.step = slowed.step;
  report.step_no_slowdown = unslowed;
  report.exposed = slowed.cost.exposed;
  report.total = slowed.cost.total;
  report.kernels = slowed.cost.kernels;
  report.critical_stage = slowed.critical_stage;

  report_fractions(slowed.cost.graded, report);
  const double seconds = to_seconds(report.step);
  const double tokens = static_cast<double>(config.batch.global_samples) * config.batch.sequence_tokens;
  report.tokens_per_second = tokens / seconds;
  const double peak = catalog.gpu(config).peak_of(config.precision).value * training::gpus_of(config.degrees);
  const training::ModelSpec& model = catalog.model(config.model);
  const std::int32_t samples = config.batch.global_samples, length = config.batch.sequence_tokens;
  const auto flops = config.recipe.lora_rank > 0 ? training::frozen_model_flops : training::model_flops;
  // Attention in packed documents does not cross their borders.
  const std::int32_t packed = config.recipe.packed_tokens;
  const double plain = packed == 0 || packed >= length
                           ? flops(model, samples, length)
                           : flops(model, std::int64_t{samples} * length, packed) / packed;
  report.mfu = (plain + config.recipe.mtp_layers * training::multi_token_flops(model, samples, length)) /
               (seconds * peak);
  const char* broken = simulate::check_step({.step = report.step,
                                             .step_no_slowdown = report.step_no_slowdown,
                                             .busiest_stage = slowed.busiest,
                                             .exposed = report.exposed,
                                             .mfu = report.mfu});
  if (broken != nullptr) throw ContractViolation(broken);
}

}  // namespace

std::int64_t pipeline_tasks(const TrainingConfig& config, const Catalog& catalog) {
  const std::int64_t passes = schedule_of(config, catalog).splits_backward ? 3 : 2;
  return passes * training::chunks_of(config) * training::microbatches_of(config);
}

Refusal why_unsupported(const TrainingConfig& config, const Catalog& catalog) {
  if (!catalog.model(config.model).trace.is_none()) return why_replay_unsupported(config, catalog);
  if (const Refusal refusal = training::first_broken_rule(attempt_of(config, catalog))) return refusal;
  training::RankLayout layout;
  const timeline::Schedule schedule = schedule_of(config, catalog);
  lay_out(config, catalog, schedule, layout);
  return why_schedule_cannot(config, schedule, layout);
}

// Generates the work of a step whose ranks are laid out, and prices it.
static void price_step(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                       PriceMemo& memo, SimulatedStep& step) {
  workload::generate_workload(config, catalog.model(config.model), catalog.framework(config),
                              catalog.cluster(config.cluster), step.layout,
                              backward_of(schedule_of(config, catalog)), step.work,
                              catalog.gpu(config).compute_capability);
  price_work(config, catalog, calibration, step.work, memo, step.prices);
  price_hops(config, catalog, calibration, memo, step);
}

static void compose_and_report(const StepInput& input, const Catalog& catalog, const Calibration& calibration,
                               Workspace& ws, StepReport& report) {
  ComposedStep& composed = ws.step.composed;
  const SlowedSteps others =
      compose_slowed(input, calibration.contention != Contention::off, ws.scratch, composed);
  report.step_no_contention = others.apart;
  const StepOutcome& slowed = composed.outcome;
  report_step(input.config, catalog, slowed, others.unslowed, report);
  report_path(critical_path(input, ws.scratch, composed), report);
  ws.step.evidence =
      evidence_behind(slowed.cost.graded, input.work.collectives, input.config, catalog, calibration);
  ws.step.evidence.issued = slowed.cost.issued;
  ws.step.evidence.untried = untried(calibration.practice, input.config, catalog);
  if (const auto* const best = best_published(calibration.practice, input.config, catalog))
    report.best_published_mfu = static_cast<float>(best->mfu);
  report_errors(calibration.errors, ws.step.evidence, report);
}

StepReport simulate(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                    Workspace& ws, std::int64_t work_budget, const Skew& skew) {
  if (!catalog.model(config.model).trace.is_none())
    return replay_step(config, catalog, calibration, ws, skew);
  if (const Refusal refusal = training::first_broken_rule(attempt_of(config, catalog)))
    return unsupported(refusal);
  SimulatedStep& step = ws.step;
  const timeline::Schedule schedule = schedule_of(config, catalog);
  lay_out(config, catalog, schedule, step.layout);
  if (const Refusal refusal = why_schedule_cannot(config, schedule, step.layout)) return unsupported(refusal);

  StepReport report;
  const bool fits = report_memory(config, catalog, calibration.errors, step.layout, report);
  if (!fits) {
    report.status = Status::infeasible;
    report.reason = Reason::memory;
    report.reason_margin = static_cast<double>((report.memory_peak - report.memory_limit).value);
    return report;
  }
  if (pipeline_tasks(config, catalog) > (work_budget > 0 ? work_budget : default_work_budget))
    return over_budget(report);
  price_step(config, catalog, calibration, ws.memo, step);
  const StepInput input = input_of(config, catalog, step);
  compose_and_report(input, catalog, calibration, ws, report);
  std::span<SimTime> drawn;
  if (skew.draws > 0) drawn = draw_steps(input, step.composed, skew, ws.scratch.pipeline, ws.draws);
  if (calibration.setting == Setting::production)
    add_production(calibration.production, job_size(config, catalog.cluster(config.cluster)),
                   calibration.errors.p90, drawn, report);
  report_percentiles(drawn, report);
  return report;
}

}  // namespace echo::simulate
