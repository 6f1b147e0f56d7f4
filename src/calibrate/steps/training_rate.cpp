// Problem. A micro-benchmark pauses between kernels; a training step does not, and Hopper and Blackwell then
// run at their power limit, with lower clocks. No table of kernels shows how much lower.
//
// Idea. This factor is the only part of a step's price that is common to every product on one GPU kind, and
// products are most of a step. So take the published steps of dense models on the frameworks whose kernels
// are best known (Transformer Engine's), price them with the factor free, and bring the median of
// log(predicted / measured) to zero by bisection (it rises with the factor): one observation per publication,
// GPU kind and operand width. rate_pool.cpp makes one estimate per kind and width of them. The A100, which
// seldom reaches its limit, keeps the value from the kernel tables. Steps that a slower processor binds say
// nothing of the rate (processor_times.cpp) and are left out.
//
// Neglected: all other errors of the model of those steps become part of the factor too; the pool counts them
// as the publication's effect.
#include "calibrate/steps/training_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/named_table.hpp"
#include "calibrate/steps/processor_times.hpp"

namespace echo::calibrate {

namespace {

struct RateKind {
  const char *kernels, *family;
};
constexpr RateKind kinds[] = {
    {"h100-sxm", "hopper"}, {"h100-sxm-vboost", "hopper"}, {"h200-sxm", "hopper"}, {"b200-sxm", "blackwell"},
    {"gb200", "blackwell"}, {"b300-sxm", "blackwell"},     {"gb300", "blackwell"}};
constexpr int widths[] = {16, 8, 4};

constexpr const char* pooled =
    "fitted: published steps of dense models, pooled over publications and GPU kinds (rate_pool.cpp); "
    "echo-calibrate training, 2026-11-28";
constexpr const char* hopper =  // what it says since differs by less than a twentieth of their error
    "fitted: published steps of dense models, pooled over publications and GPU kinds (rate_pool.cpp); "
    "echo-calibrate training, 2026-11-24";
constexpr TrainingRate rates[] = {
    {"h100-sxm", 0.36, 0.395, -1, 0.06, hopper},     {"h200-sxm", 0.343, 0.393, -1, 0.13, hopper},
    {"b200-sxm", 0.426, 0.333, 0.465, 0.09, pooled}, {"gb200", 0.424, 0.37, 0.478, 0.09, pooled},
    {"b300-sxm", 0.379, 0.289, 0.423, 0.13, pooled}, {"gb300", 0.329, 0.222, 0.372, 0.13, pooled},
};

SustainedRate constant_of(int width) {
  using K = kernels::KernelConstants;
  return width == 16 ? &K::gemm_sustained : width == 8 ? &K::gemm_sustained_8 : &K::gemm_sustained_4;
}

kernels::KernelConstants* constants_of(StepStudy& study, const char* name) {
  const std::int32_t found = find_named(study.calibration.kernels, name);
  return found < 0 ? nullptr : &study.calibration.kernels[static_cast<std::size_t>(found)];
}

int layouts_of(const StepRows& rows) {
  std::set<std::tuple<std::string, training::Degrees, training::Batch>> layouts;
  for (const config::MeasuredStep* row : rows)
    layouts.emplace(row->model, row->config->degrees, row->config->batch);
  return static_cast<int>(layouts.size());
}

}  // namespace

std::span<const TrainingRate> training_rates() { return rates; }

std::vector<RateObservation> observe_rates(StepStudy& study, const StepRows& all) {
  const StepRows waiting = bound_by_processors(study, all);
  StepRows rows;
  for (const config::MeasuredStep* row : all)
    if (std::find(waiting.begin(), waiting.end(), row) == waiting.end()) rows.push_back(row);
  std::vector<RateObservation> out;
  for (const RateKind& kind : kinds) {
    kernels::KernelConstants* const constants = constants_of(study, kind.kernels);
    if (constants == nullptr) continue;
    for (const int width : widths) {
      std::map<std::string, StepRows> by_source;
      for (const config::MeasuredStep* row : rate_rows(study, rows, kind.kernels, width))
        by_source[row->source].push_back(row);
      for (const auto& [source, own] : by_source)
        out.push_back({kind.family, kind.kernels, width, source,
                       std::log1p(unbiased_rate(study, own, *constants, constant_of(width))),
                       layouts_of(own)});
    }
  }
  return out;
}

void set_rates(StepStudy& study, std::span<const RateObservation> seen) {
  for (const RateKind& kind : kinds)
    if (kernels::KernelConstants* const constants = constants_of(study, kind.kernels))
      for (const int width : widths)
        if (constants->*constant_of(width) >= 0.0)
          constants->*constant_of(width) =
              std::expm1(pooled_rate(seen, kind.family, kind.kernels, width).log_factor);
}

int run_training(std::span<char*> args) {
  StepStudy study = read_step_study(step_option(args, "--table", default_step_table()));
  const std::vector<RateObservation> seen = observe_rates(study, study.scored());
  for (const RateKind& kind : kinds)
    for (const int width : widths) {
      const PooledRate pooled = pooled_rate(seen, kind.family, kind.kernels, width);
      const double rate = std::expm1(pooled.log_factor);
      fmt::print("{:16} {:2} bit  {:.3f} +- {:.3f}\n", kind.kernels, width, rate,
                 (1.0 + rate) * pooled.sigma);
      for (const RateObservation& one : seen)
        if (one.kind == kind.kernels && one.width == width)
          fmt::print("    {:24} {:3} layouts  {:.3f}\n", one.publication, one.layouts,
                     std::expm1(one.log_factor));
    }
  return 0;
}

}  // namespace echo::calibrate
