// A simulated step lists its contents; this file counts how often it uses each of them.
#include "explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/at.hpp"
#include "collective/algorithm.hpp"
#include "explain/explain_replay.hpp"
#include "ops/describe.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/report/production.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/passes.hpp"
#include "simulate/step/path_detail.hpp"
#include "simulate/step/stage_memory.hpp"
#include "sweep/choice/overruled.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::explain {

namespace {

using simulate::SimulatedStep;
using training::TrainingConfig;

// Counts how often each kernel and each (part, collective) runs on one GPU rank of `stage` in a step.
class Counter {
 public:
  Counter(const simulate::StepInput& input, const simulate::ComposedStep& step, std::int32_t stage)
      : work_(input.work),
        kernels_(work_.kernels.size(), 0),
        blocks_(simulate::blocks_in_step(work_, input.layout, step.pipeline, input.microbatches(), stage)) {
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
      const workload::OpGraph& block = work_.blocks[index];
      for (std::size_t op = 0; op < block.work.size(); ++op)
        count(block.part[op], block.work[op], blocks_[index]);
    }
    for (const auto* tail : {&work_.tail.gradients, &work_.tail.grad_norm, &work_.tail.update})
      for (const workload::WorkRun& run : tail->row(stage)) count(run.part, run.work, run.count);
  }
  // (part, collective) -> times.
  [[nodiscard]] const std::map<std::pair<TimeCategory, CollectiveId>, std::int64_t>& counts() const {
    return counts_;
  }
  [[nodiscard]] const std::vector<std::int64_t>& kernels() const { return kernels_; }  // times, by kernel
  [[nodiscard]] const std::vector<std::int64_t>& blocks() const { return blocks_; }    // times, by block

 private:
  void count(TimeCategory part, WorkId work, std::int64_t times) {
    const std::int32_t kernels = length_of(kernels_);
    if (times == 0) return;
    if (is_kernel(work, kernels))
      kernels_[at(kernel_of(work))] += times;
    else
      counts_[{part, collective_of(work, kernels)}] += times;
  }

  const workload::Workload& work_;
  std::vector<std::int64_t> kernels_, blocks_;
  std::map<std::pair<TimeCategory, CollectiveId>, std::int64_t> counts_;
};

std::vector<KernelCost> kernel_costs(const SimulatedStep& step, const std::vector<std::int64_t>& counts,
                                     ops::KernelLibrary library) {
  std::vector<KernelCost> costs;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const ops::KernelPrice& price = step.prices.kernels[i];
    costs.push_back({step.work.kernels[i], price.grade, price.error, counts[i], step.prices.alone[i],
                     step.prices.alone[i] * counts[i]});
    costs.back().key.library = library;
  }
  std::stable_sort(costs.begin(), costs.end(),
                   [](const KernelCost& a, const KernelCost& b) { return a.total > b.total; });
  return costs;
}

std::vector<simulate::SharedTime> shared_times(const SimulatedStep& step,
                                               const std::vector<std::int64_t>& counts) {
  std::vector<simulate::SharedTime> shared;
  for (std::size_t block = 0; block < counts.size(); ++block)
    if (counts[block] > 0)
      simulate::add_shared_time(step.work.blocks[block], step.prices, counts[block], shared);
  std::stable_sort(shared.begin(), shared.end(),
                   [](const auto& a, const auto& b) { return a.lost > b.lost; });
  return shared;
}

// Microbatches sent and received by `stage`, forward and backward; [0] inside nodes, [1] between nodes.
std::array<std::int64_t, 2> hops_of(const TrainingConfig& config, const training::RankLayout& layout,
                                    std::int32_t stage) {
  std::array<std::int64_t, 2> hops{};
  for (std::size_t i = 0; i + 1 < layout.stage_of_chunk.size(); ++i) {
    const std::int32_t from = layout.stage_of_chunk[i], to = layout.stage_of_chunk[i + 1];
    if (from == to || (from != stage && to != stage)) continue;
    const std::int32_t boundary = to == (from + 1) % config.degrees.pipeline ? from : to;
    const bool crosses = layout.hop_crosses_nodes[at(boundary)];
    hops[crosses ? 1 : 0] += 2 * std::int64_t{training::microbatches_of(config) / layout.copies};
  }
  return hops;
}

}  // namespace

