// Laws of collectives that share links, and what adding the losses of three leaves out.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/counter_rng.hpp"
#include "network/shared_links.hpp"

namespace echo::network {
namespace {

struct Draws {
  std::uint64_t number, drawn = 0;
  double unit() { return draw_unit(815, number, drawn++); }
};

LinkDemand random_use(Draws& draws) {
  const double kind = draws.unit(), busy = draws.unit() < 0.2 ? 1.0 : draws.unit();
  LinkDemand use;
  if (kind < 0.4) {
    use.by_scale_up = busy;
  } else if (kind < 0.8) {
    use.by_scale_out = busy;
  } else {
    use.by_scale_out = busy * draws.unit();
    use.by_scale_up = busy - use.by_scale_out;
  }
  const double inside = 3.0 * draws.unit();
  use.inside_meanwhile = std::min(1.0, inside);
  use.outside_meanwhile = std::min(1.0, 1.0 / inside);
  if (draws.unit() < 0.5) use.reach = 0.1 + 0.9 * draws.unit();
  return use;
}

TEST(SharedLinks, NoPairCarriesMoreThanTheLinkDoes) {
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Draws draws{number};
    const LinkDemand a = random_use(draws), b = random_use(draws);
    const LinkLoss of_a = loss_beside(a, b), of_b = loss_beside(b, a);
    const double longer_a = 1.0 + of_a.scale_up + of_a.scale_out,
                 longer_b = 1.0 + of_b.scale_up + of_b.scale_out;
    ASSERT_LE(a.by_scale_up / longer_a + b.by_scale_up / longer_b, 1.0 + 1e-12) << number;
    const double widest = std::max(a.reach, b.reach);
    ASSERT_LE(a.by_scale_out * a.reach / longer_a + b.by_scale_out * b.reach / longer_b, widest + 1e-12)
        << number;
    ASSERT_LE(longer_a, 1.0 + (a.by_scale_up + a.by_scale_out) + 1e-12)
        << number;  // at most all of it doubled
  }
}

TEST(SharedLinks, ABusierNeighbourNeverCostsLess) {
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    Draws draws{number};
    const LinkDemand a = random_use(draws), b = random_use(draws);
    LinkDemand busier = b;
    const double idle = 1.0 - b.by_scale_up - b.by_scale_out;
    (draws.unit() < 0.5 ? busier.by_scale_up : busier.by_scale_out) += idle * draws.unit();
    const LinkLoss before = loss_beside(a, b), after = loss_beside(a, busier);
    ASSERT_GE(after.scale_up, before.scale_up) << number;
    ASSERT_GE(after.scale_out, before.scale_out) << number;
  }
}

// One link, and shares of three on it. Exact, by the recursion of mean-value analysis: a finds there what b
// and c alone would leave. Adding the losses of the pairs is never above, and below by a tenth at most.
TEST(SharedLinks, AddsTheLossesOfThreeWithinElevenPercentOfTheExactRecursion) {
  const auto of = [](double share) { return LinkDemand{.by_scale_out = share}; };
  const auto queue = [](double s, double other) { return s * (1.0 + other) / (1.0 + s * other); };
  double worst = 0.0;
  for (int i = 0; i <= 40; ++i)
    for (int j = 0; j <= 40; ++j)
      for (int k = 0; k <= 40; ++k) {
        const double a = i / 40.0, b = j / 40.0, c = k / 40.0;
        const double exact = 1.0 + a * (queue(b, c) + queue(c, b));
        const double added = 1.0 + loss_beside(of(a), of(b)).scale_out + loss_beside(of(a), of(c)).scale_out;
        ASSERT_LE(added, exact + 1e-12);
        worst = std::max(worst, exact / added - 1.0);
      }
  std::printf("three on one link: at most %.1f %% longer than losses added\n", 100.0 * worst);
  EXPECT_LT(worst, 0.11);
  EXPECT_DOUBLE_EQ(1.0 + 2.0 * loss_beside(of(1.0), of(1.0)).scale_out, 3.0);
}

}  // namespace
}  // namespace echo::network
