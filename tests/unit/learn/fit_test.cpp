#include "learn/fit/fit.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/contract.hpp"
#include "tests/support/sample_samples.hpp"

namespace echo::learn {
namespace {

using testing::sample_samples;

const MlpSettings quick{.hidden = {4}, .epochs = 3};

TEST(Fit, SettingsChooseTheKind) {
  EXPECT_TRUE(std::holds_alternative<slowdown::Mlp>(fit(sample_samples(1, 50, 3), quick, {}, 1)));
}

TEST(Fit, RefusesSamplesThatAreNone) {
  const auto refuses = [](auto change) {
    Samples samples = sample_samples(1, 20, 3);
    change(samples);
    EXPECT_THROW(static_cast<void>(fit(samples, quick, {}, 1)), ContractViolation);
  };
  refuses([](Samples& s) { s = Samples{}; });
  refuses([](Samples& s) { s.values.pop_back(); });
  refuses([](Samples& s) { s.weight.push_back(1.0); });
  refuses([](Samples& s) { s.weight[3] = 0.0; });
  refuses([](Samples& s) { s.target[3] = std::numeric_limits<double>::quiet_NaN(); });
  refuses([](Samples& s) { s.values[3] = std::numeric_limits<double>::infinity(); });
  refuses([](Samples& s) { s.base = {1.0}; });
  refuses([](Samples& s) { s.base.assign(20, 0.0); });
}

// w (base g - target)^2 = w base^2 (g - target / base)^2, whatever g says.
TEST(Fit, BaseKeepsTheErrorOfTheProduct) {
  Samples samples = sample_samples(1, 20, 3);
  samples.base.assign(20, 0.7);
  samples.base[3] = 0.2;
  const Samples shares = of_the_base(samples);
  EXPECT_TRUE(shares.base.empty());
  for (std::size_t row = 0; row < 20; ++row) {
    const double whole = samples.base[row] * 0.9 - samples.target[row], share = 0.9 - shares.target[row];
    EXPECT_NEAR(samples.weight[row] * whole * whole, shares.weight[row] * share * share, 1e-12);
  }
}

TEST(Fit, RefusesConstraintsThatAreNone) {
  const Samples samples = sample_samples(1, 20, 3);
  EXPECT_THROW(static_cast<void>(fit(samples, quick, {1, -1}, 1)), ContractViolation);
  EXPECT_THROW(static_cast<void>(fit(samples, quick, {1, -1, 2}, 1)), ContractViolation);
}

}  // namespace
}  // namespace echo::learn
