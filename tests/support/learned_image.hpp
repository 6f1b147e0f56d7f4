// A learned slowdown model with the bytes it is looked at.
#pragma once

#include <span>
#include <string>

#include "slowdown/learned_view.hpp"

namespace echo::testing {

class LearnedImage {
 public:
  explicit LearnedImage(const slowdown::LearnedModel& model) : bytes_(slowdown::make_image(model)) {}
  [[nodiscard]] slowdown::LearnedView view() const {
    return slowdown::LearnedView(std::as_bytes(std::span(bytes_)));
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;  // long enough to lie on the heap: it stays where it is when this is moved
};

// Says the same of every pair: both run at `factor` times their times alone.
inline slowdown::LearnedModel constant_model(double factor) {
  slowdown::LearnedModel model{.name = "constant", .base = slowdown::Base::none};
  model.ranges.assign(slowdown::simulator_feature_count, {-100.0, 100.0});
  const auto kept = static_cast<float>(1.0 / factor);
  model.kernel = {.residual = slowdown::Forest{.nodes = {{.threshold = kept}}, .roots = {0}},
                  .seen = {kept, kept}};
  model.collective = model.kernel;
  return model;
}

}  // namespace echo::testing
