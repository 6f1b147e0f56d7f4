// From a trace to a report: prices every op on the config's machine and replays the traced ranks together,
// first without slowdown, then with it, then also with the time that collectives lose to each other. It then
// splits the time of the rank that ends last by part, and derives the step's bottlenecks from the chain of
// ops that leads to its end. An op on that chain has the bottlenecks of its own price, scaled to the time it
// took: overlap stretches all of them equally.
//
// Stragglers: the kernels of a traced rank are lengthened like those of the slowest rank it stands for, in
// all copies of the job; only their arithmetic is (draw_steps.cpp).
#include "simulate/replay/replay_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/prices/newest_first.hpp"
#include "simulate/replay/price_replay.hpp"
#include "simulate/report/error_bands.hpp"
#include "simulate/report/production.hpp"
#include "simulate/report/report_shares.hpp"
#include "simulate/report/robust_step.hpp"
#include "simulate/step/draw_steps.hpp"

namespace echo::simulate {

namespace {

using training::TrainingConfig;

const trace::Trace& trace_of(const TrainingConfig& config, const Catalog& catalog) {
  return catalog.traces.at(at(catalog.model(config.model).trace.index()));
}

SimTime replayed(ReplayScratch& s, std::span<const SimTime> alone, const timeline::FactorTable& factors) {
  if (!timeline::replay(s.graph, s.plan, {alone, s.work, s.newest_first}, factors, s.ran))
    throw ContractViolation(why_stuck(*s.trace, s.ran));
  return s.ran.makespan;
}

// The rank that ends last; the first of them if there are several.
std::int32_t last_rank(const timeline::ReplayScratch& ran) {
  std::int32_t last = 0;
  for (std::size_t i = 0; i < ran.ranks.size(); ++i)
    if (ran.ranks[i].end > ran.ranks[at(last)].end) last = static_cast<std::int32_t>(i);
  return last;
}

std::array<SimTime, 4> report_rank(const ReplayScratch& s, std::int32_t rank, StepReport& report) {
  std::array<SimTime, 4> graded{};
  for (std::int32_t op = s.graph.rank_begin[at(rank)]; op < s.graph.rank_begin[at(rank) + 1]; ++op) {
    report.total[at(s.graph.part[at(op)])] += s.alone[at(op)];
    if (s.graph.kind[at(op)] != timeline::ReplayKind::kernel) continue;
    graded[at(s.grade[at(op)])] += s.alone[at(op)];
    report.kernels.add(s.bottlenecks[at(op)], 1.0);
  }
  report.exposed = s.ran.ranks[at(rank)].exposed;
  report.critical_stage = rank;
  return graded;
}

PathShare path_of(ReplayScratch& s) {
  timeline::replay_path(s.graph, s.plan, s.ran, s.path);
  PathShare path;
  for (const timeline::PathStep& step : s.path) {
    const auto length = static_cast<double>(step.length.count());
    if (step.op < 0) {
      path.part[at(TimeCategory::other)] += step.length;
      path.bottleneck[Bottleneck::host] += length;
      continue;
    }
    SimTime alone{};
    std::int32_t longest = step.op;  // of the ranks that meet
    for (const std::int32_t op : s.plan.members.row(s.plan.unit[at(step.op)])) {
      if (s.alone[at(op)] > alone) longest = op;
      alone = std::max(alone, s.alone[at(op)]);
    }
    path.part[at(s.graph.part[at(step.op)])] += alone;
    path.part[at(TimeCategory::slowdown)] += step.length - alone;
    if (alone > SimTime::zero())
      path.bottleneck.add(s.bottlenecks[at(longest)], length / static_cast<double>(alone.count()));
  }
  return path;
}

// Arithmetic of a step on one GPU without recomputation: the mean over the ranks that traced ones stand for.
double flops_per_gpu(const ReplayScratch& s) {
  double sum = 0.0, ranks = 0.0;
  std::size_t op = 0;
  for (const trace::RankTrace& rank : s.trace->ranks) {
    double own = 0.0;
    for (const trace::Node& node : rank.nodes) {
      ++op;
      if (node.kind != trace::NodeKind::compute || node.pass == trace::Pass::recompute) continue;
      if (node.flops > 0.0) {
        own += node.flops;
      } else if (node.kernel >= 0) {
        own += ops::flops_of(s.trace->kernels[at(node.kernel)]).value;
      }
    }
    const double stands_for = std::max<double>(1.0, static_cast<double>(rank.stands_for.size()));
    sum += own * stands_for, ranks += stands_for;
  }
  return ranks > 0.0 ? sum / ranks : 0.0;
}

void report_rates(const TrainingConfig& config, const Catalog& catalog, const ReplayScratch& s,
                  StepReport& report) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const double seconds = to_seconds(report.step);
  const double tokens = static_cast<double>(config.batch.global_samples) * config.batch.sequence_tokens;
  report.tokens_per_second = tokens > 0.0 ? tokens / seconds : unknown;
  const double peak = catalog.gpu(config).peak_of(config.precision).value, flops = flops_per_gpu(s);
  const double utilised = peak > 0.0 && flops > 0.0 ? flops / (seconds * peak) : unknown;
  report.mfu = utilised <= 1.0 ? utilised : unknown;  // beyond: times of another GPU
}

// The slowest of the ranks that a traced one stands for, in one draw.
double worst_pace(const trace::RankTrace& rank, const TraceRanks& ranks, std::span<const double> paces) {
  double worst = 0.0;
  for (const std::int32_t one : rank.stands_for)
    for (std::int32_t copy = 0; copy < ranks.copies(); ++copy)
      worst = std::max(worst, paces[at(ranks.place(one, copy))]);
  return worst > 0.0 ? worst : 1.0;
}

// The step of each draw, ascending.
std::span<SimTime> drawn_replays(const TrainingConfig& config, const Catalog& catalog, const Skew& skew,
                                 const timeline::FactorTable& factors, ReplayScratch& s, SkewScratch& draws) {
  const std::int32_t gpus = training::gpus_of(config.degrees);
  fill_paces(skew, gpus, draws.paces);
  const TraceRanks ranks(*s.trace, s.shape, config, catalog.cluster(config.cluster));
  draws.steps.clear();
  for (std::int32_t draw = 0; draw < skew.draws; ++draw) {
    const auto paces = std::span<const double>(draws.paces.pace)
                           .subspan(at(draw) * at(draws.paces.gpus), at(draws.paces.gpus));
    s.paced = s.alone;
    for (std::int32_t rank = 0; rank < s.graph.ranks(); ++rank) {
      const double more = worst_pace(s.trace->ranks[at(rank)], ranks, paces) - 1.0;
      for (std::int32_t op = s.graph.rank_begin[at(rank)]; op < s.graph.rank_begin[at(rank) + 1]; ++op)
        s.paced[at(op)] += SimTime(std::llround(more * s.bottlenecks[at(op)][Bottleneck::arithmetic]));
    }
    draws.steps.push_back(replayed(s, s.paced, factors));
  }
  std::sort(draws.steps.begin(), draws.steps.end());
  return draws.steps;
}

}  // namespace