CollectiveCost cost_of(TimeCategory part, const ops::CollectiveQuery& query,
                       const ops::CollectiveEstimate& estimate, std::int64_t count) {
  CollectiveCost cost{.part = std::string(time_category_names[at(part)]),
                      .kind = std::string(ops::collective_kind_names[at(query.kind)]),
                      .protocol = std::string(ops::protocol_names[at(estimate.protocol)]),
                      .payload = query.payload,
                      .ranks = query.group.ranks,
                      .nodes = query.group.nodes,
                      .channels = estimate.channels,
                      .count = count,
                      .each = estimate.time,
                      .total = estimate.time * count};
  const std::string_view algorithm = collective::name_of_algorithm(estimate);
  if (!algorithm.empty()) cost.algorithm = algorithm;
  if (estimate.generic != ops::GenericAlgorithm::best) cost.protocol = "generic";
  return cost;
}

// The contents of the critical path: kernels by kind, collectives by part, kind and group.
static std::vector<PathCost> path_costs(const SimulatedStep& step, const simulate::PathDetail& detail) {
  std::map<std::string, SimTime> by_name;
  const std::size_t kernels = step.work.kernels.size();
  for (std::size_t work = 0; work < detail.work.size(); ++work) {
    if (detail.work[work] == SimTime::zero()) continue;
    if (work < kernels) {
      by_name[ops::name_of(step.work.kernels[work].kind)] += detail.work[work];
    } else {
      const ops::CollectiveQuery& query = step.work.collectives[work - kernels];
      by_name[fmt::format("{} over {} GPUs on {} nodes", ops::collective_kind_names[at(query.kind)],
                          query.group.ranks, query.group.nodes)] += detail.work[work];
    }
  }
  by_name["transfers between stages"] += detail.hops;
  by_name["waiting for the host, and host time at the end"] += detail.host;
  by_name["gradient and parameter traffic after its pass"] += detail.rest;
  std::vector<PathCost> costs;
  for (const auto& [what, time] : by_name)
    if (time != SimTime::zero()) costs.push_back({what, time});
  std::stable_sort(costs.begin(), costs.end(),
                   [](const PathCost& a, const PathCost& b) { return a.time > b.time; });
  return costs;
}

// The causes that add_production() summed up, by what the benchmark of this config takes.
static void add_production_costs(const TrainingConfig& config, const simulate::Catalog& catalog,
                                 const simulate::Calibration& calibration, Explanation& explanation) {
  if (calibration.setting != simulate::Setting::production) return;
  simulate::Calibration alone = calibration;
  alone.setting = simulate::Setting::benchmark;
  simulate::Workspace workspace;
  const simulate::StepReport benchmark = simulate::simulate(config, catalog, alone, workspace);
  const simulate::ProductionTime time = simulate::production_time(
      calibration.production, simulate::job_size(config, catalog.cluster(config.cluster)), benchmark);
  for (std::size_t i = 0; i < time.part.size(); ++i)
    explanation.production.push_back({std::string(simulate::production_part_names[i]), time.part[i]});
  for (const PathCost& cost : explanation.production)
    if (cost.time != SimTime::zero()) explanation.path.push_back({"production: " + cost.what, cost.time});
  std::stable_sort(explanation.path.begin(), explanation.path.end(),
                   [](const PathCost& a, const PathCost& b) { return a.time > b.time; });
}

