// The pipeline of a simulation, in six stages: lay out ranks, trace the workload, price kernels and
// collectives, predict slowdown, compose the timeline, then check and report. Start reading here.
#include "simulate/simulate.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/replay/replay_step.hpp"
#include "simulate/report/error_bands.hpp"
#include "simulate/report/invariants.hpp"
#include "simulate/report/production.hpp"
#include "simulate/report/rates.hpp"
#include "simulate/report/report_shares.hpp"
#include "simulate/report/robust_step.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/step/compose_step.hpp"
#include "simulate/step/critical_path.hpp"
#include "simulate/step/draw_steps.hpp"
#include "timeline/schedule.hpp"
#include "training/layout/multi_token.hpp"

namespace echo::simulate {

namespace {

using training::Reason;
using training::Status;
using training::TrainingConfig;

StepReport over_budget(StepReport report) {  // its memory is known
  report.status = Status::over_budget;
  report.reason = Reason::work_budget;
  return report;
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
  report_rates(config, catalog, report);
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
  training::RankLayout layout;
  return first_refusal(config, catalog, schedule_of(config, catalog), layout);
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
  ws.step.evidence.peers = slowed.cost.peers;
  ws.step.evidence.settings_from = calibration.settings_from;
  ws.step.evidence.untried = untried(calibration.practice, input.config, catalog);
  ws.step.evidence.framework_tried = is_framework_tried(calibration.practice, input.config, catalog);
  if (const auto* const best = best_published(calibration.practice, input.config, catalog))
    report.best_published_mfu = static_cast<float>(best->mfu);
  report_errors(calibration.errors, ws.step.evidence, report);
}

StepReport simulate(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                    Workspace& ws, std::int64_t work_budget, const Skew& skew) {
  if (!catalog.model(config.model).trace.is_none()) {
    ws.work.forget_step();
    return replay_step(config, catalog, calibration, ws, skew);
  }
  SimulatedStep& step = ws.step;
  StepReport report;
  report_admission(ws.admissions.of(config, catalog, calibration.errors, step.layout, ws.counts), report);
  if (report.status != Status::pending) return report;
  if (pipeline_tasks(config, catalog) > (work_budget > 0 ? work_budget : default_work_budget))
    return over_budget(report);
  ws.work.price(config, catalog, calibration, ws.memo, step);
  const StepInput input = input_of(config, catalog, step);
  compose_and_report(input, catalog, calibration, ws, report);
  ws.counts.of[at(Memo::priced_work)] = ws.work.count();
  ws.counts.of[at(Memo::blocks)] = ws.scratch.blocks.count();
  ws.counts.of[at(Memo::pipelines)] = ws.scratch.pipelines.count();
  std::span<SimTime> drawn;
  if (skew.draws > 0) drawn = draw_steps(input, step.composed, skew, ws.scratch.pipeline, ws.draws);
  if (calibration.setting == Setting::production)
    add_production(calibration.production, job_size(config, catalog.cluster(config.cluster)),
                   calibration.errors.p90, drawn, report);
  report_percentiles(drawn, report);
  return report;
}

}  // namespace echo::simulate
