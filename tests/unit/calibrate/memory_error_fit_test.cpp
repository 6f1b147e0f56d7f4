#include "calibrate/memory/memory_error_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/counter_rng.hpp"

namespace echo::calibrate {
namespace {

// Runs whose errors follow the model, of estimates that are half states, a third activations or so.
std::vector<MemoryError> drawn(const simulate::ErrorModel& model, std::uint64_t seed,
                               std::uint64_t publications, std::uint64_t runs) {
  simulate::ErrorModel own = model;
  own.memory_publication = 0.0;
  std::vector<MemoryError> out;
  for (std::uint64_t p = 0; p < publications; ++p) {
    const double shared = model.memory_publication * draw_normal(seed, p, 0);
    for (std::uint64_t i = 0; i < runs; ++i) {
      MemoryError one{.row = std::to_string(i), .publication = "p" + std::to_string(p)};
      one.holds = {.states = 10.0 + static_cast<double>(i % 7) * 10.0,
                   .activations = 60.0 - static_cast<double>(i % 5) * 10.0,
                   .rest = 4.0 + static_cast<double>(i % 3)};
      one.error = shared + simulate::memory_scale(own, one.holds) * draw_normal(seed + 1, p, i);
      out.push_back(one);
    }
  }
  return out;
}

simulate::ErrorModel truth() {
  simulate::ErrorModel model;
  model.memory_states = 0.01, model.memory_activations = 0.2, model.memory_publication = 0.15;
  return model;
}

// Its slow twin: the covariance written out.
TEST(MemoryErrorFit, TheLikelihoodEqualsThatOfTheWholeCovariance) {
  const auto runs = drawn(truth(), 3, 1, 12);
  const simulate::ErrorModel model;
  simulate::ErrorModel own = model;
  own.memory_publication = 0.0;
  Eigen::MatrixXd covariance =
      Eigen::MatrixXd::Constant(12, 12, model.memory_publication * model.memory_publication);
  Eigen::VectorXd error(12);
  for (Eigen::Index i = 0; i < 12; ++i) {
    const MemoryError& one = runs[static_cast<std::size_t>(i)];
    covariance(i, i) += std::pow(simulate::memory_scale(own, one.holds), 2) + 1e-4;
    error[i] = one.error;
  }
  const double distance = error.dot(covariance.inverse() * error);
  const double expected = 0.5 * (16.0 * std::log1p(distance / 4.0) + std::log(covariance.determinant()));
  EXPECT_NEAR(memory_misfit(runs, model), expected, 1e-9);
}

TEST(MemoryErrorFit, FindsTheScalesThatMadeTheErrors) {
  const auto runs = drawn(truth(), 5, 60, 20);
  const simulate::ErrorModel found = fit_memory_errors(runs, {});
  EXPECT_NEAR(found.memory_activations, 0.2, 0.04);
  EXPECT_NEAR(found.memory_publication, 0.15, 0.04);
  EXPECT_LT(memory_misfit(runs, found), memory_misfit(runs, {}));
  simulate::ErrorModel others = found;  // all but memory stays as it was
  const simulate::ErrorModel prior;
  others.memory_states = prior.memory_states, others.memory_activations = prior.memory_activations;
  others.memory_rest = prior.memory_rest, others.memory_publication = prior.memory_publication;
  EXPECT_EQ(others, prior);
}

TEST(MemoryErrorFit, APublicationOfManyRunsWeighsNoMoreThanOneOfThirty) {
  MemoryError calm = drawn(truth(), 7, 1, 1).front();
  calm.error = 0.0;
  const double thirty = memory_misfit(std::vector<MemoryError>(30, calm), {}),
               many = memory_misfit(std::vector<MemoryError>(2000, calm), {}),
               ten = memory_misfit(std::vector<MemoryError>(10, calm), {});
  EXPECT_NEAR(many / thirty, 1.0, 0.05);
  EXPECT_LT(ten / thirty, 0.5);  // below, each counts
}

// Publications that differ more than any mixture of the others says.
TEST(MemoryErrorFit, ScalesAreWidenedUntilUnseenPublicationsAreCovered) {
  auto runs = drawn(truth(), 9, 6, 20);
  for (MemoryError& run : runs)
    if (run.publication == "p0" || run.publication == "p1") run.error += 0.8;
  const auto unseen = unseen_memory_errors(runs, {});
  ASSERT_EQ(unseen.size(), runs.size());
  const double factor = memory_widening(unseen);
  EXPECT_GT(factor, 1.0);
  EXPECT_DOUBLE_EQ(widened_memory_errors(runs, {}).memory_publication,
                   factor * fit_memory_errors(runs, {}).memory_publication);
  double covered = 0.0;
  for (const auto& [name, c] : accuracy::coverage_by_group(unseen, factor * 1.5332))
    covered += c.covered / 6.0;
  EXPECT_NEAR(covered, 0.8, 0.02);
}

}  // namespace
}  // namespace echo::calibrate
