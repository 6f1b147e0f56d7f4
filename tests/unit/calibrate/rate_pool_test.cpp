#include "calibrate/steps/rate_pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace echo::calibrate {
namespace {

RateObservation one(const char* kind, int width, const char* publication, double log_factor,
                    int layouts = 4) {
  return {"blackwell", kind, width, publication, log_factor, layouts};
}

TEST(RatePool, WithoutObservationsIsThePrior) {
  const RateSpread spread;
  const PooledRate pooled = pooled_rate({}, "blackwell", "b200", 8);
  EXPECT_DOUBLE_EQ(pooled.log_factor, spread.mean);
  EXPECT_NEAR(pooled.sigma, std::hypot(spread.family, spread.kind, spread.kind_width), 1e-12);
}

TEST(RatePool, OneObservationDrawsItsKindMostAndOtherFamiliesNotAtAll) {
  const std::vector seen{one("b200", 8, "a", 0.5)};
  const double own = pooled_rate(seen, "blackwell", "b200", 8).log_factor;
  const double sibling = pooled_rate(seen, "blackwell", "gb200", 8).log_factor;
  const double stranger = pooled_rate(seen, "hopper", "h100", 8).log_factor;
  EXPECT_GT(own, sibling);
  EXPECT_GT(sibling, stranger);
  EXPECT_DOUBLE_EQ(stranger, RateSpread{}.mean);
  EXPECT_LT(pooled_rate(seen, "blackwell", "b200", 8).sigma,
            pooled_rate(seen, "blackwell", "gb200", 8).sigma);
}

TEST(RatePool, MorePublicationsCountMoreThanMoreLayouts) {
  const std::vector<RateObservation> many{one("b200", 8, "a", 0.2), one("b200", 8, "b", 0.2),
                                          one("b200", 8, "c", 0.2)};
  const std::vector<RateObservation> long_one{one("b200", 8, "a", 0.2, 1000)};
  const double target = 0.2;
  EXPECT_LT(std::abs(pooled_rate(many, "blackwell", "b200", 8).log_factor - target),
            std::abs(pooled_rate(long_one, "blackwell", "b200", 8).log_factor - target));
}

TEST(RatePool, APublicationFarFromTheOthersLosesWeight) {
  std::vector<RateObservation> seen;
  for (const char* name : {"a", "b", "c", "d"}) seen.push_back(one("b200", 8, name, 0.3));
  const double clean = pooled_rate(seen, "blackwell", "b200", 8).log_factor;
  const auto shift = [&](double outlier) {
    auto with = seen;
    with.push_back(one("b200", 8, "e", outlier));
    return std::abs(pooled_rate(with, "blackwell", "b200", 8).log_factor - clean);
  };
  EXPECT_LT(shift(1.3), 10.0 / 3.0 * shift(0.6));  // a normal law would shift in proportion to the distance
}

TEST(RatePool, DoesNotDependOnTheOrder) {
  std::vector<RateObservation> seen{one("b200", 8, "a", 0.2), one("gb200", 8, "b", 0.5, 1),
                                    one("gb200", 16, "c", 0.4), one("b300", 4, "d", 0.1)};
  const double before = pooled_rate(seen, "blackwell", "gb200", 8).log_factor;
  std::swap(seen[0], seen[3]);
  EXPECT_NEAR(pooled_rate(seen, "blackwell", "gb200", 8).log_factor, before, 1e-12);
}

}  // namespace
}  // namespace echo::calibrate
