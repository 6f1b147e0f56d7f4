#include "learn/candidates/fitted.hpp"

#include <utility>

namespace echo::learn {

static double slowdown_by(const slowdown::LearnedModel& model, Side side, const Example& example) {
  if (model.features == slowdown::FeatureSet::metrics)
    return 1.0 / slowdown::kept_rate(model, example.row) - 1.0;
  const Pair& pair = example.pair;
  const slowdown::Factors factors = predict(model, pair.kernel, pair.collective, pair.machine);
  return (side == Side::kernel ? factors.kernel : factors.collective) - 1.0;
}

Fitted fitted_of(slowdown::LearnedModel model, Side side, std::vector<double> gain) {
  Fitted fitted{.model = std::move(model), .gain = std::move(gain)};
  fitted.slowdown = [model = *fitted.model, side](const Example& example) {
    return slowdown_by(model, side, example);
  };
  return fitted;
}

}  // namespace echo::learn