Refusal why_replay_unsupported(const TrainingConfig& config, const Catalog& catalog) {
  const trace::Trace& trace = trace_of(config, catalog);
  return why_trace_cannot(trace, shape_of(trace), config, catalog.cluster(config.cluster));
}

training::Batch batch_of_trace(double traced_tokens, double growth) {
  const double tokens = std::round(traced_tokens * growth);
  return {.global_samples = tokens < 2147483648.0 ? static_cast<std::int32_t>(tokens) : 0};
}

StepReport replay_step(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                       Workspace& ws, const Skew& skew) {
  ReplayScratch& s = scratch_for(trace_of(config, catalog), ws);
  StepReport report;
  if (const Refusal refusal = why_trace_cannot(*s.trace, s.shape, config, catalog.cluster(config.cluster))) {
    report.status = training::Status::infeasible;
    report.reason = training::Reason::unsupported;
    report.rule = code_of(refusal);
    return report;
  }
  if (!s.problem.empty()) throw ContractViolation(s.problem);
  price_trace(config, catalog, calibration, s, ws.memo, ws.step.prices, s.queries);

  s.newest_first = serves_newest_first(config, catalog.cluster(config.cluster));
  report.step_no_slowdown = replayed(s, s.alone, {});
  timeline::FactorTable factors = ws.step.prices.factors(), apart = factors;
  apart.scale_up_loss = apart.scale_out_loss = {};
  report.step_no_contention = report.step = replayed(s, s.alone, apart);
  if (!factors.scale_up_loss.empty()) report.step = replayed(s, s.alone, factors);
  if (report.step <= SimTime::zero()) throw ContractViolation("no op of the trace takes any time");
  report.status = training::Status::ok;
  const std::array<SimTime, 4> graded = report_rank(s, last_rank(s.ran), report);
  report_fractions(graded, report);
  report_path(path_of(s), report);
  report_rates(config, catalog, s, report);
  ws.step.evidence = evidence_behind(graded, s.queries, config, catalog, calibration);
  report_errors(calibration.errors, ws.step.evidence, report);
  std::span<SimTime> drawn;
  if (skew.draws > 0) drawn = drawn_replays(config, catalog, skew, factors, s, ws.draws);
  if (calibration.setting == Setting::production)
    add_production(calibration.production, job_size(config, catalog.cluster(config.cluster)),
                   calibration.errors.p90, drawn, report);
  report_percentiles(drawn, report);
  return report;
}

}  // namespace echo::simulate
