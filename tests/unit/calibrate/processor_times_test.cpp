#include "calibrate/steps/processor_times.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace echo::calibrate {
namespace {

RateObservation shown(const char* publication, double factor) {
  return {"arm", "arm", 0, publication, std::log(factor), 4};
}

TEST(PooledProcessors, BeginMidwayBetweenThePublishedTimesOfTwoCalls) {
  EXPECT_NEAR(std::exp(pooled_processors({}).log_factor), 1.7, 1e-9);
}

TEST(PooledProcessors, FollowPublicationsAndAreSurerWithEach) {
  const std::array both{shown("one", 1.4), shown("other", 1.6)};
  const PooledRate of_both = pooled_processors(both), of_one = pooled_processors(std::span(both).first(1));
  EXPECT_GT(std::exp(of_one.log_factor), 1.4);
  EXPECT_LT(std::exp(of_one.log_factor), 1.6);  // far nearer to the runs than to the times of one call
  EXPECT_GT(std::exp(of_both.log_factor), 1.4);
  EXPECT_LT(std::exp(of_both.log_factor), 1.7);
  EXPECT_LT(of_both.sigma, of_one.sigma);
  EXPECT_LT(of_one.sigma, pooled_processors({}).sigma);
}

}  // namespace
}  // namespace echo::calibrate
