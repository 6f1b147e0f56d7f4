#include "learn/fit/fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "learn/fit/fit_mlp.hpp"
#include "learn/fit/fit_trees.hpp"

namespace echo::learn {

namespace {

bool are_sound(const Samples& samples) {
  const std::size_t rows = samples.target.size(), features = samples.features.size();
  const auto is_finite = [](double number) { return std::isfinite(number); };
  const auto is_positive = [](double number) { return std::isfinite(number) && number > 0.0; };
  const auto is_known_finite = [](double number) { return !std::isinf(static_cast<float>(number)); };
  return rows > 0 && features > 0 && features <= static_cast<std::size_t>(slowdown::max_width) &&
         samples.values.size() == rows * features && samples.weight.size() == rows &&
         (samples.base.empty() || samples.base.size() == rows) &&
         std::all_of(samples.values.begin(), samples.values.end(), is_known_finite) &&
         std::all_of(samples.target.begin(), samples.target.end(), is_finite) &&
         std::all_of(samples.base.begin(), samples.base.end(), is_positive) &&
         std::all_of(samples.weight.begin(), samples.weight.end(), is_positive);
}

bool are_signs(const std::vector<std::int32_t>& monotone, std::size_t features) {
  return monotone.empty() ||
         (monotone.size() == features &&
          std::all_of(monotone.begin(), monotone.end(), [](std::int32_t sign) { return sign * sign <= 1; }));
}

}  // namespace

Samples of_the_base(Samples samples) {
  for (std::size_t row = 0; row < samples.base.size(); ++row) {
    samples.target[row] /= samples.base[row];
    samples.weight[row] *= samples.base[row] * samples.base[row];
  }
  samples.base.clear();
  return samples;
}

slowdown::Regressor fit(const Samples& samples, const Settings& settings,
                        const std::vector<std::int32_t>& monotone, std::uint64_t seed) {
  ECHO_EXPECT(are_sound(samples) && are_signs(monotone, samples.features.size()));
  slowdown::Regressor fitted;
  if (const auto* trees = std::get_if<TreeSettings>(&settings))
    fitted = fit_trees(samples, *trees, monotone, seed).forest;
  else
    fitted = fit_mlp(samples, std::get<MlpSettings>(settings), monotone, seed);
  ECHO_ENSURE(slowdown::is_sound(fitted, static_cast<std::int32_t>(samples.features.size())));
  return fitted;
}

}  // namespace echo::learn
