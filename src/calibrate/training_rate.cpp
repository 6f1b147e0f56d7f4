// Problem. A micro-benchmark pauses between kernels; a training step does not, and Hopper and Blackwell then
// run at their power limit, with lower clocks. No table of kernels shows how much lower.
//
// Idea. Of all that a step's price depends on, only this factor is common to every product on one GPU kind,
// and products are most of a step. So take the published steps of the framework whose kernels are best known
// (Megatron-Core with Transformer Engine), price them with the factor free, and bring the median of
// log(predicted / measured) to zero by bisection (it rises with the factor). One number per GPU kind and
// operand width; the A100, which seldom meets its limit, keeps what the kernel tables say.
//
// Neglected: everything else that is wrong with the model of those steps ends up in the factor too. The line
// per publication, predicted with the factor of the others, says how far that carries over.
#include "calibrate/training_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "base/named_table.hpp"
#include "config/measured_steps.hpp"
#include "simulate/simulate.hpp"

namespace echo::calibrate {

namespace {

constexpr std::size_t fewest_rows = 3;

constexpr const char* h100_steps =
    "fitted: 40 published 16-bit and 70 8-bit steps of Megatron-Core on H100 (dgxc-benchmarking, "
    "nemo-legacy-perf, mlperf-v3.1, flagperf, Megatron-LM's README); echo-calibrate training, 2026-11-22";
constexpr const char* gb200_steps =
    "fitted: 3 published 16-bit and 3 8-bit steps of Megatron-Core on GB200 (dgxc-benchmarking); "
    "echo-calibrate training, 2026-11-22";
constexpr TrainingRate rates[] = {
    {"h100-sxm", 0.321, 0.453, 0.05, h100_steps},
    {"h200-sxm", 0.256, 0.406, 0.08,
     "assumed: the H100's rate inside a training step (one die, one power limit)"},
    {"gb200", 0.404, 0.548, 0.08, gb200_steps},
    {"b200-sxm", 0.393, 0.548, 0.12, "assumed: the GB200's rate inside a training step (one die)"},
};

struct Study {
  config::MeasuredSteps steps;
  simulate::Calibration known;
  simulate::Workspace workspace;
};

using Rows = std::vector<const config::MeasuredStep*>;

// log(predicted / measured) of every row with the factor set.
std::vector<double> log_ratios(Study& study, const Rows& rows, profile::KernelConstants& constants,
                               double profile::KernelConstants::*factor, double value) {
  constants.*factor = value;
  study.workspace.memo = {};  // prices depend on the factor
  std::vector<double> out;
  for (const config::MeasuredStep* row : rows) {
    const simulate::StepReport report =
        simulate::simulate(*row->config, study.steps.catalog, study.known, study.workspace);
    if (report.status == training::Status::ok)
      out.push_back(std::log(to_seconds(report.step) / *row->step_seconds));
  }
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double unbiased(Study& study, const Rows& rows, profile::KernelConstants& constants,
                double profile::KernelConstants::*factor) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2;
    (median(log_ratios(study, rows, constants, factor, middle)) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

double mean_error(const std::vector<double>& logs) {
  double sum = 0.0;
  for (const double x : logs) sum += std::abs(std::exp(x) - 1.0);
  return sum / static_cast<double>(logs.size());
}

void study_gpu(Study& study, profile::KernelConstants& constants, bool narrow) {
  const auto factor =
      narrow ? &profile::KernelConstants::gemm_sustained_8 : &profile::KernelConstants::gemm_sustained;
  Rows rows;
  std::set<std::string> sources;
  for (const config::MeasuredStep& step : study.steps.rows) {
    if (!step.config || !step.step_seconds) continue;
    const training::TrainingConfig& c = *step.config;
    if (study.steps.catalog.gpu(c).kernels != constants.name) continue;
    if (study.steps.catalog.framework(c.framework).name != "megatron-core") continue;
    if (machine::is_narrow(c.precision) != narrow) continue;
    if (c.degrees.context > 1) continue;  // kept unseen, as a test; so are runs that tune
    if (c.recipe.lora_rank > 0 || c.recipe.packed_tokens > 0) continue;
    if (study.steps.catalog.gpu(c).compute_capability < 90)
      continue;  // the A100 seldom meets its power limit
    if (simulate::simulate(c, study.steps.catalog, study.known, study.workspace).status !=
        training::Status::ok)
      continue;
    rows.push_back(&step);
    sources.insert(step.source);
  }
  if (rows.size() < fewest_rows) return;
  const double published = constants.*factor;
  const double all = unbiased(study, rows, constants, factor);
  fmt::print("{:10} {:2} bit  {:3} rows  {:.3f}  mean error {:.1f} %\n", constants.name, narrow ? 8 : 16,
             rows.size(), all, 100 * mean_error(log_ratios(study, rows, constants, factor, all)));
  for (const std::string& source : sources) {
    Rows own, others;
    for (const config::MeasuredStep* row : rows) (row->source == source ? own : others).push_back(row);
    if (others.size() < fewest_rows) continue;
    const double without = unbiased(study, others, constants, factor);
    const std::vector<double> logs = log_ratios(study, own, constants, factor, without);
    fmt::print(
        "    {:24} {:3} rows unseen: {:.3f} from the others, mean error {:.1f} %, median ratio {:.3f}\n",
        source, own.size(), without, 100 * mean_error(logs), std::exp(median(logs)));
  }
  constants.*factor = published;
}

}  // namespace

std::span<const TrainingRate> training_rates() { return rates; }

int run_training(std::span<char*> args) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  std::string table =
      std::string(folder != nullptr ? folder : "../shared/data") + "/steps/measured_steps.csv";
  for (std::size_t i = 0; i + 1 < args.size(); ++i)
    if (std::string(args[i]) == "--table") table = args[i + 1];
  config::CatalogInputs presets = config::read_catalog();
  Study study{config::read_measured_steps(CsvTable::read_file(table), presets), presets.calibration, {}};
  for (profile::KernelConstants& constants : study.known.kernels)
    for (const bool narrow : {false, true}) study_gpu(study, constants, narrow);
  return 0;
}

}  // namespace echo::calibrate