Explanation explain(const TrainingConfig& config, const simulate::Catalog& catalog,
                    const simulate::Calibration& calibration, const simulate::PacketMemory& answers) {
  simulate::Workspace workspace;
  workspace.memo.packet_memory = answers;
  Explanation explanation{.report = simulate::simulate(config, catalog, calibration, workspace)};
  for (const training::Axis axis : sweep::overruled_axes(config, catalog))
    explanation.overruled.emplace_back(training::info_of(axis).name);
  const SimulatedStep& step = workspace.step;
  if (explanation.report.memory_peak.value > 0)
    explanation.memory = simulate::memory_of_stages(config, catalog, step.layout);
  if (explanation.report.status != training::Status::ok) return explanation;
  if (!catalog.model(config.model).trace.is_none()) {
    explain_replay(*workspace.trace, step.prices, explanation);
    add_production_costs(config, catalog, calibration, explanation);
    return explanation;
  }
  const simulate::StepInput input = simulate::input_of(config, catalog, step);
  const simulate::PathDetail detail = simulate::path_detail(input, step.composed);
  explanation.path = path_costs(step, detail);
  explanation.path_by_stage = detail.stage;
  add_production_costs(config, catalog, calibration, explanation);
  const std::int32_t stage = explanation.report.critical_stage;
  const Counter counter(input, step.composed, stage);
  explanation.kernels = kernel_costs(step, counter.kernels(), config.recipe.kernel_library);
  explanation.shared = shared_times(step, counter.blocks());
  explanation.slowed = slowdown_costs(step, counter.blocks(), config.recipe.kernel_library);
  for (const auto& [key, count] : counter.counts()) {
    const std::size_t index = at(key.second);
    explanation.collectives.push_back(
        cost_of(key.first, step.work.collectives[index], step.prices.collectives[index], count));
  }
  const auto hops = hops_of(config, step.layout, stage);
  for (const bool crosses : {false, true}) {
    if (hops[crosses ? 1 : 0] == 0) continue;
    const auto& query = crosses ? step.work.hop_across : step.work.hop_within;
    explanation.collectives.push_back(
        cost_of(TimeCategory::pp_comm, query,
                simulate::price_collective(query, config, catalog, calibration, workspace.memo),
                hops[crosses ? 1 : 0]));
  }
  std::stable_sort(explanation.collectives.begin(), explanation.collectives.end(),
                   [](const CollectiveCost& a, const CollectiveCost& b) { return a.total > b.total; });
  return explanation;
}

static std::string show_payload(Bytes bytes) {
  const auto value = static_cast<double>(bytes.value);
  if (value >= 1 << 20) return fmt::format("{:.1f} MiB", value / (1 << 20));
  return value >= 1 << 10 ? fmt::format("{:.1f} KiB", value / (1 << 10)) : fmt::format("{} B", bytes.value);
}

static std::string path_of(const Explanation& explanation) {
  constexpr std::size_t shown = 8;
  text::TextTable table({"<  cause", "time", "of step"});
  const double step = to_seconds(explanation.report.step);
  for (std::size_t i = 0; i < std::min(shown, explanation.path.size()); ++i) {
    const double time = to_seconds(explanation.path[i].time);
    table.add({"  " + explanation.path[i].what, text::show_time(time), text::show_share(time / step)});
  }
  std::string text = "\ncritical path: largest contributions\n" + table.text();
  if (explanation.path_by_stage.size() < 2) return text;
  text += "  by stage:";
  for (std::size_t stage = 0; stage < explanation.path_by_stage.size(); ++stage) {
    if (explanation.path_by_stage[stage] != SimTime::zero())
      text += fmt::format(" {}: {}", stage,
                          text::show_share(to_seconds(explanation.path_by_stage[stage]) / step));
  }
  return text + "\n";
}

static std::string kernels_of(const Explanation& explanation) {
  constexpr std::size_t shown = 12;
  text::TextTable table({"<kernel", "each", "times", "busy", "of step", "<price", "error"});
  for (std::size_t i = 0; i < std::min(shown, explanation.kernels.size()); ++i) {
    const KernelCost& cost = explanation.kernels[i];
    table.add({ops::describe(cost.key), text::show_time(to_seconds(cost.each)), text::show_count(cost.count),
               text::show_time(to_seconds(cost.total)),
               text::show_share(to_seconds(cost.total) / to_seconds(explanation.report.step)),
               std::string(ops::grade_names[at(cost.grade)]), text::show_share(cost.error)});
  }
  const std::size_t rest = explanation.kernels.size() - std::min(shown, explanation.kernels.size());
  return fmt::format("\nkernels of one GPU of stage {} in a step{}\n{}", explanation.report.critical_stage,
                     rest == 0 ? "" : fmt::format("; {} smaller ones are left out", rest), table.text());
}

