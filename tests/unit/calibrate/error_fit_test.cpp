#include "calibrate/steps/error_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>

#include "simulate/report/error_bands.hpp"
#include "tests/support/random_step_errors.hpp"

namespace echo::calibrate {
namespace {

using simulate::SettingsFrom;
constexpr auto layout = static_cast<std::size_t>(ErrorSource::layout);

// Runs whose errors follow the model: a draw for each (publication, source, owner) and one for each run.
std::vector<StepError> drawn(const simulate::ErrorModel& model, std::uint64_t seed,
                             std::uint64_t publications, std::uint64_t runs,
                             SettingsFrom from = SettingsFrom::run) {
  std::vector<StepError> out;
  for (std::uint64_t p = 0; p < publications; ++p) {
    for (std::uint64_t i = 0; i < runs; ++i) {
      StepError one{.row = std::to_string(i), .publication = "p" + std::to_string(p)};
      one.report = support::random_report(seed + p, i);
      one.evidence = support::random_evidence(seed, p);
      one.evidence.settings_from = from;
      const auto owner = static_cast<std::int32_t>(i % 2);  // two GPU kinds, clusters, frameworks
      one.owner.fill(owner);
      one.owner[layout] = -1;
      const auto c = simulate::contributions(model, one.evidence, one.report);
      for (std::size_t k = 0; k < layout; ++k)
        one.error += c[k] * draw_normal(seed + 1, 1'000 * p + k, static_cast<std::uint64_t>(owner));
      one.error += c[layout] * draw_normal(seed + 2, 1'000 * p, i);
      out.push_back(one);
    }
  }
  return out;
}

simulate::ErrorModel truth() {
  simulate::ErrorModel model;
  model.sigma = {0.06, 0.15, 0.2, 0.2, 0.3, 0.2, 0.5, 0.03, 0.04};
  return model;
}

TEST(ErrorFit, TheLikelihoodEqualsThatOfTheWholeCovariance) {
  const auto runs = drawn(truth(), 3, 1, 20);
  const simulate::ErrorModel model;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(20, 20) * 1e-6;
  Eigen::VectorXd error(20);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto a = simulate::contributions(model, runs[i].evidence, runs[i].report);
    error[static_cast<Eigen::Index>(i)] = runs[i].error;
    for (std::size_t j = 0; j < runs.size(); ++j) {
      const auto b = simulate::contributions(model, runs[j].evidence, runs[j].report);
      double shared = i == j ? a[layout] * a[layout] : 0.0;
      for (std::size_t k = 0; k < layout; ++k)
        if (runs[i].owner[k] == runs[j].owner[k]) shared += a[k] * b[k];
      covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += shared;
    }
  }
  const double distance = error.dot(covariance.ldlt().solve(error)), tails = 4.0;  // of Student's t
  const double whole =
      0.5 * ((tails + 20) * std::log1p(distance / tails) + std::log(covariance.determinant()));
  EXPECT_NEAR(misfit(runs, model), whole, 1e-6 * std::abs(whole));
}

TEST(ErrorFit, BandsHoldWhatTheyPromiseOfPublicationsDrawnAnew) {
  const auto seen = drawn(truth(), 10, 40, 12), unseen = drawn(truth(), 5'000, 200, 12);
  const simulate::ErrorModel model = fit_errors(seen, {});
  EXPECT_NEAR(accuracy::coverage(banded(unseen, model)).covered, 0.68, 0.06);
  EXPECT_NEAR(accuracy::coverage(banded(unseen, model), model.p90).covered, 0.80, 0.05);
}

TEST(ErrorFit, WidensTheBandsOfAssumedSettingsAlone) {
  simulate::ErrorModel model = truth();
  model.unstated_settings = 0.15;
  const simulate::ErrorModel stated = fit_errors(drawn(model, 10, 40, 12), {});
  const simulate::ErrorModel fitted = fit_unstated(drawn(model, 40, 40, 12, SettingsFrom::defaults), stated);
  const auto unseen = drawn(model, 5'000, 200, 12, SettingsFrom::defaults);
  EXPECT_LT(accuracy::coverage(banded(unseen, stated), stated.p90).covered, 0.75);
  EXPECT_NEAR(accuracy::coverage(banded(unseen, fitted), fitted.p90).covered, 0.80, 0.05);
  simulate::ErrorModel other = fitted;
  other.unstated_settings = stated.unstated_settings;
  other.unstated_machine = stated.unstated_machine;
  other.unstated_suite = stated.unstated_suite;
  EXPECT_EQ(other, stated);
}

TEST(ErrorFit, TruthFitsBetterThanErrorsTwiceOrHalfAsLarge) {
  const auto runs = drawn(truth(), 20, 60, 12);
  simulate::ErrorModel twice = truth(), half = truth();
  for (double& one : twice.sigma) one *= 2.0;
  for (double& one : half.sigma) one *= 0.5;
  EXPECT_LT(misfit(runs, truth()), misfit(runs, twice));
  EXPECT_LT(misfit(runs, truth()), misfit(runs, half));
}

TEST(ErrorFit, GivesTheSameBitsAgainAndNoNegativeError) {
  const auto runs = drawn(truth(), 30, 8, 6);
  const simulate::ErrorModel model = fit_errors(runs, {});
  EXPECT_EQ(model, fit_errors(runs, {}));
  for (const double one : model.sigma) EXPECT_GT(one, 0.0);
}

}  // namespace
}  // namespace echo::calibrate
