#include "learn/fit/held_signs.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::learn {

HeldSigns::HeldSigns(const std::vector<std::int32_t>& monotone, const std::vector<std::int32_t>& hidden) {
  if (std::all_of(monotone.begin(), monotone.end(), [](std::int32_t sign) { return sign == 0; })) return;
  units_.push_back(monotone);
  for (const std::int32_t width : hidden) {
    units_.emplace_back();
    for (std::int32_t unit = 0; unit < width; ++unit) units_.back().push_back(unit % 2 == 0 ? 1 : -1);
  }
  units_.push_back({1});
}

std::int32_t HeldSigns::between(std::size_t layer, Eigen::Index i, Eigen::Index j) const {
  if (units_.empty()) return 0;
  return units_[layer][at(i)] * units_[layer + 1][at(j)];
}

void HeldSigns::hold(Network& network) const {
  if (units_.empty()) return;
  for (std::size_t layer = 0; layer < network.size(); ++layer) {
    Eigen::MatrixXd& weights = network[layer].weights;
    for (Eigen::Index i = 0; i < weights.cols(); ++i)
      for (Eigen::Index j = 0; j < weights.rows(); ++j)
        if (between(layer, i, j) * weights(j, i) < 0.0) weights(j, i) = 0.0;
  }
}

}  // namespace echo::learn