static std::string shared_of(const Explanation& explanation) {
  text::TextTable table({"<  collectives", "<overlap with", "<on shared", "longer by", "of step"});
  for (const simulate::SharedTime& shared : explanation.shared) {
    const double lost = to_seconds(shared.lost);
    table.add({"  " + std::string(time_category_names[at(shared.part)]),
               std::string(time_category_names[at(shared.beside)]),
               std::string(bottleneck_names[at(shared.link)]), text::show_time(lost),
               text::show_share(lost / to_seconds(explanation.report.step))});
  }
  return fmt::format(
      "\nlinks shared by collectives of stage {}, hidden or not; without sharing, the step takes {}\n{}",
      explanation.report.critical_stage, text::show_time(to_seconds(explanation.report.step_no_contention)),
      table.text());
}

static std::string production_of(const Explanation& explanation) {
  text::TextTable table({"<  cause", "time", "of step"});
  for (const PathCost& cost : explanation.production)
    table.add({"  " + cost.what, text::show_time(to_seconds(cost.time)),
               text::show_share(to_seconds(cost.time) / to_seconds(explanation.report.step))});
  return "\nsetting production: what it adds to a benchmark's step\n" + table.text();
}

std::string explanation_text(const Explanation& explanation) {
  std::string text;
  if (!explanation.overruled.empty())
    text += fmt::format("\nset by the sweep, otherwise than by the recipe: {}\n",
                        fmt::join(explanation.overruled, ", "));
  if (!explanation.production.empty()) text += production_of(explanation);
  if (!explanation.path.empty()) text += path_of(explanation);
  if (!explanation.memory.empty()) {
    std::vector<std::string> headings{"stage"};
    for (const std::string_view part : training::memory_part_names) headings.emplace_back(part);
    headings.insert(headings.end(), {"total", "of limit"});
    text::TextTable table(headings);
    for (std::size_t stage = 0; stage < explanation.memory.size(); ++stage) {
      std::vector<std::string> cells{std::to_string(stage)};
      for (const Bytes bytes : explanation.memory[stage].part)
        cells.push_back(text::show_gib(static_cast<double>(bytes.value)));
      const Bytes total = explanation.memory[stage].total();
      cells.insert(cells.end(), {text::show_gib(static_cast<double>(total.value)),
                                 text::show_share(total / explanation.report.memory_limit)});
      table.add(cells);
    }
    text += "\nmemory of one GPU of each stage\n" + table.text();
  }
  if (!explanation.kernels.empty()) text += kernels_of(explanation);
  if (!explanation.collectives.empty()) {
    text::TextTable table({"<part", "<collective", "payload", "ranks", "nodes", "<choice", "channels", "each",
                           "times", "busy", "of step"});
    for (const CollectiveCost& cost : explanation.collectives) {
      table.add({cost.part, cost.kind, show_payload(cost.payload), std::to_string(cost.ranks),
                 std::to_string(cost.nodes), cost.algorithm + " " + cost.protocol,
                 std::to_string(cost.channels), text::show_time(to_seconds(cost.each)),
                 text::show_count(cost.count), text::show_time(to_seconds(cost.total)),
                 text::show_share(to_seconds(cost.total) / to_seconds(explanation.report.step))});
    }
    text += fmt::format("\ncollectives of one GPU of stage {} in a step, hidden or not\n{}",
                        explanation.report.critical_stage, table.text());
  }
  text += slowdown_text(explanation.slowed, explanation.report.step, explanation.report.critical_stage);
  if (!explanation.shared.empty()) text += shared_of(explanation);
  return text;
}

}  // namespace echo::explain
