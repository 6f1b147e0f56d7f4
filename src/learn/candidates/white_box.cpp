#include "learn/candidates/white_box.hpp"

#include <fmt/format.h>

#include <limits>

namespace echo::learn {

namespace {

// Shares of the SMs and of HBM bandwidth that NCCL uses: 4 channels over PCIe, 8 to 24 of 108 SMs over
// NVLink; an all-reduce reads and writes each byte a few times at tens of GB/s.
constexpr double assumed_sms[] = {0.037, 0.07, 0.15, 0.22};
constexpr double assumed_memory[] = {0.01, 0.03, 0.10};

std::vector<slowdown::Contention> grid() {
  std::vector<slowdown::Contention> all{{}};
  for (const double sms : {0.5, 1.0, 1.5, 2.0, 3.0})
    for (const double interference : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0})
      for (const double sustained : {0.7, 0.8, 0.9, 1.0})
        all.push_back(
            {.sm_per_channel = sms, .memory_interference = interference, .sustained_memory = sustained});
  return all;
}

Fitted on_prices(const Examples& examples, const slowdown::Contention& constants) {
  slowdown::LearnedModel model{.features = examples.features, .base = slowdown::Base::contention};
  model.contention = constants;
  model.ranges.resize(slowdown::simulator_feature_count);
  return {.slowdown =
              [constants, side = examples.side](const Example& example) {
                return 1.0 / kept_beside(example.pair, constants, side) - 1.0;
              },
          .model = std::move(model)};
}

}  // namespace

double kept_beside(const Pair& pair, const slowdown::Contention& constants, Side side) {
  const slowdown::Factors factors = contend(constants, pair.kernel, pair.collective, pair.machine);
  return 1.0 / (side == Side::kernel ? factors.kernel : factors.collective);
}

slowdown::Contention fitted_constants(const Examples& examples, Rows rows, double harshness) {
  slowdown::Contention best;
  double least = std::numeric_limits<double>::infinity();
  for (const slowdown::Contention& next : grid()) {
    double loss = 0.0;
    for (const std::int32_t row : rows)
      for (const Side side : {Side::kernel, Side::collective}) {
        const Example& example = examples.rows[row];
        if (!is_measured(example.row, side)) continue;
        const double slowdown = 1.0 / kept_beside(example.pair, next, side) - 1.0;
        const double error = relative_error(outcome_of(example.row, side, slowdown));
        loss += error > 0.0 ? harshness * error : -error;
      }
    if (loss >= least) continue;
    least = loss;
    best = next;
  }
  return best;
}

Candidate white_box_of_prices() {
  return {.name = "white_box",
          .what = "SMs and HBM bandwidth shared, on prices",
          .settings = {"default constants", "fitted constants"},
          .fit = [](const Examples& examples, Rows rows, std::uint64_t) {
            return std::vector<Fitted>{on_prices(examples, {}),
                                       on_prices(examples, fitted_constants(examples, rows, 1.0))};
          }};
}

Candidate white_box_of_metrics() {
  Candidate candidate{.name = "white_box",
                      .what = "SMs and HBM bandwidth shared, on metrics; communication assumed",
                      .role = Role::shown};
  std::vector<AssumedCommunication> assumptions;
  for (const double sms : assumed_sms)
    for (const double memory : assumed_memory) {
      candidate.settings.push_back(fmt::format("{:.0f} % of SMs, {:.0f} % of HBM", 100 * sms, 100 * memory));
      assumptions.push_back({sms, memory});
    }
  candidate.fit = [assumptions](const Examples&, Rows, std::uint64_t) {
    std::vector<Fitted> all;
    for (const AssumedCommunication& assumed : assumptions)
      all.push_back({.slowdown = [assumed](const Example& example) {
        return 1.0 / kept_beside(pair_of_metrics(example, assumed), {}, Side::kernel) - 1.0;
      }});
    return all;
  };
  return candidate;
}

}  // namespace echo::learn
