// Problem. A micro-benchmark pauses between kernels; a training step does not, and Hopper and Blackwell then
// run at their power limit, with lower clocks. No table of kernels shows how much lower.
//
// Idea. This factor is the only part of a step's price that is common to every product on one GPU kind, and
// products are most of a step. So take the published steps of the framework whose kernels are best known
// (Megatron-Core with Transformer Engine), price them with the factor free, and bring the median of
// log(predicted / measured) to zero by bisection (it rises with the factor). One number per GPU kind and
// operand width; the A100, which seldom reaches its limit, keeps the value from the kernel tables.
//
// Neglected: all other errors of the model of those steps become part of the factor too. The line per
// publication, predicted with the factor of the others, shows how well it carries over.
#include "calibrate/steps/training_rate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace echo::calibrate {

namespace {

constexpr const char* h100_steps =
    "fitted: 24 published 16-bit and 48 8-bit steps of Megatron-Core and NeMo on H100 without vboost "
    "(dgxc-benchmarking, nemo-legacy-perf, mlperf-v3.1, flagperf, Megatron-LM's README); echo-calibrate "
    "training, 2026-11-22";
constexpr const char* gb200_steps =
    "fitted: 3 published 16-bit and 3 8-bit steps of NeMo on GB200 (dgxc-benchmarking); echo-calibrate "
    "training, 2026-11-22";
constexpr TrainingRate rates[] = {
    {"h100-sxm", 0.347, 0.47, 0.05, h100_steps},
    {"h200-sxm", 0.281, 0.422, 0.08,
     "assumed: the H100's rate inside a training step (one die, one power limit)"},
    {"gb200", 0.439, 0.612, 0.08, gb200_steps},
    {"b200-sxm", 0.428, 0.612, 0.12, "assumed: the GB200's rate inside a training step (one die)"},
};

void study_gpu(StepStudy& study, const StepRows& all, kernels::KernelConstants& constants, bool narrow) {
  const SustainedRate rate = sustained_rate(narrow);
  const StepRows rows = rate_rows(study, all, constants.name, narrow);
  if (rows.size() < fewest_rate_rows) return;
  const double published = constants.*rate;
  const auto with = [&](double value, const StepRows& of) {
    constants.*rate = value;
    study.forget_prices();
    return log_ratios(study, of);
  };
  const double best = unbiased_rate(study, rows, constants, rate);
  fmt::print("{:10} {:2} bit  {:3} rows  {:.3f}  mean error {:.1f} %\n", constants.name, narrow ? 8 : 16,
             rows.size(), best, 100 * mean_error(with(best, rows)));
  std::set<std::string> sources;
  for (const config::MeasuredStep* row : rows) sources.insert(row->source);
  for (const std::string& source : sources) {
    StepRows own, others;
    for (const config::MeasuredStep* row : rows) (row->source == source ? own : others).push_back(row);
    if (others.size() < fewest_rate_rows) continue;
    const double without = unbiased_rate(study, others, constants, rate);
    const std::vector<double> logs = with(without, own);
    fmt::print(
        "    {:24} {:3} rows unseen: {:.3f} from the others, mean error {:.1f} %, median ratio {:.3f}\n",
        source, own.size(), without, 100 * mean_error(logs), std::exp(median_of(logs)));
  }
  constants.*rate = published;
}

}  // namespace

std::span<const TrainingRate> training_rates() { return rates; }

SustainedRate sustained_rate(bool narrow) {
  return narrow ? &kernels::KernelConstants::gemm_sustained_8 : &kernels::KernelConstants::gemm_sustained;
}

int run_training(std::span<char*> args) {
  StepStudy study = read_step_study(step_option(args, "--table", default_step_table()));
  const StepRows rows = study.scored();
  for (kernels::KernelConstants& constants : study.calibration.kernels)
    for (const bool narrow : {false, true}) study_gpu(study, rows, constants, narrow);
  return 0;
}

}  // namespace echo::calibrate
