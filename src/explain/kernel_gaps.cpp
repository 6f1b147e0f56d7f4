#include "explain/kernel_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/at.hpp"
#include "explain/config_of_row.hpp"
#include "ops/describe.hpp"
#include "query/rank/ranking.hpp"
#include "simulate/replay/replay_scratch.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/path_detail.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::explain {

namespace {

const char* word_of(ops::Grade grade) {
  switch (grade) {
    case ops::Grade::measured:
      return "measured";
    case ops::Grade::interpolated:
      return "interpolated";
    case ops::Grade::modelled:
      return "modelled";
    case ops::Grade::extrapolated:
      return "extrapolated";
  }
  return "";
}

using Found = std::map<std::pair<std::string, ops::KernelKey>, KernelGap>;

// A kernel takes `on_path` of the critical path of a step of length `step`.
void add_kernel(const training::TrainingConfig& config, const simulate::Catalog& catalog, ops::KernelKey key,
                const ops::KernelPrice& price, SimTime on_path, SimTime step, Found& found) {
  key.library = config.recipe.kernel_library;
  KernelGap& gap = found[{catalog.gpu(config).name, key}];
  gap.gpu = catalog.gpu(config).name;
  gap.key = key;
  gap.grade = price.grade;
  gap.error = price.error;
  gap.share += to_seconds(on_path) / to_seconds(step);
  ++gap.points;
}

// Kernels timed on this GPU need no measurement.
void add_traced(const training::TrainingConfig& config, const simulate::Catalog& catalog,
                const simulate::ReplayScratch& s, const simulate::Prices& prices, SimTime step,
                Found& found) {
  std::vector<SimTime> on_path(s.trace->kernels.size());
  for (const timeline::PathStep& part : s.path) {
    const trace::Node* const node = part.op < 0 ? nullptr : s.nodes[at(part.op)];
    if (node == nullptr || node->kernel < 0) continue;
    if (s.grade[at(part.op)] != ops::Grade::measured) on_path[at(node->kernel)] += part.length;
  }
  for (std::size_t kernel = 0; kernel < on_path.size(); ++kernel)
    if (on_path[kernel] > SimTime::zero())
      add_kernel(config, catalog, s.trace->kernels[kernel], prices.kernels[kernel], on_path[kernel], step,
                 found);
}

void add_step(const training::TrainingConfig& config, const simulate::Catalog& catalog,
              const simulate::Calibration& calibration, simulate::Workspace& workspace, Found& found) {
  const simulate::StepReport report = simulate::simulate(config, catalog, calibration, workspace);
  if (report.status != training::Status::ok) return;
  const simulate::SimulatedStep& step = workspace.step;
  if (!catalog.model(config.model).trace.is_none())
    return add_traced(config, catalog, *workspace.trace, step.prices, report.step, found);
  const simulate::PathDetail detail =
      simulate::path_detail(simulate::input_of(config, catalog, step), step.composed);
  for (std::size_t kernel = 0; kernel < step.work.kernels.size(); ++kernel) {
    if (detail.work[kernel] != SimTime::zero())
      add_kernel(config, catalog, step.work.kernels[kernel], step.prices.kernels[kernel], detail.work[kernel],
                 report.step, found);
  }
}

}  // namespace

std::vector<KernelGap> kernel_gaps(const std::vector<training::TrainingConfig>& configs,
                                   const simulate::Catalog& catalog,
                                   const simulate::Calibration& calibration) {
  Found found;
  simulate::Workspace workspace;
  for (const training::TrainingConfig& config : configs)
    add_step(config, catalog, calibration, workspace, found);
  std::vector<KernelGap> gaps;
  for (const auto& [key, gap] : found) {
    gaps.push_back(gap);
    gaps.back().share /= static_cast<double>(configs.size());
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const KernelGap& a, const KernelGap& b) { return a.weight() > b.weight(); });
  return gaps;
}

std::vector<training::TrainingConfig> best_configs(const results::ResultFile& file, std::int64_t count,
                                                   simulate::Catalog& catalog) {
  std::vector<training::TrainingConfig> configs;
  const auto layer_tables = results::read_layer_tables(file.file());
  for (const query::RankedGroup& group :
       query::ranked(file, {.by = query::ranking_objective(file), .count = count, .per = "", .where = ""})) {
    const results::Table table = file.pick_configs(group.rows);
    for (std::int64_t row = 0; row < table.rows(); ++row) {
      std::string problem;
      if (const auto config = config_of_row(table, row, layer_tables, catalog, problem))
        configs.push_back(*config);
    }
  }
  return configs;
}

std::string gaps_text(const std::vector<KernelGap>& gaps, std::size_t count, std::size_t points) {
  if (gaps.empty()) return "";
  text::TextTable table({"<  kernel", "<GPU", "of step", "<price", "error", "possible effect on step"});
  for (std::size_t i = 0; i < std::min(count, gaps.size()); ++i) {
    const KernelGap& gap = gaps[i];
    table.add({"  " + ops::describe(gap.key), gap.gpu, text::show_share(gap.share), word_of(gap.grade),
               text::show_share(gap.error), fmt::format("{:.2f} %", 100 * gap.weight())});
  }
  return fmt::format("worth measuring next (kernels of the {} best point{})\n{}", points,
                     points == 1 ? "" : "s", table.text());
}

}  // namespace echo::explain
