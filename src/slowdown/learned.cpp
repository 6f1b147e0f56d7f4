#include "slowdown/learned.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/contract.hpp"
#include "slowdown/rate_kept.hpp"

namespace echo::slowdown {

namespace {

bool lies_in(double number, double low, double high) { return number >= low && number <= high; }

bool is_sound(const Contention& constants) {
  return lies_in(constants.sm_per_channel, 0.0, 1e3) && lies_in(constants.memory_interference, 0.0, 1e3) &&
         lies_in(constants.sustained_memory, 1e-3, 1e3) && lies_in(constants.collective_floor, 0.0, 1e3) &&
         lies_in(constants.latency_under_load, 0.0, 1e3);
}

bool is_sound(const RateModel& model, std::int32_t features) {
  return lies_in(model.seen.low, least_rate, 1.0 / least_rate) &&
         lies_in(model.seen.high, model.seen.low, 1.0 / least_rate) && is_sound(model.residual, features);
}

bool is_sound(const Evidence& evidence) {
  return evidence.rows >= 0 &&
         std::all_of(evidence.errors.begin(), evidence.errors.end(), [](const HeldOutError& error) {
           return std::isfinite(error.mean) && std::isfinite(error.total) && error.doubt >= 0.0 &&
                  std::isfinite(error.doubt);
         });
}

bool fits_its_base(const LearnedModel& model) {
  switch (model.base) {
    case Base::none:
      return model.families.rates.empty();
    case Base::contention:
      return model.families.rates.empty() && model.features == FeatureSet::simulator;
    case Base::families:
      return is_sound(model.families) && model.features == FeatureSet::metrics;
    case Base::direct:
      return model.families.rates.empty() && model.features == FeatureSet::metrics;
  }
  return false;
}

}  // namespace

bool is_sound(const LearnedModel& model) {
  if (model.features != FeatureSet::metrics && model.features != FeatureSet::simulator) return false;
  const std::size_t features = feature_names(model.features).size();
  if (model.ranges.size() != features) return false;
  for (const Range& range : model.ranges)
    if (!lies_in(range.low, -max_weight, max_weight) || !lies_in(range.high, -max_weight, max_weight))
      return false;
  const auto count = static_cast<std::int32_t>(features);
  if (model.collective && model.features != FeatureSet::simulator) return false;
  return fits_its_base(model) && is_sound(model.contention) && is_sound(model.evidence) &&
         is_sound(model.kernel, count) && (!model.collective || is_sound(*model.collective, count));
}

double kept_rate(const LearnedModel& model, const OverlapRow& row) {
  ECHO_EXPECT(model.features == FeatureSet::metrics);
  std::vector<double> features = metric_features(row);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = held(features[i], model.ranges[i]);
  const double learned = evaluate(model.kernel.residual, features);
  if (model.base == Base::direct)
    return std::clamp(1.0 / (1.0 + std::max(0.0, learned)), model.kernel.seen.low, model.kernel.seen.high);
  const double base = model.base == Base::families ? kept_by_family(model.families, row) : 1.0;
  return kept_of(base, learned, model.kernel.seen);
}

Factors predict(const LearnedModel& model, const ops::KernelPrice& kernel,
                const ops::CollectiveEstimate& collective, const Machine& machine) {
  ECHO_EXPECT(model.features == FeatureSet::simulator);
  if (collective.channels == 0)
    return contend(model.contention, kernel, collective, machine);  // copy engines
  std::array<double, simulator_feature_count> features{};
  simulator_features(kernel, collective, machine, features);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = held(features[i], model.ranges[i]);
  const Factors white_box = contend(model.contention, kernel, collective, machine);
  const auto learned = [&](const RateModel& rate, double base_factor) {
    const double base = model.base == Base::contention ? 1.0 / base_factor : 1.0;
    return factor_of(kept_of(base, evaluate(rate.residual, features), rate.seen));
  };
  return {.kernel = learned(model.kernel, white_box.kernel),
          .collective =
              model.collective ? learned(*model.collective, white_box.collective) : white_box.collective};
}

}  // namespace echo::slowdown
