#include "slowdown/learned.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "base/contract.hpp"
#include "slowdown/rate_kept.hpp"

namespace echo::slowdown {

namespace {

using FamilyKey = std::tuple<std::string_view, std::string_view, std::int32_t>;

FamilyKey key_of(const FamilyRate& family) { return {family.kernel, family.full_name, family.octave}; }

double rate_of_family(const std::vector<FamilyRate>& families, const OverlapRow& row) {
  constexpr std::int32_t any = FamilyRate::any_octave;
  const std::array<FamilyKey, 4> finest_first{FamilyKey{row.kernel, row.full_name, octave_of(row.alone)},
                                              {row.kernel, row.full_name, any},
                                              {row.kernel, {}, any},
                                              {{}, {}, any}};
  for (const FamilyKey& key : finest_first) {
    const auto at = std::lower_bound(families.begin(), families.end(), key,
                                     [](const FamilyRate& a, const FamilyKey& b) { return key_of(a) < b; });
    if (at != families.end() && key_of(*at) == key) return at->kept;
  }
  return families.front().kept;
}

bool lies_in(double number, double low, double high) { return number >= low && number <= high; }

bool is_sound(const Contention& constants) {
  return lies_in(constants.sm_per_channel, 0.0, 1e3) && lies_in(constants.memory_interference, 0.0, 1e3) &&
         lies_in(constants.sustained_memory, 1e-3, 1e3) && lies_in(constants.collective_floor, 0.0, 1e3);
}

// Sorted, each once; the first is that of any kernel, so that every search ends.
bool are_sound(const std::vector<FamilyRate>& families) {
  if (families.empty() || key_of(families.front()) != FamilyKey{{}, {}, FamilyRate::any_octave}) return false;
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (!lies_in(families[i].kept, least_rate, 1.0 / least_rate) || families[i].rows < 0) return false;
    if (i > 0 && !(key_of(families[i - 1]) < key_of(families[i]))) return false;
  }
  return true;
}

bool is_sound(const RateModel& model, std::int32_t features) {
  return lies_in(model.seen.low, least_rate, 1.0 / least_rate) &&
         lies_in(model.seen.high, model.seen.low, 1.0 / least_rate) && is_sound(model.residual, features);
}

bool is_sound(const Evidence& evidence) {
  return evidence.rows >= 0 &&
         std::all_of(evidence.errors.begin(), evidence.errors.end(), [](const HeldOutError& error) {
           return std::isfinite(error.mean) && std::isfinite(error.total);
         });
}

bool fits_its_base(const LearnedModel& model) {
  switch (model.base) {
    case Base::none:
      return model.families.empty();
    case Base::contention:
      return model.families.empty() && model.features == FeatureSet::simulator;
    case Base::families:
      return are_sound(model.families) && model.features == FeatureSet::metrics;
  }
  return false;
}

}  // namespace

std::int32_t octave_of(double seconds) {
  return static_cast<std::int32_t>(std::floor(std::log2(std::clamp(seconds * 1e6, 1e-6, 1e12))));
}

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
  const double base = model.base == Base::families ? rate_of_family(model.families, row) : 1.0;
  return kept_of(base, evaluate(model.kernel.residual, features), model.kernel.seen);
}

Factors predict(const LearnedModel& model, const ops::KernelPrice& kernel,
                const ops::CollectiveEstimate& collective, const Machine& machine) {
  ECHO_EXPECT(model.features == FeatureSet::simulator);
  if (collective.channels == 0) return contend(model.contention, kernel, collective, machine);  // copy engines
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
