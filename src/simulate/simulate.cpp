// The corridor through the six rooms: lay out ranks, trace the workload, price kernels and collectives,
// predict slowdown, compose the timeline; then check and report. The page to read first.
#include "simulate/simulate.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/replay/replay_step.hpp"
#include "simulate/report/error_bands.hpp"
#include "simulate/report/invariants.hpp"
#include "simulate/report/report_shares.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/step/compose_chunks.hpp"
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

StepReport infeasible(Reason reason, double margin) {
  StepReport report;
  report.status = Status::infeasible;
  report.reason = reason;
  report.reason_margin = margin;
  return report;
}

StepReport over_budget(StepReport report) {  // its memory is known
  report.status = Status::over_budget;
  report.reason = Reason::work_budget;
  return report;
}

// Why the schedule cannot run this config; null when it can.
const char* refused(const TrainingConfig& config, const timeline::Schedule& schedule,
                    const training::RankLayout& layout) {
  if ((schedule.splits_backward || schedule.mixes_backwards) && config.zero > training::ZeroStage::optimizer)
    return "a split backward with sharded gradients or weights is not simulated yet";
  if (config.recipe.overlap_ep && schedule.pairs == timeline::Pairs::never)
    return "this schedule runs no forward and backward as one: no all-to-all beside another microbatch";
  if ((schedule.splits_backward || schedule.mixes_backwards || schedule.pairs == timeline::Pairs::always) &&
      config.recipe.lora_rank > 0)
    return "a split backward of a frozen model is not simulated yet";
  return schedule.admits(pipeline_shape(config, layout, schedule));
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

// The split that a config or its framework spells out; empty where layers are dealt out evenly.
std::vector<std::int32_t> layer_table(const TrainingConfig& config, const Catalog& catalog) {
  const auto id = config.layers.explicit_layers;
  if (!id.is_none()) return catalog.layer_tables.at(static_cast<std::size_t>(id.index()));
  if (!catalog.framework(config.framework).balances_stages || config.degrees.virtual_stages > 1) return {};
  return training::balanced_stages(catalog.model(config.model), config.degrees.pipeline);
}

// The stage that needs most memory decides; fills the report's memory fields. False where it cannot fit.
bool report_memory(const TrainingConfig& config, const Catalog& catalog, const training::RankLayout& layout,
                   StepReport& report) {
  report.memory_limit = catalog.gpu(config).memory;
  for (std::int32_t stage = 0; stage < config.degrees.pipeline; ++stage) {
    const training::MemoryUse use = memory_of_stage(config, catalog, layout, stage);
    if (stage > 0 && use.total() <= report.memory_peak) continue;
    report.memory_peak = use.total();
    report.memory = use.part;
    report.memory_stage = stage;
  }
  return surely_needed({report.memory}) <= report.memory_limit;
}

void price_hops(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                Workspace& ws) {
  const std::size_t hops = ws.layout.stage_of_chunk.size() - 1;
  ws.hop_forward.assign(hops, SimTime::zero());
  ws.hop_backward.assign(hops, SimTime::zero());
  ws.hop_bottlenecks.assign(hops, BottleneckTimes{});
  if (config.degrees.pipeline == 1) return;
  const SimTime gather = ws.work.hop_gather < 0
                             ? SimTime::zero()
                             : ws.prices.alone[static_cast<std::size_t>(ws.work.hop_gather)];
  for (std::size_t i = 0; i < hops; ++i) {
    const std::int32_t from = ws.layout.stage_of_chunk[i], to = ws.layout.stage_of_chunk[i + 1];
    if (from == to) continue;
    // Boundary s joins stages s and s + 1; the last one wraps round to stage 0.
    const bool neighbours_up = to == (from + 1) % config.degrees.pipeline;
    const bool crosses = ws.layout.hop_crosses_nodes[static_cast<std::size_t>(neighbours_up ? from : to)];
    const ops::CollectiveQuery& hop = crosses ? ws.work.hop_across : ws.work.hop_within;
    const ops::CollectiveEstimate price = price_collective(hop, config, catalog, calibration, ws.memo);
    ws.hop_forward[i] = ws.hop_backward[i] = price.time + gather;
    ws.hop_bottlenecks[i] = bottlenecks_of(price);
    if (ws.work.hop_gather >= 0)
      ws.hop_bottlenecks[i].add(ws.prices.bottlenecks[static_cast<std::size_t>(ws.work.hop_gather)], 1.0);
  }
}

void report_step(const TrainingConfig& config, const Catalog& catalog, const StepOutcome& slowed,
                 SimTime unslowed, StepReport& report) {
  report.status = Status::ok;
  report.step = slowed.step;
  report.step_no_slowdown = unslowed;
  report.exposed = slowed.cost.exposed;
  report.total = slowed.cost.total;
  report.critical_stage = slowed.critical_stage;

  report_fractions(slowed.cost.graded, report);
  const double seconds = to_seconds(report.step);
  const double tokens = static_cast<double>(config.batch.global_samples) * config.batch.sequence_tokens;
  report.tokens_per_second = tokens / seconds;
  const double peak = catalog.gpu(config).peak_of(config.precision).value * training::gpus_of(config.degrees);
  const training::ModelSpec& model = catalog.model(config.model);
  const std::int32_t samples = config.batch.global_samples, length = config.batch.sequence_tokens;
  const auto flops = config.recipe.lora_rank > 0 ? training::frozen_model_flops : training::model_flops;
  // Packed documents attend within themselves.
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

std::string_view why_unsupported(const TrainingConfig& config, const Catalog& catalog) {
  const training::ModelSpec& model = catalog.model(config.model);
  if (!model.trace.is_none()) return why_replay_unsupported(config, catalog);
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  if (const auto broken = training::check_feasible(config, model, catalog.framework(config.framework),
                                                   cluster, catalog.gpu(config)))
    return broken->rule;
  training::RankLayout layout;
  training::lay_out_ranks(config, model, cluster, layer_table(config, catalog), layout);
  const timeline::Schedule schedule = schedule_of(config, catalog);
  place_chunks(config, cluster, schedule, layout);
  const char* refusal = refused(config, schedule, layout);
  return refusal == nullptr ? std::string_view{} : refusal;
}

StepReport simulate(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                    Workspace& ws, std::int64_t work_budget, const Skew& skew) {
  const training::ModelSpec& model = catalog.model(config.model);
  if (!model.trace.is_none()) return replay_step(config, catalog, calibration, ws, skew);
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  const training::FrameworkSpec& framework = catalog.framework(config.framework);
  const timeline::Schedule schedule = schedule_of(config, catalog);
  if (const auto rule = training::check_feasible(config, model, framework, cluster, catalog.gpu(config)))
    return infeasible(rule->reason, rule->margin);

  training::lay_out_ranks(config, model, cluster, layer_table(config, catalog), ws.layout);
  place_chunks(config, cluster, schedule, ws.layout);
  if (refused(config, schedule, ws.layout) != nullptr) return infeasible(Reason::unsupported, 0.0);

  StepReport report;
  const bool fits = report_memory(config, catalog, ws.layout, report);
  report_memory_error(calibration.errors, report);
  if (!fits) {
    report.status = Status::infeasible;
    report.reason = Reason::memory;
    report.reason_margin = static_cast<double>((report.memory_peak - report.memory_limit).value);
    return report;
  }
  if (pipeline_tasks(config, catalog) > (work_budget > 0 ? work_budget : default_work_budget))
    return over_budget(report);
  workload::generate_workload(config, model, framework, cluster, ws.layout, backward_of(schedule), ws.work,
                              catalog.gpu(config).compute_capability);
  price_work(config, catalog, calibration, ws.work, ws.memo, ws.prices);
  price_hops(config, catalog, calibration, ws);

  compose_chunks(config, model, framework, cluster, Slowdown::off, ws);
  const StepOutcome alone = compose_step(config, framework, schedule, ws);
  const bool shares = calibration.contention != Contention::off;
  compose_chunks(config, model, framework, cluster, Slowdown::apart, ws);
  StepOutcome slowed = compose_step(config, framework, schedule, ws, nullptr, &ws.trail);
  report.step_no_contention = slowed.step;
  if (shares && ws.collectives_meet) {
    compose_chunks(config, model, framework, cluster, Slowdown::on, ws);
    slowed = compose_step(config, framework, schedule, ws, nullptr, &ws.trail);
  }
  report_step(config, catalog, slowed, alone.step, report);
  report_path(critical_path(config, framework, schedule, slowed, ws), report);
  ws.evidence = evidence_behind(slowed.cost.graded, ws.work.collectives, config, catalog, calibration);
  report_errors(calibration.errors, ws.evidence, report);
  if (skew.draws > 0) {
    const DrawnSteps drawn = draw_steps(config, framework, schedule, skew, slowed.step, ws);
    report.step_median = drawn.median, report.step_p90 = drawn.p90;
  }
  return report;
}

}  // namespace echo::simulate
