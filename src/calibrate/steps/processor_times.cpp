// Problem. Frameworks state their host times for the processors of a DGX H100. NVIDIA/TransformerEngine issue
// 2053 times two calls on Grace: a PyTorch linear layer takes 2.75 times as long to issue on a GB200 as there
// (2.5 times on a GH200); Transformer Engine's takes 100 us, 1.06 times what Megatron Core's preset assumes
// of a call. A framework's call is made of both, and of much else.
//
// Idea. Steps that the host binds show the factor of the whole call. From each publication take the steps on
// such hosts whose prediction rises by `bound` or more if hosts are twice as slow, whatever model and number
// format, and the factor for which the mean of |log(predicted / measured)| is least: one observation.
// rate_pool.cpp makes one estimate of them, beginning midway between the published times of both calls, which
// are its prior's standard deviation apart from there.
//
// Neglected: all other errors of those steps become part of the factor, too; the pool counts them as the
// publication's effect. The launch of a graph is the driver's and is not slowed.
#include "calibrate/steps/processor_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace echo::calibrate {

namespace {

constexpr const char* arm = "arm";
constexpr int no_width = 0;
constexpr double bound = 0.02;

// All are of logarithms.
const RateSpread spread{
    .family = 0.5, .kind = 0.0, .kind_width = 0.0, .publication = 0.15, .layout = 0.1, .mean = std::log(1.7)};

// 1 to 3.2 in steps of 5 %.
std::vector<double> candidates() {
  std::vector<double> factors{1.0};
  while (factors.back() < 3.1) factors.push_back(1.05 * factors.back());
  return factors;
}

std::vector<double> predictions(StepStudy& study, const StepRows& rows, double factor) {
  const std::vector<machine::ClusterSpec> shipped = study.steps.catalog.clusters;
  set_processors(study, factor);
  study.forget_prices();
  std::vector<double> seconds;
  for (const config::MeasuredStep* row : rows) seconds.push_back(study.predict(*row));
  study.steps.catalog.clusters = shipped;
  study.forget_prices();
  return seconds;
}

StepRows rows_on_arm(const StepStudy& study, const StepRows& rows) {
  StepRows out;
  for (const config::MeasuredStep* row : rows)
    if (study.steps.catalog.cluster(row->config->cluster).cpu == machine::CpuVendor::arm) out.push_back(row);
  return out;
}

}  // namespace

StepRows bound_by_processors(StepStudy& study, const StepRows& all) {
  const StepRows rows = rows_on_arm(study, all);
  const std::vector<double> usual = predictions(study, rows, 1.0), slow = predictions(study, rows, 2.0);
  StepRows out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (usual[i] > 0.0 && slow[i] > (1.0 + bound) * usual[i]) out.push_back(rows[i]);
  return out;
}

std::vector<RateObservation> observe_processors(StepStudy& study, const StepRows& rows) {
  std::map<std::string, StepRows> by_source;
  for (const config::MeasuredStep* row : bound_by_processors(study, rows))
    by_source[row->source].push_back(row);
  std::map<std::string, RateObservation> best;
  std::map<std::string, double> least;
  for (const double factor : candidates())
    for (const auto& [source, own] : by_source) {
      const std::vector<double> seconds = predictions(study, own, factor);
      double error = 0.0;
      for (std::size_t i = 0; i < own.size(); ++i)
        error += std::abs(std::log(seconds[i] / *own[i]->step_seconds));
      if (const auto known = least.find(source); known != least.end() && known->second <= error) continue;
      least[source] = error;
      best[source] = {arm, arm, no_width, source, std::log(factor), static_cast<int>(own.size())};
    }
  std::vector<RateObservation> out;
  for (auto& [source, observation] : best) out.push_back(std::move(observation));
  return out;
}

PooledRate pooled_processors(std::span<const RateObservation> seen) {
  return pooled_rate(seen, arm, arm, no_width, spread);
}

void set_processors(StepStudy& study, double factor) {
  for (machine::ClusterSpec& cluster : study.steps.catalog.clusters)
    if (cluster.cpu == machine::CpuVendor::arm) cluster.host_time_factor = factor;
}

int run_processors(std::span<char*> args) {
  StepStudy study = read_step_study(step_option(args, "--table", default_step_table()));
  const std::vector<RateObservation> seen = observe_processors(study, study.scored());
  const PooledRate pooled = pooled_processors(seen);
  const double factor = std::exp(pooled.log_factor);
  fmt::print("{:24} {:.2f} +- {:.2f}\n", arm, factor, factor * pooled.sigma);
  for (const RateObservation& one : seen)
    fmt::print("    {:24} {:3} runs  {:.2f}\n", one.publication, one.layouts, std::exp(one.log_factor));
  return 0;
}

}  // namespace echo::calibrate
