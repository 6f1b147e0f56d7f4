#include "learn/candidates/baselines.hpp"

#include <cmath>
#include <map>

#include "base/quantile.hpp"
#include "learn/fit/fit.hpp"
#include "learn/fit/fit_families.hpp"

namespace echo::learn {

namespace {

using TextOf = const std::string& (*)(const slowdown::OverlapRow&);

std::vector<Fitted> fit_medians(const Examples& examples, Rows rows, TextOf text_of) {
  std::map<std::string, std::vector<double>> slowdowns;
  for (const std::int32_t i : rows) {
    const slowdown::OverlapRow& row = examples.rows[i].row;
    const Outcome outcome = outcome_of(row, examples.side, 0.0);
    if (is_measured(row, examples.side) && outcome.overlap_ratio > 0.0)
      slowdowns[text_of(row)].push_back(measured_slowdown(outcome));
  }
  std::map<std::string, double> medians;
  for (const auto& [name, values] : slowdowns) medians[name] = median_of(values);
  return {{.slowdown = [medians = std::move(medians), text_of](const Example& example) {
    const auto at = medians.find(text_of(example.row));
    return at == medians.end() ? 0.0 : at->second;
  }}};
}

// log2 of the time alone, seven metrics of Nsight Compute, the overlap ratio.
std::vector<double> echo_features(const Example& example) {
  const slowdown::KernelMetrics& metrics = example.row.metrics;
  return {std::log2(example.row.alone * 1e6),
          metrics.compute_throughput,
          metrics.memory_throughput,
          metrics.dram_throughput,
          metrics.achieved_occupancy,
          metrics.maximum_occupancy,
          metrics.l1_hit_rate,
          metrics.l2_hit_rate,
          example.row.overlap_ratio};
}

std::vector<Fitted> fit_as_echo(const Examples& examples, Rows rows, std::uint64_t seed) {
  Samples samples{.features = {"log2_kernel_time", "compute_throughput", "memory_throughput",
                               "dram_throughput", "achieved_occupancy", "maximum_occupancy", "l1_hit_rate",
                               "l2_hit_rate", "overlap_ratio"}};
  for (const std::int32_t i : rows) {
    const std::vector<double> features = echo_features(examples.rows[i]);
    samples.values.insert(samples.values.end(), features.begin(), features.end());
    samples.target.push_back(slowdown::slowdown_of(examples.rows[i].row));
    samples.weight.push_back(1.0);
  }
  const TreeSettings as_echo{.rounds = 100, .depth = 12, .learning_rate = 0.3, .min_child_weight = 1.0};
  slowdown::Regressor trees = fit(samples, as_echo, {}, seed);
  return {{.slowdown = [trees = std::move(trees)](const Example& example) {
    return slowdown::evaluate(trees, echo_features(example));
  }}};
}

}  // namespace

Candidate no_slowdown() {
  return {.name = "no_slowdown",
          .what = "overlap does not slow anything",
          .role = Role::baseline,
          .settings = {""},
          .fit = [](const Examples&, Rows, std::uint64_t) {
            return std::vector<Fitted>{{.slowdown = [](const Example&) { return 0.0; }}};
          }};
}

Candidate median_by(std::string name, std::string what, TextOf text_of) {
  return {.name = std::move(name),
          .what = std::move(what),
          .role = Role::baseline,
          .settings = {""},
          .fit = [text_of](const Examples& examples, Rows rows, std::uint64_t /*seed*/) {
            return fit_medians(examples, rows, text_of);
          }};
}

Candidate median_by_kernel_name() {
  return median_by("median_by_kernel_name", "median slowdown of the kernel's short name",
                   [](const slowdown::OverlapRow& row) -> const std::string& { return row.kernel; });
}

Candidate echo_settings() {
  return {.name = "echo_settings",
          .what = "Echo's XGBoost: slowdown, 100 rounds, depth 12",
          .role = Role::baseline,
          .settings = {""},
          .fit = fit_as_echo};
}

}  // namespace echo::learn
